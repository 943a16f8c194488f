/** A copy of this checkout with a service running in it, for what a document's reader would do there. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { ROOT } from "../../project-files.ts";
import { type Program, start as startProgram } from "../../run.ts";
import { requireFree } from "../../serve/port.ts";

/** What a reader's checkout lacks or what no command of a document reads. */
const NOT_COPIED = new Set([
  ".git",
  ".tsbuild",
  ".wrangler",
  "node_modules",
  "demo-out",
  "test-results",
  join("e2e", "references"),
  join("sdk", "node_modules"),
]);

/** Ports below those that a system gives to any caller, so that none is taken between a look at it and its use. */
const LOWEST_PORT = 20_000;
const PORTS = 10_000;

export interface Checkout {
  /** The folder of the copy. */
  readonly folder: string;
  /** Runs lines of shell in the copy; the documents' ports 8787, 9000 and 9001 are free ones there. */
  start(script: string, env?: Readonly<Record<string, string>>): Program;
  /** As {@link start}, until it has ended; everything it printed. Rejects unless its status is 0. */
  run(script: string): Promise<string>;
  remove(): Promise<void>;
}

/** Copies the checkout; its dependencies are links to those of this one, and its build is this one's. */
export async function copyCheckout(): Promise<Checkout> {
  const folder = mkdtempSync(join(tmpdir(), "taglatch-checkout-"));
  cpSync(ROOT, folder, {
    recursive: true,
    filter: (source) => !NOT_COPIED.has(relative(ROOT, source)),
  });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const port = await freePort();
  const running = new Set<Program>();
  const [receiver, host] = [await freePort(), await freePort()];
  /** A home, a project and a maker's folder of the reader's own. */
  const places = {
    HOME: join(folder, "home"),
    PROJECT: join(folder, "project"),
    MAKER: join(folder, "maker"),
  };
  for (const path of [places.HOME, places.PROJECT]) mkdirSync(path);
  const start: Checkout["start"] = (script, env = {}) => {
    const ports: Readonly<Record<string, string>> = { 8787: port, 9000: receiver, 9001: host };
    const own = script.replace(/\b(?:8787|9000|9001)\b/g, (name) => ports[name] ?? name);
    // What a failing script has started would keep its output open, and its failure unseen.
    const lines = `set -euo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n${own}`;
    const reader = { ...readersEnv(), ...places, PORT: port, ...env };
    const one = startProgram("bash", ["-c", lines], { cwd: folder, env: reader, detached: true });
    running.add(one);
    return one;
  };
  return {
    folder,
    start,
    run: (script) => outputOf(start(script)),
    async remove() {
      await Promise.all([...running].map((one) => one.stop()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** This process' environment without what a test program puts there. */
function readersEnv(): Record<string, string | undefined> {
  const { NODE_ENV: _, STATE_DIR: __, VITEST: ___, ...env } = process.env;
  return env;
}

async function freePort(): Promise<string> {
  for (;;) {
    const port = LOWEST_PORT + Math.floor(Math.random() * PORTS);
    const isFree = await requireFree("localhost", port).then(
      () => true,
      () => false,
    );
    if (isFree) return String(port);
  }
}

/** Everything a program printed, once it has ended; rejects unless its status is 0. */
export async function outputOf({ ended }: Program): Promise<string> {
  const { code, output } = await ended;
  if (code !== 0) throw new Error(`ended with ${code}:\n${output}`);
  return output;
}
