import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { endpoints } from "../core/api/index.ts";
import { ADA } from "../scripts/drivers/passenger.ts";
import { ROOT } from "../scripts/project-files.ts";
import { en } from "../web/i18n/en.ts";
import { inspector } from "./support/inspector.ts";
import { Kiosk } from "./support/kiosk.ts";
import { PHONE } from "./support/looks.ts";
import { complaintsOf, expect, test } from "./support/test.ts";

const PAGES = ["/docs", "/docs/errors", "/docs/protocol", "/docs/storage-schema"];

test("from an error answer to its advice, and on through the site by keyboard", async ({
  page,
  request,
  service,
}) => {
  const complaints = complaintsOf(page);
  const refused = await request.post(`${service}/v2/journeys`, { data: {} });
  const { errorCode } = await refused.json();
  const [, help = ""] = /^<([^>]+)>; rel="help"$/.exec(refused.headers().link ?? "") ?? [];
  await page.goto(new URL(help, service).href);
  const advice = page.getByRole("heading", { name: errorCode, exact: true });
  await expect(advice).toBeInViewport();
  await expect(page.locator(":target")).toHaveText(errorCode);

  await page.getByRole("link", { name: "Taglatch documents" }).press("Enter");
  await expect(page).toHaveURL(`${service}/docs`);
  await page.getByRole("link", { name: "Embed", exact: true }).press("Enter");
  await expect(page).toHaveURL(`${service}/docs/embed`);
  await page.getByRole("main").getByRole("link", { name: "errors", exact: true }).press("Enter");
  await expect(page).toHaveURL(`${service}/docs/errors`);
  expect(complaints).toEqual([]);
});

/** Opens what anybody can read, accessible and without scripts; its policy. */
async function readsDocument(page: Page, url: string): Promise<string> {
  const answer = await page.goto(url);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  expect(await page.locator("script").count(), url).toBe(0);
  const problems: string[] = [];
  await inspector(page, PHONE, problems)(url, () => Promise.resolve());
  expect(problems).toEqual([]);
  return answer?.headers()["content-security-policy"] ?? "";
}

test("pages are accessible documents without scripts, on a phone, in the dark and on paper", async ({
  page,
  service,
}) => {
  for (const path of PAGES) {
    expect(await readsDocument(page, `${service}${path}`)).toContain("require-trusted-types-for 'script'");
    const widths = await page
      .locator("img")
      .evaluateAll((images) => images.map((image) => (image as HTMLImageElement).naturalWidth));
    expect(widths, path).toEqual(path === "/docs/protocol" ? [480] : []);
  }
  for (const [path, title] of [
    ["/privacy", "Privacy notice"],
    ["/accessibility", "Accessibility statement"],
  ] as const) {
    expect(await readsDocument(page, `${service}${path}`)).toContain("default-src 'none'");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(title);
  }
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.emulateMedia({ colorScheme: "light", forcedColors: "none" });
  const light = await background();
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await background()).not.toBe(light);
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  expect(await background()).toBe(light);
  await expect(page.getByRole("navigation")).toHaveCount(0);
});

test("each page is there as Markdown too, and llms.txt lists them", async ({ request, service }) => {
  const list = await request.get(`${service}/llms.txt`);
  expect(list.headers()["content-type"]).toBe("text/plain; charset=utf-8");
  const paths = [...(await list.text()).matchAll(/\]\((\/docs\/[^)]+)\)/g)].map(([, path = ""]) => path);
  expect(paths).toContain("/docs/embed.md");
  for (const path of paths) {
    const answer = await request.get(`${service}${path}`);
    expect([answer.status(), answer.headers()["content-type"]], path).toEqual([
      200,
      "text/markdown; charset=utf-8",
    ]);
    expect(await answer.text()).toMatch(/^# /m);
  }
});

const linked = (html: string) =>
  [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, file = ""]) => file);

