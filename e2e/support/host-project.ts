/** An airline's project with the packed SDK installed: `examples/bundled`, in a folder that knows nothing of ours. */
import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, preview } from "vite";
import { loadedWith } from "../../scripts/build/bundle.ts";
import { ROOT } from "../../scripts/project-files.ts";

export interface HostProject {
  /** The project's folder. */
  readonly root: string;
  /** The packed SDK. */
  readonly tarball: string;
  remove(): void;
}

export function makeHostProject(): HostProject {
  const folder = mkdtempSync(join(tmpdir(), "taglatch-host-"));
  const root = join(folder, "project");
  must("node", [join(ROOT, "scripts", "build", "build-sdk.ts")], ROOT);
  must("npm", ["pack", "--workspace", "sdk", "--pack-destination", folder], ROOT);
  const [packed = ""] = globSync("*.tgz", { cwd: folder });
  const tarball = join(folder, packed);
  cpSync(join(ROOT, "examples", "bundled"), root, { recursive: true });
  // It has no dependencies, so no registry is asked for any.
  must("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], root);
  return { root, tarball, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** What a program prints. Throws with it where the program fails. */
export function must(program: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

/**
 * Builds the project; bytes of its JavaScript after gzip that its page loads before anybody asks for more. A page that
 * ships has no virtual tags: with them at hand it also loads what only they share with the SDK.
 */
export async function buildHost(
  { root }: HostProject,
  { virtualTags }: { readonly virtualTags: boolean },
): Promise<number> {
  const rolldownOptions = { external: virtualTags ? [] : ["@taglatch/sdk/testing"] };
  await build({
    root,
    configFile: false,
    logLevel: "error",
    build: { manifest: true, target: "es2022", rolldownOptions },
  });
  const manifest = JSON.parse(readFileSync(join(root, "dist", ".vite", "manifest.json"), "utf8"));
  const files = [...loadedWith(manifest, ["index.html"])].map((key) => manifest[key].file as string);
  return files.reduce((sum, file) => sum + gzipSync(readFileSync(join(root, "dist", file))).length, 0);
}

/** Puts `examples/<name>` beside the installed SDK, whose modules it loads as they are; the folder to serve. */
export function withoutBuild({ root }: HostProject, name: string): string {
  const folder = join(root, name);
  cpSync(join(ROOT, "examples", name), folder, { recursive: true });
  cpSync(join(root, "node_modules", "@taglatch", "sdk", "dist"), join(folder, "sdk"), { recursive: true });
  return folder;
}

/** Puts `examples/<name>` beside the installed SDK, with packages of ours in its own node_modules; its folder. */
export function appOf({ root }: HostProject, name: string, packages: readonly string[]): string {
  const folder = join(root, name);
  cpSync(join(ROOT, "examples", name), folder, { recursive: true });
  for (const one of packages)
    cpSync(join(ROOT, "node_modules", one), join(folder, "node_modules", one), { recursive: true });
  return folder;
}

/** Serves a project's build, or the files of `folder`, from an origin of its own. */
export async function serveHost({ root }: HostProject, folder = join(root, "dist")) {
  const server = await preview({
    root,
    configFile: false,
    build: { outDir: folder },
    preview: { host: "127.0.0.1", port: 0 },
  });
  const { port } = server.httpServer.address() as { port: number };
  return { origin: `http://127.0.0.1:${port}`, stop: () => server.close() };
}
