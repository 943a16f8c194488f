import { type Bytes, equalBytes, toBase64Url, utf8 } from "../../core/encoding/bytes.ts";
import type { LoginMethod } from "../../db/schema.ts";
import type { RequestContext } from "../context.ts";
import { hmac } from "../secrets/sealed.ts";

/**
 * Refresh tokens (rules §3): session, kind and number, a secret of 256 bits, and an HMAC over these. The HMAC shows of an
 * old token that it was ours, without a row; of the live one the session's row has the hash as well, so that the key of
 * the HMAC alone opens nothing.
 */
export interface RefreshToken {
  readonly text: string;
  readonly sessionId: string;
  readonly isStaff: boolean;
  /** 0 for the token of the login. */
  readonly counter: number;
}

/** `milliseconds` as the first eight characters of a session id: they sort by time. */
export const sessionIdAt = (milliseconds: number): string =>
  Math.floor(milliseconds / 1_000)
    .toString(16)
    .padStart(8, "0");

/** A session id: its time, and 12 bytes that make it unique. */
export const sessionIdOf = (milliseconds: number, unique: Bytes): string =>
  sessionIdAt(milliseconds) + toBase64Url(unique.subarray(0, 12));

const TOKEN = /^([0-9a-f]{8}[A-Za-z0-9_-]{16})\.([PS])(\d{1,9})\.([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{22})$/;

/** The token in `text`, if it is or was one of ours. */
export async function readRefreshToken(ctx: RequestContext, text: string): Promise<RefreshToken | undefined> {
  const [, sessionId, kind, number, secret, tag] = TOKEN.exec(text) ?? [];
  if (sessionId === undefined || tag === undefined) return undefined;
  const content = `${sessionId}.${kind}${number}.${secret}`;
  if (!equalBytes(utf8(tag), utf8(await tagOf(ctx, content)))) return undefined;
  return { text, sessionId, isStaff: kind === "S", counter: Number(number) };
}

/** The token of a login, made of 32 random bytes. */
export const firstRefreshToken = (
  ctx: RequestContext,
  { id, method }: { readonly id: string; readonly method: LoginMethod },
): Promise<RefreshToken> =>
  tokenOf(ctx, { sessionId: id, isStaff: method === "b2b", counter: 0 }, ctx.random(32));

/** HMAC(REFRESH_KEY, family ‖ counter ‖ previous) is the secret of the next one: every instance makes the same. */
export async function successorOf(ctx: RequestContext, previous: RefreshToken): Promise<RefreshToken> {
  const counter = previous.counter + 1;
  const content = utf8(JSON.stringify([previous.sessionId, counter, previous.text]));
  return tokenOf(ctx, { ...previous, counter }, await hmac(ctx.settings.refreshKey, content));
}

async function tokenOf(
  ctx: RequestContext,
  { sessionId, isStaff, counter }: Omit<RefreshToken, "text">,
  secret: Bytes,
): Promise<RefreshToken> {
  const content = `${sessionId}.${isStaff ? "S" : "P"}${counter}.${toBase64Url(secret)}`;
  return { sessionId, isStaff, counter, text: `${content}.${await tagOf(ctx, content)}` };
}

/** 128 bits; no content of a tag is one of a successor, which is JSON. */
const tagOf = async ({ settings }: RequestContext, content: string) =>
  toBase64Url((await hmac(settings.refreshKey, utf8(content))).slice(0, 16));
