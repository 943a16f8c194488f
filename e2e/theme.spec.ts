import type { Page } from "@playwright/test";
import { en } from "../web/i18n/en.ts";
import { complaintsOf, expect, test } from "./support/test.ts";

const THEME = { name: "Polar Air", accent: "#ffcc00", logo: "/icon.svg" };

/** The service's own configuration, of an airline with a look. */
async function wears(page: Page, theme: object | undefined): Promise<void> {
  await page.route("**/.well-known/ebt-configuration", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ json: { ...(await answer.json()), theme } });
  });
}

const token = (page: Page, name: string) =>
  page.evaluate((property) => document.documentElement.style.getPropertyValue(property), name);

test("the page wears the airline's name, logo and colours, without breaking its own policy", async ({
  page,
  service,
}) => {
  const complaints = complaintsOf(page);
  await wears(page, THEME);
  await page.goto(service);
  await expect(page.getByRole("link", { name: en.app.home("Polar Air") })).toBeVisible();
  await expect(page).toHaveTitle(/Polar Air$/);
  await expect(page.locator(".wordmark-logo")).toBeVisible();
  const find = page.getByRole("button", { name: en.start.find });
  await expect(find).toHaveCSS("background-color", "rgb(255, 204, 0)");
  await expect(find).toHaveCSS("color", "rgb(20, 23, 28)");
  // Text in that yellow would be unreadable on white, so it is darker.
  expect(await token(page, "--accent")).not.toContain("#ffcc00,");
  expect(complaints).toEqual([]);
});

test("the next visit starts with the look, and a look that was taken away is gone", {
  tag: "@nightly",
}, async ({ page, service }) => {
  await wears(page, THEME);
  await page.goto(service);
  await expect(page.getByRole("img", { name: "Polar Air" })).toBeVisible();
  await page.unroute("**/.well-known/ebt-configuration");
  await page.route("**/.well-known/ebt-configuration", (route) => route.abort());
  await page.reload();
  await expect(page.getByRole("img", { name: "Polar Air" })).toBeVisible();
  await expect.poll(() => token(page, "--accent-fill")).toContain("#ffcc00");
  await page.unroute("**/.well-known/ebt-configuration");
  await page.reload();
  await expect(page.getByText("Taglatch", { exact: true })).toBeVisible();
  await expect.poll(() => token(page, "--accent-fill")).toBe("");
});
