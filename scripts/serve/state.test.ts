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
    return lockStateDir(stateDir, 0);
  } catch (error) {
    return error;
  }
};

it("names the port asked for until it is served, and none while the system chooses one", () => {
  lockStateDir(join(folder, "asked"), 8788);
  expect(refusal(join(folder, "asked"))).toMatchObject({
    message: expect.stringContaining("runs on port 8788 "),
  });
  const { writePort } = lockStateDir(join(folder, "chosen"), 0);
  expect(refusal(join(folder, "chosen"))).toMatchObject({ message: expect.stringContaining("is starting ") });
  writePort(40_001);
  expect(refusal(join(folder, "chosen"))).toMatchObject({
    message: expect.stringContaining("runs on port 40001 "),
  });
});

it("a killed service leaves no lock, and no process id that another program could have", async () => {
  const stateDir = join(folder, "killed");
  const module = join(import.meta.dirname, "state.ts");
  const service = spawn(process.execPath, [
    "--input-type=module",
    "--eval",
    `import { lockStateDir } from ${JSON.stringify(module)};
     lockStateDir(${JSON.stringify(stateDir)}, 8789);
     console.log("held");
     setInterval(() => globalThis.gc?.(), 1e6);`,
  ]);
  await once(service.stdout, "data");
  expect(refusal(stateDir)).toMatchObject({ message: expect.stringContaining("runs on port 8789 ") });
  service.kill("SIGKILL");
  await once(service, "close");
  expect(readFileSync(join(stateDir, "service-port"), "utf8")).toBe("8789");
  expect(readFileSync(join(stateDir, "service.sqlite"), "utf8")).toBe("");
  expect(refusal(stateDir)).not.toBeInstanceOf(Error);
});

it("a service is listed while its process lives", () => {
  expect(runningServices(join(folder, "nowhere"))).toEqual([]);
  const list = join(folder, "running");
  announce({ port: 8788, stateDir: "/state" }, list);
  // The highest number that Linux gives: no process has it, or it is not ours.
  const killed = JSON.stringify({ pid: 4_194_305, port: 1, stateDir: "/killed" });
  writeFileSync(join(list, "killed.json"), killed);
  writeFileSync(join(list, "starting.json"), '{"pid":');
  expect(runningServices(list)).toEqual([{ pid: process.pid, port: 8788, stateDir: "/state" }]);
});
