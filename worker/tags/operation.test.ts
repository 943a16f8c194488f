import { env } from "cloudflare:workers";
import { getTableColumns, sql } from "drizzle-orm";

import { beforeEach, describe, expect, it } from "vitest";
import { clients, deviceTicketLocks, guards } from "../../db/schema.ts";
import { inBatch, isConflict, parameter, Reading, requiring, snapshot, transact } from "../database/batch.ts";
import { countsOf, openDatabase } from "../database/connect.ts";
import { startService } from "../test-support/service.ts";
import { ofAttachment } from "./attachment-facts.ts";
import { ofToken, ofUnlock } from "./facts.ts";
import { ofLookup } from "./lookup-facts.ts";

/** Read, decide, commit (ADR 33): what a guard lets through, and what a conflict leads to. */

const open = () => openDatabase(env.DB, "first-primary");
const ofClient = {
  client: snapshot({ name: clients.name }, sql`from ${clients} where ${clients.id} = ${parameter("id")}`),
  other: snapshot({ name: clients.name }, sql`from ${clients} where ${clients.id} = 'none'`, {
    isGuarded: false,
  }),
};
const reading = new Reading(ofClient);
const values = { id: "client-passenger" };
const rename = (name: string) =>
  env.DB.prepare("update clients set name = ? where id = 'client-passenger'").bind(name).run();

async function read() {
  const { db } = open();
  const { texts } = await inBatch(db, { texts: reading.read(db, values) });
  return texts[0] ?? {};
}

beforeEach(() => startService());

describe("a guard", () => {
  it("lets a commit through while every fact is as it was read, and writes no row", async () => {
    const { db, calls } = open();
    const texts = await read();
    await inBatch(db, { guard: reading.guard(db, values, texts) });
    expect([calls.rowsWritten, await db.$count(guards)]).toEqual([0, 0]);
  });

  it("fails, and its batch with it, where a guarded fact has changed", async () => {
    const texts = await read();
    const { name } = (await env.DB.prepare(
      "select name from clients where id = 'client-passenger'",
    ).first()) as { name: string };
    await rename("another");
    const { db } = open();
    const commit = inBatch(db, {
      write: db.insert(guards).select(sql`select 1 where false`),
      guard: reading.guard(db, values, texts),
    });
    expect(isConflict(await commit.catch((error: unknown) => error))).toBe(true);
    await rename(name);
  });

  it("fails closed for a text that is none", async () => {
    const { db } = open();
    const texts = { client: null, other: "[]" } as never;
    await expect(inBatch(db, { guard: reading.guard(db, values, texts) })).rejects.toThrow();
  });

  it("does not check facts that are not guarded", async () => {
    const { db } = open();
    const texts = { ...(await read()), other: "changed" };
    await expect(inBatch(db, { guard: reading.guard(db, values, texts) })).resolves.toBeDefined();
  });

  it.each(["false", "null", "0"])("requires more than %s", async (condition) => {
    const { db } = open();
    await expect(inBatch(db, { required: requiring(db, sql.raw(condition)) })).rejects.toThrow();
    await expect(inBatch(db, { required: requiring(db, sql`1 = 1`) })).resolves.toBeDefined();
  });
});

describe("a conflict", () => {
  it.each([
    ["as SQLite says it", new Error("CHECK constraint failed: facts_unchanged")],
    ["as D1 says it", new Error("D1_ERROR: CHECK constraint failed: facts_unchanged: SQLITE_CONSTRAINT")],
    [
      "as drizzle hides it",
      new Error("Failed query", { cause: new Error("CHECK constraint failed: facts_unchanged") }),
    ],
  ])("is recognized %s", (_, error) => {
    expect(isConflict(error)).toBe(true);
  });

  it.each([
    new Error("CHECK constraint failed: held"),
    new Error("UNIQUE constraint failed: devices.id"),
    "text",
    undefined,
  ])("is not %s", (error) => {
    expect(isConflict(error)).toBe(false);
  });

  const failing = (db: ReturnType<typeof open>["db"]) => ({ required: requiring(db, sql`1 = 0`) });

  it("reads and decides again, and counts the calls of it", async () => {
    const { db, calls } = open();
    let reads = 0;
    const decision = await transact(db, {
      ...{ first: 0, random: () => 0, elapsed: () => 0, read: async () => (reads += 1) },
      plan: async (facts: number) => ({ decision: facts, commit: facts < 2 ? failing(db) : undefined }),
    });
    expect([decision, reads, countsOf(calls).again]).toEqual([2, 2, 4]);
  });

  it.each([
    ["eight attempts", [], 8],
    ["four seconds", [4_000, 4_001], 2],
  ])("gives up after %s, for the caller to try again", async (_, times, most) => {
    const { db } = open();
    let attempts = 0;
    const run = transact(db, {
      ...{ first: 0, random: () => 0, elapsed: () => times[attempts - 1] ?? 0, read: async () => 0 },
      plan: async () => {
        attempts += 1;
        return { decision: undefined, commit: failing(db) };
      },
    });
    await expect(run).rejects.toMatchObject({ code: "service_unavailable" });
    expect(attempts).toBe(most);
  });

  it("is none where the database did not answer: the batch may have been committed", async () => {
    const lost = new Error("D1_ERROR: Network connection lost.");
    const binding = {
      withSession: () => ({
        prepare: () => ({ bind: () => ({}) }),
        batch: () => Promise.reject(lost),
        getBookmark: () => null,
      }),
    };
    const { db } = openDatabase(binding as never, "first-primary");
    let attempts = 0;
    const run = transact(db, {
      ...{ first: 0, random: () => 0, elapsed: () => 0, read: async () => 0 },
      plan: async () => {
        attempts += 1;
        return { decision: undefined, commit: { one: db.select().from(guards) } };
      },
    });
    await expect(run).rejects.toThrow("did not answer");
    expect(attempts).toBe(1);
  });
});

it("gives no function of SQLite more than the 32 arguments that D1 takes", () => {
  expect(Object.keys(getTableColumns(deviceTicketLocks)).length + 2).toBeLessThanOrEqual(32);
  const texts = [ofAttachment, ofLookup, ofToken, ofUnlock].flatMap((all) => Object.values(all));
  for (const { select } of texts) {
    const count = (chunks: readonly unknown[]): void => {
      const commas = chunks.filter(
        (chunk) =>
          Array.isArray((chunk as { value?: unknown })?.value) &&
          (chunk as { value: string[] }).value.join("") === ", ",
      );
      expect(commas.length).toBeLessThan(32);
      for (const chunk of chunks) {
        const inner = (chunk as { queryChunks?: readonly unknown[] })?.queryChunks;
        if (inner !== undefined) count(inner);
      }
    };
    count(select.queryChunks);
  }
});
