/**
 * What no service can do without to answer what our page sends: a verification for each signature that came
 * along (access token, DPoP proof, the tag's statement or certificate), a signature for each token, and by hand the
 * statements that they have to send, on the same tables. Session and facts are read in one batch; a change is committed in
 * another, behind a guard that demands the same facts (ADR 33). Of the rules it has what they make a batch carry: a proof
 * and an Idempotency-Key count once; an attachment counts against a cap; guesses are counted before they are compared; a
 * token is for a label that the service would write itself; a lock that ends takes the tag's counters along. Each answer
 * has its id, says that it must not be stored, and names the sealed bookmark of the database that it saw. Left out:
 * parsing and checking of what is signed, all other limits and rules, sentences for what it refuses, a framework.
 */
import type { D1Database } from "@cloudflare/workers-types";
import { SignJWT } from "jose";
import { HEADER } from "../../core/api/index.ts";
import { encodePayload, payloadDigest } from "../../core/bag/payload.ts";
import { foldLocator } from "../../core/bag/record-locator.ts";
import { presentedTokens, surnamesMatch } from "../../core/bag/surname.ts";
import { type LabelBag, type LabelJourney, ticketPayload } from "../../core/bag/ticket-payload.ts";
import { fromBase64Url, toBase64Url } from "../../core/encoding/bytes.ts";
import { hmac, locatorHash, open, seal, sha256Text } from "../../worker/secrets/sealed.ts";
import {
  type Bindings,
  importKeys,
  joined,
  type Keys,
  must,
  type Row,
  raw,
  runAll,
  type Sql,
  signed,
  sql,
  verifyJws,
  verifyTag,
} from "./floor-parts.ts";

const DAY = 86_400_000;
/** As long as the service's. */
const CONFIGURATION = { limits: "0".repeat(2_100) };
const LOOKUPS = "/v2/ebt-lookups";

/** A request without a session. */
interface Call {
  readonly env: Bindings;
  readonly keys: Keys;
  readonly body: Row;
  readonly header: (name: string) => string;
}

/** A request whose token and proof are verified. */
interface AuthorizedCall extends Call {
  readonly path: string;
  readonly id: string;
  readonly sub: string;
  readonly session: string;
  /** Its Idempotency-Key, or empty. */
  readonly key: string;
  /** The hash of its body. */
  readonly hash: string;
  /** The rows of statements that are sent with those that read client and session and use the proof up. */
  readonly read: (...statements: readonly Sql[]) => Promise<readonly (readonly Row[])[]>;
}

const randomText = (length: number) => toBase64Url(crypto.getRandomValues(new Uint8Array(length)));

async function nonce({ keys }: Call): Promise<object> {
  const content = crypto.getRandomValues(new Uint8Array(18));
  return { nonce: toBase64Url(content) + toBase64Url(await hmac(keys.pepper, content)) };
}

/** Verifies the app's statement about its nonce, and opens one session for each nonce: that is its id. */
async function logIn({ env, keys, body, header }: Call): Promise<object> {
  const now = Date.now();
  const [, { nonce }] = [await verifyJws(header("DPoP")), await verifyJws(String(body.attestationObject))];
  await hmac(keys.pepper, new TextEncoder().encode(nonce));
  const client = sql`select id from clients where key_hash = ${await sha256Text(header("X-Source-App-Key"))} and enabled`;
  const [known] = await runAll(env, [client]);
  const [id, refresh, sub] = [await sha256Text(nonce), randomText(32), randomText(32)];
  const session = sql`insert into sessions (id, sub, client_id, client_bound, method, evidence, scopes, airlines,
      refresh_counter, refresh_hash, refreshed_at, refresh_expires_at, created_at, expires_at)
    values (${id}, ${sub}, ${known?.results[0]?.id}, 1, 'guest', 'none', '[]', '[]',
      0, ${await sha256Text(refresh)}, ${now}, ${now + DAY}, ${now}, ${now + DAY})`;
  await runAll(env, [session]);
  const claims = new SignJWT({ sub, jti: id }).setProtectedHeader({ alg: "ES256" });
  return { token: await claims.sign(keys.signingAccess), refresh };
}

