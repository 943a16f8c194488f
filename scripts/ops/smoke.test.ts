import { join } from "node:path";
import { IDBFactory } from "fake-indexeddb";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { connect } from "../../worker/database/connect.ts";
import { type Server, startServer } from "../serve/server.ts";
import { temporaryFolder } from "../test/test-support/temporary-folder.ts";
import { copyPreparedState, everyRow, outcomeOf, restore } from "./test-support/operator.ts";

/** A smoke test leaves nothing in the database but its rows of the audit log. */

const folder = temporaryFolder();
const stateDir = join(folder, "state");
let server: Server;
beforeAll(async () => {
  server = await startServer({ port: 0, stateDir });
});
beforeEach(async () => {
  // A client that finds another run's session in its storage would go on with it.
  globalThis.indexedDB = new IDBFactory();
  await restore(connect(server.database));
});
afterAll(() => server.stop());

/** What it says, step by step. */
async function smoke(url: string, { state = stateDir, surname = "O'Brien" } = {}) {
  return ops("smoke", "--url", url, "--state", state, "--locator", "OB1NKE", "--surname", surname);
}

async function ops(...words: readonly string[]): Promise<readonly string[]> {
  const { lines } = await outcomeOf(words);
  return lines.map((line) => line.replaceAll("\t", " ").replace(/ \d+ ms/, ""));
}

const rowsOf = ({ database }: Server) => everyRow(connect(database));

it("a whole way leaves no row but four of the audit log", async () => {
  const before = await rowsOf(server);
  expect(Object.keys(before).length).toBeGreaterThan(25);
  const said = await smoke(server.url);
  expect(said.slice(3)).toEqual([
    "ok sign in, load a booking",
    "ok database",
    "ok connect a virtual tag",
    "ok transfer",
    "ok clear",
    "ok delete its rows, 4 rows stay in the audit log, which only grows",
  ]);
  const { audit_log, ...others } = await rowsOf(server);
  expect({ audit_log: "[]", ...others }).toEqual({ ...before, audit_log: "[]" });
  expect(JSON.parse(audit_log ?? "").map(({ event }: { event: string }) => event)).toEqual([
    ...["tag_statement_refused", "attached", "cleared", "tag_statement_refused"],
  ]);
});

it("stops where a step fails, before it writes a tag, and says which", async () => {
  expect((await smoke(server.url, { surname: "Byron" })).slice(3)).toEqual([
    "FAIL sign in, load a booking journey_not_found",
    expect.stringMatching(/^ok delete its rows/),
  ]);
  const other = join(folder, "other");
  await copyPreparedState(other);
  expect((await smoke(server.url, { state: other })).slice(4)).toEqual([
    "FAIL database the service does not write to this database: name its own, by --remote --env or --state",
    "ok delete its rows, 0 rows stay in the audit log, which only grows",
  ]);
});

it("the doctor asks the same service whether it answers, and what its clock says", async () => {
  const said = await ops("doctor", "--url", server.url, "--state", stateDir);
  expect(said).toContain("ok clock this machine and the deployment agree");
  expect(said.join("\n")).toMatch(/^(ok|warn) healthz 200 /m);
});

it("one that fails leaves nothing either", async () => {
  const state = join(folder, "closed");
  const closed = await startServer({ port: 0, stateDir: state, vars: { DEVICE_REGISTRY: "closed" } });
  onTestFinished(closed.stop);
  const { audit_log: _, ...before } = await rowsOf(closed);
  const said = await smoke(closed.url, { state });
  expect(said.filter((line) => line.startsWith("FAIL"))).toEqual([
    expect.stringMatching(/^FAIL transfer device_not_found: only imported tags exist here/),
  ]);
  const { audit_log, ...after } = await rowsOf(closed);
  expect(after).toEqual(before);
  expect(audit_log).toBeDefined();
});
