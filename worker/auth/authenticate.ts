import { and, eq, getTableColumns, type InferSelectModel, isNull, type SQL } from "drizzle-orm";
import { type Endpoint, HEADER, type Scope } from "../../core/api/index.ts";
import type { Db } from "../../db/connect.ts";
import { clientKeyHash } from "../../db/lookup-keys.ts";
import { clientOrigins, clients, sessions, usedOnce } from "../../db/schema.ts";
import { sql } from "../../db/sql.ts";
import type {
  BearerContext,
  Client,
  Held,
  LoginContext,
  Principal,
  RefreshContext,
  RequestContext,
  VerifiedProof,
} from "../context.ts";
import { inBatch, insertFrom, presuming, requiring } from "../database/statements.ts";
import { ApiError } from "../errors.ts";
import { type AccessToken, presentedToken, tokenRefused } from "./access-token.ts";
import { refused, verifyProof } from "./dpop.ts";
import { hallSpent, isHolder, throughHall } from "./hall.ts";
import { requireSubjectRate } from "./rate-limits.ts";

/**
 * Identifies the caller (rules §1, §3): client key, access token and proof of possession. The rows that say so are
 * presumed to be as this isolate has seen them last, and the first batch of the request proves it; where nothing was
 * seen, or it proves otherwise, they are read first (ADR 28).
 */

/** The context of an endpoint's service, and what came with it. */
export interface Identified {
  readonly context: RequestContext | BearerContext;
  /** The client whose key was sent, if one was looked at. */
  readonly client: Client | undefined;
}

/** What is done for a caller: `work` may be begun for a presumed one, and again for the one that was read. */
interface Steps<T> {
  work(identified: Identified): Promise<T>;
  forget(): void;
}

/**
 * Does `work` for the caller of an endpoint, as far as the endpoint's row in the table demands one; `forget` takes back
 * who was presumed.
 */
export async function asCaller<T>(
  ctx: RequestContext,
  request: Request,
  endpoint: Endpoint,
  { work, forget }: Steps<T>,
): Promise<T> {
  if (endpoint.security === "bearer") return asBearer(ctx, request, endpoint, { work, forget });
  const isNamed = endpoint.security === "client" || carriesClientKey(request.headers);
  const isDemanded = endpoint.security === "client" || endpoint.withoutKey === "default";
  if (!isDemanded && endpoint.withoutKey !== "allowed") return work({ context: ctx, client: undefined });
  const key = isNamed
    ? await clientKeyHash(requiredKey(request.headers))
    : isDemanded
      ? defaultClient(ctx)
      : undefined;
  const asClient = async (client: Client | undefined) => {
    const proof = await proofOf(ctx, request);
    const context: LoginContext | RefreshContext = { ...ctx, client, clientNamed: isNamed, proof };
    return work({ context, client: isNamed ? client : undefined });
  };
  if (key === undefined) return asClient(undefined);
  const held = ctx.held.clients.get(key);
  return presuming(
    ctx.db,
    held && [requiring(ctx.db, isStillClient(held))],
    async () => asClient(enabled(held?.row)),
    async () => {
      forget();
      const found = await selectClient(ctx.db).where(
        isNamed ? eq(clients.keyHash, key) : eq(clients.id, key),
      );
      return asClient(enabled(heldClient(ctx, key, found[0])));
    },
  );
}

/** Why a client is turned away; the caller learns only the code. */
export const clientRefused = (reason: string) => new ApiError("unauthorized_client", { reason });

const originsOfClient = sql`(select json_group_array(${clientOrigins.origin}) from ${clientOrigins}
    where ${clientOrigins.clientId} = ${clients.id})`;
const clientText = sql<string>`json_array(${sql.join(Object.values(getTableColumns(clients)), sql`, `)}, ${originsOfClient})`;

/** A client and its origins; needs a `where` by which an index finds the row. */
const selectClient = (db: Db) =>
  db
    .select({
      ...getTableColumns(clients),
      origins: originsOfClient.mapWith(JSON.parse).as("origins"),
      text: clientText.as("client_text"),
    })
    .from(clients);

