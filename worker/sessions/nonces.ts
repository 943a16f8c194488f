import { and, eq, sql } from "drizzle-orm";
import type { NonceResponse } from "../../core/api/index.ts";
import {
  type Bytes,
  concat,
  EncodingError,
  equalBytes,
  fromBase64Url,
  toBase64Url,
  utf8,
} from "../../core/encoding/bytes.ts";
import { sessions, usedOnce } from "../../db/schema.ts";
import { recordOnce } from "../auth/dpop.ts";
import type { RequestContext } from "../context.ts";
import { inBatch, requiring } from "../database/batch.ts";
import { ApiError } from "../errors.ts";
import { hmac, sha256Text } from "../secrets/sealed.ts";
import { sessionIdOf } from "./refresh-token.ts";

/**
 * Nonces for attestations (endpoint 2): their end, random bits, and an HMAC that shows that they are ours; no row is stored.
 * Each is used once. It determines the session's id, so a second login with it finds that row; after a failed login the
 * nonce itself is a row until it ends.
 */

const TIME_LENGTH = 6;
const RANDOM_LENGTH = 12;
const TAG_LENGTH = 14;

/** A new nonce, 96 random bits. */
export async function issueNonce(ctx: RequestContext): Promise<NonceResponse> {
  const ttlSeconds = ctx.settings.limits.attestationNonceSeconds;
  const endsAt = ctx.now + ttlSeconds * 1_000;
  const time = new Uint8Array(8);
  new DataView(time.buffer).setBigUint64(0, BigInt(endsAt));
  const content = concat(time.subarray(8 - TIME_LENGTH), ctx.random(RANDOM_LENGTH));
  const nonce = toBase64Url(concat(content, await tagOf(ctx, content)));
  return { nonce, expiresAt: new Date(endsAt).toISOString(), ttlSeconds };
}

/** A nonce that is ours. */
export interface Nonce {
  /** What burning it leaves behind. */
  readonly once: { readonly endsAt: number; readonly hash: string };
  /** The id of the session that it may open. */
  readonly sessionId: string;
}

const refused = (reason: string) => new ApiError("invalid_nonce", { reason });

/** Throws `invalid_nonce` for one that is not ours or has ended. */
export async function readNonce(ctx: RequestContext, text: string): Promise<Nonce> {
  const bytes = bytesOf(text);
  const content = bytes.subarray(0, TIME_LENGTH + RANDOM_LENGTH);
  if (!equalBytes(bytes.subarray(content.length), await tagOf(ctx, content)))
    throw refused("unknown or used");
  const time = new Uint8Array(8);
  time.set(content.subarray(0, TIME_LENGTH), 8 - TIME_LENGTH);
  const endsAt = Number(new DataView(time.buffer).getBigUint64(0));
  if (endsAt <= ctx.now) throw refused("expired");
  const hash = await sha256Text(text);
  const unique = fromBase64Url(await sha256Text(`session\n${text}`));
  return { once: { endsAt, hash }, sessionId: sessionIdOf(endsAt, unique) };
}

function bytesOf(text: string): Bytes {
  try {
    const bytes = fromBase64Url(text);
    if (bytes.length === TIME_LENGTH + RANDOM_LENGTH + TAG_LENGTH) return bytes;
  } catch (error) {
    if (!(error instanceof EncodingError)) throw error;
  }
  throw refused("unknown or used");
}

const tagOf = async ({ settings }: RequestContext, content: Bytes): Promise<Bytes> =>
  (await hmac(settings.pepperKey, concat(utf8("attestation nonce\n"), content))).slice(0, TAG_LENGTH);

/** A statement that fails if a login with the nonce has failed before. */
export const requireUnburnt = ({ db }: RequestContext, { once }: Nonce) =>
  requiring(db, sql`not exists (select 1 from ${usedOnce} where ${isOnce(once)})`);

const isOnce = ({ endsAt, hash }: Nonce["once"]) => and(eq(usedOnce.endsAt, endsAt), eq(usedOnce.hash, hash));

/** Throws `invalid_nonce` if the nonce was used before. */
export async function requireUnused({ db }: RequestContext, { once, sessionId }: Nonce): Promise<void> {
  const { burnt, opened } = await inBatch(db, {
    burnt: db.select({ hash: usedOnce.hash }).from(usedOnce).where(isOnce(once)),
    opened: db.select({ id: sessions.id }).from(sessions).where(eq(sessions.id, sessionId)),
  });
  if (burnt.length + opened.length > 0) throw refused("unknown or used");
}

/** Uses up the nonce of a login that failed. Throws `invalid_nonce` if it was used before. */
export async function burnNonce(ctx: RequestContext, { once, sessionId }: Nonce): Promise<void> {
  const { opened, burnt } = await inBatch(ctx.db, {
    opened: ctx.db.select({ id: sessions.id }).from(sessions).where(eq(sessions.id, sessionId)),
    burnt: recordOnce(ctx, once),
  });
  if (opened.length > 0 || burnt.length === 0) throw refused("unknown or used");
}

/** CHAOS_NONCE_REJECT (rules §9): clients must cope with a refused nonce. Throws `invalid_nonce`. */
export function refuseByChaos({ settings, random }: RequestContext): void {
  const { buffer, byteOffset } = random(2);
  const share = new DataView(buffer, byteOffset).getUint16(0) / 65_536;
  if (share < settings.chaosNonceReject) throw refused("chaos");
}
