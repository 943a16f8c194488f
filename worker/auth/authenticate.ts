import { and, eq, getTableColumns, type InferSelectModel, isNull, type SQL, sql } from "drizzle-orm";
import { type Endpoint, HEADER, type Scope } from "../../core/api/index.ts";
import type { Db } from "../../db/connect.ts";
import { clientKeyHash } from "../../db/lookup-keys.ts";
import { clientOrigins, clients, dpopProofs, sessions } from "../../db/schema.ts";
import type {
  BearerContext,
  Client,
  LoginContext,
  Principal,
  RefreshContext,
  RequestContext,
  VerifiedProof,
} from "../context.ts";
import { inBatch, insertFrom, type Statements } from "../database/statements.ts";
import { ApiError } from "../errors.ts";
import { type AccessToken, presentedToken, tokenRefused } from "./access-token.ts";
import { refused, verifyProof } from "./dpop.ts";
import { requireSubjectRate } from "./rate-limits.ts";

/** Identifies the caller (rules §1, §3): client key, access token and proof of possession, in one D1 call. */

/** The context of an endpoint's service, and what came with it. */
interface Identified {
  readonly context: RequestContext | BearerContext;
  /** The client whose key was sent, if one was looked at. */
  readonly client: Client | undefined;
  /** The answers of the statements that were sent along. */
  readonly answers?: unknown;
}

/** Adds read-only statements, keyed by the token's `sub`, to the batch that authenticates. */
type OwnReads = (sub: string) => Statements | undefined;

/**
 * Identifies the caller of an endpoint, as far as the endpoint's row in the table demands. At most one D1
 * call.
 */
export async function identify(
  ctx: RequestContext,
  request: Request,
  endpoint: Endpoint,
  ownReads: OwnReads,
): Promise<Identified> {
  if (endpoint.security === "bearer") return authenticate(ctx, request, endpoint, ownReads);
  const isNamed = endpoint.security === "client" || carriesClientKey(request.headers);
  if (endpoint.security === "client" || endpoint.withoutKey === "default") {
    const client = isNamed ? await clientOfKey(ctx, request.headers) : await defaultClient(ctx);
    const proof = await proofOf(ctx, request);
    const context: LoginContext = { ...ctx, client, clientNamed: isNamed, proof };
    return { context, client: isNamed ? client : undefined };
  }
  if (endpoint.withoutKey === "allowed") {
    const client = isNamed ? await clientOfKey(ctx, request.headers) : undefined;
    const context: RefreshContext = { ...ctx, client, proof: await proofOf(ctx, request) };
    return { context, client };
  }
  return { context: ctx, client: undefined };
}

/** Why a client is turned away; the caller learns only the code. */
export const clientRefused = (reason: string) => new ApiError("unauthorized_client", { reason });

/** A client and its origins; needs a `where` by which an index finds the row. */
const selectClient = (db: Db) => {
  const origins = sql<
    readonly string[]
  >`(select json_group_array(${clientOrigins.origin}) from ${clientOrigins}
    where ${clientOrigins.clientId} = ${clients.id})`;
  return db
    .select({ ...getTableColumns(clients), origins: origins.mapWith(JSON.parse).as("origins") })
    .from(clients);
};

/** The client whose key the request carries. Throws `unauthorized_client`; one D1 call. */
async function clientOfKey({ db }: RequestContext, headers: Headers): Promise<Client> {
  const hash = await clientKeyHash(requiredKey(headers));
  const [client] = await selectClient(db).where(eq(clients.keyHash, hash));
  return enabled(client);
}

/** The client that applies where no key was sent. Throws `unauthorized_client`; at most one D1 call. */
async function defaultClient({ db, settings }: RequestContext): Promise<Client> {
  const id = settings.defaultClientId;
  if (id === undefined) throw clientRefused("no default client");
  const [client] = await selectClient(db).where(eq(clients.id, id));
  return enabled(client);
}

/** Whether a login or refresh sent a client key at all. */
const carriesClientKey = (headers: Headers) => headers.has(HEADER.clientKey);

/** The client key of a request that must have one. Throws `unauthorized_client`. */
function requiredKey(headers: Headers): string {
  const key = headers.get(HEADER.clientKey)?.trim() ?? "";
  if (key === "") throw clientRefused("no key");
  return key;
}

/** Returns `client` if it may call at all. Throws `unauthorized_client`. */
export function enabled<T extends Pick<Client, "enabled">>(client: T | undefined): T {
  if (client === undefined) throw clientRefused("unknown key");
  if (!client.enabled) throw clientRefused("disabled");
  return client;
}

type SessionRow = InferSelectModel<typeof sessions>;

/** The verified DPoP proof of a login or refresh, if it carries one. Not yet recorded. */
async function proofOf(ctx: RequestContext, request: Request): Promise<VerifiedProof | undefined> {
  const proof = request.headers.get(HEADER.dpop);
  return proof === null ? undefined : await verifyProof(ctx, proof, request);
}

