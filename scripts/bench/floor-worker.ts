/**
 * What no service of this kind can do without, for each request that the SDK sends in a journey: a verification for each
 * signature that came along (access token, DPoP proof, attestation, tag certificate or statement), a signature for each
 * that is answered, and by hand the statements that an endpoint has to send, on the same tables: in one batch, or two where
 * a surname is compared in between. Of the rules it has what they make a batch carry: a proof and an Idempotency-Key count
 * once; a claim gives way to an attachment, with its audit entry; guesses are counted before they are compared; a lock that
 * ends takes the tag's counters along. Left out: parsing and checking of what is signed, all other limits and rules, a
 * framework. Its text is given to workerd as it is, so it imports types alone.
 */

import type { D1Database } from "@cloudflare/workers-types";

/** As the service has them: private JWKS (JSON), 32 bytes each (base64url), the tag CA (PEM). */
type Bindings = { readonly DB: D1Database } & Readonly<
  Record<
    "ACCESS_TOKEN_KEYS" | "TRANSACTION_TOKEN_KEYS" | "PEPPER" | "REFRESH_KEY" | "DATA_KEY" | "TAG_ROOTS",
    string
  >
>;
type Row = Readonly<Record<string, unknown>>;
type Body = Readonly<Record<string, unknown>>;

const ES256 = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const text = new TextEncoder();
const fromBase64 = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
const bytesOf = (base64url: string) => fromBase64(base64url.replaceAll("-", "+").replaceAll("_", "/"));
const textOf = (bytes: ArrayBuffer) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
const jsonOf = (base64url: string) => JSON.parse(new TextDecoder().decode(bytesOf(base64url)));
const verifying = ["verify"] as const;

/** What stands before the first P-256 point of a certificate. */
const POINT = [0x03, 0x42, 0x00, 0x04];

function keyIn(certificate: Uint8Array): Promise<CryptoKey> {
  const at = certificate.findIndex((_, i) => POINT.every((byte, k) => certificate[i + k] === byte));
  return crypto.subtle.importKey("raw", certificate.slice(at + 3, at + 68), ES256, false, verifying);
}

