import { inspector } from "./support/inspector.ts";
import { expect, test } from "./support/test.ts";

const PAGES = ["/docs", "/docs/errors", "/docs/protocol", "/docs/storage-schema"];

test("from an error answer to its advice, and on through the site by keyboard", async ({
  page,
  request,
  service,
}) => {
  const complaints: string[] = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
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

test("pages are accessible documents without scripts, on a phone, in the dark and on paper", async ({
  page,
  service,
}) => {
  for (const path of PAGES) {
    const answer = await page.goto(`${service}${path}`);
    const { "content-security-policy": policy } = answer?.headers() ?? {};
    expect(policy, path).toContain("require-trusted-types-for 'script'");
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    expect(await page.locator("script").count(), path).toBe(0);
    const widths = await page
      .locator("img")
      .evaluateAll((images) => images.map((image) => (image as HTMLImageElement).naturalWidth));
    expect(widths, path).toEqual(path === "/docs/protocol" ? [480] : []);
    const problems: string[] = [];
    await inspector(page, { width: 390, height: 844 }, problems)(path, () => Promise.resolve());
    expect(problems).toEqual([]);
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