/**
 * Checks client key, access token and DPoP proof of a request to a bearer endpoint, in that order.
 * {@link requireScopes} checks whether the caller may do what the request asks.
 *
 * `ownReads` adds statements for endpoints that answer in one D1 call; their answers are dropped unless every
 * check here passes. Throws `unauthorized_client`, `unauthorized_token`, `invalid_dpop_proof`,
 * `too_many_requests`.
 */
async function authenticate(
  ctx: RequestContext,
  request: Request,
  endpoint: Endpoint,
  ownReads: OwnReads,
): Promise<Identified> {
  const keyHash = await clientKeyHash(requiredKey(request.headers));
  const presented = await presentedToken(ctx, request);
  const findClient = selectClient(ctx.db).where(eq(clients.keyHash, keyHash));
  if (!presented.ok) {
    enabled((await findClient)[0]);
    throw presented.error;
  }
  const { token, proof } = presented;
  if (endpoint.subjectRate) await requireSubjectRate(ctx, endpoint.subjectRate, token);
  const isOnce = proof !== undefined && !endpoint.replayable;
  const found = await inBatch(ctx.db, {
    clients: findClient,
    binding: token.clientBound ? undefined : bindClient(ctx, token.sessionId, keyHash),
    sessions: ctx.db.select().from(sessions).where(eq(sessions.id, token.sessionId)),
    proofs: isOnce ? recordLiveProof(ctx, token, proof) : undefined,
    own: ownReads(token.sub),
  });
  const client = enabled(found.clients[0]);
  const session = liveSession(ctx, found.sessions[0], token);
  permitSession(client, session);
  if (found.proofs?.length === 0) throw refused("replayed");
  const principal = principalOf(client, session);
  return { context: { ...ctx, client, principal }, client, answers: found.own };
}

/**
 * A session opened without a client key belongs to the first client that uses it, if that client would have
 * let it in ({@link permitSession}).
 */
const bindClient = (ctx: RequestContext, sessionId: string, keyHash: string) => {
  const suitable: SQL = sql`select ${clients.id} from ${clients}
    where ${clients.keyHash} = ${keyHash} and ${clients.enabled}
      and ${sessions.method} in (select value from json_each(${clients.loginMethods}))
      and ${sessions.evidence} in (select value from json_each(${clients.evidenceKinds}))
      and (${sessions.dpopJkt} is not null or ${clients.flags} ->> 'requireDpop' is not 1)`;
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

/** Records a proof only for a live session, so that strangers cannot fill the table. */
function recordLiveProof({ db }: RequestContext, token: AccessToken, { hash, expiresAt }: VerifiedProof) {
  const live = sql`from ${sessions} where ${sessions.id} = ${token.sessionId} and ${sessions.revokedAt} is null`;
  return insertFrom(db, dpopProofs, { hash, expiresAt }, live)
    .onConflictDoNothing()
    .returning({ hash: dpopProofs.hash });
}

function liveSession(ctx: RequestContext, session: SessionRow | undefined, token: AccessToken): SessionRow {
  if (session === undefined || session.sub !== token.sub) throw tokenRefused("no session");
  if (session.revokedAt !== null) throw tokenRefused("revoked");
  if (session.expiresAt <= ctx.now) throw tokenRefused("session over");
  if (session.dpopJkt !== token.jkt) throw tokenRefused("another binding");
  return session;
}

/**
 * Whether `session` may be used under `client`. One that was opened without a client key moves only to a client
 * that would have let it in. Throws `unauthorized_client`.
 */
export function permitSession(client: ClientRules, session: SessionRow): void {
  if (session.clientBound && session.clientId !== client.id) throw clientRefused("another client's session");
  if (!client.loginMethods.includes(session.method)) throw clientRefused("login method");
  if (session.clientBound) return;
  if (!client.evidenceKinds.includes(session.evidence)) throw clientRefused("evidence");
  if (client.flags.requireDpop && session.dpopJkt === null) throw clientRefused("no DPoP");
}

type ClientRules = Pick<Client, "id" | "loginMethods" | "evidenceKinds" | "flags">;

function principalOf(client: Client, session: SessionRow): Principal {
  const { sub, id, method, evidence, keyJwk } = session;
  const scopes = session.scopes.filter((scope): scope is Scope => client.scopes.includes(scope));
  // As at login, but never more than the client has now.
  const airlines = session.airlines.filter((airline) => client.airlines.includes(airline));
  return { sub, sessionId: id, method, evidence, scopes, staff: method === "b2b", airlines, key: keyJwk };
}

/** Checks that the caller has every scope in `needed`. Throws `insufficient_scope`. */
export function requireScopes(principal: Principal, needed: readonly Scope[]): void {
  const missing = needed.filter((scope) => !principal.scopes.includes(scope));
  if (missing.length === 0) return;
  throw new ApiError("insufficient_scope", {
    errors: missing.map((scope) => `${scope} is required`),
    headers: { "WWW-Authenticate": `Bearer error="insufficient_scope", scope="${needed.join(" ")}"` },
  });
}
