import { env } from "cloudflare:workers";
import { asc, eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { type BagEvent, BagEventsMessage, parseAnswer } from "../../core/api/index.ts";
import { webhooks as documented } from "../../core/api/openapi/document.ts";
import { toBase64, utf8 } from "../../core/encoding/bytes.ts";
import { auditLog, webhooks } from "../../db/schema.ts";
import { readSettings } from "../config/env.ts";
import { runScheduledWebhooks } from "../scheduled/scheduled-run.ts";
import { seal } from "../secrets/sealed.ts";
import { recorded } from "../test-support/query-plans.ts";
import { appendAudit } from "../test-support/rows.ts";
import { startClean, type TestService } from "../test-support/service.ts";
import { addWebhook, isSigned, SECRET } from "../test-support/webhooks.ts";
import { addressFault } from "./address.ts";
import { withNewKey } from "./keys.ts";
import { signedHeaders } from "./message.ts";

/** Webhooks, run as the Worker's trigger runs them, with the listeners in this file. */

const MINUTE = 60_000;

let service: TestService;
let vars: Record<string, unknown>;
beforeEach(async () => {
  vars = {};
  service = await startClean();
});

interface Received {
  readonly url: string;
  readonly init: RequestInit;
  readonly message: BagEventsMessage;
}
type Listener = (url: string, signal: AbortSignal) => Promise<Response> | Response;

const ok: Listener = () => new Response(null, { status: 204 });
/** Answers only when it is given up. */
const hangs: Listener = (_, signal) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });

/** One run at `now`; what was sent, in order, and the line of its log. */
async function run(now: number, listener: Listener = ok) {
  const received: Received[] = [];
  const lines: Record<string, unknown>[] = [];
  const fetcher = async (to: RequestInfo | URL, init: RequestInit = {}) => {
    const answer = await listener(String(to), init.signal as AbortSignal);
    if (answer.ok) received.push({ url: String(to), init, message: messageIn(String(init.body)) });
    return answer;
  };
  const deps = {
    db: recorded(env.DB),
    settings: await readSettings({ ...env, ...vars }),
    random: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
    log: (line: Readonly<Record<string, unknown>>) => lines.push({ ...line }),
    metrics: undefined,
  };
  await runScheduledWebhooks(deps, now, fetcher as typeof fetch);
  const sentTo = (id: string) => received.filter(({ url }) => url.includes(id)).flatMap(eventsOf);
  return { received, sentTo, line: lines[0] };
}
/** The message of `body`, which has exactly the fields that the OpenAPI document lists. */
function messageIn(body: string): BagEventsMessage {
  const message: BagEventsMessage = JSON.parse(body);
  expect(parseAnswer(BagEventsMessage, message)).toEqual({ ok: true, value: message });
  return message;
}
const eventsOf = ({ message }: Received) => message.data.events;
const plates = (events: readonly BagEvent[]) => events.map(({ licencePlate }) => Number(licencePlate));

const add = (id: string, row: Partial<typeof webhooks.$inferInsert> = {}) => addWebhook(service, id, row);
const rowOf = async (id: string) => (await service.db.select().from(webhooks).where(eq(webhooks.id, id)))[0];

/** Events of `airline` whose plates count from `first`. */
const happen = (count: number, first = 1, airline = "SK") =>
  appendAudit(service.db, count, (i) => ({ at: service.now(), airline, licencePlate: String(first + i) }));
const upTo = (count: number, first = 1) => Array.from({ length: count }, (_, i) => first + i);

