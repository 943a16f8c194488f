import type { LoginResponse, Scope } from "../../core/api/index.ts";
import { toBase64Url } from "../../core/encoding/bytes.ts";
import { hmacText, sha256Text } from "../../db/lookup-keys.ts";
import {
  dpopProofs,
  type Evidence,
  type LoginMethod,
  type PublicKeyJwk,
  refreshTokens,
  sessions,
} from "../../db/schema.ts";
import { signAccessToken } from "../auth/access-token.ts";
import { clientRefused } from "../auth/authenticate.ts";
import { refused } from "../auth/dpop.ts";
import { sameKey } from "../auth/public-key.ts";
import type { Client, LoginContext, RequestContext, VerifiedProof } from "../context.ts";
import { type AnswersOf, inBatch, type Statements } from "../database/statements.ts";

/** The last step of every login: a session, its first refresh token and its first access token. */

/** What a login has established. */
export interface Login {
  readonly method: LoginMethod;
  readonly evidence: Evidence;
  /** Who logged in, by {@link subjectOf}. */
  readonly sub: string;
  /** Key from the attestation's header or the host's `cnf`; a DPoP proof may bring one as well. */
  readonly key?: PublicKeyJwk;
  readonly airlines?: readonly string[];
}

/** Scopes that only ground staff may have (rules §3). */
const STAFF_SCOPES: ReadonlySet<string> = new Set<Scope>(["journey:write", "tag:release", "audit:read"]);

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
 * Opens the session. The statements in `own` join its batch, and `judge` gets their answers before anybody
 * learns of the session. Throws `invalid_dpop_proof`, and whatever `judge` throws.
 */
export async function openSession<const S extends Statements[string] = undefined>(
  ctx: LoginContext,
  login: Login,
  own?: S,
  judge: (answers: AnswersOf<S | undefined>) => void = () => undefined,
): Promise<LoginResponse> {
  const { client, proof, now, settings } = ctx;
  if (client.flags.requireDpop && proof === undefined) throw refused("demanded by the client");
  if (proof !== undefined && login.key !== undefined && !sameKey(proof.key, login.key))
    throw refused("another key");
  const refreshToken = toBase64Url(ctx.random(32));
  const { refreshFamilySeconds, refreshTokenSeconds } = settings.limits;
  const session = {
    id: toBase64Url(ctx.random(16)),
    sub: login.sub,
    clientId: client.id,
    clientBound: ctx.clientNamed,
    method: login.method,
    evidence: login.evidence,
    scopes: client.scopes.filter((scope) => login.method === "b2b" || !STAFF_SCOPES.has(scope)),
    airlines: login.airlines ?? [],
    keyJwk: login.key ?? proof?.key ?? null,
    dpopJkt: proof?.jkt ?? null,
    refreshCounter: 0,
    refreshedAt: now,
    refreshExpiresAt: now + refreshTokenSeconds * 1_000,
    createdAt: now,
    expiresAt: now + refreshFamilySeconds * 1_000,
  };
  const token = { hash: await sha256Text(refreshToken), sessionId: session.id, counter: 0 };
  const answers = await inBatch(ctx.db, {
    session: ctx.db.insert(sessions).values(session),
    token: ctx.db.insert(refreshTokens).values(token),
    proofs: proof === undefined ? undefined : recordOnce(ctx, proof),
    own,
  });
  // A session opened with a replayed proof, or refused by `judge`, is left as it is: nobody gets its tokens.
  if (answers.proofs?.length === 0) throw refused("replayed");
  judge(answers.own);
  return loginResponse(ctx, session, { token: refreshToken, expiresAt: session.refreshExpiresAt });
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

/** Makes a proof or token single use; returns no row if it was used before. */
export const recordOnce = (
  { db }: RequestContext,
  { hash, expiresAt }: Pick<VerifiedProof, "hash" | "expiresAt">,
) =>
  db
    .insert(dpopProofs)
    .values({ hash, expiresAt })
    .onConflictDoNothing()
    .returning({ hash: dpopProofs.hash });
