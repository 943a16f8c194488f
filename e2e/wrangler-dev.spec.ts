import { type ChildProcessByStdio, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { ROOT } from "../scripts/project-files.ts";
import { expect, test } from "./support/test.ts";

/** `wrangler dev` as a developer of Workers types it, after a build: the README names it. */

const env = { ...process.env, CI: "true", FORCE_COLOR: "0", WRANGLER_SEND_METRICS: "false" };

const READY_MS = 240_000;

/** Its address, once it says that it is ready. */
function addressOf(wrangler: ChildProcessByStdio<null, Readable, Readable>): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const address = /Ready on (http:\/\/\S+)/.exec(output)?.[1];
      if (address !== undefined) resolve(address);
    };
    wrangler.stdout.on("data", read);
    wrangler.stderr.on("data", read);
    wrangler.once("close", (code) => reject(new Error(`wrangler ended with ${code}: ${output}`)));
    // Before the test's own limit, after which nothing would end wrangler's processes.
    setTimeout(() => reject(new Error(`wrangler is not ready: ${output}`)), READY_MS).unref();
  });
}

// The service of the other stories has made the development keys that wrangler reads.
test("plain wrangler dev serves the page and the interface", async ({ service: _keys, page }) => {
  const state = mkdtempSync(join(tmpdir(), "taglatch-wrangler-"));
  const local = ["--persist-to", state];
  execFileSync("wrangler", ["d1", "migrations", "apply", "taglatch", "--local", ...local], {
    cwd: ROOT,
    env,
  });
  // In a process group of its own, because it starts processes that outlive it. It prompts for nothing.
  const wrangler = spawn("wrangler", ["dev", "--port", "0", ...local], {
    cwd: ROOT,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise((resolve) => wrangler.once("exit", resolve));
  try {
    const address = await addressOf(wrangler);
    const health = await fetch(`${address}/healthz`);
    expect([health.status, await health.json()]).toEqual([200, { status: "ok" }]);
    const configuration = await fetch(`${address}/.well-known/ebt-configuration`);
    expect(await configuration.json()).toMatchObject({ issuer: "taglatch", environment: "development" });
    await page.goto(address);
    await expect(page.locator("form button[type=submit]")).toBeVisible();
  } finally {
    process.kill(-(wrangler.pid ?? 0), "SIGKILL");
    await ended;
    rmSync(state, { recursive: true, force: true });
  }
});
