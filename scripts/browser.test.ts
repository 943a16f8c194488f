import type { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { installBrowser, type Machine, planBrowser } from "./browser.mjs";

const DEBIAN: Machine = {
  platform: "linux",
  arch: "x64",
  isGlibc: true,
  isDebian: true,
  isRoot: true,
  hasChromium: false,
  missingPath: undefined,
};

/** The commands that run on `machine` and what they ran with, where each ends with `status`. */
function install(machine: Partial<Machine>, status = 0) {
  const plan = planBrowser({ ...DEBIAN, ...machine });
  if ("sentence" in plan) throw new Error(plan.sentence);
  const ran: string[] = [];
  const spawn = (program: string, args: readonly string[]) => {
    ran.push([program, ...args].join(" "));
    return { status };
  };
  installBrowser(plan.commands, "/", spawn as unknown as typeof spawnSync);
  return ran;
}

it("installs nothing where Chromium is there", () => {
  expect(install({ hasChromium: true })).toEqual([]);
});

it("asks Debian's packages where it is root on Debian", () => {
  expect(install({})).toEqual(["apt-get update", "apt-get install --yes --no-install-recommends chromium"]);
});

it.each<[string, Partial<Machine>]>([
  ["Debian without root", { isRoot: false }],
  ["Ubuntu", { isDebian: false }],
  ["macOS", { platform: "darwin", arch: "arm64", isDebian: false, isGlibc: false, isRoot: false }],
  ["Windows", { platform: "win32", isDebian: false, isGlibc: false, isRoot: false }],
])("asks Playwright on %s", (_name, machine) => {
  expect(install(machine)).toEqual(["npx playwright install chromium"]);
});

it.each<[string, Partial<Machine>, RegExp]>([
  ["without glibc", { isDebian: false, isGlibc: false }, /CHROMIUM_PATH=/],
  ["of another processor", { isDebian: false, arch: "riscv64" }, /CHROMIUM_PATH=/],
  ["where CHROMIUM_PATH names no file", { missingPath: "/none" }, /names no file: \/none/],
])("plans a sentence instead of a command for a machine %s", (_name, machine, sentence) => {
  expect(planBrowser({ ...DEBIAN, ...machine })).toEqual({ sentence: expect.stringMatching(sentence) });
});

it("ends with a next step where a command fails", () => {
  expect(() => install({}, 100)).toThrow(/`apt-get update` failed.*CHROMIUM_PATH=/);
});
