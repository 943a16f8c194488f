import { and, eq, gt, type InferSelectModel, isNull, sql } from "drizzle-orm";
import type { LoginResponse, RefreshTokenRequest } from "../../core/api/index.ts";
import { clients, sessions, usedOnce } from "../../db/schema.ts";
import { audited } from "../audit/log.ts";
import { enabled, permitSession, readSession } from "../auth/authenticate.ts";
import { refused as proofRefused, recordOnce } from "../auth/dpop.ts";
import { requireRefreshRate } from "../auth/rate-limits.ts";
import type { RefreshContext } from "../context.ts";
import { inBatch } from "../database/batch.ts";
import { ApiError } from "../errors.ts";
import { sha256Text } from "../secrets/sealed.ts";
import { loginResponse } from "./open-session.ts";
import { type RefreshToken, readRefreshToken, successorOf } from "./refresh-token.ts";

/**
 * Refreshes (endpoint 6, rules §3). Each token is used once. Its successor is computed, not random, so that a
 * client whose answer was lost gets the same one again for a few seconds. If an older token comes back, two
 * parties hold the family, and it ends.
 */

type SessionRow = InferSelectModel<typeof sessions>;
type Rules = Parameters<typeof permitSession>[0];

const refused = (reason: string, isAudited = false) =>
  new ApiError("invalid_refresh_token", { reason, isAudited });

/**
 * The audit log has why a token of ours was refused. Strangers make up others, from anywhere: nothing is written of
 * those. Throws `unauthorized_client`, `invalid_refresh_token`, `invalid_dpop_proof`, `too_many_requests`.
 */
export async function refreshSession(
  ctx: RefreshContext,
  { refreshToken }: RefreshTokenRequest,
): Promise<LoginResponse> {
  const token = await readRefreshToken(ctx, refreshToken);
  if (token === undefined) throw refused("unknown");
  await requireRefreshRate(ctx, token.sessionId);
  try {
    return await refreshBy(ctx, token);
  } catch (error) {
    throw error instanceof ApiError ? new ApiError(error.code, { ...error.detail, isKnown: true }) : error;
  }
}

async function refreshBy(ctx: RefreshContext, token: RefreshToken): Promise<LoginResponse> {
  const { session, owner } = await findFamily(ctx, token);
  const wasLive = session !== undefined && isLive(ctx, session, token);
  const rules = ctx.client ?? (owner && enabled(owner));
  return turn(ctx, token, { session, rules, wasLive });
}

/** The family of `token`, which has gone with its session if that was swept, and whose client it is. */
async function findFamily({ db }: RefreshContext, { sessionId }: RefreshToken) {
  const isOfFamily = eq(sessions.id, sessionId);
  const {
    session: [session],
    owner: [owner],
  } = await inBatch(db, {
    session: readSession(db, sessionId),
    owner: db
      .select({ rules: clients })
      .from(sessions)
      .innerJoin(clients, eq(clients.id, sessions.clientId))
      .where(isOfFamily),
  });
  return { session, owner: owner?.rules };
}

interface Family {
  readonly session: SessionRow | undefined;
  readonly rules: Rules | undefined;
  /** Whether the token was the live one when this request read the family: then it was merely overtaken. */
  readonly wasLive: boolean;
}

/** Whether `token` is the live one, or the one before it within the leeway. */
function isLive({ now, settings }: RefreshContext, session: SessionRow, token: RefreshToken): boolean {
  const behind = session.refreshCounter - token.counter;
  const leeway = settings.limits.refreshLeewaySeconds * 1_000;
  return behind <= 0 || (behind === 1 && now - session.refreshedAt <= leeway);
}

/** Moves the family on by its live token. */
async function turn(
  ctx: RefreshContext,
  token: RefreshToken,
  { session, rules, wasLive }: Family,
): Promise<LoginResponse> {
  if (session === undefined || rules === undefined) throw refused("unknown");
  permitSession(rules, session);
  permitLive(ctx, session);
  permitProof(ctx, session);
  const successor = await successorOf(ctx, token);
  const rotated = await rotate(ctx, session, { token, successor, wasLive });
  return loginResponse(ctx, rotated, { token: successor.text, expiresAt: rotated.refreshExpiresAt });
}

