import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../project-files.ts";

/** An entry of package-lock.json. */
interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const NODE_MODULES = "node_modules/";

/**
 * The software bill of materials, CycloneDX 1.6: every package of the lock file, with the hash it is installed by. It has no date
 * and no random number, so that the same lock always gives the same bytes. `npm sbom` gives up on this lock, for a range of a
 * package that only tests use.
 */
export function sbom(lockText = readFileSync(join(ROOT, "package-lock.json"), "utf8")): string {
  const lock = JSON.parse(lockText) as {
    readonly name: string;
    readonly version: string;
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const paths = Object.keys(lock.packages).filter(
    (path) => path.includes(NODE_MODULES) && !lock.packages[path]?.link,
  );
  const refs = new Map(paths.map((path) => [path, purlOf(path, lock.packages[path] as Locked)]));
  const components = new Map(
    paths.map((path) => [refs.get(path), componentOf(path, lock.packages[path] as Locked)]),
  );
  const dependencies = new Map<string | undefined, readonly string[]>();
  for (const path of ["", ...paths]) {
    const ref = path === "" ? lock.name : refs.get(path);
    const { dependencies: needs, optionalDependencies: may } = lock.packages[path] as Locked;
    const found = Object.keys({ ...needs, ...may }).flatMap(
      (name) => refs.get(resolved(path, name, refs)) ?? [],
    );
    dependencies.set(ref, [...new Set([...(dependencies.get(ref) ?? []), ...found])].sort());
  }
  const { name, version } = lock;
  const content = {
    version: 1,
    metadata: { component: { type: "application", "bom-ref": name, name, version } },
    components: [...components.values()],
    dependencies: [...dependencies].map(([ref, dependsOn]) => ({ ref, dependsOn })),
  };
  const head = { bomFormat: "CycloneDX", specVersion: "1.6", serialNumber: `urn:uuid:${uuidOf(content)}` };
  return `${JSON.stringify({ ...head, ...content }, null, 1)}\n`;
}

const nameOf = (path: string) => path.slice(path.lastIndexOf(NODE_MODULES) + NODE_MODULES.length);

const purlOf = (path: string, { version }: Locked) =>
  `pkg:npm/${nameOf(path).replace("@", "%40")}@${version}`;

function componentOf(path: string, locked: Locked) {
  const [group, name] = nameOf(path).startsWith("@") ? nameOf(path).split("/") : [undefined, nameOf(path)];
  const [algorithm, hash] = locked.integrity?.split("-", 2) ?? [];
  return {
    type: "library",
    "bom-ref": purlOf(path, locked),
    ...(group === undefined ? {} : { group }),
    name,
    version: locked.version,
    // What builds and tests, and is in nothing that ships.
    scope: locked.dev ? "excluded" : locked.optional ? "optional" : "required",
    ...(algorithm === "sha512" && hash !== undefined
      ? { hashes: [{ alg: "SHA-512", content: Buffer.from(hash, "base64").toString("hex") }] }
      : {}),
    ...(locked.license === undefined ? {} : { licenses: [licenseOf(locked.license)] }),
    purl: purlOf(path, locked),
  };
}

/** An expression of SPDX ids, or a name as its package gives it. */
const licenseOf = (text: string) =>
  /^\(?[\w.+-]+(?: (?:OR|AND|WITH) [\w.+()-]+)*\)?$/.test(text)
    ? { expression: text }
    : { license: { name: text } };

/** Where Node finds `name` from the package at `path`: in its own folder, or in one above. */
function resolved(path: string, name: string, all: ReadonlyMap<string, unknown>): string {
  for (let at = path; ; ) {
    const here = `${at === "" ? "" : `${at}/`}${NODE_MODULES}${name}`;
    if (all.has(here) || at === "") return here;
    const above = at.lastIndexOf(`/${NODE_MODULES}`);
    at = above === -1 ? "" : at.slice(0, above);
  }
}

/** A UUID of version 8 (RFC 9562): the first bits of a hash. */
function uuidOf(content: unknown): string {
  const hash = createHash("sha256").update(JSON.stringify(content)).digest("hex");
  const variant = ((Number.parseInt(hash[16] ?? "0", 16) & 3) | 8).toString(16);
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-${variant}${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}
