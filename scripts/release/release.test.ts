import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { build } from "../build/build.ts";
import { changesOf, workerFiles } from "./release-files.ts";
import { sbom } from "./sbom.ts";
import { tarGz } from "./tar.ts";

const folder = mkdtempSync(join(tmpdir(), "taglatch-release-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("an archive is one that tar reads, and the same whatever the order of its files", () => {
  const text = (name: string, content: string) => ({ name, bytes: Buffer.from(content) });
  const files = [text("b/long.txt", "x".repeat(1_000)), text("a.txt", "first"), text("empty", "")];
  const packed = tarGz(files);
  writeFileSync(join(folder, "some.tgz"), packed);
  execFileSync("tar", ["xzf", "some.tgz"], { cwd: folder });
  for (const { name, bytes } of files) expect(readFileSync(join(folder, name))).toEqual(bytes);
  expect(tarGz(files.toReversed())).toEqual(packed);
  expect(() => tarGz([text("x".repeat(101), "")])).toThrow(RangeError);
});

it("the bundle of the Worker holds the build, and no secret and no path of this machine", async () => {
  await build();
  const files = workerFiles();
  const names = files.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      "taglatch/index.js",
      "taglatch/wrangler.json",
      "client/index.html",
      "client/_headers",
    ]),
  );
  expect(names.filter((name) => /\.vars|\.env/.test(name))).toEqual([]);
  const [, pepper = ""] = /^PEPPER='(.*)'$/m.exec(readFileSync(".dev.vars", "utf8")) ?? [];
  expect(pepper).toHaveLength(43);
  const texts = files.map(({ bytes }) => Buffer.from(bytes).toString("latin1"));
  for (const secret of [pepper, process.cwd()])
    expect(texts.filter((each) => each.includes(secret))).toEqual([]);
});

it("a release needs a section of its version; a rehearsal takes what is not released yet", () => {
  const changelog =
    "# Changes\n\n## Unreleased\n\n- new\n\n## 1.0.1, 2027-01-02\n\n- mended\n\n## 1.0.0\n\n- first\n";
  expect(changesOf(changelog, "1.0.1", false)).toBe("## 1.0.1, 2027-01-02\n\n- mended\n\n");
  expect(changesOf(changelog, "1.1.0", true)).toBe("## Unreleased\n\n- new\n\n");
  expect(() => changesOf(changelog, "1.1.0", false)).toThrow('no section "## 1.1.0"');
  // 1.0 is not 1.0.1.
  expect(() => changesOf(changelog, "1.0", false)).toThrow("no section");
});

interface Component {
  readonly "bom-ref": string;
  readonly name: string;
  readonly scope: string;
  readonly hashes?: readonly { readonly content: string }[];
}

it("the bill of materials has every package of the lock once, by the hash it is installed by", () => {
  const bom = JSON.parse(sbom()) as {
    readonly components: readonly Component[];
    readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
  };
  const refs = bom.components.map((each) => each["bom-ref"]);
  expect(new Set(refs).size).toBe(refs.length);
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
    readonly packages: Readonly<
      Record<string, { readonly version: string; readonly integrity?: string; readonly link?: boolean }>
    >;
  };
  const wanted = Object.entries(lock.packages).filter(
    ([path, { link }]) => path.includes("node_modules/") && !link,
  );
  for (const [path, { version }] of wanted) {
    expect(refs).toContain(`pkg:npm/${path.split("node_modules/").at(-1)?.replace("@", "%40")}@${version}`);
  }
  const hono = bom.components.find(({ name }) => name === "hono");
  const [, base64 = ""] = lock.packages["node_modules/hono"]?.integrity?.split("-") ?? [];
  expect(hono?.scope).toBe("required");
  expect(hono?.hashes?.[0]?.content).toBe(Buffer.from(base64, "base64").toString("hex"));
  expect(bom.components.find(({ name }) => name === "vitest")?.scope).toBe("excluded");
  const known = new Set([...refs, "taglatch"]);
  expect(
    bom.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]).filter((ref) => !known.has(ref)),
  ).toEqual([]);
  expect(bom.dependencies.find(({ ref }) => ref === "taglatch")?.dependsOn).toContain(hono?.["bom-ref"]);
  expect(sbom()).toBe(sbom());
});

it("the bill of materials finds the package that Node would find", () => {
  const packages = {
    "": { dependencies: { a: "1", b: "2" } },
    "node_modules/a": { version: "1.0.0", dependencies: { b: "1" } },
    "node_modules/a/node_modules/b": { version: "1.0.0" },
    "node_modules/b": { version: "2.0.0" },
  };
  const bom = JSON.parse(sbom(JSON.stringify({ name: "top", version: "1.0.0", packages })));
  expect(bom.dependencies).toEqual([
    { ref: "top", dependsOn: ["pkg:npm/a@1.0.0", "pkg:npm/b@2.0.0"] },
    { ref: "pkg:npm/a@1.0.0", dependsOn: ["pkg:npm/b@1.0.0"] },
    { ref: "pkg:npm/b@1.0.0", dependsOn: [] },
    { ref: "pkg:npm/b@2.0.0", dependsOn: [] },
  ]);
});
