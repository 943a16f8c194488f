import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../scripts/project-files.ts";
import { expect, test } from "./support/test.ts";

/** An operator's command as it is typed, against a running service. */
function ops(...words: readonly string[]) {
  const args = ["--no-warnings", join(ROOT, "scripts", "ops", "ops.ts"), ...words];
  const { status, stdout, stderr } = spawnSync("node", args, { cwd: ROOT, encoding: "utf8" });
  return { status, stdout, stderr };
}

const BOOKING = ["--locator", "OB1NKE", "--surname", "O'Brien"];

test("the smoke test takes a passenger's whole way and leaves nothing locked", { tag: "@night" }, ({
  service,
}) => {
  const { status, stdout, stderr } = ops("smoke", "--url", service, ...BOOKING, "--json");
  expect(stderr).toBe("");
  const steps = JSON.parse(stdout) as readonly { readonly state: string; readonly step: string }[];
  expect(steps.map(({ state, step }) => `${state} ${step}`)).toEqual([
    "ok healthz",
    "ok configuration",
    "ok openapi.json",
    "ok sign in, load a booking",
    "ok connect a virtual tag",
    "ok transfer",
    "ok clear",
  ]);
  expect(status).toBe(0);
});

test("the smoke test stops where a step fails, and says which", { tag: "@night" }, ({ service }) => {
  const { status, stdout, stderr } = ops(
    "smoke",
    "--url",
    service,
    "--locator",
    "OB1NKE",
    "--surname",
    "Byron",
  );
  expect(stdout).toMatch(/^FAIL\tsign in, load a booking\tjourney_not_found$/m);
  expect(stdout).not.toContain("transfer");
  expect([status, stderr]).toEqual([1, "state\tstep\tdetail\nthe deployment failed the smoke test\n"]);
});

test("the doctor asks a deployment whether it answers, and what its clock says", { tag: "@night" }, ({
  service,
}) => {
  const state = mkdtempSync(join(tmpdir(), "taglatch-doctor-"));
  const { stdout } = ops("doctor", "--url", service, "--state", state, "--json");
  rmSync(state, { recursive: true });
  expect(JSON.parse(stdout)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ check: "healthz", state: expect.stringMatching(/ok|warn/) }),
      expect.objectContaining({ check: "clock", state: "ok" }),
    ]),
  );
});
