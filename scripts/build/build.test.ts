import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it, test } from "vitest";
import { projectFiles } from "../project-files.ts";
import { buildInputs } from "./build.ts";
import { oneAtATime } from "./one-at-a-time.ts";

test("no text that is written beside the sources rebuilds the page", () => {
  expect(projectFiles("sdk/*.md")).toContain("sdk/CHANGELOG.md");
  expect(buildInputs().filter((path) => path.endsWith(".md"))).toEqual([]);
});

test("sources of page, service and SDK do", () => {
  expect(buildInputs()).toEqual(
    expect.arrayContaining(["web/main.tsx", "worker/index.ts", "sdk/index.ts", "package-lock.json"]),
  );
});

const lock = () => join(mkdtempSync(join(tmpdir(), "taglatch-lock-")), "folder", "build.lock");

it("lets the second in when the first is done", async () => {
  const path = lock();
  const seen: string[] = [];
  const work = (name: string) => async () => {
    seen.push(`${name} in`);
    // The second has already tried: it does so when called.
    await nextTurn();
    seen.push(`${name} out`);
  };
  await Promise.all([oneAtATime(path, work("a")), oneAtATime(path, work("b"))]);
  expect(seen).toEqual(["a in", "a out", "b in", "b out"]);
});

it("lets go when the work fails", async () => {
  const path = lock();
  await expect(oneAtATime(path, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await oneAtATime(path, async () => "in")).toBe("in");
});
