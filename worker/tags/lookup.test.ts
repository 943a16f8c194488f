import { and, eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../core/api/index.ts";
import { clients, deviceTicketLocks, flights } from "../../db/schema.ts";
import {
  attestedSession,
  guestSession,
  staffSession,
  startWithTwoGuests,
  type TestSession,
} from "../test-support/logins.ts";
import { changeRow } from "../test-support/rows.ts";
import { expectError, startService, type TestService } from "../test-support/service.ts";

const TAG = "ebt-21-0001";
const OWN = { locked: true, sameTravelPlan: true, requiresCustodyProof: false };

let service: TestService;
let guest: TestSession;
let stranger: TestSession;
beforeEach(async () => {
  ({ service, guest, stranger } = await startWithTwoGuests());
});

const look = async (session: TestSession, uniqueDeviceId = TAG) =>
  (await session.call("ebtLookup", { uniqueDeviceId })).body;
const attach = (session: TestSession, baggageId = 1, uniqueID = TAG) =>
  session.call("deviceAttachment", { device: { uniqueID }, baggageId });

/** What `work` gives when it falls within one minute of the clock: the runtime counts by these, and a new one begins at zero. */
async function withinAMinute<T>(work: () => Promise<T>): Promise<T> {
  const minute = () => Math.floor(Date.now() / 60_000);
  for (;;) {
    const begun = minute();
    const result = await work();
    if (minute() === begun) return result;
  }
}

it("look-ups in production are ten a minute for a passenger, and no fewer for other callers", async () => {
  const production = await startService({ ENVIRONMENT: "production" });
  const other = await guestSession(production);
  const most = limits.lookupsPerSubjectPerMinute;
  const answers = await withinAMinute(async () => {
    const walker = await guestSession(production);
    const looks = [];
    for (let i = 0; i <= most; i++)
      looks.push(await walker.call("ebtLookup", { uniqueDeviceId: `tag-${i}` }));
    return looks;
  });
  expect(answers.map(({ status }) => status)).toEqual([...Array(most).fill(200), 429]);
  const refused = answers[most] as (typeof answers)[number];
  expectError(refused, "too_many_requests");
  expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
  expect((await other.call("ebtLookup", { uniqueDeviceId: TAG })).status).toBe(200);
  const staff = await staffSession(production);
  for (let i = 0; i < 12; i++) {
    expect((await staff.call("ebtLookup", { uniqueDeviceId: TAG })).status).toBe(200);
  }
});

describe("a look-up of a tag", () => {
  it("of another holder's asks for the proof and masks the hints", async () => {
    await attach(guest);
    expect(await look(stranger)).toEqual({
      locked: true,
      sameTravelPlan: false,
      requiresCustodyProof: true,
      hints: {
        maskedRecordLocator: "A•••••",
        maskedSurname: "L•••••",
        departureAirport: "OSL",
        destinationAirport: "HEL",
      },
      tagChallenge: expect.stringMatching(/^[\w-]{22}$/),
    });
  });

  describe("by staff who may release locks", () => {
    const flightDay = async (journeyId: string, position: number, date: string) =>
      service.db
        .update(flights)
        .set({ date })
        .where(and(eq(flights.journeyId, journeyId), eq(flights.position, position)));
    const lockOf = async () => (await service.db.select().from(deviceTicketLocks))[0];

    it("has the first and the last day of several flights", async () => {
      await attach(guest);
      const journeyId = String((await lockOf())?.journeyId);
      await flightDay(journeyId, 0, "2031-05-02");
      await flightDay(journeyId, 1, "2031-05-09");
      expect((await look(await staffSession(service))).flightDates).toEqual({
        first: "2031-05-02",
        last: "2031-05-09",
      });
    });

    it("shows whether the bag is on another tag; a claim does not count", async () => {
      await attach(guest);
      await attach(stranger, 1, "ebt-21-0002");
      const staff = await staffSession(service);
      expect(await look(staff)).toMatchObject({ bagOnOtherTag: false });
      await attach(guest, 2, "ebt-21-0003");
      expect(await look(staff)).toMatchObject({ bagOnOtherTag: false });
      await attach(guest, 1, "ebt-21-0003");
      expect(await look(staff)).toMatchObject({ bagOnOtherTag: true });
      expect(await look(staff, "ebt-21-0003")).toMatchObject({ bagOnOtherTag: true });
      await service.db
        .update(deviceTicketLocks)
        .set({ endsAt: service.now() })
        .where(eq(deviceTicketLocks.deviceId, "ebt-21-0003"));
      expect(await look(staff)).toMatchObject({ bagOnOtherTag: false });
    });

    it("is silent of a claim, of a journey that went, and of a lock that is theirs", async () => {
      const staff = await staffSession(service);
      await attach(stranger, 4);
      expect(await look(staff)).toMatchObject({ requiresCustodyProof: true });
      expect(await look(staff)).not.toHaveProperty("flightDates");
      expect(await look(staff)).not.toHaveProperty("bagOnOtherTag");
      await attach(guest);
      await service.db.update(deviceTicketLocks).set({ journeyId: "gone" });
      expect(await look(staff)).toMatchObject({ requiresCustodyProof: true });
      expect(await look(staff)).not.toHaveProperty("flightDates");
      await attach(staff, 1, "ebt-21-0002");
      expect(await look(staff, "ebt-21-0002")).toEqual(OWN);
    });

    it("is not shown to passengers, holders, or staff of a client without the right", async () => {
      await attach(guest);
      const staff = await staffSession(service);
      const [client] = await service.db.select().from(clients).where(eq(clients.id, "client-kiosk"));
      const scopes = (client?.scopes ?? []).filter((scope) => scope !== "tag:release");
      await changeRow(service.db, clients, "client-kiosk", { scopes });
      for (const session of [stranger, guest, await attestedSession(service), staff]) {
        expect(await look(session)).not.toHaveProperty("flightDates");
        expect(await look(session)).not.toHaveProperty("bagOnOtherTag");
      }
      expect(await look(staff)).toMatchObject({ requiresCustodyProof: true });
      await changeRow(service.db, clients, "client-kiosk", { scopes: client?.scopes ?? [] });
      expect(await look(staff)).toHaveProperty("flightDates");
    });
  });

  it("whose journey went from its booking shows a stranger the booking alone", async () => {
    await attach(guest);
    await service.db.update(deviceTicketLocks).set({ journeyId: "gone" });
    const hints = {
      maskedRecordLocator: "A•••••",
      maskedSurname: "•••••",
      departureAirport: "",
      destinationAirport: "",
    };
    expect(await look(stranger)).toMatchObject({ requiresCustodyProof: true, hints });
    expect(await look(guest)).toEqual(OWN);
  });
});