describe("a message", () => {
  it("is signed as the published vector of Standard Webhooks is", async () => {
    const message = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", body: '{"test": 2432232314}' };
    const headers = await signedHeaders(
      ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
      message,
      1_614_265_330_999,
    );
    expect(headers).toMatchObject({
      "webhook-id": message.id,
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    });
  });

  it("names what happened, and its signature is over what was sent", async () => {
    await add("dcs");
    await happen(2);
    const now = service.now();
    const { received, line } = await run(now);
    expect(received).toHaveLength(1);
    const [{ init, message }] = received as [Received];
    expect(message).toMatchObject({
      type: "bag.events",
      timestamp: new Date(now).toISOString(),
      data: { events: [{ event: "attached", airline: "SK" }, { licencePlate: "2" }] },
    });
    expect([init.method, init.redirect]).toEqual(["POST", "manual"]);
    const headers = new Headers(init.headers);
    for (const { name } of documented()["bag.events"].post.parameters) expect(headers.has(name)).toBe(true);
    expect(await isSigned(headers, String(init.body))).toBe(true);
    expect(line).toMatchObject({ route: "webhooks", status: 200, events: 2, failed: 0, stopped: 0 });
  });

  it("has a signature by the key before, too, until a day after there was a newer one", async () => {
    const now = service.now();
    const [first, second] = ["first", "second"].map((name) => `whsec_${toBase64(utf8(`${name} key`))}`);
    const keys = withNewKey(withNewKey(SECRET, first ?? "", now - 60 * MINUTE), second ?? "", now);
    const secretSealed = await seal(service.settings.dataKey, { field: "webhook-secret", id: "dcs" }, keys);
    await add("dcs", { secretSealed });
    const signers = async (at: number) => {
      await happen(1);
      const [{ init }] = (await run(at)).received as [Received];
      const headers = new Headers(init.headers);
      const [id, body] = [headers.get("webhook-id") ?? "", String(init.body)];
      const said = headers.get("webhook-signature")?.split(" ") ?? [];
      // A run that begins at the end of a second may sign in the next.
      const signed = Number(headers.get("webhook-timestamp")) * 1_000;
      expect(Math.abs(signed - at)).toBeLessThan(MINUTE);
      const by = async (key = "") => (await signedHeaders([key], { id, body }, signed))["webhook-signature"];
      const known = { [await by(SECRET)]: "old", [await by(first)]: "first", [await by(second)]: "second" };
      return said.map((one) => known[one]);
    };
    expect(await signers(now)).toEqual(["second", "first", "old"]);
    expect(await signers(now + 23 * 60 * MINUTE)).toEqual(["second", "first"]);
    expect(await signers(now + 24 * 60 * MINUTE)).toEqual(["second"]);
  });

  it("sends an airline's events to that airline alone, and each once", async () => {
    await add("one");
    await add("other", { airlines: ["LH"] });
    await add("both", { airlines: ["SK", "LH"] });
    await happen(2);
    await happen(3, 11, "LH");
    const { sentTo } = await run(service.now());
    expect(plates(sentTo("one"))).toEqual([1, 2]);
    expect(plates(sentTo("other"))).toEqual([11, 12, 13]);
    expect(plates(sentTo("both"))).toEqual([1, 2, 11, 12, 13]);
    // Where nothing is new, nothing is written either.
    const rows = await service.db.select().from(webhooks);
    expect((await run(service.now() + MINUTE)).received).toEqual([]);
    expect(await service.db.select().from(webhooks)).toEqual(rows);
  });

  it("reports it at once, where a page of others' events comes before the next of its own", async () => {
    vars = { EVENT_ROWS_PER_PAGE: "5" };
    await add("dcs", { placeId: 1_000_000, placeAt: 5 });
    await happen(7, 1, "LH");
    await happen(1, 8);
    const { received } = await run(service.now());
    expect(received.map(({ message }) => message.data)).toEqual([
      { events: [], missed: true },
      { events: [expect.objectContaining({ licencePlate: "8" })] },
    ]);
    expect(received[0]?.message).toMatchObject({ timestamp: new Date(service.now()).toISOString() });
    expect(new Set(received.map(({ init }) => new Headers(init.headers).get("webhook-id"))).size).toBe(2);
  });

  it("reports it once, also where the log has a row of that number again", async () => {
    await happen(1);
    const [row] = await service.db.select().from(auditLog);
    await add("dcs", { placeId: row?.id ?? 0, placeAt: 5 });
    const now = service.now();
    expect((await run(now)).received).toMatchObject([{ message: { data: { missed: true } } }]);
    expect((await run(now + MINUTE)).received).toEqual([]);
  });
});

