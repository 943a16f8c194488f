import { and, eq, type InferSelectModel, isNull, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { type Endpoint, HEADER, type Scope } from "../../core/api/index.ts";
import { clientKeyHash } from "../../db/credentials.ts";
import { clients, dpopProofs, sessions } from "../../db/schema.ts";
import type { Client, Principal, RequestContext, VerifiedProof } from "../context.ts";
import { ApiError } from "../errors.ts";
import { type AccessToken, tokenRefused, verifyAccessToken } from "./access-token.ts";
import { clientRefused, enabled, requiredKey, selectClient } from "./clients.ts";
import { refused, verifyProof } from "./dpop.ts";

/** Who calls: client key, access token and proof of possession, in one D1 round trip (rules §1, §3). */

type SessionRow = InferSelectModel<typeof sessions>;

/** The verified DPoP proof of a login or refresh, if it carries one. Not yet recorded. */
export async function proofOf(ctx: RequestContext, request: Request): Promise<VerifiedProof | undefined> {
  const proof = request.headers.get(HEADER.dpop);
  return proof === null ? undefined : await verifyProof(ctx, proof, request);
}

/** Outcome of {@link authenticate}; `rows` are the answers of the statements that travelled along. */
export interface Authenticated {
  readonly client: Client;
  readonly principal: Principal;
  readonly rows: readonly unknown[];
}

/**
 * Client key, access token and DPoP proof of a request to a bearer endpoint, in that order; whether its caller may do
 * what it asks is {@link requireScopes}'s.
 *
 * `along` adds read-only statements to the batch for endpoints that answer in one round trip; they are keyed by the
 * token's `sub` and their rows are dropped unless everything here holds.
 * Throws `unauthorized_client`, `unauthorized_token`, `invalid_dpop_proof`.
 */
export async function authenticate(
  ctx: RequestContext,
  request: Request,
  endpoint: Endpoint,
  along: (sub: string) => readonly BatchItem<"sqlite">[] = () => [],
): Promise<Authenticated> {
  const keyHash = await clientKeyHash(requiredKey(request.headers));
  const presented = await presentedToken(ctx, request);
  const findClient = selectClient(ctx.db).where(eq(clients.keyHash, keyHash));
  if (!presented.ok) {
    enabled((await findClient)[0]);
    throw presented.error;
  }
  const { token, proof } = presented;
  const findSession = ctx.db.select().from(sessions).where(eq(sessions.id, token.sessionId));
  const first = token.clientBound ? [] : [bindClient(ctx, token.sessionId, keyHash)];
  const last = proof && !endpoint.replayable ? [recordLiveProof(ctx, token, proof)] : [];
  const answers: unknown[] = await ctx.db.batch([
    findClient,
    ...first,
    findSession,
    ...last,
    ...along(token.sub),
  ]);

  const client = enabled((answers[0] as Client[])[0]);
  const session = liveSession(ctx, (answers[1 + first.length] as SessionRow[])[0], token);
  permitSession(client, session);
  const recorded = answers[2 + first.length] as readonly unknown[];
  if (last.length > 0 && recorded.length === 0) throw refused("replayed");
  const principal = principalOf(client, session);
  return { client, principal, rows: answers.slice(2 + first.length + last.length) };
}

type Presented =
  | { readonly ok: true; readonly token: AccessToken; readonly proof: VerifiedProof | undefined }
  | { readonly ok: false; readonly error: ApiError };

/** Token and proof as far as they can be judged without the database; the client key is judged first. */
async function presentedToken(ctx: RequestContext, request: Request): Promise<Presented> {
  try {
    const [, scheme, credentials] =
      /^(bearer|dpop) +(\S+)$/i.exec(request.headers.get("Authorization") ?? "") ?? [];
    if (scheme === undefined || credentials === undefined) throw tokenRefused("absent");
    const token = await verifyAccessToken(ctx, credentials);
    if (token.jkt === null) {
      if (scheme.toLowerCase() === "dpop") throw tokenRefused("not DPoP-bound");
      return { ok: true, token, proof: undefined };
    }
    const header = request.headers.get(HEADER.dpop);
    if (header === null) throw refused("absent");
    const { method, url } = request;
    const proof = await verifyProof(ctx, header, { method, url, accessToken: credentials });
    if (proof.jkt !== token.jkt) throw refused("another key");
    return { ok: true, token, proof };
  } catch (error) {
    if (error instanceof ApiError) return { ok: false, error };
    throw error;
  }
}

/** A session opened without a client key belongs to the first client that uses it and allows its login method. */
const bindClient = (ctx: RequestContext, sessionId: string, keyHash: string) => {
  const suitable: SQL = sql`select ${clients.id} from ${clients}, json_each(${clients.loginMethods}) as allowed
    where ${clients.keyHash} = ${keyHash} and ${clients.enabled} and allowed.value = ${sessions.method}`;
  return ctx.db
    .update(sessions)
    .set({ clientId: sql`(${suitable})`, clientBound: true })
    .where(
      and(
        eq(sessions.id, sessionId),
        eq(sessions.clientBound, false),
        isNull(sessions.revokedAt),
        sql`exists (${suitable})`,
      ),
    );
};

/** Records a proof only for a session that lives, so that strangers cannot fill the table. */
function recordLiveProof(ctx: RequestContext, token: AccessToken, proof: VerifiedProof) {
  const live = sql`select ${proof.hash}, ${proof.expiresAt} from ${sessions}
    where ${sessions.id} = ${token.sessionId} and ${sessions.revokedAt} is null`;
  return ctx.db.insert(dpopProofs).select(live).onConflictDoNothing().returning({ hash: dpopProofs.hash });
}

function liveSession(ctx: RequestContext, session: SessionRow | undefined, token: AccessToken): SessionRow {
  if (session === undefined || session.sub !== token.sub) throw tokenRefused("no session");
  if (session.revokedAt !== null) throw tokenRefused("revoked");
  if (session.expiresAt <= ctx.now) throw tokenRefused("session over");
  if (session.dpopJkt !== token.jkt) throw tokenRefused("another binding");
  return session;
}

/** Whether `session` may be used under `client`. Throws `unauthorized_client`. */
export function permitSession(client: Pick<Client, "id" | "loginMethods">, session: SessionRow): void {
  if (session.clientBound && session.clientId !== client.id) throw clientRefused("another client's session");
  if (!client.loginMethods.includes(session.method)) throw clientRefused("login method");
}

function principalOf(client: Client, session: SessionRow): Principal {
  const { sub, id, method, evidence, keyJwk } = session;
  const scopes = session.scopes.filter((scope): scope is Scope => client.scopes.includes(scope));
  // As at login, but never more than the client still has.
  const airlines = session.airlines.filter((airline) => client.airlines.includes(airline));
  return { sub, sessionId: id, method, evidence, scopes, staff: method === "b2b", airlines, key: keyJwk };
}

/** Whether the caller may do what asks for `needed`. Throws `insufficient_scope`. */
export function requireScopes(principal: Principal, needed: readonly Scope[]): void {
  const missing = needed.filter((scope) => !principal.scopes.includes(scope));
  if (missing.length === 0) return;
  throw new ApiError("insufficient_scope", {
    errors: missing.map((scope) => `${scope} is required`),
    headers: { "WWW-Authenticate": `Bearer error="insufficient_scope", scope="${needed.join(" ")}"` },
  });
}