/** Certifies the key of a session. */
async function certify({ env, keys, session, hash, read }: AuthorizedCall): Promise<object> {
  await read();
  const row = sql`insert into certificates (session_id, serial, sub, client_id, spki_hash, issued_at, expires_at)
    values (${session}, ${crypto.randomUUID()}, '', '', ${hash}, ${Date.now()}, ${Date.now() + DAY})`;
  const [certificate] = await Promise.all([signed(keys), runAll(env, [row])]);
  return { certificate };
}

/** The journeys where `which` holds, with their flights, their bags and the bags' tags: one text. */
const journeysWhere = (which: Sql): Sql => sql`select json_group_array(json_object('id', j.id, 'plan', p.id,
    'recordLocator', p.locator_sealed, 'passenger', j.passenger_sealed, 'departureAirport', j.departure_airport,
    'destinationAirport', j.destination_airport, 'destinationCity', j.destination_city, 'cabin', j.cabin,
    'version', j.version,
    'flights', (select json_group_array(json_object('carrier', carrier, 'number', number, 'date', date,
      'from', from_airport, 'to', to_airport, 'departure', scheduled_departure, 'arrival', scheduled_arrival))
      from flights where journey_id = j.id),
    'bags', (select json_group_array(json_object('id', b.id, 'licencePlate', b.licence_plate, 'readable', b.readable,
      'flags', b.flags, 'tag', d.label, 'last', (select event from audit_log where baggage_id = b.id
        and event in ('attached', 'custody_proven', 'cleared', 'released') order by id desc limit 1)))
      from bags b left join device_ticket_locks l on l.baggage_id = b.id and l.ends_at > ${Date.now()}
        left join devices d on d.id = l.device_id where b.journey_id = j.id))) as journeys
  from journeys j inner join travel_plans p on p.id = j.plan_id where ${which}`;

type Journey = LabelJourney & { readonly bags: readonly (LabelBag & { readonly id: number })[] };

/** What {@link journeysWhere} read, with names and locators opened. */
function opened({ data }: Keys, [row]: readonly Row[] = []): Promise<readonly Journey[]> {
  // SQL's null is what a journey does not say.
  const journeys = JSON.parse(String(row?.journeys), (_name, value) => value ?? undefined);
  const inClear = async ({ id, plan, ...journey }: Readonly<Record<string, string>>) => ({
    ...journey,
    recordLocator: await open(data, { field: "locator", id: plan ?? "" }, journey.recordLocator ?? ""),
    passenger: JSON.parse(await open(data, { field: "passenger", id: id ?? "" }, journey.passenger ?? "")),
  });
  return Promise.all(journeys.map(inClear));
}

/** The journeys that the caller has loaded. */
async function list({ keys, sub, read }: AuthorizedCall): Promise<object> {
  const own = sql`p.id in (select plan_id from loaded_plans where sub = ${sub}) and p.ends_at > ${Date.now()}`;
  const [found] = await read(journeysWhere(own));
  return { journeys: await opened(keys, found) };
}

const count = (counter: string) =>
  sql`insert into guess_counters (key, count, ends_at, request_id)
    values (${counter}, 1, ${Date.now() + 3_600_000}, ${crypto.randomUUID()})
    on conflict (key) do update set count = case when ends_at > ${Date.now()} then count + 1 else 1 end,
      request_id = excluded.request_id`;

/** A guess that was right costs nothing. */
const giveBack = (counter: string) => sql`update guess_counters set count = count - 1 where key = ${counter}`;

/** Whether stored tokens are those of the locator and the surname that the caller has sent. */
async function comparing({ keys, body }: Call): Promise<(tokens: unknown) => boolean> {
  const locator = foldLocator(String(body.recordLocator));
  const presented = await presentedTokens(keys.pepper, locator, String(body.surname), Date.now());
  return (tokens) => surnamesMatch(fromBase64Url(String(tokens)), presented);
}

