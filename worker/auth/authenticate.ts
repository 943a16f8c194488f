import { and, eq, getTableColumns, type InferSelectModel, isNull, type SQL, sql } from "drizzle-orm";
import { errors, jwtVerify, SignJWT } from "jose";
import { type Endpoint, HEADER, type Scope } from "../../core/api/index.ts";
import { toBase64Url } from "../../core/encoding/bytes.ts";
import { clientOrigins, clients, type LoginMethod, sessions, usedOnce } from "../../db/schema.ts";
import type {
  BearerContext,
  Client,
  LoginContext,
  Principal,
  RefreshContext,
  RequestContext,
  VerifiedProof,
} from "../context.ts";
import { inBatch, parameter, Reading, type Statements, snapshot, written } from "../database/batch.ts";
import type { Db } from "../database/connect.ts";
import { ApiError } from "../errors.ts";
import type { TokenCaller } from "../http/read-first.ts";
import { clientKeyHash } from "../secrets/sealed.ts";
import { refused, verifyProof } from "./dpop.ts";
import { enterAsHolder, enterHall, hallSpent, isHolder, requireSubjectRate } from "./rate-limits.ts";

/**
 * Identifies the caller (rules §1, §3): client key, access token and proof of possession; below, the tokens themselves.
 * What an endpoint reads goes with the same D1 call.
 */

/** The context of an endpoint's service, and what came with it. */
export interface Identified {
  readonly context: RequestContext | LoginContext | RefreshContext | BearerContext;
  /** The client whose key was sent, if one was read. */
  readonly client: Client | undefined;
}

/** What an endpoint reads with the authentication. */
type Reads = ((caller: TokenCaller) => Promise<Statements | undefined>) | undefined;

/** Identifies the caller of an endpoint, as far as the endpoint's row in the table demands one. */
export async function identify(
  ctx: RequestContext,
  request: Request,
  endpoint: Endpoint,
  reads: Reads,
): Promise<Identified> {
  if (endpoint.security === "bearer") return identifyBearer(ctx, request, endpoint, reads);
  const isNamed = endpoint.security === "client" || request.headers.has(HEADER.clientKey);
  const isDemanded = endpoint.security === "client" || endpoint.withoutKey === "default";
  if (!isDemanded && endpoint.withoutKey !== "allowed") return { context: ctx, client: undefined };
  const client =
    isNamed || isDemanded ? enabled(await readClient(ctx, isNamed ? request.headers : undefined)) : undefined;
  const header = request.headers.get(HEADER.dpop);
  const proof = header === null ? undefined : await verifyProof(ctx, header, request);
  return { context: { ...ctx, client, clientNamed: isNamed, proof }, client: isNamed ? client : undefined };
}

/** Why a client is refused: for the log; the caller gets the code alone. */
export const clientRefused = (reason: string) => new ApiError("unauthorized_client", { reason });

/** A client and its origins. */
const ofClient = (which: SQL) =>
  snapshot(
    {
      ...getTableColumns(clients),
      origins: sql<
        readonly string[]
      >`json((select json_group_array(${clientOrigins.origin}) from ${clientOrigins}
        where ${clientOrigins.clientId} = ${clients.id}))`,
    },
    sql`from ${clients} where ${which}`,
  );
const clientOfKey = ofClient(sql`${clients.keyHash} = ${parameter("keyHash")}`);
const clientByKey = new Reading({ clients: clientOfKey });
const clientById = new Reading({ clients: ofClient(sql`${clients.id} = ${parameter("id")}`) });

/** The client whose key `headers` have; without them the one that applies where no key was sent. */
async function readClient(ctx: RequestContext, headers: Headers | undefined): Promise<Client | undefined> {
  const { db } = ctx;
  const { known } = await inBatch(db, {
    known: headers
      ? clientByKey.read(db, { keyHash: await clientKeyHash(requiredKey(headers)) })
      : clientById.read(db, { id: defaultClient(ctx) }),
  });
  return clientByKey.facts(known[0] ?? {}).clients[0];
}

/** The client that applies where no key was sent. Throws `unauthorized_client`. */
function defaultClient({ settings }: RequestContext): string {
  if (settings.defaultClientId === undefined) throw clientRefused("no default client");
  return settings.defaultClientId;
}

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

const ofSession = snapshot(
  getTableColumns(sessions),
  sql`from ${sessions} where ${sessions.id} = ${parameter("sessionId")}`,
);
// A case looks no further than it must.
const mayPass = sql<number>`case when ${parameter("isInHall")} then 1 else ${isHolder} end`;
const clientAndSession = new Reading({
  clients: clientOfKey,
  sessions: ofSession,
  caller: snapshot({ mayPass }, sql``),
});

/** Records a proof only for a live session that gets through, so that strangers cannot fill the table. */
const recordProof = written<{ readonly hash: string }>(sql`insert into ${usedOnce} (ends_at, hash)
  select ${parameter("endsAt")}, ${parameter("hash")} from ${sessions}
    where ${sessions.id} = ${parameter("sessionId")} and ${sessions.revokedAt} is null and ${mayPass}
  on conflict do nothing returning hash`);

