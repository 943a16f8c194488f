import { endpoints } from "../core/api/index.ts";
import { ADA } from "../scripts/drivers/passenger.ts";
import { inspector } from "./support/inspector.ts";
import { controlled } from "./support/service-worker.ts";
import { expect, test } from "./support/test.ts";

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

test.describe("where the page is installed", () => {
  test.use({ serviceWorkers: "allow" });

  test("the statements are documents of their own, and accessible", { tag: "@nightly" }, async ({
    page,
    service,
  }) => {
    await page.goto(service);
    await controlled(page);
    for (const [path, title] of [
      ["/privacy", "Privacy notice"],
      ["/accessibility", "Accessibility statement"],
    ] as const) {
      const answer = await page.goto(`${service}${path}`);
      expect(answer?.headers()["content-security-policy"], path).toContain("default-src 'none'");
      await expect(page.getByRole("heading", { level: 1 })).toHaveText(title);
      await expect(page.getByRole("table").first()).toBeVisible();
      const problems: string[] = [];
      await inspector(page, { width: 390, height: 844 }, problems)(path, () => Promise.resolve());
      expect(problems).toEqual([]);
      expect(await page.locator("script").count()).toBe(0);
    }
  });
});

test("the reference shows every endpoint, with nothing from anywhere else", { tag: "@nightly" }, async ({
  page,
  service,
}) => {
  const hosts = new Set<string>();
  const complaints: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith("data:")) hosts.add(new URL(request.url()).origin);
  });
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
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
