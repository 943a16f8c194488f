// Runs one of the project's TypeScript scripts from a fresh clone: `node scripts/bootstrap.mjs [--browser] start.ts …`.
//
// 1. Installs the dependencies if they are absent or the lock file has changed since; with --browser, Chromium too.
// 2. Finds Node 24 or later: the one the dependencies bring along on Linux x64, else the one running this.
// 3. Hands over to the script with that Node, its signals and its exit status.
//
// Plain JavaScript for Node 20, because it runs before any of this exists.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installBrowser, planBrowser, thisMachine } from "./browser.mjs";
import { install } from "./install.mjs";

const OLDEST = 24;
const root = fileURLToPath(new URL("..", import.meta.url));
const bin = join(root, "node_modules", ".bin");

const parent = process.ppid;

const args = process.argv.slice(2);
const needsBrowser = args[0] === "--browser";
if (needsBrowser) args.shift();

try {
  const plan = needsBrowser ? planBrowser(thisMachine()) : { commands: [] };
  if ("sentence" in plan) fail(plan.sentence);
  await install(root);
  installBrowser(plan.commands, root);
} catch (error) {
  fail(error instanceof Error ? error.message : String(error));
}
handOver(findNode(), args);

function findNode() {
  const bundled = join(bin, "node");
  if (existsSync(bundled)) return bundled;
  if (Number(process.versions.node.split(".")[0]) >= OLDEST) return process.execPath;
  return fail(
    `This project runs on Node ${OLDEST} or later; this is ${process.version}.\n` +
      `On Linux x64 it brings its own; here, install Node ${OLDEST} from https://nodejs.org and run the command again.`,
  );
}

/** @param {string} node @param {string[]} args */
function handOver(node, args) {
  const env = {
    ...process.env,
    PATH: `${bin}${delimiter}${process.env.PATH ?? ""}`,
    WRANGLER_SEND_METRICS: "false",
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    WRANGLER_LOG: process.env.WRANGLER_LOG ?? "error",
  };
  const child = spawn(node, args, { cwd: root, env, stdio: "inherit" });
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
    process.on(signal, () => child.kill(signal));
  }
  // npm's shell does not pass SIGTERM on: when the shell is gone, this script must end too.
  const orphaned = () => process.ppid !== parent && child.kill("SIGTERM");
  const watch = process.env.npm_lifecycle_event === undefined ? undefined : setInterval(orphaned, 250);
  child.on("exit", (code, signal) => {
    clearInterval(watch);
    process.exitCode = code ?? (signal === null ? 1 : 128);
  });
}

/** @param {string} message @returns {never} */
function fail(message) {
  console.error(message);
  process.exit(1);
}
