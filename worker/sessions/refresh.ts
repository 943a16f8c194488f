import { and, eq, type InferSelectModel, isNull, sql } from "drizzle-orm";
import type { LoginResponse, RefreshTokenRequest } from "../../core/api/index.ts";
import { toBase64Url, utf8 } from "../../core/encoding/bytes.ts";
import { hmac, sha256Text } from "../../db/lookup-keys.ts";
import { clients, dpopProofs, refreshTokens, sessions } from "../../db/schema.ts";
import { audited } from "../audit/log.ts";
import { enabled, permitSession } from "../auth/authenticate.ts";
import { refused as proofRefused } from "../auth/dpop.ts";
import { requireRefreshRate } from "../auth/rate-limits.ts";
import type { RefreshContext } from "../context.ts";
import { inBatch, insertFrom } from "../database/statements.ts";
import { ApiError } from "../errors.ts";
import { loginResponse, recordOnce } from "./open-session.ts";

/**
 * Refresh tokens (endpoint 6, rules §3). Each is used once. Its successor is computed, not random, so that a
 * client whose answer was lost gets the same one again for a few seconds. If an older token comes back, two
 * parties hold the family, and it ends.
 */

type SessionRow = InferSelectModel<typeof sessions>;

const refused = (reason: string, isAudited = false) =>
  new ApiError("invalid_refresh_token", { reason, isAudited });

/** Throws `unauthorized_client`, `invalid_refresh_token`, `invalid_dpop_proof`, `too_many_requests`. */
export async function refreshSession(
  ctx: RefreshContext,
  { refreshToken }: RefreshTokenRequest,
): Promise<LoginResponse> {
  const found = await findFamily(ctx, refreshToken);
  if (found === undefined) throw refused("unknown");
  const { session, owner, counter } = found;
  await requireRefreshRate(ctx, session);
  permitSession(ctx.client ?? enabled(owner), session);
  permitLive(ctx, session);
  permitProof(ctx, session);
  if (!isCurrent(ctx, session, counter)) {
    await revokeFamily(ctx, session);
    throw refused("reused", true);
  }
  const successor = await successorOf(ctx, session.id, counter, refreshToken);
  const rotated = await rotate(ctx, session, counter, successor);
  return loginResponse(ctx, rotated, { token: successor, expiresAt: rotated.refreshExpiresAt });
}

async function findFamily(ctx: RefreshContext, refreshToken: string) {
  const [found] = await ctx.db
    .select({ session: sessions, owner: clients, counter: refreshTokens.counter })
    .from(refreshTokens)
    .innerJoin(sessions, eq(sessions.id, refreshTokens.sessionId))
    .innerJoin(clients, eq(clients.id, sessions.clientId))
    .where(eq(refreshTokens.hash, await sha256Text(refreshToken)));
  return found;
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

/** The live token, or the one before it within the leeway. */
function isCurrent(ctx: RefreshContext, session: SessionRow, counter: number): boolean {
  if (counter === session.refreshCounter) return true;
  const leeway = ctx.settings.limits.refreshLeewaySeconds * 1_000;
  return counter === session.refreshCounter - 1 && ctx.now - session.refreshedAt <= leeway;
}

/** HMAC(REFRESH_KEY, family ‖ counter ‖ previous), 256 bits. */
async function successorOf(
  ctx: RefreshContext,
  family: string,
  counter: number,
  previous: string,
): Promise<string> {
  const content = utf8(JSON.stringify([family, counter + 1, previous]));
  return toBase64Url(await hmac(ctx.settings.refreshKey, content));
}

/**
 * Advances the family by one, and only once, however many requests come at the same time. Returns the row as
 * it then stands. Throws `invalid_refresh_token` where it was revoked meanwhile, `invalid_dpop_proof` for a
 * used proof.
 */
async function rotate(
  ctx: RefreshContext,
  session: SessionRow,
  counter: number,
  successor: string,
): Promise<SessionRow> {
  const { db, now, client, proof, settings } = ctx;
  const next = counter + 1;
  const hash = await sha256Text(successor);
  const end = Math.min(now + settings.limits.refreshTokenSeconds * 1_000, session.expiresAt);
  const unused =
    proof === undefined
      ? undefined
      : sql`not exists
    (select 1 from ${dpopProofs} where ${dpopProofs.hash} = ${proof.hash})`;
  const {
    proofs,
    current: [current],
  } = await inBatch(db, {
    rotated: db
      .update(sessions)
      .set({
        refreshCounter: next,
        refreshedAt: now,
        refreshExpiresAt: end,
        ...(client === undefined ? {} : { clientId: client.id, clientBound: true }),
      })
      .where(
        and(
          eq(sessions.id, session.id),
          eq(sessions.refreshCounter, counter),
          isNull(sessions.revokedAt),
          unused,
        ),
      ),
    successor: insertFrom(
      db,
      refreshTokens,
      { hash, sessionId: sessions.id, counter: next },
      sql`from ${sessions} where ${sessions.id} = ${session.id} and ${sessions.refreshCounter} = ${next}`,
    ).onConflictDoNothing(),
    current: db.select().from(sessions).where(eq(sessions.id, session.id)),
    proofs: proof === undefined ? undefined : recordOnce(ctx, proof),
  });
  if (proofs?.length === 0) throw proofRefused("replayed");
  if (current === undefined || current.revokedAt !== null) throw refused("revoked");
  if (current.refreshCounter !== next) throw refused("overtaken");
  return current;
}

/** Ends the family and records it in the audit log, once. */
async function revokeFamily(ctx: RefreshContext, session: SessionRow): Promise<void> {
  const live = and(eq(sessions.id, session.id), isNull(sessions.revokedAt));
  const who = { sub: sessions.sub, clientId: sessions.clientId };
  await inBatch(ctx.db, {
    audit: audited(
      ctx,
      { event: "refresh_token_reused", ...who, reason: "family revoked" },
      sql`from ${sessions} where ${live}`,
    ),
    revoke: ctx.db.update(sessions).set({ revokedAt: ctx.now }).where(live),
  });
}
