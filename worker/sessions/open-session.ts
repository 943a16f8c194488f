import type { LoginResponse, Scope } from "../../core/api/index.ts";
import { toBase64Url } from "../../core/encoding/bytes.ts";
import { p256Thumbprint } from "../../core/pki/certificate.ts";
import { type Evidence, type LoginMethod, type PublicKeyJwk, sessions } from "../../db/schema.ts";
import { clientRefused, signAccessToken } from "../auth/authenticate.ts";
import { recordOnce, refused } from "../auth/dpop.ts";
import { sameKey } from "../auth/public-key.ts";
import type { Client, LoginContext, RequestContext } from "../context.ts";
import { type AnswersOf, inBatch, type Statements } from "../database/batch.ts";
import { isDatabaseUnavailable } from "../database/database-errors.ts";
import { hmacText, sha256Text } from "../secrets/sealed.ts";
import { type Nonce, requireUnburnt, requireUnused } from "./nonces.ts";
import { firstRefreshToken, sessionIdOf } from "./refresh-token.ts";

/** The last step of every login: a session, its first refresh token and its first access token. */

/** The result of a verified login. */
export interface Login {
  readonly method: LoginMethod;
  readonly evidence: Evidence;
  /** The subject that logged in, by {@link subjectOf}. */
  readonly sub: string;
  /** Key from the attestation's header or the host's `cnf`; a DPoP proof may bring one as well. */
  readonly key?: PublicKeyJwk;
  readonly airlines?: readonly string[];
  /** The nonce that it was opened with, if it was one of the service. */
  readonly nonce?: Nonce;
}

/** Scopes that only ground staff may have (rules §3). */
const STAFF_SCOPES: ReadonlySet<string> = new Set<Scope>([
  "journey:write",
  "tag:release",
  "audit:read",
  "bag:trace",
  "baggage:message",
]);

/** Refuses a login method that the client key may not use. Throws `unauthorized_client`. */
export function permitMethod(client: Client, method: LoginMethod): void {
  if (!client.loginMethods.includes(method)) throw clientRefused("login method");
}

/** Pseudonym of the person or account that `identity` names, different for every client. */
export function subjectOf(
  ctx: RequestContext,
  client: Client,
  ...identity: readonly string[]
): Promise<string> {
  return hmacText(ctx.settings.pepperKey, "sub", client.id, ...identity);
}

/**
 * Opens the session. The statements in `own` join its batch, and `check` gets their answers before the
 * session is returned. A login by `nonce` opens one session at most: the nonce determines its id. Throws
 * `invalid_dpop_proof`, `invalid_nonce`, and whatever `check` throws.
 */
export async function openSession<const S extends Statements[string] = undefined>(
  ctx: LoginContext,
  login: Login,
  own?: S,
  check: (answers: AnswersOf<S | undefined>) => void = () => undefined,
): Promise<LoginResponse> {
  requireKey(ctx, login);
  const { proof } = ctx;
  const { nonce } = login;
  const id = nonce?.sessionId ?? sessionIdOf(ctx.now, ctx.random(12));
  const refreshToken = await firstRefreshToken(ctx, { id, method: login.method });
  const key = login.key ?? proof?.key ?? null;
  const session = sessionOf(ctx, login, {
    id,
    refreshHash: await sha256Text(refreshToken.text),
    keyJwk: key,
    keySpkiHash: key && toBase64Url(await p256Thumbprint(key)),
  });
  const answers = await inBatch(ctx.db, {
    unburnt: nonce && requireUnburnt(ctx, nonce),
    session: ctx.db.insert(sessions).values(session),
    // A login by nonce is single use already, and needs no second row.
    proofs: proof && !nonce ? recordOnce(ctx, proof.once) : undefined,
    own,
  }).catch(async (error: unknown) => {
    if (nonce && !isDatabaseUnavailable(error)) await requireUnused(ctx, nonce);
    throw error;
  });
  // A session opened with a replayed proof, or refused by `check`, is left as it is: its tokens are not returned.
  if (answers.proofs?.length === 0) throw refused("replayed");
  check(answers.own);
  return loginResponse(ctx, session, { token: refreshToken.text, expiresAt: session.refreshExpiresAt });
}

/** The one key of the login, by proof or by statement; and a proof of it where the client demands one. Throws `invalid_dpop_proof`. */
export function requireKey({ client, proof }: LoginContext, { key }: Pick<Login, "key">): void {
  if (client.flags.requireDpop && proof === undefined) throw refused("demanded by the client");
  if (proof !== undefined && key !== undefined && !sameKey(proof.key, key)) throw refused("another key");
}

function sessionOf(
  { client, clientNamed, proof, now, settings }: LoginContext,
  login: Login,
  own: Pick<typeof sessions.$inferSelect, "id" | "refreshHash" | "keyJwk" | "keySpkiHash">,
) {
  const { refreshFamilySeconds, refreshTokenSeconds } = settings.limits;
  return {
    ...own,
    sub: login.sub,
    clientId: client.id,
    clientBound: clientNamed,
    method: login.method,
    evidence: login.evidence,
    scopes: client.scopes.filter((scope) => login.method === "b2b" || !STAFF_SCOPES.has(scope)),
    airlines: login.airlines ?? [],
    dpopJkt: proof?.jkt ?? null,
    refreshCounter: 0,
    refreshedAt: now,
    refreshExpiresAt: now + refreshTokenSeconds * 1_000,
    createdAt: now,
    expiresAt: now + refreshFamilySeconds * 1_000,
  };
}

/** The first access token of `session`, or its next one. */
export async function loginResponse(
  ctx: RequestContext,
  session: Parameters<typeof signAccessToken>[1],
  refresh: { readonly token: string; readonly expiresAt: number },
): Promise<LoginResponse> {
  return {
    accessToken: await signAccessToken(ctx, session),
    tokenType: "Bearer",
    expiresIn: ctx.settings.limits.accessTokenSeconds,
    refreshToken: refresh.token,
    refreshExpiresIn: Math.floor((refresh.expiresAt - ctx.now) / 1_000),
  };
}