describe("one that hangs or fails", () => {
  it("takes no turn from another", async () => {
    vars = { WEBHOOK_TIMEOUT_MILLISECONDS: "50" };
    for (const n of upTo(9)) await add(`hangs${n}`, { dueAt: n, failures: n % 2 });
    await add("works", { dueAt: 100 });
    await happen(150);
    const now = service.now();
    const { sentTo, line } = await run(now, (url, signal) =>
      url.includes("hangs") ? hangs(url, signal) : ok(url, signal),
    );
    expect(plates(sentTo("works"))).toEqual(upTo(150));
    expect(line).toMatchObject({ failed: 9 });
    expect(await rowOf("hangs1")).toMatchObject({ lastError: "timeout", placeId: 0 });
    // Ahead of those that have failed before.
    await service.db.update(webhooks).set({ dueAt: 0 });
    await happen(1, 151);
    const order: string[] = [];
    await run(now + MINUTE, (url, signal) => {
      order.push(url);
      return url.includes("hangs") ? hangs(url, signal) : ok(url, signal);
    });
    expect(order[0]).toContain("works");
  });

  it("waits longer each time, stops, logs it, and loses nothing", async () => {
    vars = { WEBHOOK_ATTEMPTS: "4" };
    await add("dcs");
    await happen(3);
    const refuses: Listener = () => new Response("no", { status: 503 });
    let now = service.now();
    for (const [failures, minutes] of [
      [1, 1],
      [2, 2],
      [3, 4],
    ] as const) {
      expect((await run(now, refuses)).line).toMatchObject({ failed: 1, stopped: 0 });
      const row = await rowOf("dcs");
      expect(row).toMatchObject({ failures, lastError: "status 503", stoppedAt: null, placeId: 0 });
      expect(Math.floor(((row?.dueAt ?? 0) - now) / MINUTE)).toBe(minutes);
      expect((await run((row?.dueAt ?? 0) - 1_000, refuses)).line).toMatchObject({ failed: 0 });
      now = row?.dueAt ?? 0;
    }
    expect((await run(now, refuses)).line).toMatchObject({ failed: 1, stopped: 1 });
    expect((await rowOf("dcs"))?.stoppedAt).not.toBeNull();
    const later = now + 30 * 86_400_000;
    expect((await run(later)).received).toEqual([]);
    await service.db.update(webhooks).set({ stoppedAt: null, failures: 0, dueAt: 0 });
    expect(plates((await run(later)).sentTo("dcs"))).toEqual([1, 2, 3]);
    expect(await rowOf("dcs")).toMatchObject({ failures: 0, lastError: null });
  });

  it("goes on where it failed, and its failures are reset once it works", async () => {
    await add("dcs");
    await happen(250);
    let messages = 0;
    const now = service.now();
    const first = await run(now, (url, signal) =>
      ++messages === 3 ? new Response(null, { status: 500 }) : ok(url, signal),
    );
    expect(plates(first.sentTo("dcs"))).toEqual(upTo(200));
    expect(await rowOf("dcs")).toMatchObject({ failures: 1 });
    const second = await run(now + 2 * MINUTE);
    expect(plates(second.sentTo("dcs"))).toEqual(upTo(50, 201));
    expect(await rowOf("dcs")).toMatchObject({ failures: 0 });
  });

  it.each([
    ["410", "status 410", true],
    ["301", "status 301", false],
    ["404", "status 404", false],
  ] as const)("where the answer is %s", async (status, lastError, isStopped) => {
    await add("dcs");
    await happen(1);
    const headers = { Location: "https://elsewhere.example.com" };
    const { line } = await run(service.now(), () => new Response(null, { status: Number(status), headers }));
    expect(line).toMatchObject({ failed: 1, stopped: isStopped ? 1 : 0 });
    expect(await rowOf("dcs")).toMatchObject({ lastError });
  });

  it("because it is unreachable, its address was changed in the database, or its key is lost, harms no other", async () => {
    await add("away");
    await add("inside", { url: "https://10.0.0.1/hook" });
    await add("keyless", { secretSealed: "AAAA" });
    await add("works");
    await happen(1);
    const asked: string[] = [];
    const { sentTo, line } = await run(service.now(), (url, signal) => {
      asked.push(url);
      if (url.includes("away")) throw new TypeError("connection refused");
      return ok(url, signal);
    });
    expect(plates(sentTo("works"))).toEqual([1]);
    expect(asked.toSorted()).toEqual(["https://away.example.com/hook", "https://works.example.com/hook"]);
    expect(line).toMatchObject({ failed: 3 });
    const rows = await service.db.select().from(webhooks).orderBy(asc(webhooks.id));
    expect(rows.map(({ lastError }) => lastError)).toEqual(["no connection", "address", "secret", null]);
  });
});

