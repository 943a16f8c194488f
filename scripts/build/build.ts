/** Builds page and Worker into dist/ unless the sources are those of the build that is there. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeSite } from "../documents/site.ts";
import { writeStatements } from "../documents/statements.ts";
import { writeOpenApi } from "../openapi/write.ts";
import { hashFiles, projectFiles, ROOT } from "../project-files.ts";
import { run } from "../run.ts";
import { writeDevVars } from "../serve/keys.ts";
import { StartFailure } from "../serve/start-failure.ts";
import { oneAtATime } from "./one-at-a-time.ts";

export const DIST = join(ROOT, "dist");
/** Vite's manifest: which source became which chunk, and what each imports. Not served. */
export const MANIFEST = join(DIST, "manifest.json");
export const WORKER_CONFIG = join(DIST, "taglatch", "wrangler.json");

const STAMP = join(DIST, "sources.sha256");
const INPUTS = ["{core,db,worker,sdk,sim,web}/**/*", "vite.config.ts", "wrangler.toml", "package-lock.json"];

/**
 * What the build is made of. No tests and no texts: the SDK's are written while tests run, and a page that is in use must not
 * be rebuilt beneath its reader.
 */
export const buildInputs = (): string[] =>
  projectFiles(...INPUTS).filter((path) => !/\.test\.tsx?$|\.md$|^web\/\.wrangler\//.test(path));

/** Two builds at once would use one folder: the second waits, and finds the result up to date. */
export const build = (): Promise<"built" | "fresh"> => withBuild((how) => Promise.resolve(how));

/** Builds, and does `work` before anybody else may build: what it reads in dist/ is of one build. */
export const withBuild = <T>(work: (how: "built" | "fresh") => Promise<T>): Promise<T> =>
  oneAtATime(join(ROOT, ".wrangler", "build.sqlite"), async () => work(await buildUnlessFresh()));

/** Set to 1 in the environment of programs that are to use the build that is there. */
export const BUILT = "TAGLATCH_BUILT";

async function buildUnlessFresh(): Promise<"built" | "fresh"> {
  if (process.env[BUILT] === "1" && existsSync(STAMP)) return "fresh";
  // The build copies the development secrets beside the Worker, so they come first.
  await writeDevVars(join(ROOT, ".dev.vars"));
  writeOpenApi();
  writeStatements();
  writeSite();
  const hash = hashFiles(buildInputs());
  if (existsSync(STAMP) && readFileSync(STAMP, "utf8") === hash) return "fresh";
  rmSync(DIST, { recursive: true, force: true });
  await runVite();
  renameSync(join(DIST, "client", ".vite", "manifest.json"), MANIFEST);
  rmSync(join(DIST, "client", ".vite"), { recursive: true });
  pointWranglerAtBuild();
  writeFileSync(STAMP, hash);
  return "built";
}

/** Shows the bundler's output only if it fails. Throws {@link StartFailure}. */
async function runVite(): Promise<void> {
  console.error("Building the page and the service …");
  const vite = join(ROOT, "node_modules", "vite", "bin", "vite.js");
  // A test that starts a service says NODE_ENV=test, and would leave a page without its service worker.
  const env = { NODE_ENV: "production" };
  const { code, output } = await run(process.execPath, [vite, "build", "--logLevel", "warn"], { env });
  if (code !== 0) throw new StartFailure(() => `The build failed:\n${output}`);
}

/** Plain `wrangler dev` and `wrangler deploy` take the built Worker; Vite leaves this note in its own root, web/. */
function pointWranglerAtBuild(): void {
  const folder = join(ROOT, ".wrangler", "deploy");
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "config.json"),
    JSON.stringify({ configPath: "../../dist/taglatch/wrangler.json", auxiliaryWorkers: [] }),
  );
  rmSync(join(ROOT, "web", ".wrangler"), { recursive: true, force: true });
}