async function importKeys(env: Bindings) {
  const access = new Map<string, CryptoKey>();
  for (const { d: _, key_ops: __, ...jwk } of JSON.parse(env.ACCESS_TOKEN_KEYS).keys)
    access.set(jwk.kid, await crypto.subtle.importKey("jwk", jwk, ES256, false, verifying));
  const signer = ({ key_ops: _, ...jwk }: JsonWebKey) =>
    crypto.subtle.importKey("jwk", jwk, ES256, false, ["sign"]);
  const macs = (secret: string) =>
    crypto.subtle.importKey("raw", bytesOf(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return {
    access,
    signing: await signer(JSON.parse(env.TRANSACTION_TOKEN_KEYS).keys[0]),
    tags: await keyIn(fromBase64(env.TAG_ROOTS.replace(/-----.*-----|\n/g, ""))),
    pepper: await macs(env.PEPPER),
    refresh: await macs(env.REFRESH_KEY),
    data: await crypto.subtle.importKey("raw", bytesOf(env.DATA_KEY), "AES-GCM", false, ["decrypt"]),
  };
}
type Keys = Awaited<ReturnType<typeof importKeys>>;
let imported: Promise<Keys> | undefined;

const hmac = (key: CryptoKey, content: string) => crypto.subtle.sign("HMAC", key, text.encode(content));
const hashOf = async (content: string) => textOf(await crypto.subtle.digest("SHA-256", text.encode(content)));

/** The claims of a compact JWS, verified under the key of its header or the one that `keyOf` finds. */
async function verifyJws(jws: string, keyOf?: (kid: string) => CryptoKey | undefined) {
  const [head = "", payload = "", signature = ""] = jws.split(".");
  const { jwk, kid } = jsonOf(head);
  const key = keyOf?.(kid) ?? (await crypto.subtle.importKey("jwk", jwk, ES256, false, verifying));
  const signed = text.encode(`${head}.${payload}`);
  if (!(await crypto.subtle.verify(ES256, key, bytesOf(signature), signed))) throw new TypeError("signature");
  return { jwk, ...jsonOf(payload) };
}

/** One verification of what came from the tag: its statement, or the certificate alone; the outcome counts for nothing. */
async function verifyTag({ tags }: Keys, { tagCertificate, tagStatement }: Body): Promise<void> {
  if (typeof tagCertificate !== "string") return;
  const certificate = fromBase64(tagCertificate);
  const signed = typeof tagStatement === "string" ? bytesOf(tagStatement) : certificate;
  const key = signed === certificate ? tags : await keyIn(certificate);
  await crypto.subtle.verify(ES256, key, signed.slice(-64), signed);
}

/** A statement or a part of one, with its values. */
interface Sql {
  readonly query: string;
  readonly values: readonly unknown[];
}

function sql(texts: TemplateStringsArray, ...values: readonly unknown[]): Sql {
  const parts = values.map((value) =>
    value instanceof Object && "query" in value ? (value as Sql) : { query: "?", values: [value] },
  );
  const query = texts.map((part, n) => part + (parts[n]?.query ?? "")).join("");
  return { query, values: parts.flatMap((part) => part.values) };
}

const runAll = ({ DB }: Bindings, statements: readonly Sql[]) =>
  DB.batch<Row>(statements.map(({ query, values }) => DB.prepare(query).bind(...values)));

/** A request, with its caller once token and proof are verified; `first` proves the session and uses the proof up. */
interface Call {
  readonly env: Bindings;
  readonly keys: Keys;
  readonly body: Body;
  readonly path: string;
  readonly client: string;
  readonly sub: string;
  readonly first: readonly Sql[];
}

const own = (sub: string) => sql`plan_id in (select plan_id from loaded_plans where sub = ${sub})`;
const locksOf = (id: unknown, sub: string) =>
  sql`select l.*, p.locator_sealed, j.surname_initial, j.departure_airport, j.destination_airport, l.${own(sub)} as is_own
    from device_ticket_locks l inner join travel_plans p on p.id = l.plan_id left join journeys j on j.id = l.journey_id
    where l.device_id = ${id} and l.ends_at > ${Date.now()}`;
const compared = (id: unknown, request: unknown) => sql`device_id = ${id} and request_id = ${request}`;

const audit = ({ sub }: Call, event: string, request: string, which: Sql) =>
  sql`insert into audit_log (at, event, request_id, sub, client_id, airline, device_id)
    select ${Date.now()}, ${event}, ${request}, ${sub}, 'c', 'SK', device_id from device_ticket_locks where ${which}`;

/** Ends the locks of `which` on a tag: an entry, no counters, and the report to the former holder. */
function end(call: Call, event: string, id: unknown, which: Sql): Sql[] {
  const locks = sql`device_ticket_locks where ${which}`;
  return [
    audit(call, event, crypto.randomUUID(), which),
    sql`delete from guess_counters where key in (${`device:unvouched:${id}`}, ${`device:vouched:${id}`}, ${`device:staff:${id}`})
      and exists (select 1 from ${locks})`,
    sql`update devices set ended_holder_sub = l.holder_sub, ended_plan_id = l.plan_id, ended_reason = ${event},
      ended_at = ${Date.now()} from (select * from ${locks}) as l where devices.id = l.device_id`,
    sql`delete from ${locks}`,
  ];
}

const register = (id: unknown) => sql`insert into devices (id, label, registered_at, entitled_at, review_at)
  values (${id}, ${id}, ${Date.now()}, ${Date.now()}, ${Date.now() + 400 * DAY}) on conflict do nothing`;

/** The number of a statement: the tag's, and its lock's. */
const countCommit = (id: unknown, { tagStatement }: Body): Sql[] =>
  tagStatement === undefined
    ? []
    : [
        sql`update devices set commits = coalesce(commits, 0) + 1 where id = ${id}`,
        sql`update device_ticket_locks set commits = 1 where device_id = ${id}`,
      ];

const count = (counter: string, request: string) =>
  sql`insert into guess_counters (key, count, ends_at, request_id) values (${counter}, 1, ${Date.now() + HOUR}, ${request})
    on conflict (key) do update set count = case when ends_at > ${Date.now()} then count + 1 else 1 end,
      request_id = excluded.request_id`;
const giveBack = ({ sub }: Call) =>
  sql`update guess_counters set count = count - 1 where key = ${`sub:${sub}`}`;

/** What each endpoint sends behind the first statements. */
const STATEMENTS: Readonly<Record<string, (call: Call) => Sql[]>> = {
  "/v2/auth/device-client-certificates": ({ sub }) => [
    sql`insert into certificates (session_id, serial, sub, client_id, spki_hash, issued_at, expires_at)
      values (${crypto.randomUUID()}, 's', ${sub}, 'c', 'hash', ${Date.now()}, ${Date.now() + 7 * DAY})`,
  ],
  "/v2/ebt-lookups": ({ sub, body }) => [locksOf(body.uniqueDeviceId, sub)],
  "/v2/ebt-authorizations": ({ sub, body }) => [
    ...(body.tagCertificate === undefined ? [] : [register(body.uniqueDeviceId)]),
    locksOf(body.uniqueDeviceId, sub),
    sql`select * from devices where id = ${body.uniqueDeviceId}`,
    sql`select 1 from revoked_keys where spki_hash = ${"none"}`,
  ],
  "/v2/device-attachments": (call) => {
    const { sub, body } = call;
    const [now, request] = [Date.now(), crypto.randomUUID()];
    const id = (body.device as { readonly uniqueID: string }).uniqueID;
    const claim = sql`device_id = ${id} and entitled = 0 and commits is null and holder_sub <> ${sub}`;
    return [
      count(`attach:${sub}`, request),
      register(id),
      ...end(call, "claim_gave_way", id, claim),
      sql`insert into device_ticket_locks (device_id, plan_id, journey_id, baggage_id, entitled, holder_sub, writer_sub,
          locked_at, ends_at, request_id, cti)
        select ${id}, p.id, j.id, b.id, 1, ${sub}, ${sub}, ${now}, p.ends_at, ${request}, ${body.cti}
          from bags b inner join journeys j on j.id = b.journey_id inner join travel_plans p on p.id = j.plan_id
          inner join loaded_plans o on o.plan_id = p.id and o.sub = ${sub}
        where b.id = ${body.baggageId} and p.ends_at > ${now} on conflict do nothing`,
      ...countCommit(id, body),
      audit(call, "attached", request, compared(id, request)),
      sql`select journey_id, locked_at from device_ticket_locks where device_id = ${id}`,
    ];
  },
  "/v2/ebt-unlocks": (call) => {
    const { uniqueDeviceId: id } = call.body;
    const live = sql`device_id = ${id} and ends_at > ${Date.now()}`;
    return [
      ...end(call, "cleared", id, sql`${live} and (holder_sub = ${call.sub} or ${own(call.sub)})`),
      ...countCommit(id, call.body),
      sql`select device_id from device_ticket_locks where ${live}`,
    ];
  },
};

/** As long as a transaction token's. */
const TO_SIGN = new Uint8Array(220);
const signed = async ({ signing }: Keys) =>
  textOf(TO_SIGN.buffer) + textOf(await crypto.subtle.sign(ES256, signing, TO_SIGN));

const refused = (status: number) => new Response(null, { status });

const nonce = async ({ pepper }: Keys) =>
  Response.json({ nonce: textOf(await hmac(pepper, crypto.randomUUID())) });

/** A guest's login: whose nonce and whose signature it is, and the session's row, whose key is the nonce. */
async function logIn({ env, keys, client, body }: Call): Promise<Response> {
  await crypto.subtle.sign("HMAC", keys.pepper, bytesOf(String(body.nonce)));
  const { jwk, nonce } = await verifyJws(String(body.attestationObject));
  if (nonce !== body.nonce) return refused(401);
  const [now, id] = [Date.now(), (await hashOf(nonce)).slice(0, 24)];
  const refreshToken = textOf(await hmac(keys.refresh, id));
  const sub = textOf(await hmac(keys.pepper, `${jwk.x}${jwk.y}`));
  const [made] = await runAll(env, [
    sql`insert into sessions (id, sub, client_id, client_bound, method, evidence, scopes, airlines, key_jwk, refresh_counter,
        refresh_hash, refreshed_at, refresh_expires_at, created_at, expires_at)
      select ${id}, ${sub}, id, 1, 'guest', 'none', scopes, '[]', ${JSON.stringify(jwk)}, 0, ${await hashOf(refreshToken)},
        ${now}, ${now + DAY}, ${now}, ${now + 90 * DAY} from clients where key_hash = ${client} and enabled returning id`,
  ]);
  if (made?.results.length !== 1) return refused(401);
  return Response.json({ accessToken: await signed(keys), refreshToken });
}

/** A refresh token that has expired is ours, and is refused with an entry. */
async function refresh({ env, keys, body, client }: Call): Promise<Response> {
  const [id] = String(body.refreshToken).split(".");
  await hmac(keys.refresh, String(body.refreshToken));
  await runAll(env, [
    sql`select s.id from sessions s, clients c where s.id = ${id} and refresh_expires_at > ${Date.now()}
      and c.key_hash = ${client}`,
    sql`insert into audit_log (at, event, request_id, client_id)
      values (${Date.now()}, 'refused', ${crypto.randomUUID()}, 'c')`,
  ]);
  return refused(401);
}

const SPELLINGS = 32;

/** Whether one of the hashes of a claimed surname is among those `stored`. */
async function isSurname({ keys, body }: Call, stored: unknown): Promise<boolean> {
  const { recordLocator, surname } = body;
  const spellings = Array.from({ length: SPELLINGS }, (_, i) =>
    hmac(keys.pepper, `surname\n${recordLocator}\n${i === 0 ? `whole\n${surname}` : `presented\n${i}`}`),
  );
  const claimed = (await Promise.all(spellings)).map((mac) => new Uint32Array(mac));
  const all = new Uint32Array(bytesOf(String(stored)).buffer);
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

const locatorHash = async ({ keys, body }: Call) =>
  textOf(await hmac(keys.pepper, `locator\n${body.recordLocator}`));

async function openSealed({ data }: Keys, field: string, id: unknown, sealed: unknown): Promise<string> {
  const bytes = bytesOf(String(sealed));
  const place = { name: "AES-GCM", iv: bytes.slice(0, 12), additionalData: text.encode(`${field}\n${id}`) };
  return new TextDecoder().decode(await crypto.subtle.decrypt(place, data, bytes.slice(12)));
}

/** What is shown of the journeys that `which` selects. */
const journeyStatements = (which: Sql) => [
  sql`select j.*, p.locator_sealed from journeys j inner join travel_plans p on p.id = j.plan_id where j.id in (${which})`,
  sql`select * from flights where journey_id in (${which})`,
  sql`select b.*, l.device_id from bags b inner join journeys j on j.id = b.journey_id
    left join device_ticket_locks l on l.plan_id = j.plan_id and l.baggage_id = b.id where j.id in (${which})`,
];

async function showJourneys({ keys }: Call, answers: readonly { readonly results: readonly Row[] }[]) {
  const [journeys = [], flights, bags] = answers.map(({ results }) => results);
  const opened = journeys.map(async (row) => ({
    locator: await openSealed(keys, "locator", row.plan_id, row.locator_sealed),
    passenger: await openSealed(keys, "passenger", row.id, row.passenger_sealed),
  }));
  return Response.json({ journeys: await Promise.all(opened), flights, bags });
}

/** One's own journeys, or one of them. */
async function show(call: Call): Promise<Response> {
  const [, , , id = null] = call.path.split("/");
  const which = sql`select id from journeys where ${own(call.sub)} and id = coalesce(${id}, id)`;
  const [known, , ...shown] = await runAll(call.env, [...call.first, ...journeyStatements(which)]);
  return known?.results.length === 1 ? showJourneys(call, shown) : refused(401);
}

/** Finds a booking by locator and surname, makes it the caller's and shows it. */
async function load(call: Call): Promise<Response> {
  const { env, sub, first } = call;
  const [known, ...rest] = await runAll(env, [
    ...first,
    count(`sub:${sub}`, "r"),
    sql`select j.plan_id, j.surname_tokens from travel_plans p inner join journeys j on j.plan_id = p.id
      where p.locator_hash = ${await locatorHash(call)} and p.ends_at > ${Date.now()}`,
  ]);
  const [journey] = rest.at(-1)?.results ?? [];
  if (known?.results.length !== 1 || journey === undefined) return refused(401);
  if (!(await isSurname(call, journey.surname_tokens))) return refused(404);
  const plan = journey.plan_id;
  const [, , ...shown] = await runAll(env, [
    giveBack(call),
    sql`insert into loaded_plans (sub, plan_id, loaded_at) values (${sub}, ${plan}, ${Date.now()}) on conflict do nothing`,
    ...journeyStatements(sql`select id from journeys where plan_id = ${plan}`),
  ]);
  return showJourneys(call, shown);
}

/** Ends a lock for a caller who proves locator and surname. */
async function prove(call: Call): Promise<Response> {
  const { env, sub, first, body } = call;
  const id = body.uniqueDeviceId;
  await locatorHash(call);
  const [known, ...rest] = await runAll(env, [
    ...first,
    count(`sub:${sub}`, "r"),
    sql`select l.request_id, j.surname_tokens from device_ticket_locks l inner join journeys j on j.id = l.journey_id
      where l.device_id = ${id} and l.ends_at > ${Date.now()}`,
  ]);
  const [lock] = rest.at(-1)?.results ?? [];
  if (known?.results.length !== 1 || lock === undefined) return refused(401);
  if (!(await isSurname(call, lock.surname_tokens))) return refused(403);
  await runAll(env, [...end(call, "custody_proven", id, compared(id, lock.request_id)), giveBack(call)]);
  return Response.json({ uniqueDeviceId: id, locked: false });
}

/** All statements of an endpoint in one batch; only some answers are signed. */
async function inOneBatch(call: Call): Promise<Response> {
  const statements = STATEMENTS[call.path]?.(call);
  if (statements === undefined) return refused(404);
  const [known, ...rest] = await runAll(call.env, [...call.first, ...statements]);
  if (known?.results.length !== 1) return refused(401);
  if (/authorizations|certificates/.test(call.path))
    return Response.json({ signed: await signed(call.keys) });
  return Response.json({ row: rest.at(-1)?.results[0] ?? null });
}

const OF_CLIENT: Readonly<Record<string, typeof load>> = {
  "/v2/auth/guest/sessions": logIn,
  "/v2/auth/refresh": refresh,
};
const IN_TWO: Readonly<Record<string, typeof load>> = {
  "/v2/journeys/from-record-locator": load,
  "/v2/ebt-custody-proofs": prove,
};

async function answer({ headers }: Request, env: Bindings, path: string, sent: string): Promise<Response> {
  imported ??= importKeys(env);
  const keys = await imported;
  if (path === "/v2/auth/nonces") return nonce(keys);
  const header = (name: string) => headers.get(name) ?? "";
  const client = await hashOf(header("X-Source-App-Key"));
  const { jti } = await verifyJws(header("DPoP"));
  const call: Call = { env, keys, client, path, body: JSON.parse(sent), sub: "", first: [] };
  const ofClient = OF_CLIENT[path];
  if (ofClient !== undefined) return ofClient(call);
  const token = await verifyJws(header("Authorization").slice(7), (kid) => keys.access.get(kid));
  const [now, key] = [Date.now(), header("Idempotency-Key")];
  if (token.exp * 1_000 <= now) return refused(401);
  await verifyTag(keys, call.body);
  const first = [
    sql`select s.id from sessions s, clients c where s.id = ${token.jti.split(/[.~]/)[0]} and s.sub = ${token.sub}
      and s.revoked_at is null and s.expires_at > ${now} and c.key_hash = ${client} and c.enabled and c.id = s.client_id`,
    sql`insert into used_once (ends_at, hash) values (${now + DAY}, ${await hashOf(jti)})`,
  ];
  if (key !== "")
    first.push(sql`insert into idempotency_records
      (day, sub, endpoint, key, body_hash, outcome, facts, created_at, expires_at)
      values (${Math.floor(now / DAY)}, ${token.sub}, ${path}, ${key}, ${await hashOf(sent)}, 'ok', '{}', ${now}, ${now + DAY})`);
  const route = IN_TWO[path] ?? (path.startsWith("/v2/journeys") ? show : inOneBatch);
  return route({ ...call, sub: token.sub, first });
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