function permitLive(ctx: RefreshContext, session: SessionRow): void {
  if (session.revokedAt !== null) throw refused("revoked");
  if (session.refreshExpiresAt <= ctx.now || session.expiresAt <= ctx.now) throw refused("expired");
}

function permitProof({ proof }: RefreshContext, { dpopJkt }: SessionRow): void {
  if (dpopJkt === null) return;
  if (proof === undefined) throw proofRefused("absent");
  if (proof.jkt !== dpopJkt) throw proofRefused("another key");
}

interface Turn extends Pick<Family, "wasLive"> {
  readonly token: RefreshToken;
  readonly successor: RefreshToken;
}

/**
 * Advances the family by one, and only once for concurrent requests. Returns the row after the change. Ends the family where `token` is older than the one before it, or that one was too late. Throws
 * `invalid_refresh_token`, and `invalid_dpop_proof` for a used proof.
 */
async function rotate(
  ctx: RefreshContext,
  session: SessionRow,
  { token, successor, wasLive }: Turn,
): Promise<SessionRow> {
  const refreshHash = await sha256Text(successor.text);
  const { proofs, current: found } = await inBatch(ctx.db, {
    rotated: moveOn(ctx, session, { token, hash: await sha256Text(token.text), refreshHash }),
    current: readSession(ctx.db, session.id),
    proofs: ctx.proof && recordOnce(ctx, ctx.proof.once),
  });
  const [current] = found;
  if (current === undefined) throw refused("unknown");
  permitLive(ctx, current);
  if (!isLive(ctx, current, token)) {
    if (wasLive) throw refused("overtaken");
    await revokeFamily(ctx, session);
    throw refused("reused", true);
  }
  if (proofs?.length === 0) throw proofRefused("replayed");
  // Its HMAC is ours, but it is not the token that was issued.
  if (current.refreshHash !== refreshHash) throw refused("not the live one");
  return current;
}

interface Move {
  readonly token: RefreshToken;
  /** Of the token, and of its successor. */
  readonly hash: string;
  readonly refreshHash: string;
}

const moveOn = (
  { db, now, client, proof, settings }: RefreshContext,
  { id, expiresAt }: SessionRow,
  { token, hash, refreshHash }: Move,
) =>
  db
    .update(sessions)
    .set({
      refreshCounter: token.counter + 1,
      refreshHash,
      refreshedAt: now,
      refreshExpiresAt: Math.min(now + settings.limits.refreshTokenSeconds * 1_000, expiresAt),
      ...(client === undefined ? {} : { clientId: client.id, clientBound: true }),
    })
    .where(
      and(
        eq(sessions.id, id),
        eq(sessions.refreshCounter, token.counter),
        eq(sessions.refreshHash, hash),
        isNull(sessions.revokedAt),
        gt(sessions.refreshExpiresAt, now),
        proof &&
          sql`not exists (select 1 from ${usedOnce}
            where ${and(eq(usedOnce.endsAt, proof.once.endsAt), eq(usedOnce.hash, proof.once.hash))})`,
      ),
    );

/** Ends the family and records it in the audit log, once. */
async function revokeFamily(ctx: RefreshContext, session: SessionRow): Promise<void> {
  const live = and(eq(sessions.id, session.id), isNull(sessions.revokedAt));
  const caller = { sub: sessions.sub, clientId: sessions.clientId };
  await inBatch(ctx.db, {
    audit: audited(
      ctx,
      { event: "refresh_token_reused", ...caller, reason: "family revoked" },
      sql`from ${sessions} where ${live}`,
    ),
    revoke: ctx.db.update(sessions).set({ revokedAt: ctx.now }).where(live),
  });
}
