import { describe, expect, test } from "vitest";
import { neverCancelled, withResolvers } from "./abort.ts";
import { ServiceError, type ServiceErrorCode } from "./errors.ts";
import { type NewEntry, Outbox } from "./outbox.ts";
import { isDue, pauseAfter } from "./outbox-rules.ts";
import type { Api } from "./service/session.ts";
import type { StoredEntry } from "./storage.ts";
import { outboxPage } from "./test-support/outbox-page.ts";
import { reportOf } from "./test-support/value-in.ts";
import type { OutboxEvent } from "./types.ts";

const signal = neverCancelled();
const REFUSED = new ServiceError("device_locked", "refused", { statusCode: 423 });
const DOWN = new ServiceError("network", "no network");
const refusal = (code: ServiceErrorCode, statusCode?: number) =>
  new ServiceError(code, "any", { statusCode });

const DAY = 86_400_000;

function outboxOf(refused?: "drop" | "keep") {
  const page = outboxPage(refused);
  const attach = (uniqueDeviceId: string, more: Partial<NewEntry> = {}) =>
    page.outbox.submit({ kind: "attach", uniqueDeviceId, baggageId: 3, ...more }, signal);
  return { ...page, attach };
}

describe("an entry", () => {
  test("of a label reports all that is known of the tag", async () => {
    const { attach, calls, events } = outboxOf();
    const more = { batteryPercentage: 0, firmwareVersion: "1.2", tagCertificate: "AA==" };
    expect(await attach("ebt-1", more)).toBeUndefined();
    const device = { uniqueID: "ebt-1", batteryPercentage: 0, firmwareVersion: "1.2" };
    expect(calls).toEqual([
      {
        name: "deviceAttachment",
        body: { device, baggageId: 3, tagCertificate: "AA==" },
        key: events[0]?.entry.id,
      },
    ]);
  });

  test("of a label reports no more than is known", async () => {
    const { attach, calls } = outboxOf();
    await attach("ebt-1");
    expect(calls[0]?.body).toEqual({ device: { uniqueID: "ebt-1" }, baggageId: 3 });
  });

  test("shows ids and tries alone; of a cleared tag, which it unlocks, no bag", async () => {
    const { outbox, attach, calls, events } = outboxOf();
    await outbox.submit({ kind: "unlock", uniqueDeviceId: "ebt-1" }, signal);
    expect(calls[0]).toMatchObject({ name: "ebtUnlock", body: { uniqueDeviceId: "ebt-1" } });
    await attach("ebt-2", { tagCertificate: "AA==", cti: "AAAAAAAAAAA", mark: "AQ" });
    const shown = events.map(({ entry }) => Object.keys(entry).sort().join());
    const cleared = "createdAt,id,kind,tries,uniqueDeviceId";
    expect(new Set(shown)).toEqual(new Set([cleared, `baggageId,${cleared}`]));
  });

  test("is an event when it comes, when it is kept, and when it is sent, under one key", async () => {
    const { outbox, attach, failures, events, calls } = outboxOf();
    failures.push(DOWN);
    expect(await attach("ebt-1")).toBe(DOWN);
    await outbox.flush(signal);
    expect(events.map(({ type, entry }) => [type, entry.tries])).toEqual([
      ["added", 0],
      ["kept", 1],
      ["sent", 1],
    ]);
    expect(new Set([...calls.map(({ key }) => key), ...events.map(({ entry }) => entry.id)]).size).toBe(1);
  });

  test("is no event for a listener that was removed", async () => {
    const { attach, events, end } = outboxOf();
    end();
    await attach("ebt-1");
    expect(events).toEqual([]);
  });

  test("takes the place of older ones of the same tag, in any spelling, and of no other's", async () => {
    const { outbox, attach, failures } = outboxOf();
    failures.push(DOWN, DOWN, DOWN);
    await attach("ebt-1");
    await attach("ebt-2");
    await attach(" EBT-1", { baggageId: 4 });
    const waiting = await outbox.entries();
    expect(waiting.map(({ uniqueDeviceId, baggageId }) => [uniqueDeviceId, baggageId])).toEqual([
      ["ebt-2", 3],
      [" EBT-1", 4],
    ]);
  });

  test("of another kind of failure is kept as well: nothing is lost by our own fault", async () => {
    const { outbox, attach, failures } = outboxOf();
    failures.push(new TypeError("any"));
    expect(await attach("ebt-1")).toMatchObject({ code: "internal" });
    expect(await outbox.entries()).toHaveLength(1);
  });
});

