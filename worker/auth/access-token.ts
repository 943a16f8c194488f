import { errors, jwtVerify, SignJWT } from "jose";
import { HEADER } from "../../core/api/index.ts";
import { toBase64Url } from "../../core/encoding/bytes.ts";
import type { LoginMethod } from "../../db/schema.ts";
import type { RequestContext, VerifiedProof } from "../context.ts";
import { ApiError } from "../errors.ts";
import { refused, verifyProof } from "./dpop.ts";

/**
 * Access tokens (rules §3): ES256 JWTs that name a session. The session's row has its rights; the token
 * only proves that we opened the session, for whom, and until when.
 */

export interface TokenSession {
  readonly id: string;
  readonly sub: string;
  readonly clientId: string;
  /** False until a client key has been seen (rules §3). */
  readonly clientBound: boolean;
  readonly scopes: readonly string[];
  readonly method: LoginMethod;
  readonly dpopJkt: string | null;
}

/** A token that verified. */
export interface AccessToken {
  readonly sessionId: string;
  readonly sub: string;
  readonly clientBound: boolean;
  readonly jkt: string | null;
  readonly isStaff: boolean;
}

/**
 * Joins the session id and the random part of `jti`; the second spelling marks a session not yet bound to a
 * client.
 */
const BOUND = ".";
const UNBOUND = "~";
const JTI = /^([A-Za-z0-9_-]{24})([.~])[A-Za-z0-9_-]{12}$/;

/** A token for `session`, valid for `limits.accessTokenSeconds`. */
export function signAccessToken(ctx: RequestContext, session: TokenSession): Promise<string> {
  const { issuer, accessTokenKeys, limits } = ctx.settings;
  const issuedAt = Math.floor(ctx.now / 1_000);
  const separator = session.clientBound ? BOUND : UNBOUND;
  return new SignJWT({
    client_id: session.clientId,
    scope: session.scopes.join(" "),
    auth_method: session.method,
    ...(session.dpopJkt === null ? {} : { cnf: { jkt: session.dpopJkt } }),
  })
    .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: accessTokenKeys.signing.kid })
    .setIssuer(issuer)
    .setAudience(issuer)
    .setSubject(session.sub)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + limits.accessTokenSeconds)
    .setJti(`${session.id}${separator}${toBase64Url(ctx.random(9))}`)
    .sign(accessTokenKeys.signing.key);
}

/** The session that `token` names. Throws `unauthorized_token`. */
export async function verifyAccessToken(ctx: RequestContext, token: string): Promise<AccessToken> {
  const { issuer, accessTokenKeys } = ctx.settings;
  try {
    const { payload } = await jwtVerify(
      token,
      ({ kid }) => {
        const key = accessTokenKeys.verifying.get(kid ?? "");
        if (key === undefined) throw new errors.JWKSNoMatchingKey();
        return key;
      },
      {
        issuer,
        audience: issuer,
        algorithms: ["ES256"],
        typ: "at+jwt",
        requiredClaims: ["iat", "exp"],
        currentDate: new Date(ctx.now),
      },
    );
    const [, sessionId, separator] = JTI.exec(String(payload.jti)) ?? [];
    if (sessionId === undefined) throw new errors.JWTInvalid("no session in jti");
    const jkt = (payload.cnf as { jkt?: string } | undefined)?.jkt ?? null;
    const isStaff = payload.auth_method === ("b2b" satisfies LoginMethod);
    return { sessionId, sub: String(payload.sub), clientBound: separator === BOUND, jkt, isStaff };
  } catch (cause) {
    throw tokenRefused(cause instanceof errors.JOSEError ? cause.code : "malformed");
  }
}

/** `unauthorized_token` with its challenge (RFC 6750 §3). */
export function tokenRefused(reason: string): ApiError {
  const challenge =
    reason === "absent" ? 'Bearer realm="taglatch"' : 'Bearer realm="taglatch", error="invalid_token"';
  return new ApiError("unauthorized_token", { reason, headers: { "WWW-Authenticate": challenge } });
}

/** Scheme and access token of the header Authorization. */
export function credentialsIn(headers: Headers) {
  const [, scheme = "", token] = /^(bearer|dpop) +(\S+)$/i.exec(headers.get("Authorization") ?? "") ?? [];
  return token === undefined ? undefined : { scheme: scheme.toLowerCase(), token };
}

type Presented =
  | { readonly ok: true; readonly token: AccessToken; readonly proof: VerifiedProof | undefined }
  | { readonly ok: false; readonly error: ApiError };

/** Checks token and proof as far as possible without the database; the client key is checked first. */
export async function presentedToken(ctx: RequestContext, request: Request): Promise<Presented> {
  try {
    const credentials = credentialsIn(request.headers);
    if (credentials === undefined) throw tokenRefused("absent");
    const token = await verifyAccessToken(ctx, credentials.token);
    if (token.jkt === null) {
      if (credentials.scheme === "dpop") throw tokenRefused("not DPoP-bound");
      return { ok: true, token, proof: undefined };
    }
    const header = request.headers.get(HEADER.dpop);
    if (header === null) throw refused("absent");
    const { method, url } = request;
    const proof = await verifyProof(ctx, header, { method, url, accessToken: credentials.token });
    if (proof.jkt !== token.jkt) throw refused("another key");
    return { ok: true, token, proof };
  } catch (error) {
    if (error instanceof ApiError) return { ok: false, error };
    throw error;
  }
}