type SessionRow = InferSelectModel<typeof sessions>;

/**
 * Checks client key, access token and DPoP proof of a request to a bearer endpoint, in that order.
 * {@link requireScopes} checks whether the caller may do what the request asks. Throws `unauthorized_client`,
 * `unauthorized_token`, `invalid_dpop_proof`, `too_many_requests`.
 */
async function identifyBearer(
  ctx: RequestContext,
  request: Request,
  endpoint: Endpoint,
  reads: Reads,
): Promise<Identified> {
  const key = await clientKeyHash(requiredKey(request.headers));
  const presented = await presentedToken(ctx, request);
  if (!presented.ok) {
    enabled(await readClient(ctx, request.headers));
    throw presented.error;
  }
  const { token, proof } = presented;
  const { sub, sessionId, isStaff: staff } = token;
  if (endpoint.subjectRate) await requireSubjectRate(ctx, endpoint.subjectRate, token);
  const isInHall = endpoint.subjectRate !== "write" || staff || (await enterHall(ctx));
  const { client, principal, firstRead } = await authenticate(ctx, {
    ...{ key, token, isInHall, reads: await reads?.({ sub, sessionId, staff }) },
    proof: endpoint.replayable ? undefined : proof,
  });
  if (!isInHall) await enterAsHolder(ctx);
  const unrecorded = endpoint.replayable ? proof : undefined;
  return { context: { ...ctx, client, principal, proof: unrecorded, firstRead }, client };
}

interface Authenticated {
  readonly client: Client;
  readonly principal: Principal;
  readonly firstRead: unknown;
}

interface Presented {
  readonly key: string;
  readonly token: AccessToken;
  readonly proof: VerifiedProof | undefined;
  /** Whether the hall's counter has room: where it is spent, holders alone get through. */
  readonly isInHall: boolean;
  readonly reads: Statements | undefined;
}

/** Reads and checks client, session and proof in one D1 call, and binds the client where none is bound. */
async function authenticate(
  ctx: RequestContext,
  { key, token, proof, isInHall, reads }: Presented,
): Promise<Authenticated> {
  const { db, now } = ctx;
  const values = {
    keyHash: key,
    sessionId: token.sessionId,
    sub: token.sub,
    now,
    isInHall: Number(isInHall),
  };
  const found = await inBatch(db, {
    binding: token.clientBound ? undefined : bindClient(ctx, token.sessionId, key),
    known: clientAndSession.read(db, values),
    proofs: proof && recordProof(db, { ...values, ...proof.once }),
    reads,
  });
  const known = clientAndSession.facts(found.known[0] ?? {});
  const client = enabled<Client>(known.clients[0]);
  const principal = principalOf(ctx, client, known.sessions[0], token);
  if (!known.caller[0]?.mayPass) throw hallSpent("hall");
  if (found.proofs?.length === 0) throw refused("replayed");
  return { client, principal, firstRead: found.reads };
}

/** A session; a statement. */
export const readSession = (db: Db, id: string) => db.select().from(sessions).where(eq(sessions.id, id));

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

function liveSession(ctx: RequestContext, session: SessionRow | undefined, token: AccessToken): SessionRow {
  if (session === undefined || session.sub !== token.sub) throw tokenRefused("no session");
  if (session.revokedAt !== null) throw tokenRefused("revoked");
  if (session.expiresAt <= ctx.now) throw tokenRefused("session over");
  if (session.dpopJkt !== token.jkt) throw tokenRefused("another binding");
  // Tokens are bound to the hash, and revocations name it.
  if (session.keyJwk !== null && session.keySpkiHash === null) throw tokenRefused("key without hash");
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
  const { sub, id, method, evidence, keyJwk, keySpkiHash } = session;
  const scopes = session.scopes.filter((scope): scope is Scope => client.scopes.includes(scope));
  // As at login, but never more than the client has now.
  const airlines = session.airlines.filter((airline) => client.airlines.includes(airline));
  const own = { sub, sessionId: id, method, evidence, key: keyJwk, keySpkiHash };
  return { ...own, scopes, staff: method === "b2b", airlines };
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

/**
 * Access tokens (rules §3): ES256 JWTs that name a session. The session's row has its rights; the token
 * only proves that we opened the session, for whom, and until when.
 */

interface TokenSession {
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
interface AccessToken {
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
async function verifyAccessToken(ctx: RequestContext, token: string): Promise<AccessToken> {
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

type PresentedToken =
  | { readonly ok: true; readonly token: AccessToken; readonly proof: VerifiedProof | undefined }
  | { readonly ok: false; readonly error: ApiError };

/** Checks token and proof as far as possible without the database; the client key is checked first. */
async function presentedToken(ctx: RequestContext, request: Request): Promise<PresentedToken> {
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
