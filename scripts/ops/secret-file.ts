import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { fromBase64Url } from "../../core/encoding/bytes.ts";
import { UsageError } from "../../kit/command-line.ts";
import { importDataKey } from "../../worker/secrets/sealed.ts";
import { readJson } from "./json-file.ts";

/**
 * The secrets of a deployment as one file: JSON, as `wrangler secret bulk` takes it, or the lines of `.dev.vars`. It is
 * the operator's copy; the Worker's own cannot be read back.
 */
export type DeploymentSecrets = Readonly<Record<string, string>>;

export function readSecrets(path: string): DeploymentSecrets {
  if (!existsSync(path)) throw new UsageError(`${path} is not there: --secrets names the file`);
  const text = readFileSync(path, "utf8");
  const values: unknown = text.trimStart().startsWith("{") ? readJson(path) : parseEnv(text);
  return values as DeploymentSecrets;
}

/** Writes `path` for its owner only; `isNew` refuses a file that is there. */
export function writePrivate(path: string, text: string, { isNew }: { readonly isNew: boolean }): void {
  try {
    writeFileSync(path, text, { mode: 0o600, flag: isNew ? "wx" : "w" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new UsageError(`${path} is there already; move it away first`);
  }
}

export function secretNamed(secrets: DeploymentSecrets, name: string): string {
  const value = secrets[name];
  if (value === undefined) throw new UsageError(`the secrets have no ${name}`);
  return value;
}

/** DATA_KEY of `secrets`; what was sealed by the one before opens too, while that is there. */
export function dataKeyIn(secrets: DeploymentSecrets) {
  const before = secrets.DATA_KEY_BEFORE;
  return importDataKey(
    fromBase64Url(secretNamed(secrets, "DATA_KEY")),
    before === undefined ? undefined : fromBase64Url(before),
  );
}
