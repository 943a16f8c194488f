import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { codeBlocks } from "../scripts/documents/read-markdown.ts";
import { ADA } from "../scripts/drivers/passenger.ts";
import { ROOT } from "../scripts/project-files.ts";
import { HOST, hostToken } from "./support/host-airline.ts";
import {
  appOf,
  buildHost,
  type HostProject,
  makeHostProject,
  must,
  serveHost,
  withoutBuild,
} from "./support/host-project.ts";
import { expect, test } from "./support/test.ts";

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
  const { origin, stop } = await serveHost(host, withoutBuild(host, "element"));
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
  const root = appOf(host, "capacitor", ["@capacitor/core", "@capacitor-community/bluetooth-le"]);
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

test("a host of another origin writes a virtual tag for a traveller of its own, with 46 kB of code", async ({
  page,
  service,
  stranger,
  touchedTags,
}) => {
  expect(await buildHost(host, { virtualTags: false })).toBeLessThan(46_000);
  await buildHost(host, { virtualTags: true });
  const id = "ebt-21-0002";
  touchedTags.push(id);
  const { origin, stop } = await serveHost(host);
  await page.route(`${origin}/taglatch-token`, async (route) => route.fulfill({ body: await hostToken() }));
  await page.goto(`${origin}/?service=${service}&virtual=EBT-0002`);
  await expect(page.getByRole("status")).toHaveText("federated");
  await page.getByRole("button").click();
  await expect(page.getByRole("status")).toHaveText("written to EBT-0002");
  await expect(page.locator("#paper")).toHaveText(`EBT-0002: ${ADA.licencePlate}`);
  expect(await stranger.lookup(id)).toMatchObject({ locked: true, requiresCustodyProof: true });
  await stop();
});
