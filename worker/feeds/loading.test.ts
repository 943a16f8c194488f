import { notLike } from "drizzle-orm";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { BagEvent } from "../../core/api/index.ts";
import { utf8 } from "../../core/encoding/bytes.ts";
import { dailyOrFull } from "../../core/full.test-support.ts";
import { auditLog, bags, journeys, travelPlans } from "../../db/schema.ts";
import { importDataKey, seal } from "../secrets/sealed.ts";
import { openPassenger } from "../secrets/sealed-passenger.ts";
import { bsmText, type PrintedMessage } from "../test-support/baggage-message-text.ts";
import { TOMORROW } from "../test-support/days.ts";
import { guestSession, staffSession, type TestSession } from "../test-support/logins.ts";
import { scheduledRun, startClean, type TestService } from "../test-support/service.ts";

/** `.S` and `.W`: from departure control's message, with the sealed booking, into the messages that sorters get. */

const PLATE = "0117800001";
/** As ACI's published add has them (core/vectors/bsm-published.json). */
const LINES = [".S/N/05A/C/051/051//N/I", ".W/P/1"];
let service: TestService;
let staff: TestSession;
beforeEach(async () => {
  service = await startClean();
  staff = await staffSession(service);
});

/** `lines` stand behind the first plate. */
function bsm(lines: readonly string[] = LINES, message: Partial<PrintedMessage> = {}): string {
  const text = bsmText({ date: TOMORROW, ...message });
  return text.replace(/(\.N\/\d+\n)/, (plates) => [plates, ...lines.map((line) => `${line}\n`)].join(""));
}
async function take(...messages: readonly string[]): Promise<readonly string[]> {
  const { body, status } = await staff.call("baggageSourceMessages", { message: messages.join("") });
  expect(status).toBe(200);
  return body.results.map(({ outcome, errorCode }: Record<string, string>) => errorCode ?? outcome);
}
const bagIds = async () =>
  new Map((await service.db.select().from(bags)).map(({ licencePlate, id }) => [licencePlate, id]));

async function sent(): Promise<readonly string[]> {
  const { body } = await staff.call("events", {});
  return body.events.flatMap(({ baggageMessage }: BagEvent) => baggageMessage ?? []);
}
const linesIn = (text = "") => text.split("\n").filter((line) => /^\.[SW]/.test(line));

/** `.S` and `.W` in what is sent once a tag is written for the plate. */
async function sentFor(plate = PLATE): Promise<readonly string[]> {
  const device = { uniqueID: "ebt-20-0005" };
  await staff.call("deviceAttachment", { device, baggageId: (await bagIds()).get(plate) });
  const lines = linesIn((await sent()).at(-1));
  await staff.call("ebtUnlock", { uniqueDeviceId: device.uniqueID });
  return lines;
}

it("one bag from departure control's message to its DEL, with the same elements until then", async () => {
  const add = bsm(LINES, { more: [".E/PRIO"] });
  expect(await take(add)).toEqual(["applied"]);
  expect(await sentFor()).toEqual(LINES);
  const change = add.replace("BSM\n", "BSM\nCHG\n").replace(".P/1", ".P/");
  expect(await sent()).toEqual([change, change]);
  await take(bsmText({ date: TOMORROW, action: "DEL" }));
  // It names no person, so it has none of them (docs/feed.md).
  expect((await sent()).map((text) => [text.split("\n")[1], linesIn(text)])).toEqual([["DEL", []]]);
});

