import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { lockStateDir, StateDirInUse } from "./state-lock.ts";

const folder = mkdtempSync(join(tmpdir(), "taglatch-state-lock-"));
afterAll(() => rmSync(folder, { recursive: true }));

const refusal = (stateDir: string): unknown => {
  try {
    return lockStateDir(stateDir, 0);
  } catch (error) {
    return error;
  }
};

it("names the port asked for until it is served, and none while the system chooses one", () => {
  lockStateDir(join(folder, "asked"), 8788);
  expect(refusal(join(folder, "asked"))).toMatchObject({ name: "StateDirInUse", port: 8788 });
  const { writePort } = lockStateDir(join(folder, "chosen"), 0);
  expect(refusal(join(folder, "chosen"))).toMatchObject({ name: "StateDirInUse", port: undefined });
  writePort(40_001);
  expect(refusal(join(folder, "chosen"))).toMatchObject({ name: "StateDirInUse", port: 40_001 });
});

it("a killed service leaves no lock, and no process id that another program could have", async () => {
  const stateDir = join(folder, "killed");
  const module = join(import.meta.dirname, "state-lock.ts");
  const service = spawn(process.execPath, [
    "--input-type=module",
    "--eval",
    `import { lockStateDir } from ${JSON.stringify(module)};
     lockStateDir(${JSON.stringify(stateDir)}, 8789);
     console.log("held");
     setInterval(() => globalThis.gc?.(), 1e6);`,
  ]);
  await once(service.stdout, "data");
  expect(refusal(stateDir)).toEqual(new StateDirInUse(8789));
  service.kill("SIGKILL");
  await once(service, "close");
  expect(readFileSync(join(stateDir, "service-port"), "utf8")).toBe("8789");
  expect(readFileSync(join(stateDir, "service.sqlite"), "utf8")).toBe("");
  expect(refusal(stateDir)).not.toBeInstanceOf(Error);
});