type ClientFound = Awaited<ReturnType<typeof selectClient>>[number];

/** The client that was read, which is held from now on. */
function heldClient(
  { held }: RequestContext,
  key: string,
  found: ClientFound | undefined,
): Client | undefined {
  held.clients.delete(key);
  if (found === undefined) return undefined;
  const { text, ...row } = found;
  hold(held.clients, key, { row: row as Client, text }, MOST_CLIENTS);
  return row as Client;
}

/** Whether the client's row is word for word what was held. */
const isStillClient = ({ row, text }: Held<Client>): SQL =>
  sql`(select ${clientText} from ${clients} where ${clients.id} = ${row.id}) is ${text}`;

/** So many are held; the oldest goes first. */
const MOST_CLIENTS = 100;
const MOST_SESSIONS = 1_000;

function hold<Row>(rows: Map<string, Held<Row>>, key: string, held: Held<Row>, most: number): void {
  rows.delete(key);
  const oldest = rows.keys().next();
  if (rows.size >= most && oldest.value !== undefined) rows.delete(oldest.value);
  rows.set(key, held);
}

/** The client that applies where no key was sent. Throws `unauthorized_client`. */
function defaultClient({ settings }: RequestContext): string {
  if (settings.defaultClientId === undefined) throw clientRefused("no default client");
  return settings.defaultClientId;
}

/** Whether a login or refresh sent a client key at all. */
const carriesClientKey = (headers: Headers) => headers.has(HEADER.clientKey);