/** Two tags whose entries wait. */
async function two(refused?: "drop" | "keep") {
  const made = outboxOf(refused);
  made.failures.push(DOWN, DOWN);
  await made.attach("ebt-1");
  await made.attach("ebt-2");
  made.calls.length = 0;
  made.events.length = 0;
  return made;
}

const devices = (calls: readonly { body: unknown }[]) =>
  calls.map(({ body }) => (body as { device: { uniqueID: string } }).device.uniqueID);

describe("a flush", () => {
  test("sends the oldest first", async () => {
    const { outbox, calls } = await two();
    expect(await outbox.flush(signal)).toEqual(reportOf({ sent: 2 }));
    expect(devices(calls)).toEqual(["ebt-1", "ebt-2"]);
  });

  test("names what was sent, and nothing that is gone for another reason", async () => {
    const { outbox, failures } = await two();
    const [, second] = await outbox.entries();
    failures.push(REFUSED);
    expect(await outbox.flush(signal)).toMatchObject({ dropped: 1, sentIds: [second?.id] });
    expect(await outbox.entries()).toEqual([]);
  });

  test("goes on behind one that cannot be sent now", async () => {
    const { outbox, calls, failures } = await two();
    failures.push(DOWN);
    expect(await outbox.flush(signal)).toEqual(reportOf({ sent: 1, left: 1 }));
    expect(devices(calls)).toEqual(["ebt-1", "ebt-2"]);
  });

  test("holds back what is newer of the same tag", async () => {
    const { outbox, calls, failures, database } = await two();
    const [first] = await database.entries();
    await database.putEntry({
      ...(first as StoredEntry),
      id: "newer",
      createdAt: 1_500,
      uniqueDeviceId: "EBT-1",
    });
    failures.push(DOWN);
    expect(await outbox.flush(signal)).toEqual(reportOf({ sent: 1, left: 2 }));
    expect(devices(calls)).toEqual(["ebt-1", "ebt-2"]);
  });

  test("goes on behind one that the service refuses for good", async () => {
    const { outbox, failures, events } = await two();
    failures.push(REFUSED);
    expect(await outbox.flush(signal)).toEqual(reportOf({ sent: 1, dropped: 1 }));
    expect(events.map(({ type }) => type)).toEqual(["dropped", "sent"]);
    expect(await outbox.entries()).toEqual([]);
  });

  test("of a context without a page keeps what is refused for good", async () => {
    const { outbox, failures, events } = await two("keep");
    failures.push(REFUSED);
    expect(await outbox.flush(signal)).toEqual(reportOf({ sent: 1, dropped: 1 }));
    expect(events.map(({ type }) => type)).toEqual(["sent"]);
    expect(await outbox.entries()).toMatchObject([{ uniqueDeviceId: "ebt-1", tries: 1 }]);
  });

  test.each<[string, ServiceError, boolean]>([
    ["400", refusal("invalid_request", 400), true],
    ["499", refusal("invalid_request", 499), true],
    ["399", refusal("invalid_request", 399), false],
    ["500", refusal("internal_error", 500), false],
    ["401", refusal("unauthorized_token", 401), false],
    ["408", refusal("invalid_request", 408), false],
    ["429", refusal("too_many_requests", 429), false],
    ["409 of a call in flight", refusal("idempotency_in_flight", 409), false],
    ["409 of anything else", refusal("idempotency_key_reused", 409), true],
    ["no answer", refusal("network"), false],
    ["a proxy's 403", refusal("invalid_answer", 403), false],
    ["the 409 of a login", Object.assign(refusal("invalid_request", 409), { inLogin: true }), false],
  ])("takes %s as final: %s", async (_what, error, final) => {
    const { outbox, failures } = await two();
    failures.push(error);
    expect((await outbox.flush(signal)).dropped).toBe(final ? 1 : 0);
  });

  test("that fails by our own storage does not stop the next", async () => {
    const { outbox, database, attach } = await two();
    const entries = database.entries.bind(database);
    database.entries = () => Promise.reject(new TypeError("full"));
    await expect(outbox.flush(signal)).rejects.toThrow("full");
    database.entries = entries;
    await attach("ebt-3");
    expect(await outbox.flush(signal)).toEqual(reportOf({ sent: 2 }));
  });
});

