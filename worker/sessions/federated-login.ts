import { and, eq } from "drizzle-orm";
import { decodeJwt, errors, type JWTPayload, jwtVerify } from "jose";
import type { FederatedLoginRequest, LoginResponse } from "../../core/api/index.ts";
import { federatedIssuers, type PublicKeyJwk } from "../../db/schema.ts";
import { refused as proofRefused, recordOnce } from "../auth/dpop.ts";
import { HostKeysUnavailable } from "../auth/host-keys.ts";
import { publicKeyOf } from "../auth/public-key.ts";
import { requireLoginRate } from "../auth/rate-limits.ts";
import type { LoginContext } from "../context.ts";
import { inBatch } from "../database/batch.ts";
import { ApiError } from "../errors.ts";
import { claimedPlans, findPlans, loadPlans } from "../journeys/claimed-plans.ts";
import { sha256Text } from "../secrets/sealed.ts";
import { type Login, openSession, permitMethod, subjectOf } from "./open-session.ts";

/** Login with a token of a trusted host app (endpoint 1). */

const refused = (reason: string) => new ApiError("invalid_federated_token", { reason });

/** The token may be valid, but its host cannot be reached: the caller may retry. */
const hostUnavailable = ({ settings }: LoginContext, cause: HostKeysUnavailable) =>
  new ApiError("service_unavailable", {
    reason: "keys of the host not reachable",
    cause,
    headers: { "Retry-After": String(settings.limits.hostKeysCooldownSeconds) },
  });

/** Never `none`, and never an HMAC, whose key would be the public one (RFC 8725 §3.1). */
const ALGORITHMS: ReadonlySet<string> = new Set([
  "ES256",
  "ES384",
  "ES512",
  "PS256",
  "PS384",
  "RS256",
  "EdDSA",
]);

/** Throws `unauthorized_client`, `invalid_federated_token`, `invalid_dpop_proof`, `too_many_requests`, `service_unavailable`. */
export async function federatedLogin(
  ctx: LoginContext,
  { token }: FederatedLoginRequest,
): Promise<LoginResponse> {
  permitMethod(ctx.client, "federated");
  const issuer = await trustedIssuer(ctx, unverifiedClaims(token));
  const claims = await verifyHostToken(ctx, token, issuer);
  const key = confirmationKey(claims);
  // A caller with the token but without the key is not its subject (RFC 7800 §3).
  if (key !== undefined && ctx.proof === undefined) throw proofRefused("cnf without a proof");
  const sub = await subjectOf(ctx, ctx.client, "federated", issuer.issuer, String(claims.sub));
  await requireLoginRate(ctx, "federatedSession");
  const { planIds, ...others } = await findPlans(
    ctx,
    sub,
    issuer.loadsTravelPlans ? claimedPlans(claims) : [],
  );
  const login: Login = { method: "federated", evidence: "federated", sub, ...(key ? { key } : {}) };
  const usedToken = await usedTokenOf(claims);
  const own = {
    jti: usedToken && recordOnce(ctx, usedToken),
    plans: loadPlans(ctx, sub, planIds),
    ...others,
  };
  return openSession(ctx, login, own, (answers) => {
    if (answers?.jti?.length === 0) throw refused("jti used");
  });
}

/** What makes a token that has a `jti` single use, for as long as it could be accepted. */
async function usedTokenOf({ iss, jti, exp = 0 }: JWTPayload) {
  if (jti === undefined) return undefined;
  const hash = await sha256Text(JSON.stringify(["host token", iss, jti]));
  return { hash, endsAt: Math.ceil(exp * 1_000) };
}

type IssuerRow = typeof federatedIssuers.$inferSelect;

/** The claims of the token, not yet verified. */
function unverifiedClaims(token: string): JWTPayload {
  try {
    return decodeJwt(token);
  } catch {
    throw refused("malformed");
  }
}

/** The row of the host that the token names. */
async function trustedIssuer(ctx: LoginContext, unverified: JWTPayload): Promise<IssuerRow> {
  const name = String(unverified.iss);
  if (!ctx.client.federatedIssuers.includes(name)) throw refused("issuer not trusted for the client");
  const {
    issuers: [issuer],
  } = await inBatch(ctx.db, {
    issuers: ctx.db
      .select()
      .from(federatedIssuers)
      .where(and(eq(federatedIssuers.issuer, name), eq(federatedIssuers.enabled, true))),
  });
  if (issuer === undefined) throw refused("issuer unknown");
  return issuer;
}

/** How far a host's clock may be ahead of ours, in seconds. */
const AHEAD = 60;

async function verifyHostToken(ctx: LoginContext, token: string, row: IssuerRow): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, ctx.hostKeys(row, ctx.now), {
      issuer: row.issuer,
      audience: row.audience,
      algorithms: row.algorithms.filter((algorithm) => ALGORITHMS.has(algorithm)),
      requiredClaims: ["sub", "exp"],
      currentDate: new Date(ctx.now),
      ...(row.maxAgeSeconds === null ? {} : { maxTokenAge: row.maxAgeSeconds }),
      clockTolerance: AHEAD,
    });
    // jose tolerates as much behind: a token that has expired by our clock has expired.
    const now = Math.floor(ctx.now / 1_000);
    const { exp = 0, iat = 0 } = payload;
    if (exp <= now || now - iat > (row.maxAgeSeconds ?? Number.POSITIVE_INFINITY)) {
      throw refused(new errors.JWTExpired("", payload).code);
    }
    if (payload.sub === "") throw refused("blank sub");
    return payload;
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    if (cause instanceof HostKeysUnavailable) throw hostUnavailable(ctx, cause);
    throw refused(cause instanceof errors.JOSEError ? cause.code : "key not usable");
  }
}

/** The app's key, if the host vouches for one (RFC 7800 §3.2). An unusable `cnf` is refused, not ignored. */
function confirmationKey({ cnf }: JWTPayload): PublicKeyJwk | undefined {
  if (cnf === undefined) return undefined;
  try {
    return publicKeyOf((cnf as { jwk?: unknown }).jwk);
  } catch {
    throw refused("cnf");
  }
}