/** The client key of a request that must have one. Throws `unauthorized_client`. */
function requiredKey(headers: Headers): string {
  const key = headers.get(HEADER.clientKey) ?? "";
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

/** What of a session cannot change while it lives, but by binding a client or a key. */
const LASTING = [
  "sub",
  "clientId",
  "clientBound",
  "method",
  "evidence",
  "scopes",
  "airlines",
  "keyJwk",
  "dpopJkt",
] as const;
const sessionText = sql<string>`json_array(${sql.join(
  LASTING.map((name) => sessions[name]),
  sql`, `,
)})`;

/** A session, to be held; a statement. */
export const readSession = (db: Db, id: string) =>
  db
    .select({ ...getTableColumns(sessions), text: sessionText.as("session_text") })
    .from(sessions)
    .where(eq(sessions.id, id));

/** The session that was read, which is held from now on. */
export function heldSession(
  { held }: RequestContext,
  [found]: Awaited<ReturnType<typeof readSession>>,
): SessionRow | undefined {
  if (found === undefined) return undefined;
  const { text, ...row } = found;
  hold(held.sessions, row.id, { row, text }, MOST_SESSIONS);
  return row;
}

/** Whether the session lives, and its row is what was held. */
export const isStillSession = ({ now }: RequestContext, { row, text }: Held<SessionRow>): SQL =>
  sql`(select ${sessionText} from ${sessions} where ${sessions.id} = ${row.id}
    and ${sessions.revokedAt} is null and ${sessions.expiresAt} > ${now}) is ${text}`;

/** What proves that client and session are still what is held of them: statements for {@link presuming}. */
export const stillHeld = (ctx: RequestContext, client: Held<Client>, session: Held<SessionRow>) =>
  requiring(ctx.db, sql`${isStillClient(client)} and ${isStillSession(ctx, session)}`);

/**
 * Checks client key, access token and DPoP proof of a request to a bearer endpoint, in that order.
 * {@link requireScopes} checks whether the caller may do what the request asks. Throws `unauthorized_client`,
 * `unauthorized_token`, `invalid_dpop_proof`, `too_many_requests`.
 */
async function asBearer<T>(
  ctx: RequestContext,
  request: Request,
  endpoint: Endpoint,
  { work, forget }: Steps<T>,
): Promise<T> {
  const key = await clientKeyHash(requiredKey(request.headers));
  const presented = await presentedToken(ctx, request);
  if (!presented.ok) {
    enabled(heldClient(ctx, key, (await selectClient(ctx.db).where(eq(clients.keyHash, key)))[0]));
    throw presented.error;
  }
  const { token } = presented;
  if (endpoint.subjectRate) await requireSubjectRate(ctx, endpoint.subjectRate, token);
  const proof = endpoint.replayable ? undefined : presented.proof;
  const unrecorded = proof === undefined ? presented.proof : undefined;
  const of = ({ principal, its }: Authenticated) =>
    work({ context: { ...ctx, client: its, principal, proof: unrecorded }, client: its });
  const client = ctx.held.clients.get(key);
  const session = token.clientBound ? ctx.held.sessions.get(token.sessionId) : undefined;
  const guard = client &&
    session && [
      stillHeld(ctx, client, session),
      ...(proof ? [ctx.db.insert(usedOnce).values(proof.once)] : []),
    ];
  const asUsual = () =>
    presuming(
      ctx.db,
      guard,
      async () => {
        const its = enabled(client?.row);
        return of({ its, principal: principalOf(ctx, its, session?.row, token) });
      },
      async () => {
        forget();
        return of(await authenticate(ctx, { key, token, proof }));
      },
    );
  if (endpoint.subjectRate !== "write" || token.isStaff) return asUsual();
  return throughHall(ctx, asUsual, async (enter) => {
    const asHolder = async () => {
      const caller = await authenticate(ctx, { key, token, proof, isHolder: isHolder(ctx, token.sub) });
      return enter(() => of(caller));
    };
    return presuming(ctx.db, undefined, asHolder, asHolder);
  });
}

interface Authenticated {
  readonly its: Client;
  readonly principal: Principal;
}

interface Claimed {
  readonly key: string;
  readonly token: AccessToken;
  readonly proof: VerifiedProof | undefined;
  /** What the caller must be where the hall's counter is spent. */
  readonly isHolder?: SQL;
}

/** Reads and judges client, session and proof in one D1 call, and binds the client where none is bound. */
async function authenticate(
  ctx: RequestContext,
  { key, token, proof, isHolder: demanded }: Claimed,
): Promise<Authenticated> {
  const found = await inBatch(ctx.db, {
    clients: selectClient(ctx.db).where(eq(clients.keyHash, key)),
    binding: token.clientBound ? undefined : bindClient(ctx, token.sessionId, key),
    sessions: readSession(ctx.db, token.sessionId),
    holding:
      demanded && ctx.db.select({ is: sql<number>`${demanded}`.as("is_holder") }).from(sql`(select 1)`),
    proofs: proof && recordLiveProof(ctx, token, { proof, demanded }),
  });
  const its = enabled(heldClient(ctx, key, found.clients[0]));
  const principal = principalOf(ctx, its, heldSession(ctx, found.sessions), token);
  if (found.holding?.[0]?.is === 0) throw hallSpent("hall");
  if (found.proofs?.length === 0) throw refused("replayed");
  return { its, principal };
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

interface Recorded {
  readonly proof: VerifiedProof;
  readonly demanded: SQL | undefined;
}

/** Records a proof only for a live session that gets through, so that strangers cannot fill the table. */
function recordLiveProof(
  { db }: RequestContext,
  token: AccessToken,
  { proof, demanded = sql`true` }: Recorded,
) {
  const live = sql`from ${sessions}
    where ${sessions.id} = ${token.sessionId} and ${sessions.revokedAt} is null and ${demanded}`;
  return insertFrom(db, usedOnce, proof.once, live).onConflictDoNothing().returning({ hash: usedOnce.hash });
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

/** The caller, if `session` is the live one of `token` and may be used under `client`. */
function principalOf(
  ctx: RequestContext,
  client: Client,
  row: SessionRow | undefined,
  token: AccessToken,
): Principal {
  const session = liveSession(ctx, row, token);
  permitSession(client, session);
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