/** Loads a booking for a caller who knows locator and surname. */
async function load(call: AuthorizedCall): Promise<object> {
  const { env, keys, sub, read, body } = call;
  const counter = `sub:${sub}`;
  const hash = await locatorHash(keys.pepper, String(body.recordLocator));
  const named = sql`select j.plan_id, j.surname_tokens from travel_plans p inner join journeys j on j.plan_id = p.id
    where p.locator_hash = ${hash} and p.ends_at > ${Date.now()}`;
  const [found = []] = await read(named, count(counter));
  const isRight = await comparing(call);
  const right = found.find(({ surname_tokens: tokens }) => isRight(tokens));
  must(right !== undefined);
  const loaded = sql`insert or ignore into loaded_plans (sub, plan_id, loaded_at)
    values (${sub}, ${right.plan_id}, ${Date.now()})`;
  const booking = journeysWhere(sql`p.id = ${right.plan_id}`);
  const [, journeys] = await runAll(env, [loaded, booking, giveBack(counter)]);
  return { journeys: await opened(keys, journeys?.results) };
}

/** Fails, and with it its batch, unless `condition` holds. */
const demand = (condition: Sql) => sql`insert into guards select 0 where (${condition}) is not 1`;

const audit = ({ sub, id }: AuthorizedCall, event: string) =>
  sql`insert into audit_log (at, event, request_id, sub, client_id, airline, device_id)
    values (${Date.now()}, ${event}, ${crypto.randomUUID()}, ${sub}, 'c', 'SK', ${id})`;

const today = () => Math.floor(Date.now() / DAY);

const record = ({ sub, path, key, hash }: AuthorizedCall) =>
  sql`insert into idempotency_records (day, sub, endpoint, key, body_hash, outcome, facts, created_at, expires_at)
    values (${today()}, ${sub}, ${path}, ${key}, ${hash}, 'ok', '{}', ${Date.now()}, ${Date.now() + DAY})`;

const register = (id: string, spkiHash: string | null) =>
  sql`insert into devices (id, label, tag_spki_hash, registered_at, entitled_at, review_at)
    values (${id}, ${id}, ${spkiHash}, ${Date.now()}, ${Date.now()}, ${Date.now() + 400 * DAY})`;

/** Ends a tag's lock: no counters, the report to the former holder, an entry. */
function end(call: AuthorizedCall, event: string): readonly Sql[] {
  const { id, body } = call;
  const raised = body.tagStatement === undefined ? 0 : 1;
  return [
    sql`delete from guess_counters
      where key in (${`device:unvouched:${id}`}, ${`device:vouched:${id}`}, ${`device:staff:${id}`})`,
    sql`update devices set ended_holder_sub = l.holder_sub, ended_plan_id = l.plan_id, ended_reason = ${event},
      ended_at = ${Date.now()}, ended_cti = l.cti, commits = devices.commits + ${raised}
      from (select * from device_ticket_locks where device_id = ${id}) as l where devices.id = ${id}`,
    sql`delete from device_ticket_locks where device_id = ${id}`,
    audit(call, event),
    record(call),
  ];
}

/** Ends a lock for a caller who proves locator and surname. */
async function prove(call: AuthorizedCall): Promise<object> {
  const { env, id, sub, read, body, keys } = call;
  const counter = `sub:${sub}`;
  await locatorHash(keys.pepper, String(body.recordLocator));
  const lock = sql`select l.request_id, j.surname_tokens from device_ticket_locks l
    inner join journeys j on j.id = l.journey_id where l.device_id = ${id} and l.ends_at > ${Date.now()}`;
  const [[found] = []] = await read(lock, count(counter));
  const isRight = await comparing(call);
  must(isRight(found?.surname_tokens));
  const isSame = sql`exists (select 1 from device_ticket_locks where request_id = ${found?.request_id})`;
  await runAll(env, [demand(isSame), ...end(call, "custody_proven"), giveBack(counter)]);
  return { id };
}

/** Rows as one text of JSON. */
const rows = (columns: string, from: Sql) =>
  sql`(select json_group_array(json_array(${raw(columns)})) ${from})`;

