import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import {
  BAG_EVENT_NAMES,
  type BagEvent,
  type JourneysFromAirlinePayloadRequest,
} from "../../core/api/index.ts";
import {
  b2bAccounts,
  bags,
  clients,
  deviceTicketLocks,
  flights,
  journeys,
  removedBags,
  travelPlans,
} from "../../db/schema.ts";
import { bsmDay } from "../test-support/baggage-message-text.ts";
import { dayAhead, TOMORROW } from "../test-support/days.ts";
import { readDocumented } from "../test-support/documented-message.ts";
import {
  attestedSession,
  guestSession,
  staffOf,
  staffSession,
  type TestSession,
} from "../test-support/logins.ts";
import { changeRow } from "../test-support/rows.ts";
import { scheduledRun, startClean, type TestService } from "../test-support/service.ts";
import { messageKind } from "./baggage-message.ts";

/** Baggage messages as a session with the scope `baggage:message` reads them: those of the development data's kiosk have it. */

const TAG = "EBT-20-0005";
const DAY = bsmDay(TOMORROW);
let service: TestService;
let staff: TestSession;

beforeEach(async () => {
  service = await startClean();
  await changeRow(service.db, clients, "client-kiosk", { airlines: ["SK"] });
  staff = await staffSession(service);
});

const eventsFor = async (session = staff): Promise<readonly BagEvent[]> =>
  (await session.call("events", {})).body.events;
const messages = async (session = staff) =>
  (await eventsFor(session)).flatMap(({ baggageMessage }) => baggageMessage ?? []);
const attach = (session: TestSession, baggageId: number) =>
  session.call("deviceAttachment", { device: { uniqueID: TAG }, baggageId });
const clear = (session: TestSession) => session.call("ebtUnlock", { uniqueDeviceId: TAG });

type Passenger = JourneysFromAirlinePayloadRequest["passengers"][number];
const PLATE = "0117700001";
const booking = (
  passenger: Partial<Passenger> = {},
  more: Partial<JourneysFromAirlinePayloadRequest> = {},
) => ({
  ...{ airline: "SK", recordLocator: "MSG001" },
  flights: [
    { carrier: "SK", number: "0462", date: TOMORROW, from: "OSL", to: "CPH" },
    { carrier: "SK", number: "925", date: TOMORROW, from: "CPH", to: "IAD" },
  ],
  passengers: [
    { surname: "Hopper", givenName: "Grace", cabin: "Y", baggage: [{ licencePlate: PLATE }], ...passenger },
  ],
  ...more,
});
async function fed(...args: Parameters<typeof booking>): Promise<number> {
  const { body, status } = await staff.call("journeysFromAirlinePayload", booking(...args));
  expect(status).toBe(200);
  return body.journeys[0].baggage[0].baggageId;
}
const withdraw = () => staff.call("journeysFromAirlinePayload", booking({}, { withdraw: "booking" }));

