import { join } from "node:path";
import { build, type Rolldown } from "vite";
import { ROOT } from "../project-files.ts";

/** The module at `entry` (a path within the project) with all it imports, as the text of one script; exports stay. */
export async function oneFile(entry: string): Promise<string> {
  const result = (await build({
    configFile: false,
    root: ROOT,
    logLevel: "warn",
    build: {
      write: false,
      target: "esnext",
      rolldownOptions: {
        input: join(ROOT, entry),
        preserveEntrySignatures: "strict",
        output: { codeSplitting: false },
      },
    },
  })) as Rolldown.RolldownOutput;
  return result.output[0].code;
}

/** Which files of the build a visitor loads when, by Vite's manifest. */
export interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
  readonly css?: readonly string[];
}
export type Manifest = Readonly<Record<string, Chunk>>;

/** Keys of the chunks that `roots` load at once: themselves and what they import, over and over. */
export function loadedWith(manifest: Manifest, roots: readonly string[]): Set<string> {
  return closure(manifest, roots, (chunk) => chunk.imports ?? []);
}

/** As {@link loadedWith}, plus what they may load later, except `except` (and what only that loads). */
export function loadedLater(
  manifest: Manifest,
  roots: readonly string[],
  except: readonly RegExp[],
): Set<string> {
  return closure(manifest, roots, (chunk) =>
    [...(chunk.imports ?? []), ...(chunk.dynamicImports ?? [])].filter(
      (key) => !except.some((one) => one.test(key)),
    ),
  );
}

function closure(
  manifest: Manifest,
  roots: readonly string[],
  next: (chunk: Chunk) => readonly string[],
): Set<string> {
  const seen = new Set<string>();
  const open = [...roots];
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    if (seen.has(key)) continue;
    const chunk = manifest[key];
    if (chunk === undefined) throw new Error(`the build has no chunk ${key}`);
    seen.add(key);
    open.push(...next(chunk));
  }
  return seen;
}
