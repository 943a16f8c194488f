import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import type { BagEvent } from "../../core/api/index.ts";
import { journeys, webhooks } from "../../db/schema.ts";
import { readSettings } from "../config/env.ts";
import type { IsolateCache } from "../context.ts";
import type { Deps } from "../http/request.ts";
import { TOMORROW } from "../test-support/days.ts";
import { readDocumented } from "../test-support/documented-message.ts";
import { guardedDatabase } from "../test-support/guarded-database.ts";
import { staffSession, type TestSession } from "../test-support/logins.ts";
import { recorded } from "../test-support/query-plans.ts";
import { appendAudit } from "../test-support/rows.ts";
import { startClean, type TestService } from "../test-support/service.ts";
import { addWebhook, isSigned } from "../test-support/webhooks.ts";
import { runScheduledWebhooks } from "./scheduled-run.ts";
import { deliverSoon } from "./webhooks-soon.ts";

/** Webhooks that requests begin, with a receiver as a reader of docs/listen.md writes it. */

const SCOPES = ["baggage:message"] as const;
const TAG = "EBT-20-0005";
const PLATE = "0117700001";

/** Verifies as the page says, and stores each event once. */
class Receiver {
  readonly events = new Map<string, BagEvent>();
  readonly ids: string[] = [];
  readonly bodies: string[] = [];
  count = 0;

  async take(init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    if (!(await isSigned(headers, String(init.body)))) return new Response(null, { status: 401 });
    this.ids.push(headers.get("webhook-id") ?? "");
    this.bodies.push(String(init.body));
    for (const event of JSON.parse(String(init.body)).data.events as BagEvent[]) {
      this.count++;
      this.events.set(event.id, event);
    }
    return new Response(null, { status: 204 });
  }

  readonly messages = () => [...this.events.values()].flatMap(({ baggageMessage }) => baggageMessage ?? []);
}

const receivers = new Map<string, Receiver>();
const receiver = (id: string) => {
  const known = receivers.get(id) ?? new Receiver();
  receivers.set(id, known);
  return known;
};
type Answering = (id: string, init: RequestInit) => Promise<Response>;
const takes: Answering = (id, init) => receiver(id).take(init);
let answering: Answering;
const fetcher = ((to: RequestInfo | URL, init: RequestInit = {}) =>
  answering(new URL(String(to)).hostname.split(".")[0] ?? "", init)) as typeof fetch;

let service: TestService;
let staff: TestSession;
let asked: string[];

beforeEach(async () => {
  receivers.clear();
  answering = takes;
  asked = [];
  service = await startClean({}, fetcher, { database: watched });
  staff = await staffSession(service);
});

/** Notes which statements ask for webhooks. */
const watched = (binding: D1Database) =>
  guardedDatabase(binding, (texts) => asked.push(...texts.filter((text) => text.includes('"webhooks"'))));

const listen = (id: string, row: Partial<typeof webhooks.$inferInsert> = {}) =>
  addWebhook(service, id, { scopes: SCOPES, ...row });

const booking = (withdrawn = false) => ({
  ...{ airline: "SK", recordLocator: "SOON01", ...(withdrawn && { withdraw: "booking" }) },
  flights: [{ carrier: "SK", number: "0462", date: TOMORROW, from: "OSL", to: "CPH" }],
  passengers: [{ surname: "Hopper", givenName: "Grace" }],
});

/** What `work` causes is delivered; then the next turn of every webhook has come, however long this one took. */
async function delivered<T>(work: Promise<T>): Promise<T> {
  const result = await work;
  await service.settled();
  service.advance(30);
  return result;
}

/** A booking whose bag is added by the desk; returns its id. */
async function addBag(): Promise<number> {
  const { body } = await delivered(staff.call("journeysFromAirlinePayload", booking()));
  const path = `/v2/journeys/${body.journeys[0].journeyId}/baggage-tags`;
  return (await delivered(staff.call("baggageTag", { lpn: PLATE }, {}, path))).body.baggage[0].baggageId;
}
const attach = (baggageId: number) =>
  delivered(staff.call("deviceAttachment", { device: { uniqueID: TAG }, baggageId }));
const scheduled = () => runScheduledWebhooks(depsOf(), service.now(), fetcher);

/** An isolate beside that of `service`. */
const lines: Readonly<Record<string, unknown>>[] = [];
const depsOf = (more: Partial<Deps> = {}) =>
  ({
    ...{ db: recorded(env.DB), settings: service.settings, clock: service.now, fetcher, metrics: undefined },
    random: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
    log: (line: Readonly<Record<string, unknown>>) => lines.push(line),
    ...more,
  }) as Deps;
const isolate = (): IsolateCache => ({ returned: new Map(), cities: new Map() });

/** Events whose plates count from `first`. */
const happen = (count: number, first = 0) =>
  appendAudit(service.db, count, (i) => ({ at: service.now(), event: "lost", licencePlate: `${first + i}` }));

