import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { UsageError } from "../../kit/command-line.ts";
import { DIST } from "../build/build.ts";
import { projectText, ROOT } from "../project-files.ts";

/** What a release consists of, from a build that is there. npm packs and writes the bill of materials. */

/** Writes every file of the release to `out`, checksums last. `isRehearsal` takes the changes that are not released yet. */
export function writeRelease(out: string, isRehearsal: boolean): void {
  const { version } = JSON.parse(read("package.json")) as { readonly version: string };
  writeFileSync(join(out, "CHANGES.md"), changesOf(read("CHANGELOG.md"), version, isRehearsal));
  withFolder("taglatch", (folder) => {
    writeProductLock(folder);
    writeFileSync(join(out, `taglatch-${version}.cdx.json`), billOfMaterials(folder));
  });
  for (const part of ["sdk", "kit"]) pack(join(ROOT, part), out);
  withFolder("worker", (folder) => {
    stageWorker(folder, version);
    pack(folder, out);
  });
  writeFileSync(join(out, "SHA256SUMS"), inFolder(out, "sha256sum", ...readdirSync(out).sort()));
}

const read = (name: string) => projectText(name);

const inFolder = (cwd: string, program: string, ...args: readonly string[]) =>
  execFileSync(program, args, { cwd, encoding: "utf8", maxBuffer: 1e8 });

const pack = (folder: string, out: string) =>
  inFolder(folder, "npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", out);

/** A folder of this name, which npm writes into the bill of materials, for as long as `work` takes. */
export function withFolder<T>(name: string, work: (folder: string) => T): T {
  const above = mkdtempSync(join(tmpdir(), "taglatch-release-"));
  try {
    mkdirSync(join(above, name));
    return work(join(above, name));
  } finally {
    rmSync(above, { recursive: true });
  }
}

/** The section of `version`, or of what is not released yet. Throws UsageError where there is none. */
export function changesOf(changelog: string, version: string, isRehearsal: boolean): string {
  const sections = changelog.split(/^(?=## )/m);
  const found = sections.find((section) => /^## ([^\s,]+)/.exec(section)?.[1] === version);
  const unreleased = sections.find((section) => section.startsWith("## Unreleased"));
  const section = found ?? (isRehearsal ? unreleased : undefined);
  if (section === undefined)
    throw new UsageError(
      `CHANGELOG.md has no section "## ${version}": rename "## Unreleased", or change the version in package.json`,
    );
  return section;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly dev?: boolean; readonly optional?: boolean; readonly link?: boolean }>
  >;
}

/**
 * Manifest and lock of what ships. `npm sbom --omit dev` on the whole lock leaves out each package that a development
 * dependency uses too, such as solid-js, and refuses workspaces without a version.
 */
export function writeProductLock(folder: string): void {
  const { name, version, dependencies } = JSON.parse(read("package.json")) as Manifest;
  const manifest: Manifest = { name, version, ...(dependencies === undefined ? {} : { dependencies }) };
  const lock = JSON.parse(read("package-lock.json")) as Lock;
  const shipped = Object.entries(lock.packages).filter(
    ([path, { dev, optional, link }]) => path.startsWith("node_modules/") && !(dev || optional || link),
  );
  const packages = { "": manifest, ...Object.fromEntries(shipped) };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ ...lock, packages }));
}

/** CycloneDX, without the time and the random number that would make each one different. */
export function billOfMaterials(folder: string): string {
  const written = inFolder(folder, "npm", "sbom", "--sbom-format", "cyclonedx", "--package-lock-only");
  const { serialNumber: _, metadata, ...bill } = JSON.parse(written);
  const { timestamp: __, ...lasting } = metadata;
  return `${JSON.stringify({ ...bill, metadata: lasting }, null, 1)}\n`;
}

/** All of the build, without the development secrets that lie beside the Worker, and without this machine's paths. */
export function stageWorker(folder: string, version: string): void {
  const isShipped = (path: string) =>
    !basename(path).startsWith(".") && !relative(DIST, path).startsWith(join("taglatch", "wrangler."));
  for (const part of ["client", "taglatch"])
    cpSync(join(DIST, part), join(folder, part), { recursive: true, filter: isShipped });
  const config = JSON.parse(readFileSync(join(DIST, "taglatch", "wrangler.json"), "utf8"));
  const { configPath: _, userConfigPath: __, ...portable } = config as Record<string, unknown>;
  writeFileSync(join(folder, "taglatch", "wrangler.json"), `${JSON.stringify(portable)}\n`);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "taglatch-worker", version }));
}