describe("an event's message", () => {
  it("is one of this table, for every event and evidence", () => {
    const bag = { baggageId: 1, licencePlate: "0117123456" };
    const of = (evidence: "claimed" | "confirmed" | "entitled" | "proven" | null) =>
      Object.fromEntries(
        BAG_EVENT_NAMES.flatMap((event) => {
          const kind = messageKind({ ...bag, event, evidence });
          return kind === undefined ? [] : [[event, kind]];
        }),
      );
    const table = { bag_added: "ADD", bag_removed: "DEL", attached: "CHG", cleared: "CHG" };
    expect([of(null), of("entitled"), of("proven")]).toEqual([table, table, table]);
    expect([of("claimed"), of("confirmed")]).toEqual([{}, {}]);
    expect(messageKind({ ...bag, baggageId: null, event: "attached", evidence: null })).toBeUndefined();
    expect(messageKind({ ...bag, licencePlate: null, event: "attached", evidence: null })).toBeUndefined();
  });

  it("follows one passenger's bag from ADD to DEL, element by element", async () => {
    const { body } = await staff.call("journeysFromAirlinePayload", booking({ baggage: [] }));
    await staff.call(
      "baggageTag",
      { lpn: PLATE },
      {},
      `/v2/journeys/${body.journeys[0].journeyId}/baggage-tags`,
    );
    const [bag] = await service.db.select().from(bags).where(eq(bags.licencePlate, PLATE));
    const id = bag?.id ?? 0;
    await changeRow(service.db, bags, id, { flags: 2 });
    await attach(staff, id);
    await clear(staff);
    const route = `.V/1LOSL\n.F/SK0462/${DAY}/CPH/Y\n.O/SK925/${DAY}/IAD/Y\n.N/${PLATE}001\n`;
    const rest = `${route}.P/HOPPER/GRACE\n.L/MSG001\n.E/PRIO\nENDBSM\n`;
    expect(await messages()).toEqual([`BSM\n${rest}`, `BSM\nCHG\n${rest}`, `BSM\nCHG\n${rest}`]);
    const flights = [
      { airline: "SK", number: "0462", day: DAY, to: "CPH", travelClass: "Y" },
      { airline: "SK", number: "925", day: DAY, to: "IAD", travelClass: "Y" },
    ];
    const known = { from: "OSL", flights, plate: PLATE, loading: [] };
    const named = {
      name: { surname: "HOPPER", givenNames: "GRACE" },
      recordLocator: "MSG001",
      isPriority: true,
    };
    expect((await messages()).map(readDocumented)).toEqual(
      (["add", "CHG", "CHG"] as const).map((kind) => ({ kind, ...known, ...named })),
    );
    await withdraw();
    // What it would be made of is gone: the last says enough.
    expect(await messages()).toEqual([`BSM\nDEL\n${route}ENDBSM\n`]);
    const unnamed = { name: undefined, recordLocator: undefined, isPriority: false };
    expect((await messages()).map(readDocumented)).toEqual([{ kind: "DEL", ...known, ...unnamed }]);
  });

  it.each([
    ["O'Brien", "Síle", ".P/O'BRIEN/SILE"],
    ["Müller-Lüdenscheidt", "Jürgen", ".P/MULLER LUDENSCHEIDT/JURGEN"],
    ["Łukasiewicz", "", ".P/LUKASIEWICZ"],
    ["王", "小明", undefined],
  ])("prints the name %s as a ticket does", async (surname, givenName, line) => {
    await attach(staff, await fed({ surname, givenName }));
    const [text = ""] = await messages();
    expect(text.split("\n").find((one) => one.startsWith(".P"))).toBe(line);
    expect(readDocumented(text)).toMatchObject({ kind: "CHG", plate: PLATE, recordLocator: "MSG001" });
  });
});

