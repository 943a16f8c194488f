import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tablesOf, tableWith } from "../documents/tables.ts";
import { ROOT } from "../project-files.ts";
import { HEADER, rowsOfANetwork } from "./rows-of-a-network.ts";

it("docs/security.md says how many rows the anonymous callers of one network can write in an hour", () => {
  const document = readFileSync(join(ROOT, "docs/security.md"), "utf8");
  expect(tableWith(tablesOf(document), ...HEADER).rows).toEqual(rowsOfANetwork());
});
