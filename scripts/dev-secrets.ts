/**
 * Writes `.dev.vars` once and then leaves it alone, so that sessions, sealed names and certificates survive a restart.
 */
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { type DevelopmentSecrets, developmentSecrets } from "./development-secrets.ts";

/** The text of `.dev.vars`: single quotes keep JSON as it is. */
export function devVars(secrets: DevelopmentSecrets): string {
  const lines = Object.entries(secrets).map(([name, value]) => `${name}='${value}'`);
  return ["# Made by scripts/dev-secrets.ts for this machine. Delete it to get new ones.", ...lines, ""].join(
    "\n",
  );
}

/** Writes `path` (readable by its owner only) unless it is there already; says which. */
export async function writeDevVars(path: string): Promise<"written" | "kept"> {
  const text = devVars(await developmentSecrets());
  try {
    writeFileSync(path, text, { mode: 0o600, flag: "wx" });
    return "written";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return "kept";
    throw error;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const path = process.argv[2] ?? ".dev.vars";
  console.log(`${path}: ${await writeDevVars(path)}`);
}
