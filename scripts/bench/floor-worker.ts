import { foldLocator } from "../../core/bag/record-locator.ts";
import { presentedTokens, surnamesMatch } from "../../core/bag/surname.ts";
import { fromBase64Url } from "../../core/encoding/bytes.ts";
import { locatorHash, sha256Text } from "../../worker/secrets/sealed.ts";
import { isApproved, journeysWhere, opened } from "./floor-journeys.ts";
import { WITHOUT_TOKEN } from "./floor-login.ts";
import {
  type Bindings,
  importKeys,
  type Keys,
  raw,
  rows,
  runAll,
  type Sql,
  signed,
  sql,
  verifyJws,
  verifyTag,
} from "./floor-parts.ts";

/**
 * What no service can do without to answer what our page sends: a verification for each signature that came
 * along (access token, DPoP proof, the tag's statement or certificate), a signature for each token, and by hand the
 * statements that they have to send, on the same tables. Session and facts are read in one batch; a change is committed in
 * another, behind a guard that demands the same facts (ADR 33). Of the rules it has what they make a batch carry: a proof
 * and an Idempotency-Key count once; an attachment counts against a cap; guesses are counted before they are compared; a
 * token is for a label that the service would write itself; a lock that ends takes the tag's counters along. Left out: parsing and checking of what is signed, all other limits and
 * rules, a framework.
 */

const DAY = 86_400_000;
const today = () => Math.floor(Date.now() / DAY);

/** A request whose token and proof are verified. */
interface Call {
  readonly env: Bindings;
  readonly keys: Keys;
  readonly body: Readonly<Record<string, unknown>>;
  readonly path: string;
  readonly id: string;
  readonly sub: string;
  readonly session: string;
  /** Its Idempotency-Key, or empty. */
  readonly key: string;
  /** The hash of its body. */
  readonly hash: string;
  /** Reads client and session, and uses the proof up: go first. */
  readonly first: readonly [known: Sql, used: Sql];
}

