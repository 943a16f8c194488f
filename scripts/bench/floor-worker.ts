/**
 * What no service of this kind can do without: the access token's signature, and by hand the statements that an endpoint
 * has to send in one batch, on the same tables. No rules, no limits but the counter of attachments, no framework. Its text
 * is given to workerd as it is, so it imports nothing.
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
}
type Row = Readonly<Record<string, unknown>>;
type Body = Readonly<Record<string, unknown>>;

const ES256 = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const DAY = 86_400_000;
const text = new TextEncoder();
const bytesOf = (base64url: string) =>
  Uint8Array.from(atob(base64url.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
const textOf = (bytes: ArrayBuffer) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
const jsonOf = (base64url: string) => JSON.parse(new TextDecoder().decode(bytesOf(base64url)));

let keys:
  | Promise<{ readonly verifying: ReadonlyMap<string, CryptoKey>; readonly signing: CryptoKey }>
  | undefined;

async function importKeys(env: Bindings) {
  const verifying = new Map<string, CryptoKey>();
  for (const { d: _, key_ops: __, ...jwk } of JSON.parse(env.ACCESS_TOKEN_KEYS).keys) {
    verifying.set(jwk.kid, await crypto.subtle.importKey("jwk", jwk, ES256, false, ["verify"]));
  }
  const [{ key_ops: _, ...own }] = JSON.parse(env.TRANSACTION_TOKEN_KEYS).keys;
  return { verifying, signing: await crypto.subtle.importKey("jwk", own, ES256, false, ["sign"]) };
}

/** Session and person of the token, if it is ours and lives. */
async function callerOf(request: Request, env: Bindings) {
  keys ??= importKeys(env);
  const [head = "", payload = "", signature = ""] = (request.headers.get("Authorization") ?? "")
    .slice(7)
    .split(".");
  const key = (await keys).verifying.get(jsonOf(head).kid);
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
  "/v2/device-attachments": ({ DB }, sub, body) => {
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
      DB.prepare(
        `insert into device_ticket_locks (device_id, plan_id, journey_id, baggage_id, entitled, holder_sub, writer_sub,
           locked_at, ends_at, request_id)
         select ?, p.id, j.id, b.id, 1, ?, ?, ?, p.ends_at, ? from bags b inner join journeys j on j.id = b.journey_id
           inner join travel_plans p on p.id = j.plan_id inner join loaded_plans o on o.plan_id = p.id and o.sub = ?
         where b.id = ? and p.ends_at > ? on conflict do nothing`,
      ).bind(id, sub, sub, now, request, sub, body.baggageId, now),
      DB.prepare(
        `insert into audit_log (at, event, request_id, sub, client_id, airline, device_id)
         select ?, 'attached', request_id, ?, 'c', 'SK', device_id from device_ticket_locks where device_id = ? and request_id = ?`,
      ).bind(now, sub, id, request),
      DB.prepare("select journey_id, locked_at from device_ticket_locks where device_id = ?").bind(id),
    ];
  },
  "/v2/ebt-unlocks": ({ DB }, sub, { uniqueDeviceId: id }) => {
    const now = Date.now();
    const held = [id, now, sub, sub];
    return [
      DB.prepare(
        `insert into audit_log (at, event, request_id, sub, client_id, airline, device_id)
         select ?, 'cleared', ?, ?, 'c', 'SK', device_id from device_ticket_locks where ${HELD}`,
      ).bind(now, crypto.randomUUID(), sub, ...held),
      DB.prepare(
        `update devices set ended_holder_sub = l.holder_sub, ended_plan_id = l.plan_id, ended_reason = 'holder', ended_at = ?
         from device_ticket_locks l where devices.id = l.device_id and l.device_id = ?`,
      ).bind(now, id),
      DB.prepare(`delete from device_ticket_locks where ${HELD}`).bind(...held),
      DB.prepare("select device_id from device_ticket_locks where device_id = ? and ends_at > ?").bind(
        id,
        now,
      ),
    ];
  },
};

/** As long as a transaction token's. */
const TO_SIGN = new Uint8Array(220);

export default {
  async fetch(request: Request, env: Bindings): Promise<Response> {
    const { pathname } = new URL(request.url);
    const statements = STATEMENTS[pathname];
    if (statements === undefined) return new Response(null, { status: 404 });
    const body = (await request.json()) as Body;
    const caller = await callerOf(request, env);
    if (caller === undefined) return new Response(null, { status: 401 });
    const key = text.encode(request.headers.get("X-Source-App-Key") ?? "");
    const keyHash = textOf(await crypto.subtle.digest("SHA-256", key));
    const who = env.DB.prepare(WHO).bind(caller.session, caller.sub, Date.now(), keyHash);
    const [found, ...rest] = await env.DB.batch([who, ...statements(env, caller.sub, body)]);
    if (found?.results.length !== 1) return new Response(null, { status: 401 });
    if (!pathname.endsWith("authorizations")) return Response.json({ row: rest.at(-1)?.results[0] ?? null });
    const signature = await crypto.subtle.sign(ES256, (await keys)?.signing as CryptoKey, TO_SIGN);
    return Response.json({ transactionToken: textOf(TO_SIGN.buffer) + textOf(signature) });
  },
};
