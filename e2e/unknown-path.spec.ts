import { en } from "../web/i18n/en.ts";
import { controlled } from "./support/service-worker.ts";
import { expect, test } from "./support/test.ts";

const HTML = "text/html,application/xhtml+xml,*/*;q=0.8";

test("an unknown path has status 404, as a screen for browsers and as an ErrorResponse for programs", async ({
  page,
  request,
  service,
  passenger,
}) => {
  const answer = await page.goto(`${service}/nowhere`);
  expect(answer?.status()).toBe(404);
  await passenger.sees(en.notFound.title);
  await page.getByRole("link", { name: en.job.toStart }).click();
  await passenger.sees(en.start.title);

  const statusOf = async (path: string, Accept: string) => {
    const options = { headers: { Accept }, maxRedirects: 0 };
    const [got, head] = [
      await request.get(service + path, options),
      await request.head(service + path, options),
    ];
    expect(head.status(), path).toBe(got.status());
    const isPage = (await got.text()).startsWith("<!doctype html>");
    return `${got.status()} ${isPage ? "page" : got.headers()["content-type"]}`;
  };
  // worker/http/assets.test.ts has every path; here, those that the server in front of it may take for others.
  for (const [path, accept, answer] of [
    ["/?sim", "*/*", "200 page"],
    ["/journeys/j1/bags/1/", HTML, "200 page"],
    ["/t/tag-1.v21", HTML, "200 page"],
    ["/kiosk/setup", "*/*", "200 page"],
    ["/assets/old.js", HTML, "404 page"],
    ["/assets/old.js", "*/*", "404 application/json"],
    ["/healthz/none", "*/*", "404 application/json"],
    ["/v2/nothing", HTML, "404 application/json"],
  ] as const)
    expect(await statusOf(path, accept), path).toBe(answer);
});

test.describe("where the page is installed", () => {
  test.use({ serviceWorkers: "allow" });

  test("an unknown path has the same status and screen, online and offline", async ({
    page,
    context,
    service,
    passenger,
  }) => {
    await page.goto(service);
    await controlled(page);
    for (const isOffline of [false, true]) {
      await context.setOffline(isOffline);
      const answer = await page.goto(`${service}/nowhere`);
      expect([answer?.status(), answer?.fromServiceWorker()]).toEqual([404, true]);
      await passenger.sees(en.notFound.title);
      expect((await page.goto(`${service}/clear`))?.status()).toBe(200);
    }
  });
});
