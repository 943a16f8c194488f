import { env } from "cloudflare:workers";
import { eq, gt, inArray } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { auditLog, auditSeals } from "../../../db/schema.ts";
import { readSettings } from "../../config/env.ts";
import { importKeyRing } from "../../config/keys.ts";
import { connect } from "../../database/connect.ts";
import { appendAudit, changeRow } from "../../test-support/rows.ts";
import { scheduledRun } from "../../test-support/service.ts";
import { auditReader } from "./reader.ts";
import { type AuditSeal, hashOfRows, hashOfSeal, makeSeal } from "./seal.ts";
import { verifyAudit } from "./verification.ts";

/** Seals made by the Worker's own `scheduled()`, and how they show changes by an attacker with the database. */

const db = connect(env.DB);
const { auditSealKeys } = await readSettings(env);
const NOW = Date.now();

const seal = (vars: Record<string, unknown> = {}) => scheduledRun(NOW, { AUDIT_ROWS_PER_SEAL: "5", ...vars });
const verify = (since?: number) => verifyAudit(auditReader(db), auditSealKeys.verifying, since);
const faults = async () => (await verify()).faults.map(({ kind, seal: id }) => `${kind} at ${id}`);

const append = (rows: number) => appendAudit(db, rows, () => ({ at: NOW }));

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
  beforeEach(async () => {
    await db.batch([db.delete(auditSeals), db.delete(auditLog)]);
    await append(17);
    await seal();
  });

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

  it("shows a row that was put in below the first", async () => {
    await db.insert(auditLog).values({ id: -1, at: NOW, event: "attached", requestId: "r" });
    expect(await faults()).toEqual(["row_added at 1"]);
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
