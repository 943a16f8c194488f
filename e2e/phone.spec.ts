import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Program, start } from "../scripts/run.ts";
import { expect, test } from "./support/test.ts";

const ID = "ebt-21-line";
const running: Program[] = [];
const folder = mkdtempSync(join(tmpdir(), "taglatch-line-"));
test.afterEach(async () => {
  for (const program of running.splice(0)) await program.stop("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** One of the commands, in a process of its own. */
function run(script: string, ...args: readonly string[]) {
  const program = start(process.execPath, [join("kit", script), ...args]);
  running.push(program);
  return program;
}

test("without a radio, `npm run phone` writes a tag of `npm run tag` over a serial line; another clears it by the booking", {
  tag: "@nightly",
}, async ({ service, touchedTags }) => {
  touchedTags.push(ID);
  for (const [action, done] of [
    ["write", "written"],
    ["clear", "cleared"],
  ] as const) {
    const phone = run("phone/phone.ts", action, "--service", service);
    const [, line = ""] = await phone.prints(/npm run tag -- --radio (\S+) --service \S+/);
    const kept = ["--state", folder, "--page-port", "0", "--service", service];
    const tag = run("tag/tag.ts", "--radio", line, "--id", ID, ...kept);
    expect((await phone.ended).code, phone.said()).toBe(0);
    expect(phone.said()).toMatch(new RegExp(`${done} in \\d+ ms, and the tag has signed it`));
    await tag.ended;
    expect(tag.said()).toContain("LOVELACE/ADA");
    expect(tag.said()).toContain(`The phone at ${line} has ended.`);
  }
});

test("`npm run phone` names the service that does not answer", { tag: "@nightly" }, async () => {
  const phone = run("phone/phone.ts", "--service", "http://127.0.0.1:9");
  const { code, output } = await phone.ended;
  expect(code).toBe(1);
  expect(output).toContain("No service answers at http://127.0.0.1:9.");
});
