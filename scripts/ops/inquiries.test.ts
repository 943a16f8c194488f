import { eq, sql } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { dummyTokens } from "../../core/bag/surname.ts";
import { fromBase64, toBase64Url } from "../../core/encoding/bytes.ts";
import { toPem } from "../../core/pki/pem.ts";
import demoTagCa from "../../db/demo/tag-ca.json" with { type: "json" };
import * as schema from "../../db/schema.ts";
import { demoRows, deployment, regionsOf, secretsIn, varsIn } from "./doctor.ts";
import { devSecrets, operatorHere } from "./test-support/operator.ts";

/** What an operator asks about clients, tags and persons, and what is done about it, on the development data. */

const operator = operatorHere();
const { ops, json, failed } = operator;
const ADA = ["--locator", "abc123", "--surname", "Lovelace"];

/** Locks a tag to a bag of the development data. */
async function lock(deviceId: string): Promise<void> {
  const bag = { airline: "SK", planId: "demo-plan-1", journeyId: "demo-journey-1", baggageId: 1 };
  const facts = { ...bag, entitled: true, holderSub: "holder", writerSub: "holder", commits: 7 };
  const times = { lockedAt: Date.now(), endsAt: Date.now() + 1_000_000 };
  await operator.db.insert(schema.deviceTicketLocks).values({ deviceId, ...facts, ...times, requestId: "r" });
}

describe("a client", () => {
  const show = () => json("client", "show", "--id", "client-partner");

  it("is shown without its key, and changed list by list", async () => {
    const before = await show();
    expect(before).toMatchObject({ id: "client-partner", enabled: true, b2bSecret: "set" });
    expect(JSON.stringify(before)).not.toMatch(/[\w-]{43}/);
    const origins = ["--origin", "https://www.example.com", "--origin", "https://m.example.com"];
    await ops("client", "set", "--id", "client-partner", ...origins);
    const after = await show();
    expect(after).toEqual({ ...before, origins: ["https://m.example.com", "https://www.example.com"] });
    await ops("client", "set", "--id", "client-partner", "--no-origin", "--airline", "LH");
    expect(await show()).toEqual({ ...before, origins: [], airlines: ["LH"] });
  });
});

describe("a tag", () => {
  it("is shown with its lock and without names, and released with a row in the audit log", async () => {
    await lock("ebt-21-0001");
    const shown = await json("tag", "show", "--id", "EBT-21-0001");
    const locks = [{ airline: "SK", baggageId: 1, entitled: true, commits: 7 }];
    expect(shown).toMatchObject({ id: "ebt-21-0001", locks });
    expect(JSON.stringify(shown)).not.toMatch(/lovelace|abc123/i);
    expect(await json("devices", "list", "--locked")).toHaveLength(1);
    const release = ["tag", "release", "--id", "ebt-21-0001", "--reason", "found in the hall"];
    expect(await ops(...release)).toEqual([expect.stringContaining("unlocked; it still shows its label")]);
    const [event] = await operator.db.select().from(schema.auditLog);
    expect(event).toMatchObject({
      event: "released",
      airline: "SK",
      deviceId: "ebt-21-0001",
      reason: "operator: found in the hall",
    });
    const [tag] = await operator.db.select().from(schema.devices).where(eq(schema.devices.id, "ebt-21-0001"));
    // The number that proved the lock proves nothing any more, and the holder is notified.
    expect(tag).toMatchObject({ spentCommits: 7, endedReason: "staff", endedHolderSub: "holder" });
    expect(await ops(...release)).toEqual(["tag ebt-21-0001: it was not locked"]);
  });
});

describe("a person", () => {
  const isAda = eq(schema.journeys.id, "demo-journey-1");
  const isHers = eq(schema.travelPlans.id, "demo-plan-1");

  /** The events in the audit log, of which no row names the person. */
  async function namelessEvents(): Promise<readonly string[]> {
    const log = await operator.db.select().from(schema.auditLog);
    expect(JSON.stringify(log)).not.toMatch(/lovelace|abc123|\bada\b/i);
    return log.map(({ event }) => event);
  }

  it("is one airline's passenger alone, where another airline has one with the same locator and surname", async () => {
    const plan = await operator.db.select().from(schema.travelPlans).where(isHers).get();
    const ada = await operator.db.select().from(schema.journeys).where(isAda).get();
    if (!plan || !ada) throw new Error("no demo booking");
    await operator.db.insert(schema.travelPlans).values({ ...plan, id: "theirs", airline: "LH" });
    const nameless = { passengerSealed: null, planId: "theirs", id: "their-ada" };
    await operator.db.insert(schema.journeys).values({ ...ada, ...nameless });
    const several = ["several airlines have one: --airline LH or SK", 1];
    expect(await failed("booking", "show", ...ADA)).toEqual(several);
    expect(await failed("booking", "erase", ...ADA, "--yes")).toEqual(several);
    const { journeys } = await json("booking", "show", ...ADA, "--airline", "SK");
    expect(journeys).toMatchObject([{ id: "demo-journey-1", airline: "SK" }]);
    await ops("booking", "erase", ...ADA, "--airline", "LH", "--yes");
    const left = await operator.db.select({ id: schema.travelPlans.id }).from(schema.travelPlans);
    expect(left).toContainEqual({ id: "demo-plan-1" });
    expect(left).not.toContainEqual({ id: "theirs" });
  });

  it("is erased only by a yes: locks end, and the tags that still show a label are named", async () => {
    await lock("ebt-21-0002");
    const labels = { tagsThatStillShowALabel: ["ebt-21-0002"] };
    const would = await json("booking", "erase", ...ADA);
    expect(would).toMatchObject({ erased: false, ...labels, missing: "--yes" });
    expect(await operator.db.$count(schema.journeys, isAda)).toBe(1);
    const erased = await json("booking", "erase", ...ADA, "--yes");
    expect(erased).toMatchObject({ erased: true, journeys: ["demo-journey-1"], ...labels });
    const { journeys, flights, bags, travelPlans, deviceTicketLocks, devices } = schema;
    const left = await Promise.all([
      operator.db.$count(journeys, isAda),
      operator.db.$count(flights, eq(flights.journeyId, "demo-journey-1")),
      operator.db.$count(bags, eq(bags.journeyId, "demo-journey-1")),
      operator.db.$count(travelPlans, isHers),
      operator.db.$count(deviceTicketLocks),
      operator.db.$count(devices, sql`ended_holder_sub is not null and ended_plan_id is not null`),
    ]);
    expect(left).toEqual([0, 0, 0, 0, 0, 0]);
    expect(await namelessEvents()).toEqual(["released", "booking_erased"]);
    const [released] = await operator.db.select().from(schema.auditLog);
    expect(released).toMatchObject({ baggageId: null, licencePlate: null });
    expect(await operator.db.$count(journeys)).toBe(2);
    expect((await failed("booking", "erase", ...ADA))[1]).toBe(1);
  });

  it("is erased without the others of the booking", async () => {
    const ada = await operator.db.select().from(schema.journeys).where(isAda).get();
    if (!ada) throw new Error("no demo booking");
    const companion = { id: "companion", surnameTokens: toBase64Url(dummyTokens()) };
    await operator.db.insert(schema.journeys).values({ ...ada, ...companion });
    await ops("booking", "erase", ...ADA, "--yes");
    const left = await operator.db
      .select()
      .from(schema.journeys)
      .where(eq(schema.journeys.planId, ada.planId));
    expect(left).toMatchObject([{ id: "companion" }]);
    expect(await operator.db.$count(schema.travelPlans, isHers)).toBe(1);
  });
});

