/**
 * Writes `.dev.vars` once and then leaves what is in it alone, so that sessions, sealed names and certificates survive
 * a restart.
 */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { parseEnv } from "node:util";
import { type DevelopmentSecrets, developmentSecrets } from "./development-secrets.ts";

/** The text of `.dev.vars`: single quotes keep JSON as it is. */
export function devVars(secrets: DevelopmentSecrets): string {
  return [
    "# Made by scripts/serve/dev-secrets.ts for this machine. Delete it to get new ones.",
    ...linesOf(secrets),
    "",
  ].join("\n");
}

const linesOf = (secrets: Readonly<Record<string, string>>) =>
  Object.entries(secrets).map(([name, value]) => `${name}='${value}'`);

/** Writes `path` (readable by its owner only), or adds what a later version needs and it has not; says which. */
export async function writeDevVars(path: string): Promise<"written" | "completed" | "kept"> {
  const secrets = await developmentSecrets();
  try {
    writeFileSync(path, devVars(secrets), { mode: 0o600, flag: "wx" });
    return "written";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const present = parseEnv(readFileSync(path, "utf8"));
  const missing = Object.entries(secrets).filter(([name]) => !(name in present));
  if (missing.length === 0) return "kept";
  appendFileSync(path, `${linesOf(Object.fromEntries(missing)).join("\n")}\n`);
  return "completed";
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const path = process.argv[2] ?? ".dev.vars";
  console.log(`${path}: ${await writeDevVars(path)}`);
}