/** What a decision about a tag is made from, each fact one text that SQLite makes. */
function factsOf({ id, sub, session, body, path, key }: AuthorizedCall) {
  const lock = sql`from device_ticket_locks l where l.device_id = ${id}`;
  const bag = sql`from bags b inner join journeys j on j.id = b.journey_id
    inner join travel_plans p on p.id = j.plan_id where b.id in (${body.baggageId ?? null}, ${body.forBaggageId ?? null})`;
  const earlier = sql`from idempotency_records where day in (${today()}, ${today() - 1}) and sub = ${sub}
    and endpoint = ${path} and key = ${key}`;
  return {
    device: rows(
      "tag_spki_hash, commits, spent_commits, ended_holder_sub, ended_plan_id, ended_at, ended_cti",
      sql`from devices where id = ${id}`,
    ),
    lock: rows(
      "plan_id, journey_id, baggage_id, entitled, holder_sub, writer_sub, commits, cti, locked_at, ends_at, request_id",
      lock,
    ),
    plans: rows(
      "plan_id, delegation_id",
      sql`from loaded_plans where sub = ${sub} and plan_id in (select plan_id ${lock} union select p.id ${bag})`,
    ),
    bags: rows("p.id, j.id, p.airline, p.ends_at", bag),
    caller: rows(
      "revoked_at, (select k.revoked_at from revoked_keys k where k.spki_hash = key_spki_hash)",
      sql`from sessions where id = ${session}`,
    ),
    earlier: rows("body_hash, outcome, facts", earlier),
  };
}
type Facts = Readonly<Record<keyof ReturnType<typeof factsOf>, readonly (readonly unknown[])[]>>;

function attach(call: AuthorizedCall, { device, bags }: Facts): readonly Sql[] {
  const { id, sub, body } = call;
  const [plan, journey, airline, endsAt] = bags[0] ?? [];
  const commits = body.tagStatement === undefined ? null : 1;
  const counter = `attach:${sub}`;
  return [
    count(counter),
    demand(sql`not exists (select 1 from guess_counters where key = ${counter} and count > ${1_000_000})`),
    ...(device.length === 0 ? [register(id, null)] : []),
    ...(commits === null
      ? []
      : [sql`update devices set commits = coalesce(commits, 0) + 1 where id = ${id}`]),
    sql`insert into device_ticket_locks (device_id, plan_id, airline, journey_id, baggage_id, entitled, holder_sub,
        writer_sub, commits, cti, locked_at, ends_at, request_id)
      values (${id}, ${plan}, ${airline}, ${journey}, ${body.baggageId}, 1, ${sub}, ${sub}, ${commits}, ${body.cti ?? null},
        ${Date.now()}, ${endsAt}, ${crypto.randomUUID()})`,
    audit(call, "attached"),
    record(call),
  ];
}

/** What an endpoint writes, if anything. */
const COMMITS: Readonly<Record<string, (call: AuthorizedCall, facts: Facts) => readonly Sql[]>> = {
  "/v2/ebt-authorizations": ({ id, body, hash }, { device }) =>
    device.length === 0 && body.tagCertificate !== undefined ? [register(id, hash)] : [],
  "/v2/device-attachments": attach,
  "/v2/ebt-unlocks": (call) => end(call, "cleared"),
};

/** Reads the facts with the session, and commits behind a guard what there is to write. */
async function decide(call: AuthorizedCall): Promise<object> {
  const { env, path, keys, id, body, read } = call;
  const facts = Object.entries(factsOf(call));
  const named = facts.map(([name, fact]) => sql`${fact} as ${raw(name)}`);
  const shown = sql`select p.locator_sealed, j.surname_initial, j.departure_airport, j.destination_airport
    from device_ticket_locks l inner join travel_plans p on p.id = l.plan_id left join journeys j on j.id = l.journey_id
    where l.device_id = ${id}`;
  const isToken = path === "/v2/ebt-authorizations";
  const isLabel = isToken && body.operation === "write";
  const label = journeysWhere(
    sql`j.id in (select journey_id from bags where id = ${body.baggageId ?? null})`,
  );
  const more = path === LOOKUPS ? [shown] : isLabel ? [label] : [];
  const [[texts = {}] = [], journeys] = await read(sql`select ${joined(named, sql`, `)}`, ...more);
  if (isLabel) must(await isApproved(body, await opened(keys, journeys)));
  const parsed = Object.entries(texts).map(([name, text]) => [name, JSON.parse(String(text))]);
  const writes = COMMITS[path]?.(call, Object.fromEntries(parsed)) ?? [];
  const same = facts.map(([name, fact]) => sql`${fact} is ${texts[name]}`);
  if (writes.length > 0) await runAll(env, [demand(joined(same, sql` and `)), ...writes]);
  return isToken ? { signed: await signed(keys) } : { id };
}

