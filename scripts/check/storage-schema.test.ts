import { readFileSync } from "node:fs";
import { join } from "node:path";
import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { expect, it } from "vitest";
import * as schema from "../../db/schema.ts";
import { ROOT } from "../project-files.ts";

const DOCUMENT = readFileSync(join(ROOT, "docs/storage-schema.md"), "utf8");

/** Table → columns, sorted. */
type Columns = Readonly<Record<string, readonly string[]>>;

/** Each table has a heading, and its columns come in lists before a colon. */
const documented = (): Columns =>
  Object.fromEntries(
    DOCUMENT.split(/^### /m)
      .slice(1)
      .map((section) => {
        const lists = [...section.matchAll(/((?:`\w+`,\s+)*`\w+`):/g)];
        const names = lists.flatMap(([, list = ""]) => list.match(/\w+/g) ?? []);
        return [/^`(\w+)`/.exec(section)?.[1] ?? section, names.toSorted()];
      }),
  );

const defined = (): Columns =>
  Object.fromEntries(
    Object.values(schema)
      .filter((value) => is(value, SQLiteTable))
      .map((table) => getTableConfig(table))
      .map(({ name, columns }) => [name, columns.map((column) => column.name).toSorted()]),
  );

it("docs/storage-schema.md names every table and column of db/schema, and no other", () => {
  expect(Object.keys(defined()).length).toBeGreaterThan(30);
  expect(documented()).toEqual(defined());
});
