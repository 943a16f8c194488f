import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../test/test-support/temporary-folder.ts";
import { announce, lockStateDir, runningServices } from "./state.ts";

const folder = temporaryFolder();

const refusal = (stateDir: string): unknown => {
  try {
    return lockStateDir(stateDir, join(folder, "running"));
  } catch (error) {
    return error;
  }
};

it("a refused service learns the port of the one that runs, and none of one that is starting", () => {
  const stateDir = join(folder, "held");
  expect(refusal(stateDir)).toBeUndefined();
  expect(refusal(stateDir)).toMatchObject({ message: expect.stringContaining("is starting ") });
  announce({ port: 40_001, stateDir }, join(folder, "running"));
  expect(refusal(stateDir)).toMatchObject({ message: expect.stringContaining("runs on port 40001 ") });
});

it("a killed service leaves no lock, and no process id that another program could have", async () => {
  const stateDir = join(folder, "killed");
  const module = join(import.meta.dirname, "state.ts");
  const service = spawn(process.execPath, [
    "--input-type=module",
    "--eval",
    `import { lockStateDir } from ${JSON.stringify(module)};
     lockStateDir(${JSON.stringify(stateDir)});
     console.log("held");
     setInterval(() => globalThis.gc?.(), 1e6);`,
  ]);
  await once(service.stdout, "data");
  expect(refusal(stateDir)).toBeInstanceOf(Error);
  service.kill("SIGKILL");
  await once(service, "close");
  expect(readFileSync(join(stateDir, "service.sqlite"), "utf8")).toBe("");
  expect(refusal(stateDir)).toBeUndefined();
});

it("a service is listed while its process lives", () => {
  expect(runningServices(join(folder, "nowhere"))).toEqual([]);
  const list = join(folder, "listed");
  announce({ port: 8788, stateDir: "/state" }, list);
  // The highest number that Linux gives: no process has it, or it is not ours.
  const killed = JSON.stringify({ pid: 4_194_305, port: 1, stateDir: "/killed" });
  writeFileSync(join(list, "killed.json"), killed);
  writeFileSync(join(list, "starting.json"), '{"pid":');
  expect(runningServices(list)).toEqual([{ pid: process.pid, port: 8788, stateDir: "/state" }]);
});