/** What a decision about a tag is made from, each fact one text that SQLite makes. */
function factsOf({ id, sub, session, body, path, key }: Call) {
  const lock = sql`from device_ticket_locks l where l.device_id = ${id}`;
  const bag = sql`from bags b inner join journeys j on j.id = b.journey_id
    inner join travel_plans p on p.id = j.plan_id where b.id in (${body.baggageId ?? null}, ${body.forBaggageId ?? null})`;
  const record = sql`from idempotency_records where day in (${today()}, ${today() - 1}) and sub = ${sub}
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
    earlier: rows("body_hash, outcome, facts", record),
  };
}
type Facts = Readonly<Record<keyof ReturnType<typeof factsOf>, readonly (readonly unknown[])[]>>;

const joined = (parts: readonly Sql[], between: Sql): Sql =>
  parts.reduce((all, part) => sql`${all}${between}${part}`);

/** Fails, and with it its batch, unless `condition` holds. */
const demand = (condition: Sql) => sql`insert into guards select 0 where (${condition}) is not 1`;

const count = (counter: string) =>
  sql`insert into guess_counters (key, count, ends_at, request_id)
    values (${counter}, 1, ${Date.now() + 3_600_000}, ${crypto.randomUUID()})
    on conflict (key) do update set count = case when ends_at > ${Date.now()} then count + 1 else 1 end,
      request_id = excluded.request_id`;

/** A guess that was right costs nothing. */
const giveBack = (counter: string) => sql`update guess_counters set count = count - 1 where key = ${counter}`;

const audit = ({ sub, id }: Call, event: string) =>
  sql`insert into audit_log (at, event, request_id, sub, client_id, airline, device_id)
    values (${Date.now()}, ${event}, ${crypto.randomUUID()}, ${sub}, 'c', 'SK', ${id})`;

const record = ({ sub, path, key, hash }: Call) =>
  sql`insert into idempotency_records (day, sub, endpoint, key, body_hash, outcome, facts, created_at, expires_at)
    values (${today()}, ${sub}, ${path}, ${key}, ${hash}, 'ok', '{}', ${Date.now()}, ${Date.now() + DAY})`;

const register = (id: string, spkiHash: string | null) =>
  sql`insert into devices (id, label, tag_spki_hash, registered_at, entitled_at, review_at)
    values (${id}, ${id}, ${spkiHash}, ${Date.now()}, ${Date.now()}, ${Date.now() + 400 * DAY})`;

/** Ends a tag's lock: no counters, the report to the former holder, an entry. */
function end(call: Call, event: string): readonly Sql[] {
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

function attach(call: Call, { device, bags }: Facts): readonly Sql[] {
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
const COMMITS: Readonly<Record<string, (call: Call, facts: Facts) => readonly Sql[]>> = {
  "/v2/ebt-authorizations": ({ id, body, hash }, { device }) =>
    device.length === 0 && body.tagCertificate !== undefined ? [register(id, hash)] : [],
  "/v2/device-attachments": attach,
  "/v2/ebt-unlocks": (call) => end(call, "cleared"),
};

/** The journeys that the caller has loaded. */
async function list({ env, keys, sub, first }: Call): Promise<Response> {
  const own = sql`p.id in (select plan_id from loaded_plans where sub = ${sub}) and p.ends_at > ${Date.now()}`;
  const [known, , found] = await runAll(env, [...first, journeysWhere(own)]);
  if (known?.results.length !== 1) return empty(401);
  return Response.json({ journeys: await opened(keys, found?.results[0]) });
}

const presentedBy = ({ keys, body }: Call) =>
  presentedTokens(keys.pepper, foldLocator(String(body.recordLocator)), String(body.surname), Date.now());

const isStored = (tokens: unknown, presented: Awaited<ReturnType<typeof presentedBy>>) =>
  surnamesMatch(fromBase64Url(String(tokens)), presented);

const empty = (status: 401 | 403 | 404 | 422) => new Response(null, { status });

/** Loads a booking for a caller who knows locator and surname. */
async function load(call: Call): Promise<Response> {
  const { env, keys, sub, first, body } = call;
  const [locator, counter] = [String(body.recordLocator), `sub:${sub}`];
  const named = sql`select j.plan_id, j.surname_tokens from travel_plans p inner join journeys j on j.plan_id = p.id
    where p.locator_hash = ${await locatorHash(keys.pepper, locator)} and p.ends_at > ${Date.now()}`;
  const [known, , found] = await runAll(env, [...first, named, count(counter)]);
  if (known?.results.length !== 1) return empty(401);
  const presented = await presentedBy(call);
  const right = found?.results.find(({ surname_tokens: tokens }) => isStored(tokens, presented));
  if (right === undefined) return empty(404);
  const loaded = sql`insert or ignore into loaded_plans (sub, plan_id, loaded_at)
    values (${sub}, ${right.plan_id}, ${Date.now()})`;
  const read = journeysWhere(sql`p.id = ${right.plan_id}`);
  const [, booking] = await runAll(env, [loaded, read, giveBack(counter)]);
  return Response.json({ journeys: await opened(keys, booking?.results[0]) });
}

/** Reads the facts with the session, and commits behind a guard what there is to write. */
async function decide(call: Call): Promise<Response> {
  const { env, path, first, keys, id, body } = call;
  const facts = Object.entries(factsOf(call));
  const read = sql`select ${joined(
    facts.map(([name, fact]) => sql`${fact} as ${raw(name)}`),
    sql`, `,
  )}`;
  const shown = sql`select p.locator_sealed, j.surname_initial, j.departure_airport, j.destination_airport
    from device_ticket_locks l inner join travel_plans p on p.id = l.plan_id left join journeys j on j.id = l.journey_id
    where l.device_id = ${id}`;
  const others = path === "/v2/ebt-lookups" ? [first[0], shown] : first;
  const approved = path === "/v2/ebt-authorizations" && body.operation === "write";
  const label = journeysWhere(
    sql`j.id in (select journey_id from bags where id = ${body.baggageId ?? null})`,
  );
  const [found, known, ...more] = await runAll(env, [read, ...others, ...(approved ? [label] : [])]);
  if (known?.results.length !== 1) return empty(401);
  if (approved && !(await isApproved(keys, body, more.at(-1)?.results[0]))) return empty(422);
  const texts = found?.results[0] ?? {};
  const parsed = Object.entries(texts).map(([name, text]) => [name, JSON.parse(String(text))]);
  const writes = COMMITS[path]?.(call, Object.fromEntries(parsed)) ?? [];
  const same = facts.map(([name, fact]) => sql`${fact} is ${texts[name]}`);
  if (writes.length > 0) await runAll(env, [demand(joined(same, sql` and `)), ...writes]);
  return Response.json(path === "/v2/ebt-authorizations" ? { signed: await signed(keys) } : { id });
}

/** Ends a lock for a caller who proves locator and surname. */
async function prove(call: Call): Promise<Response> {
  const { env, id, sub, first, body, keys } = call;
  const [locator, counter] = [String(body.recordLocator), `sub:${sub}`];
  await locatorHash(keys.pepper, locator);
  const lock = sql`select l.request_id, j.surname_tokens from device_ticket_locks l
    inner join journeys j on j.id = l.journey_id where l.device_id = ${id} and l.ends_at > ${Date.now()}`;
  const [known, , found] = await runAll(env, [...first, lock, count(counter)]);
  const { surname_tokens: tokens, request_id: request } = found?.results[0] ?? {};
  if (known?.results.length !== 1 || request === undefined) return empty(401);
  const presented = await presentedBy(call);
  if (!isStored(tokens, presented)) return empty(403);
  const compared = demand(sql`exists (select 1 from device_ticket_locks where request_id = ${request})`);
  await runAll(env, [compared, ...end(call, "custody_proven"), giveBack(counter)]);
  return Response.json({ id });
}

/** Certifies the key of a session. */
async function certify({ env, keys, session, hash, first }: Call): Promise<Response> {
  const [known] = await runAll(env, first);
  if (known?.results.length !== 1) return empty(401);
  const row = sql`insert into certificates (session_id, serial, sub, client_id, spki_hash, issued_at, expires_at)
    values (${session}, ${crypto.randomUUID()}, '', '', ${hash}, ${Date.now()}, ${Date.now() + DAY})`;
  const [certificate] = await Promise.all([signed(keys), runAll(env, [row])]);
  return Response.json({ certificate });
}

/** What is no decision about a tag. */
const OTHERS: Readonly<Record<string, (call: Call) => Promise<Response>>> = {
  "/v2/journeys/from-record-locator": load,
  "/v2/journeys": list,
  "/v2/ebt-custody-proofs": prove,
  "/v2/auth/device-client-certificates": certify,
};

let imported: Promise<Keys> | undefined;

async function answer({ headers }: Request, env: Bindings, path: string, sent: string): Promise<Response> {
  imported ??= importKeys(env);
  const keys = await imported;
  const header = (name: string) => headers.get(name) ?? "";
  const body = JSON.parse(sent || "{}");
  const open = WITHOUT_TOKEN[path];
  if (open !== undefined) return open({ env, keys, body, header });
  const client = await sha256Text(header("X-Source-App-Key"));
  const { jti } = await verifyJws(header("DPoP"));
  const token = await verifyJws(header("Authorization").slice(7), keys.access);
  const [now, session, { sub }] = [Date.now(), token.jti.split(/[.~]/)[0], token];
  await verifyTag(keys, body);
  const known = sql`select s.id from sessions s, clients c where s.id = ${session} and s.sub = ${sub}
    and s.revoked_at is null and s.expires_at > ${now} and c.key_hash = ${client} and c.enabled and c.id = s.client_id`;
  const used = sql`insert into used_once (ends_at, hash) values (${now + DAY}, ${await sha256Text(jti)})`;
  const call: Call = {
    env,
    keys,
    body,
    path,
    sub,
    session,
    id: body.uniqueDeviceId ?? body.device?.uniqueID,
    key: header("Idempotency-Key"),
    hash: await sha256Text(sent),
    first: [known, used],
  };
  return (OTHERS[path] ?? decide)(call);
}

export default {
  /** A service writes a log line for each request, with the fewest facts that a fault is found by. */
  async fetch(request: Request, env: Bindings): Promise<Response> {
    const started = performance.now();
    const { pathname } = new URL(request.url);
    const response = await answer(request, env, pathname, await request.text());
    const facts = { at: new Date().toISOString(), requestId: crypto.randomUUID(), route: pathname };
    const { status } = response;
    console.log(JSON.stringify({ ...facts, status, milliseconds: performance.now() - started }));
    return response;
  },
};
