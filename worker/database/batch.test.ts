import { env } from "cloudflare:workers";
import { asc, eq, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { inBatch, insertFrom } from "./batch.ts";
import { connect } from "./connect.ts";

/** A table as it was, and as the code may know it after its columns have changed places. */
const before = sqliteTable("kit", {
  id: integer().primaryKey({ autoIncrement: true }),
  name: text().notNull(),
  flags: text({ mode: "json" }).$type<Readonly<Record<string, boolean>>>(),
  isOpen: integer("is_open", { mode: "boolean" }).notNull(),
});
const after = sqliteTable("kit", {
  isOpen: integer("is_open", { mode: "boolean" }).notNull(),
  flags: text({ mode: "json" }).$type<Readonly<Record<string, boolean>>>(),
  name: text().notNull(),
  id: integer().primaryKey({ autoIncrement: true }),
});

const db = connect(env.DB);
const all = () => db.select().from(before).orderBy(asc(before.id));

beforeAll(async () => {
  await db.run(
    sql`create table kit (id integer primary key autoincrement, name text not null, flags text, is_open integer not null)`,
  );
});
beforeEach(async () => {
  await db.delete(before);
});

describe("insertFrom", () => {
  it.each([
    ["as they are in the database", before],
    ["in another order", after],
  ])("puts each value into the column of its name, columns listed %s", async (_, table) => {
    const row = { isOpen: true, flags: { loud: true }, name: "first" };
    await insertFrom(db, table, row, sql``);
    expect(await all()).toEqual([{ id: expect.any(Number), ...row }]);
  });

  it("leaves out what may be null", async () => {
    await insertFrom(db, before, { name: "first", isOpen: false }, sql``);
    expect(await all()).toMatchObject([{ name: "first", flags: null, isOpen: false }]);
  });

  it("writes a row for each row it is selected from, and none where there is none", async () => {
    const names = sql`from json_each('["a", "b"]')`;
    await insertFrom(db, before, { name: sql`value`, isOpen: true }, names);
    await insertFrom(db, before, { name: "never", isOpen: true }, sql`where false`);
    expect((await all()).map(({ name }) => name)).toEqual(["a", "b"]);
  });

  it("refuses a row without a value that must be there, before anything runs", () => {
    const row = { name: "first" } as { name: string; isOpen: boolean };
    expect(() => insertFrom(db, before, row, sql``)).toThrow(new TypeError("is_open has no value"));
  });
});

describe("inBatch", () => {
  const insert = (name: string) => db.insert(before).values({ name, isOpen: true });
  const named = (name: string) => db.select({ name: before.name }).from(before).where(eq(before.name, name));

  it("answers by name, whatever there is before it: lists, groups, nothing", async () => {
    const { lists, group, one } = await inBatch(db, {
      nothing: undefined,
      written: [insert("a"), insert("b")],
      lists: [named("a"), named("x"), named("b")],
      group: { inner: named("b"), nothing: undefined },
      one: named("a"),
    });
    expect(lists).toEqual([[{ name: "a" }], [], [{ name: "b" }]]);
    expect(group).toEqual({ inner: [{ name: "b" }], nothing: undefined });
    expect(one).toEqual([{ name: "a" }]);
  });

  it("commits all statements or none", async () => {
    const failing = db.insert(before).values({ name: sql`null`, isOpen: true });
    await expect(inBatch(db, { first: insert("a"), last: failing })).rejects.toThrow();
    expect(await all()).toEqual([]);
  });

  it("makes no call without statements", async () => {
    const unbound = connect({} as D1Database);
    expect(await inBatch(unbound, { none: undefined, list: [] })).toEqual({ none: undefined, list: [] });
  });
});
