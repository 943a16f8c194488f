import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { dailyOrFull } from "../../core/full.test-support.ts";
import { BUILT } from "../build/build.ts";
import { chosenPort } from "./port.ts";
import { startScript } from "./test-support/start-script.ts";

/** `npm run dev` loads Vite and its plugins before it fails: in a full run. */
const START = ["start.ts", "npm start"] as const;
const SCRIPTS = dailyOrFull([START], [START, ["dev.ts", "npm run dev"] as const]);

const holder = createServer();
let taken = 0;

beforeAll(async () => {
  holder.listen({ host: "localhost", port: 0 });
  await once(holder, "listening");
  taken = (holder.address() as { port: number }).port;
});
afterAll(() => holder.close());

const stateDir = mkdtempSync(join(tmpdir(), "taglatch-port-"));
afterAll(() => rmSync(stateDir, { recursive: true }));
const say = (script: string, port: string, more: Record<string, string> = {}) =>
  startScript(script, { PORT: port, STATE_DIR: stateDir, ...more });

test.each(SCRIPTS)("%s says that its port is taken and how to choose another", async (script, command) => {
  const { code, errors } = await say(script, String(taken));
  expect(code).toBe(1);
  expect(errors.trim()).toBe(
    `Port ${taken} is taken. Stop what uses it, or choose another: PORT=8788 ${command}`,
  );
});

test.each(SCRIPTS)("%s refuses a PORT that is none", async (script) => {
  const { code, errors } = await say(script, "http");
  expect(code).toBe(2);
  expect(errors.trim()).toBe("PORT is not a port: http");
});

test.each(SCRIPTS)("%s says that STATE_DIR cannot hold a database", async (script, command) => {
  const { code, errors } = await say(script, "0", { STATE_DIR: "package.json", [BUILT]: "1" });
  expect(code).toBe(1);
  expect(errors.trim()).toBe(
    "The database cannot be kept in package.json: the folder is not writable. " +
      `Choose another: STATE_DIR=.wrangler/state-2 ${command}`,
  );
});

test("an empty PORT and an empty STATE_DIR count as absent", async () => {
  vi.stubEnv("PORT", "");
  vi.stubEnv("STATE_DIR", "");
  vi.resetModules();
  const { STATE_DIR } = await import("./state.ts");
  expect([chosenPort(), STATE_DIR]).toEqual([8787, ".wrangler/state"]);
  vi.unstubAllEnvs();
  vi.resetModules();
});
