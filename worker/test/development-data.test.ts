import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { seed } from "../../db/demo/seed.ts";
import { bags, clients, deviceTicketLocks, flights, journeys, travelPlans } from "../../db/schema.ts";
import { secret32 } from "../config/keys.ts";
import { changeRow, lockRow } from "../test-support/rows.ts";
import { startService, type TestService } from "../test-support/service.ts";

const DAY = 86_400_000;
const dayAfter = (now: number) => new Date(now + DAY).toISOString().slice(0, 10);

let service: TestService;
const seedAt = (now: number) =>
  seed(service.db, { now, pepper: service.settings.pepper, dataKey: secret32(String(env.DATA_KEY)) });

beforeAll(async () => {
  service = await startService();
});

// As after a start of today, whatever day the test before has moved to.
beforeEach(() => seedAt(service.now()));

describe("the development data", () => {
  it("keep names, locators, keys and passwords out of every table in clear", async () => {
    const tables = [clients, travelPlans, journeys] as const;
    const rows = await Promise.all(tables.map((table) => service.db.select().from(table)));
    const stored = JSON.stringify(rows);
    for (const secret of ["LOVELACE", "MÜLLER", "BRIEN", "ABC123", "K7Q2ZD", "OB1NKE", "demo-b2b-secret"]) {
      expect(stored).not.toContain(secret);
    }
    expect(stored).not.toContain("demo-passenger-key");
  });

  it("move to the day after a later start, twice without doubling, and take live locks along", async () => {
    const later = service.now() + 5 * DAY;
    const locked = [lockRow("ebt-21-0001", later + 1), lockRow("ebt-21-0002", later - 1)];
    await service.db.insert(deviceTicketLocks).values(locked);

    await seedAt(later);
    await seedAt(later);

    expect(await service.db.$count(bags)).toBe(4);
    expect(await service.db.$count(clients)).toBe(3);
    const dates = await service.db.select({ date: flights.date }).from(flights);
    expect(dates).toEqual(Array(4).fill({ date: dayAfter(later) }));
    const [plan] = await service.db.select().from(travelPlans).orderBy(travelPlans.id);
    const locks = await service.db.select().from(deviceTicketLocks).orderBy(deviceTicketLocks.deviceId);
    expect(locks.map(({ endsAt }) => endsAt)).toEqual([plan?.endsAt, later - 1]);
  });

  it("are whole again, and can be erased again, after a service that ran until their end", async () => {
    await changeRow(service.db, travelPlans, "demo-plan-1", {
      erasedAt: 1,
      locatorHash: "erased:1",
      locatorSealed: "",
    });
    await seedAt(service.now());
    const [plan] = await service.db.select().from(travelPlans).where(eq(travelPlans.id, "demo-plan-1"));
    expect(plan).toMatchObject({ erasedAt: null, locatorSealed: expect.stringMatching(/./) });
  });
});
