import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { desc, eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import * as schema from "../../db/schema.ts";
import { makeSeal } from "../../worker/audit/seals/seal.ts";
import { importSignKey } from "../../worker/config/keys.ts";
import type { PrivateJwk } from "../serve/keys.ts";
import { devSecrets, operatorHere } from "./test-support/operator.ts";

/** The audit log, as an operator verifies and archives it. */

const operator = operatorHere();
const archiveFolder = operator.file("archive");
const { ops } = operator;

beforeEach(() => rmSync(archiveFolder, { recursive: true, force: true }));

describe("the audit log", () => {
  /** A row for each time, and a seal over them. */
  async function appendSealed(...times: readonly number[]): Promise<void> {
    const [jwk] = (JSON.parse(devSecrets.AUDIT_SEAL_KEYS ?? "") as { keys: PrivateJwk[] }).keys;
    if (jwk === undefined) throw new Error("no key");
    const { db } = operator;
    const rows = times.map((at) => ({ at, event: "attached", requestId: "r" }));
    const added = await db.insert(schema.auditLog).values(rows).returning();
    const [last] = await db.select().from(schema.auditSeals).orderBy(desc(schema.auditSeals.id)).limit(1);
    await db
      .insert(schema.auditSeals)
      .values(await makeSeal({ kid: jwk.kid, key: await importSignKey(jwk) }, last, added, 3));
  }

  it("is verified against its seals, leaves for a folder, and a change here or there is reported", async () => {
    expect(await ops("audit", "verify")).toEqual(["0 seals, 0 rows, 0 not sealed yet, newest none"]);
    await appendSealed(1, 2);
    await appendSealed(3);
    const fresh = { at: 3, event: "attached", requestId: "r" };
    await operator.db.insert(schema.auditLog).values([fresh, fresh, fresh]);
    const whole = await ops("audit", "verify");
    expect(whole).toEqual([expect.stringMatching(/^2 seals, 3 rows, 3 not sealed yet, newest 2 [\w-]{43}$/)]);
    const archive = ["--archive", archiveFolder];
    expect(await ops("audit", "verify", ...archive)).toEqual(whole);
    await ops("audit", "verify", "--expect", whole[0]?.split(" ").at(-1) ?? "");
    const cut = operator.outcome("audit", "verify", "--expect", "A".repeat(43));
    expect((await cut).sentence).toContain("not what was sealed");
    expect(await ops("audit", "archive", ...archive)).toEqual(["1 ranges, 2 rows moved"]);
    expect(await ops("audit", "archive", ...archive)).toEqual(["0 ranges, 0 rows moved"]);
    expect(await ops("audit", "verify", ...archive)).toEqual(whole);
    await expect(ops("audit", "verify")).rejects.toThrow("not what was sealed");
    const since = ["--since", "1"];
    expect((await ops("audit", "verify", ...since, ...archive))[0]).toContain("1 seals, 1 rows");
    const path = join(archiveFolder, "audit", "000000000001.ndjson");
    // Files of a run that died halfway do no harm.
    expect(readdirSync(join(archiveFolder, "audit"))).toEqual(["000000000001.ndjson"]);
    const put = (event: string) =>
      operator.db.update(schema.auditLog).set({ event }).where(eq(schema.auditLog.id, 3));
    await put("nothing");
    await expect(ops("audit", "verify", ...archive)).rejects.toThrow("not what was sealed");
    await put("attached");
    writeFileSync(path, readFileSync(path, "utf8").replace("attached", "nothing"));
    await expect(ops("audit", "verify", ...archive)).rejects.toThrow("not what was sealed");
  });

  it("stays where a file of that name holds something else", async () => {
    await appendSealed(1);
    await appendSealed(2);
    mkdirSync(join(archiveFolder, "audit"), { recursive: true });
    writeFileSync(join(archiveFolder, "audit", "000000000001.ndjson"), "something else\n");
    const archive = ["--archive", archiveFolder];
    await expect(ops("audit", "archive", ...archive)).rejects.toThrow("copy_not_as_sealed");
    expect(await operator.db.$count(schema.auditLog)).toBe(2);
  });
});
