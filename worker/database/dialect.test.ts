import { asc, sql as drizzles, eq, exists, inArray, max, type SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { alias, SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { expect, it } from "vitest";
import { clients, devices, deviceTicketLocks, sessions } from "../../db/schema.ts";
import { sql } from "../../db/sql.ts";
import { QuickDialect } from "./dialect.ts";

/** Every kind of part that a statement of ours has, and some that none has yet, as the library itself writes them. */
const db = drizzle({} as D1Database);
const { id, label, commits } = devices;
const other = alias(devices, "other");
const inner = db
  .select({ id: deviceTicketLocks.deviceId })
  .from(deviceTicketLocks)
  .where(eq(deviceTicketLocks.baggageId, 7));
const STATEMENTS: readonly (readonly [string, { getSQL(): SQL }])[] = [
  [
    "columns, tables and values",
    sql`${id} = ${"a?"} and ${commits} is ${null} or ${devices} ${undefined} ${true}`,
  ],
  ["a text with question marks and quotes", sql`'?' || ${sql.raw(`"it''s"`)} || ${sql.identifier('a"b')}`],
  ["lists", sql`${id} in ${["x", sql`${1}`, 2]} and ${label} in ${[]}`],
  [
    "values that a column encodes",
    sql`${sql.param([{ a: 1 }], clients.airlines)} ${sql.param(null, clients.airlines)}`,
  ],
  ["values written out", sql`${id} in (${sql`${"it's"}, ${3}`.inlineParams()}) and ${label} = ${4}`],
  ["a select within", sql`exists ${inner} and ${exists(inner)}`],
  ["a named expression and a placeholder", sql`${sql`1`.as("one")} ${drizzles.placeholder("p")}`],
  ["an alias", db.select().from(devices).innerJoin(other, eq(other.id, id)).where(eq(other.label, "x"))],
  ["a subquery", db.select().from(inner.as("named")).orderBy(asc(sql`1`)).limit(2)],
  [
    "a select",
    db
      .select({ latest: max(commits) })
      .from(devices)
      .where(inArray(id, ["a", "b"]))
      .groupBy(label),
  ],
  [
    "an insert",
    db
      .insert(sessions)
      .values({ id: "s", scopes: ["a"] } as never)
      .onConflictDoNothing()
      .returning(),
  ],
  [
    "an update",
    db
      .update(devices)
      .set({ label: "l", commits: sql`${commits} + ${1}` })
      .where(eq(id, "a")),
  ],
  ["a deletion", db.delete(devices).where(eq(id, "a")).returning({ id })],
];

it.each(STATEMENTS)("writes %s as drizzle does", (_, statement) => {
  const { typings: _typings, ...expected } = new SQLiteAsyncDialect({}).sqlToQuery(statement.getSQL());
  expect(new QuickDialect().sqlToQuery(statement.getSQL())).toEqual(expected);
});

it("makes parts that the library reads like its own", () => {
  const write = (tag: typeof sql) => {
    const texts = [tag`${id}`, tag`between ${1} and ${tag``}`, tag`alone`];
    return new SQLiteAsyncDialect({}).sqlToQuery(
      tag`${tag.join(texts, tag`, `)} or ${tag.join([], tag`, `)}`,
    );
  };
  expect(write(sql)).toEqual(write(drizzles));
});
