import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { oneAtATime } from "./one-at-a-time.ts";

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
  expect(existsSync(path)).toBe(false);
});

it("lets go when the work fails", async () => {
  const path = lock();
  await expect(oneAtATime(path, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await oneAtATime(path, async () => "in")).toBe("in");
});

it("passes over a holder that is no more", async () => {
  const path = lock();
  await oneAtATime(path, async () => undefined);
  // No process has this number: Linux counts to 4,194,304.
  writeFileSync(path, "999999999");
  expect(await oneAtATime(path, async () => "in")).toBe("in");
});