describe("what the service does not take", () => {
  test("is due after a pause that doubles from try to try, up to an hour", async () => {
    const { outbox, attach, failures, clock } = outboxOf();
    const pauses: number[] = [];
    failures.push(...Array.from({ length: 12 }, () => DOWN));
    await attach("ebt-1");
    for (let tries = 1; tries < 12; tries++) {
      const [entry] = await outbox.entries();
      const due = entry?.nextTryAt ?? 0;
      pauses.push(Math.round((due - clock.now) / 1_000));
      clock.now = due - 1;
      expect(await outbox.flush(signal, true)).toMatchObject({ left: 1 });
      expect((await outbox.entries())[0]?.tries).toBe(tries);
      clock.now = due;
      await outbox.flush(signal, true);
      expect((await outbox.entries())[0]?.tries).toBe(tries + 1);
    }
    expect(pauses).toEqual([15, 30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600, 3_600]);
  });

  test.each([
    ["as the service said", 100, 100_000],
    ["a day at most, whatever the service said", 1e9, DAY],
    ["as long as it would by itself, where the service said less", 1, 15_000],
  ])("waits %s", (_what, retryAfter, pause) => {
    const asked = new ServiceError("too_many_requests", "any", { statusCode: 429, retryAfter });
    expect(pauseAfter(1, asked)).toBe(pause);
  });

  test.each([
    [undefined, true],
    [1_000, true],
    [1_001, false],
    // Of a time when the clock was years ahead.
    [1_000 + DAY, false],
    [1_001 + DAY, true],
  ])("at 1000 an entry whose pause ends at %s is due: %s", (nextTryAt, due) => {
    expect(isDue(nextTryAt === undefined ? {} : { nextTryAt }, 1_000)).toBe(due);
  });

  test("ends after 14 days, with its notice", async () => {
    const { outbox, attach, failures, events, clock } = outboxOf();
    failures.push(DOWN, DOWN, DOWN);
    await attach("ebt-1");
    clock.now += 14 * DAY - 1_000;
    expect(await outbox.flush(signal)).toEqual(reportOf({ left: 1 }));
    clock.now += 2_000;
    expect(await outbox.flush(signal)).toEqual(reportOf({ dropped: 1 }));
    expect(events.at(-1)).toMatchObject({ type: "dropped", error: { code: "never_confirmed", cause: DOWN } });
    expect(await outbox.entries()).toEqual([]);
  });

  test("is sent after more than 14 days if the service takes it then", async () => {
    const { outbox, attach, failures, clock } = outboxOf();
    failures.push(DOWN);
    await attach("ebt-1");
    clock.now += 15 * DAY;
    expect(await outbox.flush(signal)).toMatchObject({ sent: 1, sentIds: [expect.any(String)], dropped: 0 });
  });
});

describe("an entry that another page has superseded while it was tried", () => {
  /** The first page's try is under way while the second writes the same tag. */
  async function superseded(failure: Error) {
    const { database } = outboxPage();
    const { promise: answered, reject: answer } = withResolvers<never>();
    const slow = { call: () => answered } as unknown as Api;
    const first = new Outbox(database, slow, () => 1_000);
    const events: OutboxEvent[] = [];
    first.subscribe((event) => events.push(event));
    const down = { call: () => Promise.reject(DOWN) } as unknown as Api;
    const second = new Outbox(database, down, () => 2_000);
    const trying = first.submit({ kind: "attach", uniqueDeviceId: "ebt-1", baggageId: 3 }, signal);
    while ((await database.entries()).length === 0);
    await second.submit({ kind: "unlock", uniqueDeviceId: "ebt-1" }, signal);
    answer(failure);
    await trying;
    return { events: events.map(({ type }) => type), left: await second.entries() };
  }

  test.each([DOWN, REFUSED])("does not come back, and is no news: %s", async (failure) => {
    const { events, left } = await superseded(failure);
    expect(left).toMatchObject([{ kind: "unlock" }]);
    expect(events).toEqual(["added"]);
  });
});