it("a run ends before D1's thousandth statement, returns its leases, and the next run goes on", async () => {
  vars = { WEBHOOK_STATEMENTS_PER_RUN: "60", WEBHOOK_EVENTS_PER_MESSAGE: "1" };
  const ids = upTo(4).map((n) => `busy${n}`);
  for (const id of ids) await add(id);
  await happen(10);
  const received = new Map(ids.map((id) => [id, [] as number[]]));
  for (let runs = 0; runs < 20; runs++) {
    const now = service.now() + runs * MINUTE;
    const { sentTo, line } = await run(now);
    expect(Number(line?.statements)).toBeLessThanOrEqual(60);
    for (const id of ids) received.get(id)?.push(...plates(sentTo(id)));
    const rows = await service.db.select().from(webhooks);
    for (const { dueAt } of rows) expect(dueAt).toBeLessThan(now + MINUTE);
  }
  for (const id of ids) expect(received.get(id)).toEqual(upTo(10));
});

describe("nothing is lost", () => {
  it("by a run that dies, whose lease another run takes later: what was not stored comes again", async () => {
    vars = { WEBHOOK_TIMEOUT_MILLISECONDS: "2000" };
    await add("dcs");
    await happen(150);
    const now = service.now();
    let messages = 0;
    let stopped: () => void = () => undefined;
    const isDead = new Promise<void>((resolve) => {
      stopped = resolve;
    });
    // It has the second message, and the run never gets the answer.
    const dying = run(now, async (url, signal) => {
      if (++messages < 2) return ok(url, signal);
      stopped();
      return hangs(url, signal);
    });
    await isDead;
    expect((await run(now + MINUTE)).received).toEqual([]);
    const after = await run(now + 10 * MINUTE);
    expect(plates(after.sentTo("dcs"))).toEqual(upTo(50, 101));
    const last = await rowOf("dcs");
    await dying;
    expect(await rowOf("dcs")).toEqual(last);
  });

  it("by an operator who moves the place back during a turn", async () => {
    await add("dcs");
    await happen(20);
    const now = service.now();
    await run(now);
    await happen(5, 21);
    await run(now + MINUTE, async (url, signal) => {
      await service.db.update(webhooks).set({ placeId: 0, placeAt: 0, dueAt: 0 });
      return ok(url, signal);
    });
    expect(plates((await run(now + 2 * MINUTE)).sentTo("dcs"))).toEqual(upTo(25));
  });
});

describe("the address of a webhook", () => {
  it.each(["https://hooks.example.com", "https://hooks.example.com/a?b=c", "https://xn--mller-kva.de/"])(
    "may be %s",
    (url) => expect(addressFault(url)).toBeUndefined(),
  );

  it.each([
    "hooks.example.com",
    "http://hooks.example.com",
    "https://user@hooks.example.com",
    "https://hooks.example.com:8443",
    "https://hooks.example.com/#part",
    "https://127.0.0.1",
    // One address, spelled in other numbers.
    "https://0x7f.1/",
    "https://[::1]/",
    "https://localhost",
    "https://a.localhost",
    "https://printer.local",
    "https://intranet./",
    "https://hooks.example.com./",
    `https://hooks.example.com/${"a".repeat(2_048)}`,
    "",
  ])("is not %s", (url) => expect(addressFault(url)).toEqual(expect.any(String)));

  it("may be this machine in development, and nowhere else", () => {
    for (const url of ["http://localhost:9000/hook", "http://127.0.0.1:9000"]) {
      expect(addressFault(url, { isDevelopment: true })).toBeUndefined();
      expect(addressFault(url)).toBeDefined();
    }
    expect(addressFault("http://10.0.0.1", { isDevelopment: true })).toBeDefined();
  });
});