it("whatever comes in goes out equal, of each plate", { timeout: 120_000 }, async () => {
  const text = fc.stringMatching(/^[A-Z0-9 /-]{0,20}[A-Z0-9]$/);
  const lines = fc
    .tuple(fc.constantFrom("S/Y/", "S/N/", "S//", "W/P/", "W/K/"), text)
    .map((two) => two.join(""));
  const groups = fc.array(fc.array(lines, { maxLength: 4 }), { minLength: 3, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(groups, async (made) => {
      await service.db.delete(travelPlans).where(notLike(travelPlans.id, "demo-plan-%"));
      await service.db.delete(auditLog);
      const behind = made.map((own, i) => [`.N/011780000${i + 1}001`, ...own.map((line) => `.${line}`)]);
      const names = [".P/HOPPER/GRACE", ".P/HAMILTON/M", ".P/HOPPER/GRACE"];
      const bagLines = behind.flatMap((own, i) => [...own, names[i] ?? ""]);
      const whole = bsmText({ date: TOMORROW, name: "" }).replace(/\.N\/\d+/, bagLines.join("\n"));
      expect(await take(whole)).toEqual(["applied"]);
      for (const [i, own] of behind.entries()) {
        const sorted = own.slice(1).toSorted((a, b) => a.charCodeAt(1) - b.charCodeAt(1));
        expect(await sentFor(`011780000${i + 1}`)).toEqual(sorted);
      }
    }),
    { numRuns: dailyOrFull(4, 50) },
  );
});

describe("a later message", () => {
  const other = [".S/Y/05A"];
  const outcomes = async (...messages: readonly string[]) => [await take(...messages), await sentFor()];

  it("CHG replaces those that it has, as the published one has .S alone, and no version of the label", async () => {
    await take(bsm());
    expect(await outcomes(bsm(other, { action: "CHG" }))).toEqual([["applied"], [...other, ".W/P/1"]]);
    expect(await outcomes(bsm([".W/P/2"], { action: "CHG" }))).toEqual([["applied"], [...other, ".W/P/2"]]);
    expect(await outcomes(bsm([], { action: "CHG" }))).toEqual([["unchanged"], [...other, ".W/P/2"]]);
    const [row] = await service.db.select().from(journeys).where(notLike(journeys.id, "demo-%"));
    expect(row?.version).toBe(1);
  });

  it("add gives a bag those that it lacks, and overwrites none: it may have come late", async () => {
    await take(bsm([]), bsm(LINES.slice(0, 1)));
    expect(await outcomes(bsm([...other, ".W/P/1"]))).toEqual([["applied"], LINES]);
    expect(await outcomes(bsm(other))).toEqual([["unchanged"], LINES]);
    expect(await outcomes(bsm(other, { plates: "0117800001002" }))).toEqual([["applied"], LINES]);
    expect(await sentFor("0117800002")).toEqual(other);
  });

  it("that books another first flight ends .S, which is of one flight, unless it has its own", async () => {
    const to = (flights: readonly string[], lines: readonly string[] = []) =>
      take(bsm(lines, { action: "CHG", flights }));
    await take(bsm());
    await to(["SK1234/ARN", "SK999/HEL"]);
    expect(await sentFor()).toEqual(LINES);
    await to(["SK1460/ARN"], other);
    expect(await sentFor()).toEqual([...other, ".W/P/1"]);
    await to(["SK1462/ARN"]);
    expect(await sentFor()).toEqual([".W/P/1"]);
  });

  it("that books another first flight ends .S of the journey's other bags, too", async () => {
    const both = { plates: "0117800001002" };
    await take(bsm(LINES, both));
    expect(await sentFor("0117800002")).toEqual(LINES);
    await take(bsm(other, { action: "CHG", flights: ["SK1460/ARN"], plates: "0117800001001" }));
    expect(await sentFor("0117800002")).toEqual(LINES.slice(1));
  });

  it("of a later flight leaves the first one's .S, and says so", async () => {
    await take(bsm(LINES, { flights: ["SK1234/ARN", "SK999/HEL"] }));
    const message = bsm([...other, ".W/P/2"], { action: "CHG", station: "ARN", flights: ["SK999/HEL"] });
    const { body } = await staff.call("baggageSourceMessages", { message });
    expect(body.results).toMatchObject([{ outcome: "applied", ignored: [".S"] }]);
    expect(await sentFor()).toEqual([LINES[0], ".W/P/2"]);
  });

  it("of another kind, as JSON, keeps them while the first flight is late, and no longer", async () => {
    await take(bsm());
    const feed = (number: string, more = {}) =>
      staff.call("journeysFromAirlinePayload", {
        ...{ airline: "SK", recordLocator: "BSM001" },
        flights: [{ carrier: "SK", number, date: TOMORROW, from: "OSL", to: "ARN", ...more }],
        passengers: [{ surname: "Hopper", givenName: "Grace" }],
      });
    expect((await feed("1234", { scheduledDeparture: `${TOMORROW}T20:00:00Z` })).status).toBe(200);
    expect(await sentFor()).toEqual(LINES);
    expect((await feed("1460")).status).toBe(200);
    expect(await sentFor()).toEqual([".W/P/1"]);
  });

  it("DEL removes them: the plate's next bag has its own", async () => {
    await take(bsm());
    expect(await outcomes(bsm([], { action: "DEL" }), bsm([]))).toEqual([["applied", "applied"], []]);
    await take(bsm([], { action: "DEL" }));
    expect(await outcomes(bsm(other))).toEqual([["applied"], other]);
  });

  it("at the same time loses no other's", async () => {
    const plates = [1, 2, 3, 4].map((n) => `011780000${n}`);
    const one = (plate: string, i: number) => take(bsm([`.S/Y/0${i}A`], { plates: `${plate}001` }));
    expect((await Promise.all(plates.map(one))).flat()).toEqual(plates.map(() => "applied"));
    for (const [i, plate] of plates.entries()) expect(await sentFor(plate)).toEqual([`.S/Y/0${i}A`]);
  });
});

it("a bag that comes as JSON, and those of older bookings, have none", async () => {
  const key = await importDataKey(utf8("k".repeat(32)));
  const name = { givenName: "ADA", surname: "LOVELACE" };
  const sealed = await seal(key, { field: "passenger", id: "j" }, JSON.stringify(name));
  expect(await openPassenger(key, "j", sealed)).toEqual({ passenger: name, loading: {} });
  expect(await sentFor("0117123456")).toEqual([]);
});

it("they are in no answer, event, log or row in clear, and go with the booking", async () => {
  await take(bsm());
  const passenger = await guestSession(service);
  const name = { recordLocator: "BSM001", surname: "HOPPER" };
  const { body } = await passenger.call("journeyFromRecordLocator", name);
  expect(body.passenger).toEqual({ givenName: "GRACE", surname: "HOPPER" });
  await sentFor();
  const { db } = service;
  const tables = [db.select().from(journeys), db.select().from(bags), db.select().from(auditLog)];
  const rows = JSON.stringify([await Promise.all(tables), body, service.log]);
  expect(rows).not.toMatch(/05A\/C|W\/P\/1/);
  await db.update(travelPlans).set({ endsAt: service.now() }).where(notLike(travelPlans.id, "demo-%"));
  await scheduledRun(service.now() + 1, {});
  const left = await db.select().from(journeys).where(notLike(journeys.id, "demo-%"));
  expect(left.map(({ passengerSealed }) => passengerSealed).filter(Boolean)).toEqual([]);
  staff = await staffSession(service);
  expect(await sent()).toEqual([]);
});
