import { createHash } from "node:crypto";
import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DIST } from "../build/build.ts";
import { UsageError } from "../ops/usage-error.ts";
import { ROOT } from "../project-files.ts";
import { sbom } from "./sbom.ts";
import { type Packed, tarGz } from "./tar.ts";

/** What a release consists of, from a build that is there. */

/** Every file of the release by name, checksums last. `isRehearsal` takes the changes that are not released yet. */
export function releaseFiles(isRehearsal: boolean): ReadonlyMap<string, Uint8Array> {
  const { version } = packageOf("");
  const sdk = packageOf("sdk");
  const text = (content: string) => Buffer.from(content);
  const files = new Map<string, Uint8Array>([
    ["CHANGES.md", text(changesOf(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"), version, isRehearsal))],
    [`taglatch-${version}.cdx.json`, text(sbom())],
    [`taglatch-sdk-${sdk.version}.tgz`, tarGz(sdkFiles(sdk.files ?? []))],
    [`taglatch-worker-${version}.tar.gz`, tarGz(workerFiles())],
  ]);
  return files.set("SHA256SUMS", text(checksums(files)));
}

interface Package {
  readonly version: string;
  readonly files?: readonly string[];
}

const packageOf = (folder: string) =>
  JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8")) as Package;

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

const read = (folder: string, name: string): Packed => ({ name, bytes: readFileSync(join(folder, name)) });

/** All of the build, without the development secrets that lie beside the Worker, and without this machine's paths. */
export function workerFiles(): readonly Packed[] {
  const names = globSync("{client,taglatch}/**", { cwd: DIST }).filter((name) => isFile(join(DIST, name)));
  const files = names
    .filter((name) => !/^taglatch\/(?:\.|wrangler\.)/.test(name))
    .map((name) => read(DIST, name));
  const {
    configPath: _,
    userConfigPath: __,
    ...config
  } = JSON.parse(readFileSync(join(DIST, "taglatch", "wrangler.json"), "utf8")) as Record<string, unknown>;
  return [...files, { name: "taglatch/wrangler.json", bytes: Buffer.from(`${JSON.stringify(config)}\n`) }];
}

/** As `npm pack` would take them. */
function sdkFiles(listed: readonly string[]): readonly Packed[] {
  const folder = join(ROOT, "sdk");
  const names = [
    "package.json",
    "README.md",
    ...listed.flatMap((each) => globSync([each, `${each}/**`], { cwd: folder })),
  ];
  return [...new Set(names)]
    .filter((name) => isFile(join(folder, name)))
    .map((name) => ({ ...read(folder, name), name: `package/${name}` }));
}

const isFile = (path: string) => statSync(path).isFile();

/** As `sha256sum --check` reads them. */
const checksums = (files: ReadonlyMap<string, Uint8Array>) =>
  [...files]
    .map(([name, bytes]) => `${createHash("sha256").update(bytes).digest("hex")}  ${name}\n`)
    .join("");