/** Whether the label's digest is that of one that the service would write, with the locator or without. */
async function isApproved({ baggageId, payloadDigest: claimed }: Row, [journey]: readonly Journey[]) {
  const bag = journey?.bags.find(({ id }) => id === baggageId);
  if (journey === undefined || bag === undefined) return false;
  const labels = [false, true].map((showLocator) => ticketPayload(journey, bag, { showLocator }));
  const digests = await Promise.all(labels.map((label) => payloadDigest(encodePayload(label))));
  return digests.some((digest) => toBase64Url(digest) === claimed);
}

const WITHOUT_TOKEN: Readonly<Record<string, (call: Call) => Promise<object>>> = {
  "/.well-known/ebt-configuration": async () => CONFIGURATION,
  "/v2/auth/nonces": nonce,
  "/v2/auth/guest/sessions": logIn,
};

/** What is no decision about a tag. */
const OTHERS: Readonly<Record<string, (call: AuthorizedCall) => Promise<object>>> = {
  "/v2/journeys/from-record-locator": load,
  "/v2/journeys": list,
  "/v2/ebt-custody-proofs": prove,
  "/v2/auth/device-client-certificates": certify,
};

let imported: Promise<Keys> | undefined;

async function answer(
  { headers }: Request,
  env: Bindings,
  keys: Keys,
  path: string,
  sent: string,
): Promise<object> {
  const header = (name: string) => headers.get(name) ?? "";
  const body = JSON.parse(sent || "{}");
  const withoutToken = WITHOUT_TOKEN[path];
  if (withoutToken !== undefined) return withoutToken({ env, keys, body, header });
  const client = await sha256Text(header("X-Source-App-Key"));
  const { jti } = await verifyJws(header("DPoP"));
  const token = await verifyJws(header("Authorization").slice(7), keys.access);
  const [now, session, { sub }] = [Date.now(), token.jti.split(/[.~]/)[0], token];
  await verifyTag(keys, body);
  const known = sql`select s.id from sessions s, clients c where s.id = ${session} and s.sub = ${sub}
    and s.revoked_at is null and s.expires_at > ${now} and c.key_hash = ${client} and c.enabled and c.id = s.client_id`;
  const used = sql`insert into used_once (ends_at, hash) values (${now + DAY}, ${await sha256Text(jti)})`;
  const first = path === LOOKUPS ? [known] : [known, used];
  const call: AuthorizedCall = {
    env,
    keys,
    body,
    header,
    path,
    sub,
    session,
    id: body.uniqueDeviceId ?? body.device?.uniqueID,
    key: header("Idempotency-Key"),
    hash: await sha256Text(sent),
    async read(...statements) {
      const found = (await runAll(env, [...first, ...statements])).map(({ results }) => results);
      must(found[0]?.length === 1);
      return found.slice(first.length);
    },
  };
  return (OTHERS[path] ?? decide)(call);
}

async function headersOf({ data }: Keys, requestId: string, bookmark: string | null): Promise<HeadersInit> {
  const always = { [HEADER.requestId]: requestId, "Cache-Control": "no-store" };
  if (bookmark === null) return always;
  const at = String(Date.now());
  return {
    ...always,
    [HEADER.bookmark]: `${at}-${await seal(data, { field: "bookmark", id: at }, bookmark)}`,
  };
}

interface Platform {
  waitUntil(work: Promise<unknown>): void;
}

export default {
  /** A service writes a log line for each request, after its answer, with the fewest facts that a fault is found by. */
  async fetch(request: Request, env: Bindings, platform: Platform): Promise<Response> {
    const started = performance.now();
    const requestId = crypto.randomUUID();
    const { pathname } = new URL(request.url);
    imported ??= importKeys(env);
    const keys = await imported;
    const database = env.DB.withSession("first-primary");
    const own = { ...env, DB: database as unknown as D1Database };
    const content = await answer(request, own, keys, pathname, await request.text());
    const headers = await headersOf(keys, requestId, database.getBookmark());
    const response = Response.json(content, { headers });
    const facts = { at: new Date().toISOString(), requestId, route: pathname };
    const { status } = response;
    const line = { ...facts, status, milliseconds: performance.now() - started };
    const answered = new Promise<void>((resolve) => void setTimeout(resolve));
    platform.waitUntil(answered.then(() => console.log(JSON.stringify(line))));
    return response;
  },
};
