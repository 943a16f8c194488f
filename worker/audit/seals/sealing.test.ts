import { env } from "cloudflare:workers";
import { asc, eq, gt, inArray, sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../../core/api/index.ts";
import { auditLog, auditSeals, devices } from "../../../db/schema.ts";
import { readSettings } from "../../config/env.ts";
import { importKeyRing } from "../../config/keys.ts";
import { connect, type Db } from "../../database/connect.ts";
import { emptyTables } from "../../test-support/database.ts";
import { failingDatabase } from "../../test-support/guarded-database.ts";
import { appendAudit, changeRow } from "../../test-support/rows.ts";
import { scheduledRun } from "../../test-support/service.ts";
import { archiveAudit, bucketStore } from "./archive.ts";
import { type AuditStore, archiveName } from "./range.ts";
import { auditReader, wholeAuditReader } from "./reader.ts";
import { type AuditSeal, hashOfRows, hashOfSeal, makeSeal } from "./seal.ts";
import { verifyAudit } from "./verification.ts";

/** The audit log leaves the database for R2, by the Worker's own `scheduled()`, and what is left if it dies on the way. */

const db = connect(env.DB);
const { auditSealKeys } = await readSettings(env);
const bucket = env.ARCHIVE as R2Bucket;
const store = bucketStore(bucket);
const NOW = Date.now();
const DAY = 86_400_000;
/** When what was sealed NOW is due. */
const DUE = NOW + limits.auditKeepSeconds * 1_000;
const VARS = { AUDIT_ROWS_PER_SEAL: "5" };

const verify = (since?: number) => verifyAudit(wholeAuditReader(db, store), auditSealKeys.verifying, since);
const faults = async () => (await verify()).faults.map(({ kind, seal }) => `${kind} at ${seal}`);
const objects = async () => (await bucket.list()).objects.map(({ key }) => key);
const inDatabase = async () => [await db.$count(auditSeals), await db.$count(auditLog)];

const append = (rows: number, deviceId = "ebt-21-0001") =>
  appendAudit(db, rows, () => ({ at: NOW, deviceId }));

/** Seventeen rows under four seals. */
beforeEach(async () => {
  await bucket.delete((await bucket.list()).objects.map(({ key }) => key));
  await emptyTables(env.DB);
  await db.run(sql`delete from sqlite_sequence where name = 'audit_log'`);
  await append(17);
  await scheduledRun(NOW, VARS);
});

describe("the audit log", () => {
  it("leaves when it is old enough and sealed, whole, but for the newest seal; and is verified across both", async () => {
    const before = await verify();
    expect(await scheduledRun(DUE - 1, VARS)).toMatchObject({ archived: { ranges: 0, rows: 0 } });
    expect(await scheduledRun(DUE, VARS)).toMatchObject({ status: 200, archived: { ranges: 3, rows: 15 } });
    expect(await objects()).toEqual([1, 2, 3].map(archiveName));
    expect(await inDatabase()).toEqual([1, 2]);
    expect(await verify()).toEqual(before);
    expect(before).toMatchObject({ seals: 4, rows: 17, faults: [] });
    // What is sealed from now on follows what has left.
    await append(6);
    await scheduledRun(DUE + 1, VARS);
    expect(await verify()).toMatchObject({ seals: 6, rows: 23, faults: [] });
    await scheduledRun(DUE + DUE - NOW + 1, VARS);
    expect(await inDatabase()).toEqual([1, 1]);
    expect(await verify()).toMatchObject({ seals: 6, rows: 23, faults: [] });
    expect(await verify(4)).toMatchObject({ seals: 2, rows: 6, faults: [] });
  });

  it("stays where no archive is bound", async () => {
    expect(await scheduledRun(DUE, { ...VARS, ARCHIVE: undefined })).not.toHaveProperty("archived");
    expect(await inDatabase()).toEqual([4, 17]);
  });

  it("leaves a few ranges in each run, and the rest in later ones", async () => {
    const few = { ...VARS, AUDIT_ARCHIVES_PER_RUN: "2" };
    expect(await scheduledRun(DUE, few)).toMatchObject({ archived: { ranges: 2 } });
    expect(await scheduledRun(DUE, few)).toMatchObject({ archived: { ranges: 1 } });
    expect(await scheduledRun(DUE, { ...few, SWEEP_PART_SECONDS: "0" })).toMatchObject({
      archived: { ranges: 0 },
    });
    expect(await faults()).toEqual([]);
  });

  it("stays as evidence where it is not as it was sealed, and the run fails", async () => {
    const [row] = await db.select().from(auditLog).orderBy(asc(auditLog.id)).limit(1).offset(7);
    await changeRow(db, auditLog, row?.id ?? 0, { event: "nothing" });
    await expect(scheduledRun(DUE, VARS)).rejects.toThrow("failed: archive");
    expect(await objects()).toEqual([archiveName(1)]);
    expect(await inDatabase()).toEqual([3, 12]);
    expect(await faults()).toEqual(["row_changed at 2"]);
  });

  it("stays where something else lies under the name of a range, which is never overwritten", async () => {
    await bucket.put(archiveName(2), "another");
    await expect(scheduledRun(DUE, VARS)).rejects.toThrow("failed: archive");
    expect(await (await bucket.get(archiveName(2)))?.text()).toBe("another");
    expect(await inDatabase()).toEqual([3, 12]);
    expect(await faults()).toEqual([]);
  });
});

describe("in the archive, it shows", () => {
  const changed = async (seal: number, change: (text: string) => string) => {
    const text = (await store.get(archiveName(seal))) ?? "";
    await bucket.put(archiveName(seal), change(text));
  };
  beforeEach(() => scheduledRun(DUE, VARS));

  it.each<[string, string, () => Promise<unknown>]>([
    ["a range that was removed", "seal_missing at 3", () => bucket.delete(archiveName(2))],
    ["a range that is no longer one", "seal_missing at 3", () => changed(2, () => "{")],
    [
      "a seal that says something else",
      "seal_forged at 2",
      () => changed(2, (text) => text.replace('"count":5', '"count":4')),
    ],
    [
      "a row that was put back into the database",
      "row_added at 2",
      () => db.insert(auditLog).values({ id: 7, at: NOW, event: "attached", requestId: "r" }),
    ],
    [
      "a row that was put in below the first",
      "row_added at 1",
      () => db.insert(auditLog).values({ id: -1, at: NOW, event: "attached", requestId: "r" }),
    ],
  ])("%s", async (_, fault, change) => {
    await change();
    expect(await faults()).toContain(fault);
  });
});

describe("a run that dies", () => {
  class Crash extends Error {}
  const die = () => {
    throw new Crash();
  };
  const archive = (database: Db, to: AuditStore) =>
    archiveAudit({
      db: database,
      store: to,
      keys: auditSealKeys.verifying,
      sealedUntil: NOW,
      ranges: 9,
      isOver: () => false,
      tagLives: { claimed: 7 * DAY, entitled: 400 * DAY },
    });
  /** The `nth` call of `method` dies, before it is done or after. */
  const crashingStore = (method: "put" | "get", nth: number, when: "before" | "after"): AuditStore => {
    let calls = 0;
    const dies = () => ++calls === nth;
    const guarded =
      <A extends string[], R>(name: string, work: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        const isLast = name === method && dies();
        if (isLast && when === "before") die();
        const result = await work(...args);
        if (isLast) die();
        return result;
      };
    return { put: guarded("put", store.put), get: guarded("get", store.get) };
  };

  /** Calls of the database in a run over three ranges: seals, then rows and the batch that deletes, of each. */
  const DATABASE_CALLS = 1 + 3 * 2;
  const deaths: (readonly [string, () => readonly [Db, AuditStore]])[] = [
    ...(["put", "get"] as const).flatMap((method) =>
      [1, 2, 3].flatMap((nth) =>
        (["before", "after"] as const).map((when) => {
          const name = `${when} ${method} ${nth}`;
          return [name, () => [db, crashingStore(method, nth, when)] as const] as const;
        }),
      ),
    ),
    ...Array.from({ length: DATABASE_CALLS }, (_, index) => {
      const make = () => {
        let calls = 0;
        const outage = () => (++calls === index + 1 ? "died" : undefined);
        return [connect(failingDatabase(env.DB, outage)), store] as const;
      };
      return [`before call ${index + 1} of the database`, make] as const;
    }),
  ];

  it.each(deaths)("%s has lost nothing, and the next one goes on", async (_, make) => {
    const whole = await verify();
    await expect(archive(...make())).rejects.toThrow();
    expect(await verify()).toEqual(whole);
    // Every row is in at least one place, also for a reader of one place only.
    expect((await verifyAudit(auditReader(db), auditSealKeys.verifying)).rows).toBe(
      17 - 5 * (4 - (await db.$count(auditSeals))),
    );
    await archive(db, store);
    expect(await inDatabase()).toEqual([1, 2]);
    expect(await verify()).toEqual(whole);
  });

  it("beside another one does no harm", async () => {
    const whole = await verify();
    await Promise.allSettled([archive(db, store), archive(db, store), archive(db, store)]);
    await archive(db, store);
    expect(await inDatabase()).toEqual([1, 2]);
    expect(await verify()).toEqual(whole);
  });

  it("or does not, postpones the review of tags that the rows name, once in months", async () => {
    const tag = (id: string, reviewAt: number | null, entitledAt: number | null) => ({
      ...{ id, label: id, registeredAt: 0 },
      reviewAt,
      entitledAt,
    });
    await db
      .insert(devices)
      .values([
        tag("used", NOW + 1, 0),
        tag("claimed", NOW + 1, null),
        tag("imported", null, 0),
        tag("later", NOW + 450 * DAY, 0),
        tag("other", NOW + DAY, 0),
      ]);
    for (const id of ["used", "claimed", "imported", "later"]) await append(1, id);
    await append(5, "unknown");
    await scheduledRun(NOW, VARS);
    await archive(db, store);
    const rows = await db
      .select({ id: devices.id, at: devices.reviewAt })
      .from(devices)
      .where(sql`id not like 'ebt-2%'`);
    expect(Object.fromEntries(rows.map(({ id, at }) => [id, at === null ? null : (at - NOW) / DAY]))).toEqual(
      {
        used: 500,
        claimed: 8.75,
        imported: null,
        later: 450,
        other: 1,
      },
    );
  });
});

/** Seals made by the Worker's own `scheduled()`, and how they show changes by an attacker with the database. */
const seal = (vars: Record<string, unknown> = {}) => scheduledRun(NOW, { AUDIT_ROWS_PER_SEAL: "5", ...vars });
async function sealOf(id: number): Promise<AuditSeal> {
  const [row] = await db.select().from(auditSeals).where(eq(auditSeals.id, id));
  if (row === undefined) throw new Error(`no seal ${id}`);
  return row;
}

/** Ids of the rows under a seal, in order. */
async function idsUnder(id: number): Promise<number[]> {
  const { fromId, toId } = await sealOf(id);
  return (await auditReader(db).rows(fromId, toId)).map((row) => row.id);
}

describe("a log of seventeen rows", () => {
  it("is sealed in ranges that meet, whole, and once", async () => {
    const report = await verify();
    expect(report).toMatchObject({ seals: 4, rows: 17, faults: [] });
    expect(await seal()).toMatchObject({ sealed: { seals: 0, rows: 0, newest: report.newest } });
    await append(1);
    expect(await seal()).toMatchObject({ sealed: { seals: 1, rows: 1 } });
    expect(await verify()).toMatchObject({ seals: 5, rows: 18, faults: [] });
  });

  it("leaves to the next run what one may not do", async () => {
    await append(11);
    expect(await seal({ AUDIT_SEALS_PER_RUN: "2" })).toMatchObject({ sealed: { seals: 2, rows: 10 } });
    expect(await seal()).toMatchObject({ sealed: { seals: 1, rows: 1 } });
    expect(await faults()).toEqual([]);
  });

  it("is verified with keys that have been replaced since, and with no others", async () => {
    const others = await importKeyRing(String(env.ACCESS_TOKEN_KEYS));
    const { faults: strange } = await verifyAudit(auditReader(db), others.verifying);
    expect(strange.map(({ kind }) => kind)).toEqual(Array(4).fill("seal_forged"));
    await append(1);
    const keys = { keys: [...ring(env.ACCESS_TOKEN_KEYS), ...ring(env.AUDIT_SEAL_KEYS)] };
    await seal({ AUDIT_SEAL_KEYS: JSON.stringify(keys) });
    const both = await importKeyRing(JSON.stringify(keys));
    expect(await verifyAudit(auditReader(db), both.verifying)).toMatchObject({ seals: 5, faults: [] });
  });

  it("shows a row that was changed", async () => {
    const [, second = 0] = await idsUnder(2);
    for (const change of [
      { event: "x" },
      { sub: "another" },
      { at: 0 },
      { deviceId: null },
      { reason: "" },
      { count: 2 },
      { staffId: "1001" },
      { licencePlate: "0117123456" },
    ]) {
      const [before] = await db.select().from(auditLog).where(eq(auditLog.id, second));
      await changeRow(db, auditLog, second, change);
      expect(await faults()).toEqual(["row_changed at 2"]);
      await changeRow(db, auditLog, second, before ?? {});
    }
    expect(await faults()).toEqual([]);
  });

  it("shows a row that was removed, and one that was put in its place", async () => {
    const [, , third = 0] = await idsUnder(3);
    await db.delete(auditLog).where(eq(auditLog.id, third));
    expect(await faults()).toEqual(["row_removed at 3"]);
    await db.insert(auditLog).values({ id: third, at: NOW, event: "attached", requestId: "r" });
    expect(await faults()).toEqual(["row_changed at 3"]);
  });

  it("shows a seal that was removed, with its rows", async () => {
    const { fromId, toId } = await sealOf(2);
    await db.delete(auditLog).where(inArray(auditLog.id, await idsUnder(2)));
    await db.delete(auditSeals).where(eq(auditSeals.id, 2));
    expect(await faults()).toEqual(["seal_missing at 3"]);
    expect(toId - fromId).toBe(4);
  });

  it("shows a seal that an attacker without the key made over other rows", async () => {
    const forged = await sealOf(4);
    const rows = (await auditReader(db).rows(forged.fromId, forged.toId)).slice(1);
    await db.delete(auditLog).where(eq(auditLog.id, forged.fromId));
    await changeRow(db, auditSeals, 4, { count: rows.length, rowsHash: await hashOfRows(rows) });
    expect(await faults()).toEqual(["seal_forged at 4"]);
  });

  it("shows at the next seal a past that an attacker with the key rewrote", async () => {
    const [first] = await idsUnder(2);
    await changeRow(db, auditLog, first ?? 0, { event: "nothing" });
    const { fromId, toId } = await sealOf(2);
    const rows = await auditReader(db).rows(fromId, toId);
    const again = await makeSeal(auditSealKeys.signing, await sealOf(1), rows, NOW);
    await changeRow(db, auditSeals, 2, again);
    expect(await faults()).toEqual(["seal_replaced at 3"]);
  });

  it("shows seals cut off at the end by the hash the last run logged", async () => {
    const { newest } = await verify();
    await db.delete(auditLog).where(gt(auditLog.id, (await sealOf(3)).toId));
    await db.delete(auditSeals).where(eq(auditSeals.id, 4));
    const report = await verify();
    expect(report.faults).toEqual([]);
    expect(report.newest).toEqual({ id: 3, hash: await hashOfSeal(await sealOf(3)) });
    expect(newest?.id).toBe(4);
  });
});

const ring = (text: unknown): unknown[] => (JSON.parse(String(text)) as { keys: unknown[] }).keys;
