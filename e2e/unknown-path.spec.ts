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
  for (const path of [
    "/",
    "/?sim",
    "/journeys/j1/bags/1/",
    "/t/tag-1.v21",
    "/kiosk",
    "/kiosk/setup",
    "/diagnostics",
  ])
    for (const accept of [HTML, "*/*"]) expect(await statusOf(path, accept), path).toBe("200 page");
  for (const path of [
    "/nowhere",
    "/kiosk/nowhere",
    "/assets/old.js",
    "/screens/clear",
    "/demo/none",
    "/healthz/none",
  ]) {
    expect(await statusOf(path, HTML), path).toBe("404 page");
    expect(await statusOf(path, "*/*"), path).toBe("404 application/json");
  }
  for (const accept of [HTML, "*/*"])
    expect(await statusOf("/v2/nothing", accept)).toBe("404 application/json");
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
