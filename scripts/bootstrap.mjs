// Runs one of the project's TypeScript scripts from a fresh clone: `node scripts/bootstrap.mjs start.ts …`.
//
// 1. Installs the dependencies if they are absent or the lock file has changed since.
// 2. Finds Node 24 or later: the one the dependencies bring along on Linux x64, else the one running this.
// 3. Hands over to the script with that Node, its signals and its exit status.
//
// Plain JavaScript for Node 20, because it runs before any of this exists.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const OLDEST = 24;
const root = fileURLToPath(new URL("..", import.meta.url));
const bin = join(root, "node_modules", ".bin");
const stamp = join(root, "node_modules", ".taglatch-lock");

const parent = process.ppid;

install();
handOver(findNode(), process.argv.slice(2));

function install() {
  const lock = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  // npm keeps its own copy of the lock it installed; when that is newer than ours, a developer's
  // `npm install` has just done the work.
  if (!installedByHand()) {
    console.log("Installing dependencies (npm ci) …");
    const npm = process.env.npm_execpath;
    // Errors only: npm's engine warnings concern the Node that runs this script; the packages get Node 24.
    const quietly = ["ci", "--loglevel=error"];
    const [command, args] = npm === undefined ? ["npm", quietly] : [process.execPath, [npm, ...quietly]];
    const result = spawnSync(command, args, {
      cwd: root,
      stdio: ["ignore", 2, 2],
      shell: process.platform === "win32" && npm === undefined,
    });
    if (result.status !== 0) fail("npm ci failed; its own messages are above.");
  }
  writeFileSync(stamp, lock);
}

function installedByHand() {
  const hidden = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(hidden)) return false;
  const wanted = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  const present = JSON.parse(readFileSync(hidden, "utf8")).packages;
  return Object.entries(wanted).every(
    ([key, entry]) => key === "" || entry.optional === true || present[key]?.version === entry.version,
  );
}

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
