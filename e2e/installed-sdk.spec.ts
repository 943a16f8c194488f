import { globSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { hostToken } from "./support/host-airline.ts";
import { buildHost, type HostProject, makeHostProject, must, serveHost } from "./support/host-project.ts";
import { ADA } from "./support/passenger.ts";
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

test("Node imports both entrances without a bundler", () => {
  const script = `
    const { createTaglatch } = await import("@taglatch/sdk");
    const { installVirtualTags } = await import("@taglatch/sdk/testing");
    const { transferTag } = createTaglatch({ baseUrl: "https://taglatch.example" });
    console.log(typeof transferTag, typeof installVirtualTags);`;
  expect(must("node", ["--input-type=module", "--eval", script], host.root)).toBe("function function\n");
});

test("a host of another origin writes a virtual tag for a traveller of its own, with 45 kB of code", async ({
  page,
  service,
  stranger,
  touchedTags,
}) => {
  expect(await buildHost(host, { virtualTags: false })).toBeLessThan(45_000);
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
