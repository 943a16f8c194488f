import { and, eq } from "drizzle-orm";
import { decodeJwt, errors, type JWTPayload, jwtVerify } from "jose";
import type { FederatedLoginRequest, LoginResponse } from "../../core/api/index.ts";
import { federatedIssuers, type PublicKeyJwk } from "../../db/schema.ts";
import type { LoginContext } from "../context.ts";
import { ApiError } from "../errors.ts";
import { publicKeyOf } from "../public-key.ts";
import { openSession, permitMethod, subjectOf } from "./open-session.ts";

/** Login by a token of a trusted host app (endpoint 1). */

const refused = (reason: string, cause?: unknown) =>
  new ApiError("invalid_federated_token", { reason, cause });

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

/** Throws `unauthorized_client`, `invalid_federated_token`, `invalid_dpop_proof`. */
export async function federatedLogin(
  ctx: LoginContext,
  { token }: FederatedLoginRequest,
): Promise<LoginResponse> {
  permitMethod(ctx.client, "federated");
  const issuer = await trustedIssuer(ctx, claimedIssuer(token));
  const claims = await verifyHostToken(ctx, token, issuer);
  const key = confirmationKey(claims);
  const sub = await subjectOf(ctx, ctx.client, "federated", issuer.issuer, claims.sub ?? "");
  return openSession(ctx, { method: "federated", evidence: "federated", sub, ...(key ? { key } : {}) });
}

type IssuerRow = typeof federatedIssuers.$inferSelect;

/** Which host the token says it comes from; nothing is believed yet. */
function claimedIssuer(token: string): string {
  try {
    const { iss } = decodeJwt(token);
    if (iss === undefined) throw refused("no iss");
    return iss;
  } catch (cause) {
    throw cause instanceof ApiError ? cause : refused("malformed", cause);
  }
}

async function trustedIssuer(ctx: LoginContext, name: string): Promise<IssuerRow> {
  if (!ctx.client.federatedIssuers.includes(name)) throw refused("issuer not trusted for the client");
  const [row] = await ctx.db
    .select()
    .from(federatedIssuers)
    .where(and(eq(federatedIssuers.issuer, name), eq(federatedIssuers.enabled, true)));
  if (row === undefined) throw refused("issuer unknown");
  return row;
}

async function verifyHostToken(ctx: LoginContext, token: string, row: IssuerRow): Promise<JWTPayload> {
  const keys = ctx.hostKeys(row);
  if (keys === undefined) throw refused("issuer without keys");
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer: row.issuer,
      audience: row.audience,
      algorithms: row.algorithms.filter((algorithm) => ALGORITHMS.has(algorithm)),
      requiredClaims: ["sub", "exp"],
      currentDate: new Date(ctx.now),
      ...(row.maxAgeSeconds === null ? {} : { maxTokenAge: row.maxAgeSeconds }),
    });
    if (payload.sub === "") throw refused("blank sub");
    return payload;
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw refused(cause instanceof errors.JOSEError ? cause.code : "keys not reachable", cause);
  }
}

/** The app's key, where the host vouches for one (RFC 7800 §3.2). A `cnf` that is not usable is not ignored. */
function confirmationKey({ cnf }: JWTPayload): PublicKeyJwk | undefined {
  if (cnf === undefined) return undefined;
  try {
    return publicKeyOf((cnf as { jwk?: unknown }).jwk);
  } catch (cause) {
    throw refused("cnf", cause);
  }
}
