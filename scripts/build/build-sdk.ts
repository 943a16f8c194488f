/**
 * `npm run build:sdk` makes the SDK as others install it, in sdk/dist: ES modules with source maps, and type declarations.
 * The modules contain what the SDK uses of `core/` and of libraries. The declarations are those that the entry points
 * need, and no others. README.md and REFERENCE.md beside them are made too.
 */
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "vite";
import { sdkReference } from "../documents/sdk-reference.ts";
import { projectText, ROOT } from "../project-files.ts";
import { run } from "../run.ts";
import { oneAtATime } from "./one-at-a-time.ts";

const PACKAGE = join(ROOT, "sdk");
const DIST = join(PACKAGE, "dist");
const TYPES = join(DIST, "types");
const OURS = ["core", "sdk", "sim"].map((folder) => join(ROOT, folder, "/"));

/**
 * What the SDK loads at once is one module, although the other entrances need parts of it: many small ones compress worse, and
 * are more requests.
 */
const codeSplitting = { groups: [{ name: "sdk", test: join(PACKAGE, "index.ts") }] };

await oneAtATime(join(ROOT, ".wrangler", "build-sdk.sqlite"), async () => {
  rmSync(DIST, { recursive: true, force: true });
  writeFileSync(join(PACKAGE, "README.md"), readMe());
  writeFileSync(join(PACKAGE, "REFERENCE.md"), sdkReference());
  await Promise.all([buildModules(), buildTypes()]);
});

/** docs/embed.md, whose links lead to pages that the package does not have. */
function readMe(): string {
  return projectText("docs/embed.md").replace(/\[([^\]]+)\]\([\w-]+\.md[^)]*\)/g, "$1");
}

async function buildModules(): Promise<void> {
  await build({
    configFile: false,
    root: ROOT,
    logLevel: "warn",
    publicDir: false,
    build: {
      outDir: DIST,
      emptyOutDir: false,
      target: "es2022",
      // The host's bundler minifies it; until then it stays readable.
      minify: false,
      sourcemap: true,
      lib: {
        entry: {
          index: join(PACKAGE, "index.ts"),
          capacitor: join(PACKAGE, "capacitor.ts"),
          testing: join(ROOT, "sim", "install.ts"),
        },
        formats: ["es"],
      },
      license: { fileName: "LICENSES.md" },
      rolldownOptions: {
        // Ours do nothing but define: what only a barrel names is left out, and may be in a module that is loaded later.
        treeshake: {
          moduleSideEffects: (id) => !OURS.some((folder) => id.startsWith(folder)),
          propertyReadSideEffects: false,
        },
        output: { chunkFileNames: "[name]-[hash].js", codeSplitting },
      },
    },
  });
}

/**
 * The compiler writes declarations for every file it reads; those that no entry point needs are deleted. To find them, the
 * entry points are compiled as a host with strict settings compiles them: without the types of our packages, lib ES2022.
 * Throws if that fails.
 */
async function buildTypes(): Promise<void> {
  await compile("-p", join(PACKAGE, "tsconfig.types.json"));
  const listed = await compile("-p", join(PACKAGE, "tsconfig.stranger.json"), "--listFiles");
  const needed = new Set(listed.split("\n").map((line) => resolve(line)));
  for (const path of globSync("**/*.d.ts", { cwd: TYPES }).map((each) => join(TYPES, each))) {
    if (!needed.has(path)) rmSync(path);
    // This workspace has the packages; a host has none of them.
    else if (/\bfrom "[^.]/.test(readFileSync(path, "utf8")))
      throw new Error(`${path} needs a package's types`);
  }
}

async function compile(...args: readonly string[]): Promise<string> {
  const { code, output } = await run("tsc", args);
  if (code !== 0) throw new Error(`The types of the SDK do not compile:\n${output}`);
  return output;
}
