// Installs the dependencies of a fresh clone, one command at a time. Plain JavaScript for Node 20: it runs before any of
// the dependencies exist.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds between two attempts to get the lock, and between two lines about an install under way. */
const RETRY = 250;
const REPORT = 20_000;

/**
 * Runs `npm ci` in `root` where the dependencies are absent or the lock file has changed. A second command waits for the
 * first one's install. Throws where npm fails.
 * @param {string} root
 */
export async function install(root) {
  if (isInstalled(root)) return;
  const unlock = await lock(root);
  try {
    if (!isInstalled(root)) await runNpm(root);
  } finally {
    unlock();
  }
}

/** @param {string} root */
const lockFileHash = (root) =>
  createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");

/** @param {string} root */
const stampOf = (root) => join(root, "node_modules", ".taglatch-lock");

/** @param {string} root */
function isInstalled(root) {
  const stamp = stampOf(root);
  return existsSync(stamp) && readFileSync(stamp, "utf8") === lockFileHash(root);
}

/** @param {string} root */
async function runNpm(root) {
  const hash = lockFileHash(root);
  // A developer's own `npm install` needs no second one.
  if (!isInstalledByHand(root)) {
    const started = Date.now();
    const seconds = () => Math.round((Date.now() - started) / 1_000);
    console.error("Installing the dependencies (npm ci, some 800 packages): one to three minutes …");
    const timer = setInterval(() => console.error(`… npm ci still runs, ${seconds()} s`), REPORT);
    const code = await npmCi(root).finally(() => clearInterval(timer));
    if (code !== 0) throw new Error("npm ci failed; its own messages are above.");
    console.error(`Installed in ${seconds()} s.`);
  }
  writeFileSync(stampOf(root), hash);
}

/** @param {string} root @returns {Promise<number | null>} */
function npmCi(root) {
  const npm = process.env.npm_execpath;
  // Errors only: npm's engine warnings concern the Node that runs this script; the packages get Node 24.
  const quietly = ["ci", "--loglevel=error"];
  const child = spawn(
    npm === undefined ? "npm" : process.execPath,
    npm === undefined ? quietly : [npm, ...quietly],
    { cwd: root, stdio: ["ignore", 2, 2], shell: process.platform === "win32" && npm === undefined },
  );
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
}

/**
 * Whether the copy of the lock file that npm keeps beside the packages names every package of ours.
 * @param {string} root
 */
function isInstalledByHand(root) {
  const hidden = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(hidden)) return false;
  const wanted = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  const present = JSON.parse(readFileSync(hidden, "utf8")).packages;
  return Object.entries(wanted).every(
    ([key, entry]) => key === "" || entry.optional === true || present[key]?.version === entry.version,
  );
}

/**
 * Waits until no other process installs in `root`; the returned function lets the next one in. The lock is a local socket,
 * because the system closes it with its process, however that ends.
 * @param {string} root @returns {Promise<() => void>}
 */
async function lock(root) {
  const name = `taglatch-install-${createHash("sha256").update(root).digest("hex").slice(0, 16)}`;
  for (let attempts = 0; ; attempts += 1) {
    const server = createServer();
    /** @type {NodeJS.ErrnoException | undefined} */
    const error = await new Promise((resolve) => {
      server.once("error", resolve);
      server.listen(socketAddress(name), () => resolve(undefined));
    });
    if (error === undefined) return () => server.close();
    if (error.code !== "EADDRINUSE") throw error;
    if (attempts === 0) console.error("Another command installs the dependencies; waiting for it …");
    await sleep(RETRY);
  }
}

/** An address that leaves no file behind, where the system has such. @param {string} name */
function socketAddress(name) {
  if (process.platform === "win32") return `\\\\.\\pipe\\${name}`;
  return process.platform === "linux" ? `\0${name}` : join(tmpdir(), `${name}.sock`);
}
