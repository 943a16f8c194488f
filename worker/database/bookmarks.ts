import { fromBase32, toBase32 } from "../../core/encoding/base32.ts";
import { fromBase64Url, toBase64Url } from "../../core/encoding/bytes.ts";
import { type DataKey, open, seal } from "../secrets/sealed.ts";
import type { Since } from "./connect.ts";

/**
 * Bookmarks as callers see them: `<13-digit milliseconds>-<sealed bookmark, base32>`. D1's own count changes of the
 * database, those of other airlines too. The time keeps the order in text, because SDKs keep the greatest.
 */

const SEALED = /^([0-9]{13})-([0-9a-v]{1,400})$/;
/** Unsealed bookmarks of D1, which callers of the release before still send. */
const UNSEALED = /^[0-9A-Za-z-]{1,128}$/;

/** A bookmark and the time in front of it. */
interface Stamped {
  readonly at: number;
  readonly bookmark: string;
}

/** Where a request's reads begin. */
export interface Start {
  readonly since: Since;
  /** The bookmark of the caller, if it was sealed. */
  readonly fromCaller?: Stamped;
}

/** For everything that decides. */
export const PRIMARY: Start = { since: "first-primary" };
const placeAt = (at: string) => ({ field: "bookmark", id: at }) as const;

/** At the bookmark of the caller; at the primary without one, or where it cannot be read. */
export async function startAt(key: DataKey, sent: string | null): Promise<Start> {
  const [, at, sealed] = SEALED.exec(sent ?? "") ?? [];
  if (at === undefined || sealed === undefined)
    return UNSEALED.test(sent ?? "") ? { since: sent ?? "" } : PRIMARY;
  try {
    const bookmark = await open(key, placeAt(at), toBase64Url(fromBase32(sealed)));
    return { since: bookmark, fromCaller: { at: Number(at), bookmark } };
  } catch {
    return PRIMARY;
  }
}

/** Seals the bookmarks of one isolate's answers. */
export type SealBookmark = (
  key: DataKey,
  answer: { readonly seen: string; readonly now: number; readonly fromCaller?: Stamped | undefined },
) => Promise<string>;

/**
 * Times follow the order of the bookmarks, not that of the answers: a copy may be behind, and an answer overtaken. Each
 * newer one gets a later time, independent of the clock, and so does the same one: an equal time would show that nothing
 * was written. Between isolates their clocks decide.
 */
export function sealsBookmarks(): SealBookmark {
  let last: Stamped = { at: 0, bookmark: "" };
  const timeOf = (bookmark: string, now: number, least: number): number => {
    if (bookmark < last.bookmark) return Math.min(now, last.at - 1);
    last = { at: Math.max(now, least, last.at + 1), bookmark };
    return last.at;
  };
  return async (key, { seen, now, fromCaller }) => {
    const at = String(timeOf(seen, now, (fromCaller?.at ?? 0) + 1));
    return `${at}-${toBase32(fromBase64Url(await seal(key, placeAt(at), seen)))}`;
  };
}
