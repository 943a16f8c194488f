/**
 * What no service of this kind can do without: the access token's signature, and by hand the statements that an endpoint
 * has to send in one batch, on the same tables; for a surname, which is compared outside the database, in two. Of the
 * rules it has what they make a batch carry: a claim gives way to an attachment, with its audit entry; guesses are counted
 * before they are judged; a lock that ends takes the tag's counters along. No other limits, no framework; a log line. Its
 * text is given to workerd as it is, so it imports nothing.
 */

interface Statement {
  bind(...values: readonly unknown[]): Statement;
}
interface Bindings {
  readonly DB: {
    prepare(query: string): Statement;
    batch(statements: readonly Statement[]): Promise<readonly { readonly results: readonly Row[] }[]>;
  };
  /** Private JWKS (JSON), as the service has them. */
  readonly ACCESS_TOKEN_KEYS: string;
  readonly TRANSACTION_TOKEN_KEYS: string;
  /** 32 bytes each, base64url. */
  readonly PEPPER: string;
  readonly REFRESH_KEY: string;
  readonly DATA_KEY: string;
}
type Row = Readonly<Record<string, unknown>>;
type Body = Readonly<Record<string, unknown>>;

const ES256 = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const DAY = 86_400_000;
const text = new TextEncoder();
function bytesOf(base64url: string) {
  const binary = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
const textOf = (bytes: ArrayBuffer) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
const jsonOf = (base64url: string) => JSON.parse(new TextDecoder().decode(bytesOf(base64url)));

let keys: ReturnType<typeof importKeys> | undefined;

async function importKeys(env: Bindings) {
  const verifying = new Map<string, CryptoKey>();
  for (const { d: _, key_ops: __, ...jwk } of JSON.parse(env.ACCESS_TOKEN_KEYS).keys) {
    verifying.set(jwk.kid, await crypto.subtle.importKey("jwk", jwk, ES256, false, ["verify"]));
  }
  const signer = ({ key_ops: _, ...jwk }: JsonWebKey) =>
    crypto.subtle.importKey("jwk", jwk, ES256, false, ["sign"]);
  const macs = (secret: string) =>
    crypto.subtle.importKey("raw", bytesOf(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return {
    verifying,
    access: await signer(JSON.parse(env.ACCESS_TOKEN_KEYS).keys[0]),
    signing: await signer(JSON.parse(env.TRANSACTION_TOKEN_KEYS).keys[0]),
    pepper: await macs(env.PEPPER),
    refresh: await macs(env.REFRESH_KEY),
    data: await crypto.subtle.importKey("raw", bytesOf(env.DATA_KEY), "AES-GCM", false, ["decrypt"]),
  };
}
type Keys = Awaited<ReturnType<typeof importKeys>>;

const hmac = (key: CryptoKey, content: string) => crypto.subtle.sign("HMAC", key, text.encode(content));
const hashOf = async (content: string) => textOf(await crypto.subtle.digest("SHA-256", text.encode(content)));

const keysOf = (env: Bindings): Promise<Keys> => {
  keys ??= importKeys(env);
  return keys;
};

/** Session and person of the token, if it is ours and lives. */
async function callerOf(request: Request, env: Bindings) {
  const { verifying } = await keysOf(env);
  const [head = "", payload = "", signature = ""] = (request.headers.get("Authorization") ?? "")
    .slice(7)
    .split(".");
  const key = verifying.get(jsonOf(head).kid);
  const signed = text.encode(`${head}.${payload}`);
  if (key === undefined || !(await crypto.subtle.verify(ES256, key, bytesOf(signature), signed)))
    return undefined;
  const { sub, exp, jti } = jsonOf(payload);
  return exp * 1_000 > Date.now() ? { sub, session: jti.split(/[.~]/)[0] } : undefined;
}

const WHO = `select s.id from sessions s, clients c where s.id = ? and s.sub = ? and s.revoked_at is null
  and s.expires_at > ? and c.key_hash = ? and c.enabled and c.id = s.client_id`;
const LOCKS = `select l.*, p.locator_sealed, j.surname_initial, j.departure_airport, j.destination_airport,
    l.plan_id in (select plan_id from loaded_plans where sub = ?) as is_own
  from device_ticket_locks l inner join travel_plans p on p.id = l.plan_id left join journeys j on j.id = l.journey_id
  where l.device_id = ? and l.ends_at > ?`;
const HELD = `device_id = ? and ends_at > ? and (holder_sub = ? or plan_id in (select plan_id from loaded_plans where sub = ?))`;

/** Another's claim on the tag, and the lock that was compared. */
const CLAIM = "device_id = ? and entitled = 0 and commits is null and holder_sub <> ?";
const COMPARED = "device_id = ? and request_id = ?";

type By = readonly [event: string, request: string, sub: string];

const audit = ({ DB }: Bindings, [event, id, sub]: By, which: string, held: readonly unknown[]) =>
  DB.prepare(
    `insert into audit_log (at, event, request_id, sub, client_id, airline, device_id)
     select ?, ?, ?, ?, 'c', 'SK', device_id from device_ticket_locks where ${which}`,
  ).bind(Date.now(), event, id, sub, ...held);

/** Ends the locks of `which`, whose first value is the tag: with an entry, without the tag's counters, and its holder is told. */
function end(env: Bindings, by: By, which: string, held: readonly unknown[]): Statement[] {
  const { DB } = env;
  const counters = ["unvouched", "vouched", "staff"].map((group) => `device:${group}:${held[0]}`);
  const locks = `device_ticket_locks where ${which}`;
  return [
    audit(env, by, which, held),
    DB.prepare(`delete from guess_counters where key in (?, ?, ?) and exists (select 1 from ${locks})`).bind(
      ...counters,
      ...held,
    ),
    DB.prepare(
      `update devices set ended_holder_sub = l.holder_sub, ended_plan_id = l.plan_id, ended_reason = ?, ended_at = ?
       from (select * from ${locks}) as l where devices.id = l.device_id`,
    ).bind(by[0], Date.now(), ...held),
    DB.prepare(`delete from ${locks}`).bind(...held),
  ];
}

/** What each endpoint sends behind {@link WHO}. */
const STATEMENTS: Readonly<Record<string, (env: Bindings, sub: string, body: Body) => Statement[]>> = {
  "/v2/ebt-lookups": ({ DB }, sub, { uniqueDeviceId }) => [
    DB.prepare(LOCKS).bind(sub, uniqueDeviceId, Date.now()),
  ],
  "/v2/ebt-authorizations": ({ DB }, sub, { uniqueDeviceId }) => [
    DB.prepare(LOCKS).bind(sub, uniqueDeviceId, Date.now()),
    DB.prepare("select * from devices where id = ?").bind(uniqueDeviceId),
    DB.prepare("select 1 from revoked_keys where spki_hash = ?").bind("none"),
  ],
  "/v2/device-attachments": (env, sub, body) => {
    const { DB } = env;
    const now = Date.now();
    const id = (body.device as { readonly uniqueID: string }).uniqueID;
    const request = crypto.randomUUID();
    return [
      DB.prepare(
        `insert into guess_counters (key, count, ends_at, request_id) values (?, 1, ?, ?)
         on conflict (key) do update set count = case when ends_at > ? then count + 1 else 1 end, request_id = excluded.request_id`,
      ).bind(`attach:${sub}`, now + DAY / 24, request, now),
      DB.prepare(
        "insert into devices (id, label, registered_at, entitled_at, review_at) values (?, ?, ?, ?, ?) on conflict do nothing",
      ).bind(id, id, now, now, now + 400 * DAY),
      ...end(env, ["claim_gave_way", request, sub], CLAIM, [id, sub]),
      DB.prepare(
        `insert into device_ticket_locks (device_id, plan_id, journey_id, baggage_id, entitled, holder_sub, writer_sub,
           locked_at, ends_at, request_id)
         select ?, p.id, j.id, b.id, 1, ?, ?, ?, p.ends_at, ? from bags b inner join journeys j on j.id = b.journey_id
           inner join travel_plans p on p.id = j.plan_id inner join loaded_plans o on o.plan_id = p.id and o.sub = ?
         where b.id = ? and p.ends_at > ? on conflict do nothing`,
      ).bind(id, sub, sub, now, request, sub, body.baggageId, now),
      audit(env, ["attached", request, sub], COMPARED, [id, request]),
      DB.prepare("select journey_id, locked_at from device_ticket_locks where device_id = ?").bind(id),
    ];
  },
  "/v2/ebt-unlocks": (env, sub, { uniqueDeviceId: id }) => {
    const { DB } = env;
    const now = Date.now();
    const held = [id, now, sub, sub];
    return [
      ...end(env, ["cleared", crypto.randomUUID(), sub], HELD, held),
      DB.prepare("select device_id from device_ticket_locks where device_id = ? and ends_at > ?").bind(
        id,
        now,
      ),
    ];
  },
};

/** As long as a transaction token's, and as an access token's. */
const TO_SIGN = new Uint8Array(220);
const TO_SIGN_FOR_ACCESS = new Uint8Array(400);

const accessToken = async ({ access }: Keys) =>
  textOf(TO_SIGN_FOR_ACCESS.buffer) + textOf(await crypto.subtle.sign(ES256, access, TO_SIGN_FOR_ACCESS));

/** A refresh token, and the hash by which it is kept. */
async function refreshTokenOf({ refresh }: Keys, id: string, number: number, secret: string) {
  const content = `${id}.P${number}.${secret}`;
  const token = `${content}.${textOf((await hmac(refresh, content)).slice(0, 16))}`;
  return { token, hash: await hashOf(token) };
}

const refused = (status: number) => new Response(null, { status });
const keyHashOf = (request: Request) => hashOf(request.headers.get("X-Source-App-Key") ?? "");

/** A guest's login: whose nonce and whose signature it is, and the session's row, whose key is the nonce. */
async function logIn(request: Request, env: Bindings, { nonce, attestationObject }: Body): Promise<Response> {
  const all = await keysOf(env);
  await crypto.subtle.sign("HMAC", all.pepper, bytesOf(String(nonce)));
  const [head = "", payload = "", signature = ""] = String(attestationObject).split(".");
  const { jwk } = jsonOf(head);
  const key = await crypto.subtle.importKey("jwk", jwk, ES256, false, ["verify"]);
  const signed = text.encode(`${head}.${payload}`);
  const isSigned = await crypto.subtle.verify(ES256, key, bytesOf(signature), signed);
  if (!isSigned || jsonOf(payload).nonce !== nonce) return refused(401);
  const now = Date.now();
  const id = (await hashOf(String(nonce))).slice(0, 24);
  const sub = textOf(await hmac(all.pepper, `${jwk.x}${jwk.y}`));
  const secret = textOf(crypto.getRandomValues(new Uint8Array(32)).buffer);
  const { token, hash } = await refreshTokenOf(all, id, 0, secret);
  const client = await keyHashOf(request);
  const [made] = await env.DB.batch([
    env.DB.prepare(
      `insert into sessions (id, sub, client_id, client_bound, method, evidence, scopes, airlines, key_jwk, refresh_counter,
         refresh_hash, refreshed_at, refresh_expires_at, created_at, expires_at)
       select ?, ?, id, 1, 'guest', 'none', scopes, '[]', ?, 0, ?, ?, ?, ?, ? from clients where key_hash = ? and enabled
       returning id`,
    ).bind(id, sub, JSON.stringify(jwk), hash, now, now + 30 * DAY, now, now + 90 * DAY, client),
  ]);
  if (made?.results.length !== 1) return refused(401);
  return Response.json({ accessToken: await accessToken(all), refreshToken: token });
}

/** The next token of a family, for the live one. */
async function refresh(request: Request, env: Bindings, { refreshToken }: Body): Promise<Response> {
  const all = await keysOf(env);
  const [id = "", number = "", secret = ""] = String(refreshToken).split(".");
  const now = Date.now();
  const counter = Number(number.slice(1));
  const sent = await refreshTokenOf(all, id, counter, secret);
  if (sent.token !== refreshToken) return refused(401);
  const next = textOf(await hmac(all.refresh, `${counter + 1}${refreshToken}`));
  const { token, hash } = await refreshTokenOf(all, id, counter + 1, next);
  const [moved] = await env.DB.batch([
    env.DB.prepare(
      `update sessions set refresh_counter = ?, refresh_hash = ?, refreshed_at = ?, refresh_expires_at = ?
       where id = ? and refresh_hash = ? and revoked_at is null and refresh_expires_at > ?
         and exists (select 1 from clients where id = client_id and key_hash = ? and enabled) returning sub`,
    ).bind(counter + 1, hash, now, now + 30 * DAY, id, sent.hash, now, await keyHashOf(request)),
  ]);
  if (moved?.results.length !== 1) return refused(401);
  return Response.json({ accessToken: await accessToken(all), refreshToken: token });
}

const SPELLINGS = 32;

/** The hashes of a claimed surname, and whether one of them is among those `stored`. */
async function isSurname(
  { pepper }: Keys,
  { recordLocator, surname }: Body,
  stored: unknown,
): Promise<boolean> {
  const tokens = await Promise.all(
    Array.from({ length: SPELLINGS }, (_, i) =>
      hmac(pepper, `surname\n${recordLocator}\n${i === 0 ? `whole\n${surname}` : `presented\n${i}`}`),
    ),
  );
  const [all, claimed] = [
    new Uint32Array(bytesOf(String(stored)).buffer),
    tokens.map((mac) => new Uint32Array(mac)),
  ];
  let matches = 0;
  for (let at = 0; at < all.length; at += 4) {
    for (const token of claimed) {
      let difference = 0;
      for (let k = 0; k < 4; k += 1) difference |= Number(all[at + k]) ^ Number(token[k]);
      matches |= difference === 0 ? 1 : 0;
    }
  }
  return matches === 1;
}

const locatorHash = async ({ pepper }: Keys, { recordLocator }: Body) =>
  textOf(await hmac(pepper, `locator\n${recordLocator}`));

async function openSealed({ data }: Keys, field: string, id: unknown, sealed: unknown): Promise<string> {
  const bytes = bytesOf(String(sealed));
  const place = { name: "AES-GCM", iv: bytes.slice(0, 12), additionalData: text.encode(`${field}\n${id}`) };
  return new TextDecoder().decode(await crypto.subtle.decrypt(place, data, bytes.slice(12)));
}

const countGuess = ({ DB }: Bindings, counter: string) =>
  DB.prepare(
    `insert into guess_counters (key, count, ends_at, request_id) values (?, 1, ?, 'r')
     on conflict (key) do update set count = count + 1`,
  ).bind(counter, Date.now() + DAY / 24);
const giveBack = ({ DB }: Bindings, counter: string) =>
  DB.prepare("update guess_counters set count = count - 1 where key = ?").bind(counter);

/** Finds a booking by locator and surname, makes it the caller's and shows it. */
async function load({ env, who, caller }: Called, body: Body): Promise<Response> {
  const all = await keysOf(env);
  const counter = `sub:${caller.sub}`;
  const found = `select j.id, j.plan_id, j.surname_tokens from travel_plans p inner join journeys j on j.plan_id = p.id
    where p.locator_hash = ? and p.ends_at > ?`;
  const [known, , candidates] = await env.DB.batch([
    who,
    countGuess(env, counter),
    env.DB.prepare(found).bind(await locatorHash(all, body), Date.now()),
  ]);
  const [journey] = candidates?.results ?? [];
  if (known?.results.length !== 1 || journey === undefined) return refused(401);
  if (!(await isSurname(all, body, journey.surname_tokens))) return refused(404);
  const plan = journey.plan_id;
  const ofPlan = (query: string) => env.DB.prepare(query).bind(plan);
  const [, , journeys, flights, bags] = await env.DB.batch([
    giveBack(env, counter),
    env.DB.prepare(
      "insert into loaded_plans (sub, plan_id, loaded_at) values (?, ?, ?) on conflict do nothing",
    ).bind(caller.sub, plan, Date.now()),
    ofPlan(
      "select j.*, p.locator_sealed from journeys j inner join travel_plans p on p.id = j.plan_id where p.id = ?",
    ),
    ofPlan("select f.* from flights f inner join journeys j on j.id = f.journey_id where j.plan_id = ?"),
    ofPlan(
      `select b.*, l.device_id from bags b inner join journeys j on j.id = b.journey_id
       left join device_ticket_locks l on l.plan_id = j.plan_id and l.baggage_id = b.id where j.plan_id = ?`,
    ),
  ]);
  const opened = (journeys?.results ?? []).map(async (row) => ({
    locator: await openSealed(all, "locator", plan, row.locator_sealed),
    passenger: await openSealed(all, "passenger", row.id, row.passenger_sealed),
  }));
  return Response.json({
    journeys: await Promise.all(opened),
    flights: flights?.results,
    bags: bags?.results,
  });
}

/** Ends a lock for whoever knows locator and surname; counted before it is compared, and given back. */
async function prove({ env, who, caller }: Called, body: Body): Promise<Response> {
  const all = await keysOf(env);
  const now = Date.now();
  const { uniqueDeviceId: id } = body;
  const counter = `sub:${caller.sub}`;
  await locatorHash(all, body);
  const [known, , locks] = await env.DB.batch([
    who,
    countGuess(env, counter),
    env.DB.prepare(
      `select l.request_id, j.surname_tokens from device_ticket_locks l inner join journeys j on j.id = l.journey_id
       where l.device_id = ? and l.ends_at > ?`,
    ).bind(id, now),
  ]);
  const [lock] = locks?.results ?? [];
  if (known?.results.length !== 1 || lock === undefined) return refused(401);
  if (!(await isSurname(all, body, lock.surname_tokens))) return refused(403);
  await env.DB.batch([
    ...end(env, ["custody_proven", "r", caller.sub], COMPARED, [id, lock.request_id]),
    giveBack(env, counter),
  ]);
  return Response.json({ uniqueDeviceId: id, locked: false });
}

/** A request of a caller whose token is ours; `who` proves their session. */
interface Called {
  readonly env: Bindings;
  readonly caller: { readonly sub: string; readonly session: string };
  readonly who: Statement;
}

const UNNAMED: Readonly<Record<string, typeof logIn>> = {
  "/v2/auth/guest/sessions": logIn,
  "/v2/auth/refresh": refresh,
};
const IN_TWO: Readonly<Record<string, typeof load>> = {
  "/v2/journeys/from-record-locator": load,
  "/v2/ebt-custody-proofs": prove,
};

async function answer(request: Request, env: Bindings, pathname: string): Promise<Response> {
  const body = (await request.json()) as Body;
  const unnamed = UNNAMED[pathname];
  if (unnamed !== undefined) return unnamed(request, env, body);
  const caller = await callerOf(request, env);
  if (caller === undefined) return refused(401);
  const who = env.DB.prepare(WHO).bind(caller.session, caller.sub, Date.now(), await keyHashOf(request));
  const inTwo = IN_TWO[pathname];
  if (inTwo !== undefined) return inTwo({ env, caller, who }, body);
  const statements = STATEMENTS[pathname];
  if (statements === undefined) return refused(404);
  const [found, ...rest] = await env.DB.batch([who, ...statements(env, caller.sub, body)]);
  if (found?.results.length !== 1) return refused(401);
  if (!pathname.endsWith("authorizations")) return Response.json({ row: rest.at(-1)?.results[0] ?? null });
  const { signing } = await keysOf(env);
  const signature = await crypto.subtle.sign(ES256, signing, TO_SIGN);
  return Response.json({ transactionToken: textOf(TO_SIGN.buffer) + textOf(signature) });
}

export default {
  /** Nobody runs a service that says nothing: a line each, with the fewest facts that a fault is found by. */
  async fetch(request: Request, env: Bindings): Promise<Response> {
    const started = performance.now();
    const { pathname } = new URL(request.url);
    const response = await answer(request, env, pathname);
    const facts = { at: new Date().toISOString(), requestId: crypto.randomUUID(), route: pathname };
    const { status } = response;
    console.log(JSON.stringify({ ...facts, status, milliseconds: performance.now() - started }));
    return response;
  },
};
