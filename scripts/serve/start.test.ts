import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { type Program, start } from "../run.ts";
import { runningServices } from "./state.ts";

const stateDir = mkdtempSync(join(tmpdir(), "taglatch-start-"));
let service: Program | undefined;
afterAll(async () => {
  await service?.stop();
  rmSync(stateDir, { recursive: true, force: true });
});

it("the operator's commands work on the database of the service that runs, wherever that is", async () => {
  const { STATE_DIR: _, ...env } = process.env;
  const run = (words: string, more: object) =>
    start(process.execPath, words.split(" "), { env: { ...env, ...more } });
  service = run("scripts/serve/start.ts", { PORT: "0", STATE_DIR: stateDir });
  const [, port] = await service.prints(/^ready http:\/\/localhost:(\d+)/m);
  const { code, output } = await run("scripts/ops/ops.ts plates list", { PORT: port }).ended;
  expect(code).toBe(0);
  expect(output.split("\n")).toContain(`database: this machine's, ${stateDir}`);
  await service.stop();
  expect(runningServices().filter((each) => each.stateDir === stateDir)).toEqual([]);
});
