import { readFileSync } from "node:fs";
import { UsageError } from "../../kit/command-line.ts";

/** What is in a file of JSON. Throws UsageError without a piece of its text, which may be a secret. */
export function readJson(path: string): unknown {
  const text = readFileSync(path, "utf8");
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${path} is not JSON`);
  }
}
