import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { deviceTicketLocks, pushEndpoints, travelPlans } from "../../db/schema.ts";
import { runScheduledWebhooks } from "../scheduled/scheduled-run.ts";
import { guestSession, type TestSession, withBookings } from "../test-support/logins.ts";
import { recorded } from "../test-support/query-plans.ts";
import { startClean, type TestService } from "../test-support/service.ts";
import { newPushKey } from "../test-support/webhooks.ts";
import { decideReminder } from "./reminder.ts";

/** Reminders to clear a tag after landing (rules §5, "Reminder"): with a push service of our own. */

const [TAG, OTHER_TAG] = ["ebt-21-0001", "ebt-21-0002"];
const PHONE = "http://localhost:4321/push/phone";
const HOUR = 3_600_000;

let service: TestService;
let guest: TestSession;
let landing: number;
let answer: () => Promise<Response>;

beforeEach(async () => {
  answer = async () => new Response(null, { status: 201 });
  await start();
});

async function start(vars: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const push = { VAPID_KEY: await newPushKey(), SECURITY_CONTACT: "mailto:security@airline.example" };
  service = await startClean({ ...push, ...vars });
  guest = await withBookings(service, await guestSession(service));
  await attach(TAG, 1);
  const [plan] = await plansOf();
  landing = (plan?.endsAt ?? 0) - 24 * HOUR;
}
const plansOf = () =>
  service.db
    .select({ id: travelPlans.id, endsAt: travelPlans.endsAt })
    .from(travelPlans)
    .innerJoin(deviceTicketLocks, eq(deviceTicketLocks.planId, travelPlans.id));
const attach = (uniqueID: string, baggageId: number) =>
  guest.call("deviceAttachment", { device: { uniqueID }, baggageId });
const ask = (fields: object = { pushEndpoint: PHONE, remindToClear: true }, uniqueDeviceId = TAG) =>
  guest.call("bagTraceChange", { uniqueDeviceId, ...fields });
const stored = () => service.db.select({ remindAt: pushEndpoints.remindAt }).from(pushEndpoints);

/** Runs that begin at `now` at once: where they sent to, and the line of the first. */
async function run(now: number, times = 1) {
  const sent: { readonly url: string; readonly init: RequestInit }[] = [];
  const lines: Readonly<Record<string, unknown>>[] = [];
  const deps = {
    ...{ db: recorded(env.DB), settings: service.settings, metrics: undefined },
    random: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
    log: (line: Readonly<Record<string, unknown>>) => lines.push(line),
  };
  const fetcher = (async (url: string, init: RequestInit) => {
    sent.push({ url, init });
    return answer();
  }) as typeof fetch;
  await Promise.all(Array.from({ length: times }, () => runScheduledWebhooks(deps, now, fetcher)));
  return { sent, lines };
}
const sentAt = async (now: number) => (await run(now)).sent.map(({ url }) => url);

describe("a reminder", () => {
  it("is one empty message, an hour after landing, by whichever run comes first", async () => {
    expect((await ask()).body).toMatchObject({ uniqueDeviceId: TAG, pushed: true });
    expect(await sentAt(landing + HOUR - 1)).toEqual([]);
    const { sent, lines } = await run(landing + HOUR, 3);
    expect(sent.map(({ url, init }) => [url, init.method, init.body])).toEqual([[PHONE, "POST", undefined]]);
    expect(lines.map(({ reminders }) => reminders).sort()).toEqual([0, 0, 1]);
    expect(JSON.stringify(lines)).not.toMatch(/4321|phone|0001/);
    expect(await sentAt(landing + 2 * HOUR)).toEqual([]);
  });

  it("is one for all tags of one phone", async () => {
    await attach(OTHER_TAG, 2);
    await ask();
    await ask(undefined, OTHER_TAG);
    expect(await sentAt(landing + HOUR)).toEqual([PHONE]);
    expect(await stored()).toEqual([{ remindAt: null }, { remindAt: null }]);
  });

  it("waits for a flight that is late", async () => {
    await ask();
    await service.db.update(travelPlans).set({ endsAt: sql`${travelPlans.endsAt} + ${3 * HOUR}` });
    expect(await sentAt(landing + HOUR)).toEqual([]);
    expect(await stored()).toEqual([{ remindAt: landing + 4 * HOUR }]);
    expect(await sentAt(landing + 4 * HOUR)).toEqual([PHONE]);
  });

  it("is sent to no holder who has not asked for it, or no longer wants it", async () => {
    await ask({ pushEndpoint: PHONE });
    expect(await sentAt(landing + HOUR)).toEqual([]);
    await ask();
    await ask({ pushEndpoint: PHONE, remindToClear: false });
    expect(await sentAt(landing + HOUR)).toEqual([]);
    await ask();
    await ask({ pushEndpoint: "" });
    expect([await sentAt(landing + HOUR), await stored()]).toEqual([[], []]);
  });

  it("stays when the holder also asks for news of the bag", async () => {
    await ask();
    await ask({ pushEndpoint: `${PHONE}-of-today` });
    expect(await sentAt(landing + HOUR)).toEqual([`${PHONE}-of-today`]);
  });

  it("goes with the lock", async () => {
    await ask();
    await guest.call("ebtUnlock", { uniqueDeviceId: TAG });
    expect([await sentAt(landing + HOUR), await stored()]).toEqual([[], []]);
  });

  it("is not inherited by a lock that replaced the one it was asked for", async () => {
    await ask();
    await attach(TAG, 2);
    expect([await sentAt(landing + HOUR), await stored()]).toEqual([[], [{ remindAt: null }]]);
  });

  it("to an endpoint that is gone removes it, and not one set since then", async () => {
    await ask();
    answer = async () => {
      await ask({ pushEndpoint: `${PHONE}-of-today` });
      return new Response(null, { status: 410 });
    };
    await run(landing + HOUR);
    expect(await stored()).toHaveLength(1);
    await ask();
    answer = async () => new Response(null, { status: 410 });
    await run(landing + HOUR);
    expect(await stored()).toEqual([]);
  });

  it("costs nothing where the service has no key for push services", async () => {
    await start({ VAPID_KEY: "" });
    const { lines } = await run(landing + HOUR);
    const [line] = lines;
    expect([line?.reminders, line?.statements]).toEqual([0, 1]);
  });
});

describe("a reminder that is due", () => {
  const now = 1_000 * HOUR;
  const due = { planEndsAt: now + 23 * HOUR, lostAt: null, foundAt: null };
  it.each([
    ["is sent", {}, { kind: "now", at: null }],
    ["waits for a late flight", { planEndsAt: now + 23 * HOUR + 1 }, { kind: "later", at: now + 1 }],
    ["is not sent for a lost bag", { lostAt: now }, { kind: "never", at: null }],
    ["is not sent for a bag that was found", { foundAt: now }, { kind: "never", at: null }],
    ["is not sent without its lock", { planEndsAt: null }, { kind: "never", at: null }],
  ])("%s", (_, facts, decision) => {
    expect(decideReminder({ ...due, ...facts }, now)).toEqual(decision);
  });
});
