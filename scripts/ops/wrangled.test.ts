import { globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { eq } from "drizzle-orm";
import { beforeAll, expect, it } from "vitest";
import * as schema from "../../db/schema.ts";
import { connect } from "../../worker/database/connect.ts";
import { prepareState } from "../serve/server.ts";
import { temporaryFolder } from "../test/test-support/temporary-folder.ts";
import { d1OverText } from "./d1-over-text.ts";
import { throughWrangler } from "./database.ts";
import { operate } from "./operate.ts";

/** Statements as wrangler takes them, each in a run of its own. */

const stateDir = temporaryFolder();
beforeAll(() => prepareState(stateDir));

const wrangled = () => connect(d1OverText(throughWrangler(["--local", "--persist-to", stateDir])));
const plates = { leading: 0, firstSerial: 1, lastSerial: 2, nextSerial: 1 };

it("through wrangler, several of them at once, rows and all", async () => {
  const values = { ...plates, airline: "YY", issuer: "998" };
  const ofYy = eq(schema.plateRanges.airline, "YY");
  const db = wrangled();
  const [, rows, named] = await db.batch([
    db.insert(schema.plateRanges).values(values),
    db.select().from(schema.plateRanges).where(ofYy),
    db.select({ last: schema.plateRanges.lastSerial }).from(schema.plateRanges).where(ofYy),
  ]);
  expect(rows).toEqual([{ ...values, issuedSerial: null, requestId: null }]);
  expect(named).toEqual([{ last: 2 }]);
});

it("through wrangler, which says why the database refuses", async () => {
  const insert = wrangled()
    .insert(schema.plateRanges)
    .values([1, 2].map(() => ({ ...plates, airline: "ZZ", issuer: "997" })));
  await expect(Promise.resolve(insert)).rejects.toMatchObject({
    cause: expect.objectContaining({ message: expect.stringContaining("UNIQUE constraint failed") }),
  });
});

it("through wrangler, a batch of the longest tags, and what is joined comes back under its own names", async () => {
  const rows = Array.from({ length: 50 }, (_, n) => `${"x".repeat(120)}-${n},${"A".repeat(43)}`);
  const list = join(stateDir, "tags.csv");
  writeFileSync(list, ["id,spkiHash", ...rows].join("\n"));
  const open = async () => ({ db: wrangled(), name: "wrangled", close: async () => undefined });
  const lines: string[] = [];
  const ops = (...words: string[]) => operate(words, { print: (line) => lines.push(line), env: {}, open });
  await ops("devices", "import", "--remote", "--file", list);
  await ops("devices", "list", "--remote", "--after", "x", "--limit", "1");
  expect(lines).toEqual(["devices at v2.1: 50", `${"x".repeat(120)}-0\t${"x".repeat(120)}-0\t2.1\tknown\t`]);
});

it("waits while a running service writes to the same file", async () => {
  const [path = ""] = globSync(join(stateDir, "v3/d1/*/*.sqlite")).filter(
    (each) => !each.endsWith("metadata.sqlite"),
  );
  const service = new DatabaseSync(path);
  service.exec("BEGIN IMMEDIATE");
  const set = ["plates", "set", "--airline", "XX", "--issuer", "996", "--first", "1", "--last", "9"];
  const command = operate(set, { print: () => undefined, env: { STATE_DIR: stateDir } });
  // Longer than the command takes to get there on a busy machine; what it then meets is a file that is taken.
  setTimeout(() => service.exec("COMMIT"), 5_000);
  await command.finally(() => service.close());
  const rows = await wrangled().select().from(schema.plateRanges).where(eq(schema.plateRanges.airline, "XX"));
  expect(rows).toHaveLength(1);
});
