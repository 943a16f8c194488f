// Adds to package-lock.json the optional platform packages that the registry used to make it did not have.
//
// A registry may carry only some platforms of packages such as @biomejs/cli-*. npm then leaves the others
// out of the lock file, and `npm ci` refuses the file on any machine ("missing from lock file"). Each
// missing one is added with its exact version and the os, cpu and libc that its name states, so that it
// is installed where it belongs and nowhere else. Running it again changes nothing.
//
// npm runs this after each change of node_modules (lifecycle script "dependencies"), so it is plain
// JavaScript: the Node at hand may be older than the one the project brings along.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const OS = [
  "aix",
  "android",
  "darwin",
  "freebsd",
  "linux",
  "netbsd",
  "openbsd",
  "openharmony",
  "sunos",
  "win32",
];
const CPU = ["arm", "arm64", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "wasm32", "x64"];
/** Names some packages use instead. */
const ALIAS = { windows: "win32", 64: "x64" };
const LIBC = { gnu: "glibc", gnueabihf: "glibc", musl: "musl", musleabihf: "musl" };

/**
 * @typedef {{ version?: string, dev?: boolean, optional?: boolean, os?: string[], cpu?: string[], libc?: string[],
 *   optionalDependencies?: Record<string, string> }} LockEntry
 * @typedef {{ packages: Record<string, LockEntry> }} Lock
 */

/**
 * What the name of a platform package says about where it runs, or undefined when it names no platform.
 * @param {string} name
 * @returns {{ os?: string[], cpu?: string[], libc?: string[] } | undefined}
 */
export function platformOf(name) {
  const spelled = name.split("/").at(-1)?.split(/[-_.]/) ?? [];
  const words = spelled.map((word) => /** @type {Record<string, string>} */ (ALIAS)[word] ?? word);
  const os = OS.find((word) => words.includes(word));
  const cpu = CPU.find((word) => words.includes(word));
  const libc = Object.entries(LIBC).find(([word]) => words.includes(word))?.[1];
  if (os === undefined && cpu === undefined) return name === "fsevents" ? { os: ["darwin"] } : undefined;
  return {
    ...(os === undefined ? {} : { os: [os] }),
    ...(cpu === undefined ? {} : { cpu: [cpu] }),
    ...(os === "linux" && libc !== undefined ? { libc: [libc] } : {}),
  };
}

/**
 * Adds every missing optional platform package to the lock; returns the keys added.
 * @param {Lock} lock changed in place
 * @returns {string[]}
 */
export function completeLock(lock) {
  const added = [];
  for (const [parent, entry] of Object.entries(lock.packages)) {
    for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
      const platform = platformOf(name);
      if (platform === undefined || resolves(lock, parent, name)) continue;
      const key = placeOf(parent, name);
      const { cpu, libc, os } = platform;
      // In npm's own order, so that npm leaves them as they are.
      lock.packages[key] = {
        version: range.replace(/^[\^~>=v\s]+/, ""),
        ...(cpu === undefined ? {} : { cpu }),
        ...(entry.dev === true ? { dev: true } : {}),
        ...(libc === undefined ? {} : { libc }),
        optional: true,
        ...(os === undefined ? {} : { os }),
      };
      added.push(key);
    }
  }
  lock.packages = Object.fromEntries(
    Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, "en")),
  );
  return added;
}

/** Node's own look-up: beside the parent, then each folder above it. @param {Lock} lock @param {string} parent @param {string} name */
function resolves(lock, parent, name) {
  for (let base = parent; ; base = base.slice(0, Math.max(0, base.lastIndexOf("node_modules/") - 1))) {
    if (`${base === "" ? "" : `${base}/`}node_modules/${name}` in lock.packages) return true;
    if (base === "") return false;
  }
}

/** At the top, but below a parent that is itself nested: there the top belongs to another version. @param {string} parent @param {string} name */
function placeOf(parent, name) {
  const nested = parent.indexOf("node_modules/") !== parent.lastIndexOf("node_modules/");
  return nested ? `${parent}/node_modules/${name}` : `node_modules/${name}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = fileURLToPath(new URL("../package-lock.json", import.meta.url));
  const before = readFileSync(path, "utf8");
  const lock = JSON.parse(before);
  const added = completeLock(lock);
  if (added.length > 0) {
    writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
    console.log(`package-lock.json: added ${added.length} platform packages`);
  }
}