describe("the doctor", () => {
  const states = async (...words: readonly string[]) => {
    const { code, lines } = await operator.outcome("doctor", ...words);
    return { code, lines: lines.map((line) => line.split("\t").slice(0, 2).join(" ")) };
  };

  it("finds the development installation well", async () => {
    const { code, lines } = await states();
    expect(code).toBe(0);
    expect(lines).toEqual(expect.arrayContaining(["ok secrets", "ok CA_ROOT_CERT", "ok migrations"]));
  });

  it("refuses the demo's clients and issuer in a deployment", async () => {
    const [rows] = await demoRows(operator.db);
    expect(rows).toMatchObject({ state: "FAIL", check: "demo data" });
    expect(rows?.detail).toMatch(/client client-kiosk, .*client client-passenger, issuer https:/);
  });

  it.each([
    ["no tag CA", {}, ["warn TAG_ROOTS"]],
    ["the demo's tag CA", { TAG_ROOTS: toPem(fromBase64(demoTagCa.certificate)) }, ["FAIL TAG_ROOTS"]],
    ["no default client", { DEFAULT_CLIENT_ID: undefined }, ["FAIL DEFAULT_CLIENT_ID"]],
    ["two faults", { TAG_ROOT_IDS: '[["a"]]', KIOSKS: "Oslo" }, ["FAIL TAG_ROOT_IDS", "FAIL KIOSKS"]],
  ])("reads vars with %s as the Worker does", async (_what, vars, expected) => {
    const findings = await varsIn({ DEFAULT_CLIENT_ID: "none", ...vars });
    expect(findings.map(({ state, check }) => `${state} ${check}`)).toEqual(expected);
  });

  it("warns of a database and an archive that may be anywhere", () => {
    const found = regionsOf({ database: "eu", none: undefined, null: null, unknown: "" });
    expect(found.map(({ state, detail }) => `${state} ${detail.split(":")[0]}`)).toEqual([
      ...["ok within eu", "warn may be anywhere", "warn may be anywhere", "warn not looked at"],
    ]);
  });

  it("says nothing of the clock of an answer that gives no time", async () => {
    vi.stubGlobal("fetch", async () => new Response(null, { status: 503 }));
    const found = await deployment("https://tags.example.com").finally(() => vi.unstubAllGlobals());
    expect(found.map(({ state, check }) => `${state} ${check}`)).toEqual(["FAIL healthz"]);
  });

  it("finds a short secret, a missing one, and a key of another certificate", async () => {
    const { DATA_KEY, CA_ROOT_CERT = "", ...others } = devSecrets;
    const wrongIn = async (secrets: Readonly<Record<string, string>>) =>
      (await secretsIn(secrets)).flatMap(({ check, state }) => (state === "FAIL" ? [check] : []));
    expect(await wrongIn({ ...others, CA_ROOT_CERT, PEPPER: "AAAA" })).toEqual(["DATA_KEY", "PEPPER"]);
    expect(await wrongIn({ ...devSecrets, CA_INTERMEDIATE_CERT: CA_ROOT_CERT })).toEqual([
      "CA_INTERMEDIATE_KEY",
    ]);
    expect(await wrongIn({ ...devSecrets, CA_ROOT_CERT: "AAAA" })).toHaveLength(1);
  });

  it("finds a missing migration, and a sweeper that does not run", async () => {
    await operator.db.run(sql`update d1_migrations set name = name || '!'`);
    await operator.db.run(sql`update travel_plans set ends_at = ${Date.now() - 3_600_000}`);
    const { code, lines } = await states();
    await operator.db.run(sql`update d1_migrations set name = rtrim(name, '!')`);
    expect(lines.filter((line) => line.startsWith("FAIL"))).toEqual([
      "FAIL migrations",
      "FAIL sweeper: names of past bookings",
    ]);
    expect(code).toBe(1);
  });
});
