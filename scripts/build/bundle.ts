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
export const loadedWith = (manifest: Manifest, roots: readonly string[]) =>
  closure(manifest, roots, ({ imports = [] }) => imports);

/** As {@link loadedWith}, plus what they may load later, except `except` (and what only that loads). */
export const loadedLater = (manifest: Manifest, roots: readonly string[], except: readonly RegExp[]) =>
  closure(manifest, roots, ({ imports = [], dynamicImports = [] }) =>
    [...imports, ...dynamicImports].filter((key) => !except.some((one) => one.test(key))),
  );

function closure(
  manifest: Manifest,
  roots: readonly string[],
  next: (chunk: Chunk) => readonly string[],
): ReadonlySet<string> {
  // A set's iteration also reaches what is added during it.
  const keys = new Set(roots);
  for (const key of keys) {
    const chunk = manifest[key];
    if (chunk === undefined) throw new Error(`the build has no chunk ${key}`);
    for (const each of next(chunk)) keys.add(each);
  }
  return keys;
}