describe("what a request writes", () => {
  it("reaches a receiver before any scheduled run, as the messages of one bag from ADD to DEL", async () => {
    await listen("dcs");
    await attach(await addBag());
    await delivered(staff.call("ebtUnlock", { uniqueDeviceId: TAG }));
    await delivered(staff.call("journeysFromAirlinePayload", booking(true)));
    const { events, ids, messages } = receiver("dcs");
    expect([...events.values()].map(({ event }) => event)).toEqual([
      ...["bag_added", "attached", "cleared", "bag_removed"],
    ]);
    expect(new Set(ids).size).toBe(4);
    expect(messages().map(readDocumented)).toMatchObject([
      { kind: "add", from: "OSL", plate: PLATE, name: { surname: "HOPPER" }, recordLocator: "SOON01" },
      { kind: "CHG", plate: PLATE, flights: [{ airline: "SK", number: "0462", to: "CPH" }] },
      { kind: "CHG", plate: PLATE },
      { kind: "DEL", plate: PLATE, name: undefined },
    ]);
    await scheduled();
    expect(receiver("dcs").count).toBe(4);
  });

  it("asks for webhooks once a minute where there are none, after the answer", async () => {
    for (const bag of [1, 2]) await attach(bag);
    expect(asked).toHaveLength(1);
    service.advance(60);
    await attach(1);
    expect(asked).toHaveLength(2);
    expect(service.log.filter(({ route }) => route === "webhooks")).toEqual([]);
  });

  it("asks for none where no bag's event is written", async () => {
    await listen("dcs");
    await delivered(staff.call("ebtLookup", { uniqueDeviceId: TAG }));
    await delivered(staff.call("journeysFromAirlinePayload", booking()));
    expect(service.log.at(-1)).toMatchObject({ status: 200 });
    expect(asked).toEqual([]);
  });

  it("is sent to its own airline alone, and with names only to those with the scope", async () => {
    await listen("plain", { scopes: [] });
    await listen("theirs", { airlines: ["LH"] });
    await listen("dcs");
    await attach(await addBag());
    expect(receiver("theirs").bodies).toEqual([]);
    expect(receiver("plain").events.size).toBe(2);
    expect(receiver("plain").bodies.join()).not.toMatch(/hopper|grace|soon01|BSM/i);
    expect(receiver("dcs").messages()).toHaveLength(2);
    expect(JSON.stringify(service.log)).not.toMatch(/hopper|grace|soon01/i);
  });
});

describe("a delivery that fails", () => {
  it("after the receiver has it comes again under the same ids, and is the scheduled run's", async () => {
    await listen("dcs");
    answering = async (id, init) => {
      await takes(id, init);
      throw new DOMException("late", "TimeoutError");
    };
    const bag = await addBag();
    expect(receiver("dcs").count).toBe(1);
    answering = takes;
    // No request tries one that has failed, not even when its turn has come.
    service.advance(60);
    await attach(bag);
    expect(receiver("dcs").count).toBe(1);
    await scheduled();
    const { events, count, bodies } = receiver("dcs");
    expect([events.size, count]).toEqual([2, 3]);
    const [first, again] = bodies.map((body) => JSON.parse(body).data.events[0]);
    expect(again.id).toBe(first.id);
  });

  it.each([
    ["its scope is taken away", () => service.db.update(webhooks).set({ scopes: [] })],
    ["the booking is erased", () => service.db.update(journeys).set({ passengerSealed: null })],
  ] as const)("comes without a message once %s", async (_, change) => {
    await listen("dcs");
    answering = async () => new Response(null, { status: 503 });
    await addBag();
    await change();
    answering = takes;
    service.advance(60);
    await scheduled();
    const { events, bodies } = receiver("dcs");
    expect([...events.values()].map(({ event }) => event)).toEqual(["bag_added"]);
    expect(bodies.join()).not.toMatch(/baggageMessage|hopper|soon01/i);
  });

  it("because the request was killed is made up for by a later one", async () => {
    await listen("dcs");
    const killed = isolate();
    await happen(1);
    const hangs = new Promise<void>((resolve) => {
      answering = () => {
        resolve();
        return new Promise(() => undefined);
      };
    });
    void deliverSoon(depsOf(), killed);
    await hangs;
    answering = takes;
    await happen(1);
    // The same isolate does not rely on it for ever, nor another on its lease.
    service.advance(60);
    await deliverSoon(depsOf(), killed);
    expect(receiver("dcs").count).toBe(2);
  });
});

describe("a storm", () => {
  it("of requests in one isolate makes one run, whatever their number", async () => {
    await listen("dcs");
    await happen(80);
    const [one, deps] = [isolate(), depsOf({ db: watched(env.DB) })];
    await Promise.all(Array.from({ length: 80 }, () => deliverSoon(deps, one)));
    const { count, ids } = receiver("dcs");
    expect([count, ids.length]).toEqual([80, 1]);
    // Whether there are webhooks, which are due, their leases, places and the leases' return.
    expect(asked).toHaveLength(5);
  });

  it("in many isolates sends each event to each webhook once, in order", async () => {
    for (const id of ["one", "two"]) await listen(id);
    const settings = await readSettings({ ...env, WEBHOOK_PACE_MILLISECONDS: "5" });
    const isolates = Array.from({ length: 5 }, isolate);
    const deps = depsOf({ settings, clock: Date.now });
    const work: Promise<void>[] = [];
    for (let round = 0; round < 10; round++) {
      await happen(8, 8 * round);
      work.push(...isolates.map((one) => deliverSoon(deps, one)));
    }
    await Promise.all(work);
    // What a run missed that ended as the last event came.
    await service.db.update(webhooks).set({ dueAt: 0 });
    await scheduled();
    for (const id of ["one", "two"]) {
      expect(receiver(id).count).toBe(80);
      const plates = [...receiver(id).events.values()].map(({ licencePlate }) => Number(licencePlate));
      expect(plates).toEqual(Array.from({ length: 80 }, (_, i) => i));
    }
  });
});