for (const [screen, path] of [
  ["a journey", "/journeys/demo-journey-1"],
  ["a transfer", "/journeys/demo-journey-1/bags/1"],
  ["clearing", "/clear"],
  ["the kiosk", "/kiosk"],
] as const) {
  test(`the document of ${screen} names every file of its first drawing`, { tag: "@nightly" }, async ({
    page,
    request,
    service,
    passenger,
  }) => {
    const files = linked(await (await request.get(`${service}${path}`)).text());
    const everywhere = linked(await (await request.get(service)).text());
    expect(files.length).toBeGreaterThan(everywhere.length);
    expect(files).toEqual(expect.arrayContaining(everywhere));
    for (const file of files) expect((await request.get(`${service}${file}`)).status(), file).toBe(200);

    if (path.startsWith("/journeys")) {
      // A journey opened before is drawn from its stored copy.
      await page.goto(service);
      await passenger.findsJourney(ADA);
      await passenger.keepsJourney();
    }
    // Dictionaries depend on the visitor's language.
    const named = (file: string) => files.includes(file) || /\/en-\w+-[^/]+$/.test(file);
    const drawn = Promise.withResolvers<void>();
    await page.route(
      (url) => /^\/assets\/.*\.(?:js|css)$/.test(url.pathname) && !named(url.pathname),
      async (route) => {
        await drawn.promise;
        await route.continue();
      },
    );
    await page.goto(`${service}${path}`);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    drawn.resolve();
  });
}

test("the reference shows every endpoint, with nothing from anywhere else", { tag: "@nightly" }, async ({
  page,
  service,
}) => {
  const hosts = new Set<string>();
  const complaints = complaintsOf(page);
  page.on("request", (request) => {
    if (!request.url().startsWith("data:")) hosts.add(new URL(request.url()).origin);
  });
  const answer = await page.goto(`${service}/docs/api`);
  const policy = answer?.headers()["content-security-policy"];
  expect(policy).toMatch(/^default-src 'none'; script-src 'self'; /);
  expect(policy).not.toMatch(/https?:|unsafe|\*/);
  for (const { path } of Object.values(endpoints)) {
    await expect(page.locator(`[data-path="${path}"]`).first()).toBeVisible();
  }
  await page.locator(`[data-path="${endpoints.ebtAuthorization.path}"]`).click();
  await expect(page.getByText("A v2.0 tag accepts a token only with")).toBeVisible();
  await page.locator(`[data-path="${endpoints.deviceClientCertificate.path}"]`).click();
  await expect(page.getByText("the session must be bound to a key")).toBeVisible();
  await page.getByRole("button", { name: "Try it out" }).first().click();
  expect([...hosts]).toEqual([new URL(service).origin]);
  expect(complaints).toEqual([]);
});

/** The paragraph of a page that begins with `title` in bold. */
function paragraph(page: string, title: string): string {
  const text = readFileSync(join(ROOT, page), "utf8");
  const found = text.split("\n\n").find((one) => one.startsWith(`**${title}**`));
  if (found === undefined) throw new Error(`${page} has no paragraph "${title}"`);
  return found.replaceAll("\n", " ");
}

/** Does what a paragraph says: opens its address, types each *label* `value`, presses each other *button*. */
async function follow(page: Page, service: string, text: string): Promise<void> {
  const [, path = ""] = /<http:\/\/localhost:8787(\S*)>/.exec(text) ?? [];
  await page.goto(`${service}${path}`);
  // The panel of virtual tags has buttons with the tags' names, too.
  const screen = page.getByRole("main").or(page.getByRole("dialog"));
  for (const [, name = "", value] of text.matchAll(/(?<!\*)\*([^*]+)\*(?!\*)(?: `([^`]+)`)?/g)) {
    if (value !== undefined) await page.getByLabel(name, { exact: true }).fill(value);
    else await screen.getByRole("button", { name }).first().click();
  }
}

test("the steps of the README write a first tag without a tag", async ({
  page,
  service,
  passenger,
  touchedTags,
}) => {
  touchedTags.push("ebt-21-0001");
  await follow(page, service, paragraph("README.md", "Your first tag, without a tag."));
  await passenger.sees(en.job.doneTitle);
});

test("the steps of the page about running set a kiosk up", async ({ page, service }) => {
  await follow(page, service, paragraph("docs/development.md", "A kiosk."));
  await new Kiosk(page).isAttracting();
  await expect(page.getByRole("complementary", { name: en.sim.title })).toContainText("EBT-0001");
});
