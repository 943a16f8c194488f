import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { ROOT } from "../project-files.ts";
import { runningServices } from "./state.ts";

const stateDir = mkdtempSync(join(tmpdir(), "taglatch-start-"));
let service: ChildProcess | undefined;
afterAll(() => {
  service?.kill();
  rmSync(stateDir, { recursive: true, force: true });
});

const start = (script: string, args: readonly string[], more: Record<string, string>) =>
  spawn(process.execPath, [join(ROOT, script), ...args], { env: { ...process.env, ...more }, stdio: "pipe" });

it("the operator's commands work on the database of the service that runs, wherever that is", async () => {
  service = start("scripts/serve/start.ts", [], { PORT: "0", STATE_DIR: stateDir });
  const port = await new Promise<string>((found) => {
    service?.stdout?.on("data", (chunk: Buffer) => {
      const [, ready] = /^ready http:\/\/localhost:(\d+)/m.exec(chunk.toString()) ?? [];
      if (ready !== undefined) found(ready);
    });
  });
  const { STATE_DIR: _, ...env } = process.env;
  const words = [join(ROOT, "scripts/ops/ops.ts"), "plates", "list"];
  const ops = spawn(process.execPath, words, { env: { ...env, PORT: port }, stdio: "pipe" });
  let notes = "";
  ops.stderr.on("data", (chunk: Buffer) => {
    notes += chunk.toString();
  });
  const [code] = await once(ops, "close");
  expect([code, notes.split("\n")[0]]).toEqual([0, `database: this machine's, ${stateDir}`]);
  service.kill();
  await once(service, "close");
  expect(runningServices().filter((each) => each.stateDir === stateDir)).toEqual([]);
});
