// Gets the browser of the tests and the demo. Plain JavaScript for Node 20: what cannot work is reported before anything
// is installed.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

/** Debian's. */
const DEBIAN_CHROMIUM = "/usr/bin/chromium";

/**
 * @typedef {object} Machine
 * @property {NodeJS.Platform} platform
 * @property {string} arch
 * @property {boolean} isGlibc Playwright's browsers for Linux need it.
 * @property {boolean} isDebian Ubuntu's package of this name is a snap, which containers cannot run.
 * @property {boolean} isRoot
 * @property {boolean} hasChromium Debian's or the one that CHROMIUM_PATH names.
 * @property {string | undefined} missingPath CHROMIUM_PATH, where no such file exists.
 */

/** @typedef {{ commands: readonly (readonly string[])[] } | { sentence: string }} BrowserPlan */

/**
 * What gets a browser onto `machine`: commands in their order, none where there is one; or the sentence for a person
 * whose machine none of them serves.
 * @param {Machine} machine @returns {BrowserPlan}
 */
export function planBrowser({ platform, arch, isGlibc, isDebian, isRoot, hasChromium, missingPath }) {
  if (missingPath !== undefined)
    return { sentence: `CHROMIUM_PATH names no file: ${missingPath}. Correct it, or unset it.` };
  if (hasChromium) return { commands: [] };
  if (isDebian && isRoot)
    return {
      commands: [
        ["apt-get", "update"],
        ["apt-get", "install", "--yes", "--no-install-recommends", "chromium"],
      ],
    };
  const isServed = platform === "linux" ? isGlibc : platform === "darwin" || platform === "win32";
  if (isServed && (arch === "x64" || arch === "arm64"))
    return { commands: [["npx", "playwright", "install", "chromium"]] };
  return {
    sentence:
      "This needs Chromium, and neither Debian's package nor Playwright's download serves this machine. " +
      "Install Chromium, then name it: CHROMIUM_PATH=/path/to/chromium",
  };
}

/**
 * Runs the commands of a plan in `root`. Throws with a sentence where one fails.
 * @param {readonly (readonly string[])[]} commands @param {string} root @param {typeof spawnSync} [spawn]
 */
export function installBrowser(commands, root, spawn = spawnSync) {
  for (const [program = "", ...args] of commands) {
    console.error(`Installing Chromium: ${[program, ...args].join(" ")} …`);
    const { status } = spawn(program, args, {
      cwd: root,
      stdio: ["ignore", 2, 2],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
      shell: process.platform === "win32",
    });
    if (status !== 0)
      throw new Error(
        `\`${[program, ...args].join(" ")}\` failed; its own messages are above. ` +
          "Install Chromium yourself, then name it: CHROMIUM_PATH=/path/to/chromium",
      );
  }
}

/** The machine that this process runs on. @returns {Machine} */
export function thisMachine() {
  const path = process.env.CHROMIUM_PATH;
  const header = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport())
    .header;
  return {
    platform: process.platform,
    arch: process.arch,
    isGlibc: header.glibcVersionRuntime !== undefined,
    isDebian:
      existsSync("/etc/os-release") && /^ID="?debian"?$/m.test(readFileSync("/etc/os-release", "utf8")),
    isRoot: process.getuid?.() === 0,
    hasChromium: existsSync(path ?? DEBIAN_CHROMIUM),
    missingPath: path !== undefined && !existsSync(path) ? path : undefined,
  };
}
