import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../scripts/project-files.ts";
import { start } from "../scripts/run.ts";
import { expect, test } from "./support/test.ts";

/** `wrangler dev` as a developer of Workers types it, after a build: the README names it. */

const env = { ...process.env, CI: "true", FORCE_COLOR: "0", WRANGLER_SEND_METRICS: "false" };

// The service of the other stories has made the development keys that wrangler reads.
test("plain wrangler dev serves the page and the interface", async ({ service: _keys, page }) => {
  const state = mkdtempSync(join(tmpdir(), "taglatch-wrangler-"));
  const local = ["--persist-to", state];
  execFileSync("wrangler", ["d1", "migrations", "apply", "taglatch", "--local", ...local], {
    cwd: ROOT,
    env,
  });
  // In a process group of its own, because it starts processes that outlive it. It prompts for nothing.
  const wrangler = start("wrangler", ["dev", "--port", "0", ...local], { env, detached: true });
  try {
    const [, address = ""] = await wrangler.prints(/Ready on (http:\/\/\S+)/);
    const health = await fetch(`${address}/healthz`);
    expect([health.status, await health.json()]).toEqual([200, { status: "ok" }]);
    const configuration = await fetch(`${address}/.well-known/ebt-configuration`);
    expect(await configuration.json()).toMatchObject({ issuer: "taglatch", environment: "development" });
    await page.goto(address);
    await expect(page.locator("form button[type=submit]")).toBeVisible();
  } finally {
    await wrangler.stop("SIGKILL");
    rmSync(state, { recursive: true, force: true });
  }
});
