/** An airline's project with the packed SDK installed: `examples/bundled`, in a folder that knows nothing of ours. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build, preview } from "vite";
import { loadedWith } from "../scripts/build/bundle.ts";
import { codeBlocks } from "../scripts/documents/read-markdown.ts";
import { ROOT } from "../scripts/project-files.ts";
import { HOST, hostToken } from "./support/host-airline.ts";
import { expect, test } from "./support/test.ts";

interface HostProject {
  /** The project's folder. */
  readonly root: string;
  /** The packed SDK. */
  readonly tarball: string;
  remove(): void;
}

function makeHostProject(): HostProject {
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
function must(program: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

/**
 * Builds the project; bytes of its JavaScript after gzip that its page loads before anybody asks for more. A page that
 * ships has no virtual tags: with them at hand it also loads what only they share with the SDK.
 */
async function buildHost(
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

/** Puts `examples/<name>` beside the installed SDK, with packages of ours in its own node_modules; its folder. */
function copyOf({ root }: Pick<HostProject, "root">, name: string, ...packages: readonly string[]): string {
  const folder = join(root, name);
  const filter = (path: string) => !path.includes(join(name, "node_modules"));
  cpSync(join(ROOT, "examples", name), folder, { recursive: true, filter });
  for (const one of packages)
    cpSync(join(ROOT, "node_modules", one), join(folder, "node_modules", one), { recursive: true });
  return folder;
}

/** Serves a project's build, or the files of `folder`, from an origin of its own. */
async function serveHost({ root }: HostProject, folder = join(root, "dist")) {
  const server = await preview({
    root,
    configFile: false,
    build: { outDir: folder },
    preview: { host: "127.0.0.1", port: 0 },
  });
  const { port } = server.httpServer.address() as { port: number };
  return { origin: `http://127.0.0.1:${port}`, stop: () => server.close() };
}

// One project for all of them, made once.
test.describe.configure({ mode: "default" });

let host: HostProject;
test.beforeAll(() => {
  host = makeHostProject();
});
test.afterAll(() => host.remove());

test("the packed SDK is clean under publint and attw", () => {
  must("publint", [host.tarball, "--strict"], host.root);
  must("attw", [host.tarball, "--profile", "esm-only"], host.root);
});

test("installed, it is one folder of 5 MB at most, and puts no program on the path", () => {
  const modules = join(host.root, "node_modules");
  expect(readdirSync(modules).filter((name) => !name.startsWith(".package-lock"))).toEqual(["@taglatch"]);
  expect(readdirSync(join(modules, "@taglatch"))).toEqual(["sdk"]);
  const files = globSync("**/*", { cwd: modules }).map((path) => statSync(join(modules, path)));
  expect(files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0)).toBeLessThan(5_000_000);
});

test("a strict project without our types compiles against it", () => {
  must("tsc", ["-p", host.root], host.root);
});

test("what the documentation shows compiles in a strict project", () => {
  const blocks = codeBlocks("docs/embed.md", "ts");
  expect(blocks).toHaveLength(6);
  writeFileSync(join(host.root, "shown.ts"), blocks.join("\n"));
  const config = {
    extends: "./tsconfig.json",
    compilerOptions: { noUncheckedIndexedAccess: true },
    files: ["shown.ts"],
  };
  writeFileSync(join(host.root, "tsconfig.shown.json"), JSON.stringify(config));
  must("tsc", ["-p", join(host.root, "tsconfig.shown.json")], host.root);
});

test("the page of the documentation asks whose tag it is where the documented stranger wrote it, with a token by its signer", async ({
  page,
  service,
  touchedTags,
}) => {
  const [whole = "", , virtual = "", stranger = ""] = codeBlocks("docs/embed.md", "ts");
  const here = [whole, virtual, stranger]
    .join("\n")
    .replaceAll(/https:\/\/tags\.example\.com|http:\/\/localhost:8787/g, service)
    .replace("your-key", "demo-passenger-key");
  const main = readFileSync(join(host.root, "main.ts"), "utf8");
  writeFileSync(join(host.root, "main.ts"), `${here}\nshow("ready");`);
  await buildHost(host, { virtualTags: true });
  writeFileSync(join(host.root, "main.ts"), main);
  const { tokenFor } = await import(pathToFileURL(join(ROOT, "examples", "signer.mjs")).href);
  const jwk = JSON.parse(readFileSync(join(ROOT, "db", "demo", "host-airline.jwk.json"), "utf8"));
  const traveller = {
    id: "traveller-of-the-page",
    bookings: [{ recordLocator: "ABC123", surname: "Lovelace" }],
  };
  const token = tokenFor(traveller, jwk, { issuer: HOST, audience: "taglatch" });
  touchedTags.push("ebt-21-0001");
  const { origin, stop } = await serveHost(host);
  await page.route(`${origin}/taglatch-token`, (route) => route.fulfill({ body: token }));
  await page.goto(origin);
  await expect(page.getByRole("status")).toHaveText("ready");
  const asked: string[] = [];
  page.on("dialog", (dialog) => {
    asked.push(dialog.message());
    return dialog.accept(dialog.message().startsWith("Record") ? "OB1NKE" : "O'Brien");
  });
  await page.getByRole("button").click();
  await expect(page.getByRole("status")).toHaveText("Written to EBT-0001");
  expect(asked).toEqual(["Record locator, O•••••?", "Surname, O•••••?"]);
  await stop();
});

test("<taglatch-transfer> writes a tag for the host's traveller, and asks whose tag it is where it is another's", async ({
  page,
  service,
  stranger,
  touchedTags,
}) => {
  const id = "ebt-20-0005";
  touchedTags.push(id);
  // Without any build, it loads the SDK's modules as they are.
  const folder = copyOf(host, "element");
  const sdk = join(host.root, "node_modules", "@taglatch", "sdk", "dist");
  cpSync(sdk, join(folder, "sdk"), { recursive: true });
  const { origin, stop } = await serveHost(host, folder);
  const loads = (recordLocator: string, surname: string) => [{ recordLocator, surname }];
  let travel_plans = loads("ABC123", "Lovelace");
  await page.route(`${origin}/taglatch-token`, async (route) =>
    route.fulfill({ body: await hostToken({ travel_plans, sub: `of ${JSON.stringify(travel_plans)}` }) }),
  );
  await page.goto(`${origin}/?service=${service}&virtual=EBT-0005`);
  await page.getByRole("button", { name: "Put my bag on a tag" }).click();
  await expect(page.locator("#event")).toHaveText("taglatch-written EBT-0005");
  expect(await stranger.lookup(id)).toMatchObject({ locked: true });

  // Another traveller, as in another browser. The tag cannot sign: one that can would refute the lock by itself.
  travel_plans = loads("OB1NKE", "O'Brien");
  await page.evaluate(async () => {
    for (const { name } of await indexedDB.databases())
      await new Promise<void>((done) => {
        const deleting = indexedDB.deleteDatabase(name ?? "");
        // The page that has it open goes at once.
        deleting.onsuccess = deleting.onblocked = () => done();
      });
  });
  await page.reload();
  await page.getByRole("button", { name: "Put my bag on a tag" }).click();
  await page.getByLabel("Record locator").fill("ABC123");
  await page.getByLabel("Surname").fill("Lovelace");
  await page.getByRole("button", { name: "Unlock" }).click();
  await expect(page.locator("#event")).toHaveText("taglatch-written EBT-0005");
  await stop();
});

for (const [, name = ""] of readFileSync(join(ROOT, "examples/README.md"), "utf8").matchAll(
  /serve\.mjs (\w+)/g,
))
  test(`examples/${name} writes a tag where its README's command serves it`, async ({
    page,
    service,
    touchedTags,
  }) => {
    touchedTags.push("ebt-21-0004");
    const host = spawn("node", ["examples/serve.mjs", name, "0"], { cwd: ROOT });
    const [line] = await once(host.stdout, "data");
    const [, address = ""] = /^ready (\S+)\?/.exec(String(line)) ?? [];
    await page.goto(`${address}?service=${service}&virtual=EBT-0004`);
    const button = page.getByRole("button");
    await expect(button).toBeEnabled();
    if (["html", "capacitor"].includes(name)) {
      await page.getByLabel("Record locator").fill("ABC123");
      await page.getByLabel("Surname").fill("Lovelace");
    }
    if (name === "bundled") await expect(page.getByRole("status")).toHaveText("federated");
    await button.click();
    await expect(page.getByRole("status")).toHaveText(/written to EBT-0004$/i);
    host.kill();
  });

test("an app over Capacitor, and what its page shows, compiles strictly and builds with the packed SDK", async () => {
  const root = copyOf(host, "capacitor", "@capacitor/core", "@capacitor-community/bluetooth-le");
  writeFileSync(join(root, "shown.ts"), codeBlocks("docs/capacitor.md", "ts").join("\n"));
  const config = { extends: "./tsconfig.json", files: ["main.ts", "shown.ts"] };
  writeFileSync(join(root, "tsconfig.all.json"), JSON.stringify(config));
  must("tsc", ["-p", join(root, "tsconfig.all.json")], root);
  // The virtual tags come only where its address asks for them.
  expect(await buildHost({ ...host, root }, { virtualTags: true })).toBeLessThan(60_000);
});

test("Node imports each entrance without a bundler", () => {
  const script = `
    const { createTaglatch } = await import("@taglatch/sdk");
    const { capacitorRadio } = await import("@taglatch/sdk/capacitor");
    const { installVirtualTags } = await import("@taglatch/sdk/testing");
    const { transferTag } = createTaglatch({ baseUrl: "https://taglatch.example" });
    console.log(typeof transferTag, typeof capacitorRadio, typeof installVirtualTags);`;
  const said = must("node", ["--input-type=module", "--eval", script], host.root);
  expect(said).toBe("function function function\n");
});

test("a host loads 46 kB of code at most before anybody asks for more", async () => {
  expect(await buildHost(host, { virtualTags: false })).toBeLessThan(46_000);
});

test("a client generated from the OpenAPI document compiles strictly and does the main job from Node", async ({
  service,
}) => {
  const root = copyOf(host, "node");
  const generator = join(ROOT, "examples", "node", "node_modules", "openapi-typescript", "bin", "cli.js");
  must("node", [generator, `${service}/openapi.json`, "--output", "api.d.ts"], root);
  must("tsc", ["-p", root], root);
  const said = must("env", [`SERVICE=${service}`, "node", "--no-warnings", "main.ts"], root);
  expect(said.split("\n")).toEqual([
    "journey demo-journey-1, bag 1",
    "locked: false",
    expect.stringMatching(/^token for the tag: \d{3} characters$/),
    expect.stringMatching(/^locked since 20/),
    "a stranger: unauthorized_token",
    "locked: false",
    "",
  ]);
  // It would not compile against another contract.
  writeFileSync(
    join(root, "wrong.ts"),
    'import { createClient } from "./client.ts";\ncreateClient("", {}).post("/v2/ebt-unlocks", { device: 1 });\n',
  );
  writeFileSync(
    join(root, "tsconfig.json"),
    JSON.stringify({ extends: join(ROOT, "examples/node/tsconfig.json"), files: [join(root, "wrong.ts")] }),
  );
  expect(() => must("tsc", ["-p", root], root)).toThrow(/'device' does not exist/);
});