describe("there is no message", () => {
  it("without the scope, which counts as it is when events are read", async () => {
    const scopes = (remove: boolean) =>
      service.db
        .select()
        .from(clients)
        .where(eq(clients.id, "client-kiosk"))
        .then(([row]) => (row?.scopes ?? []).filter((scope) => !remove || scope !== "baggage:message"));
    await attach(staff, await fed());
    expect(await messages()).toHaveLength(1);
    const all = await scopes(false);
    await changeRow(service.db, clients, "client-kiosk", { scopes: await scopes(true) });
    const [event] = await eventsFor();
    expect([event?.event, event?.baggageMessage]).toEqual(["attached", undefined]);
    await changeRow(service.db, clients, "client-kiosk", { scopes: all });
  });

  it("for another airline, which gets no such event either", async () => {
    const theirs = await attestedSession(service);
    await theirs.call("journeyFromRecordLocator", { recordLocator: "K7Q2ZD", surname: "Müller" });
    await attach(theirs, 3);
    expect(await eventsFor()).toEqual([]);
    await service.db.delete(deviceTicketLocks);
    // Nor of a bag that is another airline's since.
    await attach(staff, 1);
    expect(await messages()).toHaveLength(1);
    const plan = (airline: string) => changeRow(service.db, travelPlans, "demo-plan-1", { airline });
    await plan("LH");
    expect(await eventsFor()).toMatchObject([{ event: "attached", airline: "SK" }]);
    expect(await messages()).toEqual([]);
    await plan("SK");
  });

  it("of a claim", async () => {
    await attach(await guestSession(service), await fed());
    const events = await eventsFor();
    expect(events).toMatchObject([{ event: "attached", evidence: "claimed" }]);
    expect(await messages()).toEqual([]);
  });

  it("once the booking is erased, nor of a bag that has gone or has another plate since", async () => {
    const id = await fed();
    await attach(staff, id);
    const expectNone = async (change: () => PromiseLike<unknown>, undo: () => PromiseLike<unknown>) => {
      await change();
      expect(await messages()).toEqual([]);
      await undo();
      expect(await messages()).toHaveLength(1);
    };
    const isOwn = eq(bags.id, id);
    const plate = (licencePlate: string) => service.db.update(bags).set({ licencePlate }).where(isOwn);
    await expectNone(
      () => plate("0117700009"),
      () => plate(PLATE),
    );
    const [row] = await service.db.select().from(bags).where(isOwn);
    await expectNone(
      () => service.db.delete(bags).where(isOwn),
      () => service.db.insert(bags).values(row as typeof bags.$inferInsert),
    );
    await service.db.update(travelPlans).set({ endsAt: service.now() });
    expect(await messages()).toEqual([]);
    await scheduledRun(service.now() + 1, {});
    const [erased] = await service.db
      .select()
      .from(journeys)
      .where(eq(journeys.id, row?.journeyId ?? ""));
    expect(erased?.passengerSealed).toBeNull();
    staff = await staffSession(service);
    expect(await messages()).toEqual([]);
  });

  it("of a change after the departure, and of anything once the last flight's day is over everywhere", async () => {
    const id = await fed();
    await attach(staff, id);
    const [bag] = await service.db.select().from(bags).where(eq(bags.id, id));
    const own = eq(flights.journeyId, bag?.journeyId ?? "");
    const departs = (at: number) => service.db.update(flights).set({ scheduledDeparture: at }).where(own);
    await departs(service.now() + 1);
    expect(await messages()).toHaveLength(1);
    await departs(service.now());
    expect(await messages()).toEqual([]);
    const until = Date.parse(TOMORROW) + 36 * 3_600_000;
    await service.db.update(flights).set({ scheduledDeparture: null }).where(own);
    service.advance((until - service.now() - 1_000) / 1_000);
    staff = await staffSession(service);
    expect(await messages()).toHaveLength(1);
    service.advance(1);
    expect(await messages()).toEqual([]);
  });

  it("that deletes a plate which another bag of the day has", async () => {
    await fed();
    await withdraw();
    expect((await messages()).map((text) => readDocumented(text).kind)).toEqual(["DEL"]);
    await fed({}, { recordLocator: "MSG002" });
    expect(await messages()).toEqual([]);
    const later = { date: dayAhead(20) };
    await service.db.update(bags).set({ flightDate: later.date }).where(eq(bags.licencePlate, PLATE));
    expect(await messages()).toHaveLength(1);
  });
});

it("a removed bag's flights go with its event's place in the log, or with the booking", async () => {
  await fed();
  await withdraw();
  const [row] = await service.db.select().from(removedBags);
  expect(JSON.stringify(row)).not.toMatch(/hopper|grace|msg001/i);
  expect(row?.endsAt).toBeLessThanOrEqual(service.now() + 7 * 86_400_000);
  const end = (endsAt: number) => service.db.update(removedBags).set({ endsAt });
  expect(await messages()).toHaveLength(1);
  await end(service.now());
  expect(await messages()).toEqual([]);
  await end(row?.endsAt ?? 0);
  await scheduledRun((row?.endsAt ?? 0) - 1, {});
  expect(await service.db.$count(removedBags)).toBe(1);
  await scheduledRun(row?.endsAt ?? 0, {});
  expect(await service.db.$count(removedBags)).toBe(0);
});

it("an account of several airlines reads the messages of each", async () => {
  staff = await staffOf(service, "SK", "LH");
  await attach(staff, 3);
  expect((await messages()).map(readDocumented)).toMatchObject([
    { kind: "CHG", from: "JFK", recordLocator: "K7Q2ZD", name: { surname: "MULLER", givenNames: "JURGEN" } },
  ]);
  await service.db.update(b2bAccounts).set({ airlines: ["SK"] });
});
