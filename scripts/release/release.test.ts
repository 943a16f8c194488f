import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { build } from "../build/build.ts";
import { billOfMaterials, changesOf, stageWorker, withFolder, writeProductLock } from "./release-files.ts";

it("the bundle of the Worker holds the build, and no secret and no path of this machine", async () => {
  await build();
  const [, pepper = ""] = /^PEPPER='(.*)'$/m.exec(readFileSync(".dev.vars", "utf8")) ?? [];
  expect(pepper).toHaveLength(43);
  withFolder("worker", (folder) => {
    stageWorker(folder, "1.0.0");
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
    expect(names).toEqual(
      expect.arrayContaining([
        "taglatch/index.js",
        "taglatch/wrangler.json",
        "client/index.html",
        "client/_headers",
      ]),
    );
    expect(names.filter((name) => /\.vars|\.env/.test(name))).toEqual([]);
    const texts = names
      .filter((name) => statSync(join(folder, name)).isFile())
      .map((name) => readFileSync(join(folder, name), "latin1"));
    for (const secret of [pepper, process.cwd()])
      expect(texts.filter((each) => each.includes(secret))).toEqual([]);
  });
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
  readonly name: string;
  readonly purl: string;
  readonly hashes?: readonly { readonly content: string }[];
}

it("the bill of materials has what ships, by the hash it is installed by, and nothing of development", () => {
  const [first, second] = [1, 2].map(() =>
    withFolder("taglatch", (folder) => {
      writeProductLock(folder);
      return billOfMaterials(folder);
    }),
  );
  expect(first).toBe(second);
  const bom = JSON.parse(first ?? "") as { readonly components: readonly Component[] };
  const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
  const listed = bom.components.map(({ purl }) => decodeURIComponent(purl));
  for (const name of Object.keys(dependencies))
    expect(listed).toContain(`pkg:npm/${name}@${packages[`node_modules/${name}`].version}`);
  expect(
    listed.filter((purl) => /vitest|taglatch|node-linux|x509|to-json-schema|reflect-metadata/.test(purl)),
  ).toEqual([]);
  const hono = bom.components.find((each) => each.purl.startsWith("pkg:npm/hono@"));
  const [, base64 = ""] = packages["node_modules/hono"].integrity.split("-");
  expect(hono?.hashes?.[0]?.content).toBe(Buffer.from(base64, "base64").toString("hex"));
});
