import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { announce, runningServices } from "./running.ts";

const folder = mkdtempSync(join(tmpdir(), "taglatch-running-"));
afterAll(() => rmSync(folder, { recursive: true }));
const list = (name: string, text: string) => writeFileSync(join(folder, name), text);

it("a service is listed while its process lives", () => {
  expect(runningServices(join(folder, "nowhere"))).toEqual([]);
  announce({ port: 8788, stateDir: "/state" }, folder);
  // The highest number that Linux gives: no process has it, or it is not ours.
  list("killed.json", JSON.stringify({ pid: 4_194_305, port: 1, stateDir: "/killed" }));
  list("starting.json", '{"pid":');
  expect(runningServices(folder)).toEqual([{ pid: process.pid, port: 8788, stateDir: "/state" }]);
});
