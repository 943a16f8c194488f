import { ADA, Passenger } from "../scripts/drivers/passenger.ts";
import { en } from "../web/i18n/en.ts";
import { expect, test } from "./support/test.ts";

test("a tab of an earlier version, whose files are gone, says so and offers to reload", async ({
  page,
  passenger,
  service,
}) => {
  await page.goto(service);
  await page.waitForLoadState("networkidle");
  await page.route("**/assets/*.js", (route) => route.fulfill({ status: 404 }));
  await passenger.opensClearPage();
  await passenger.sees(en.error.notLoaded);
  await passenger.goesHome();
  await passenger.sees(en.start.title);
  await passenger.opensClearPage();
  await passenger.sees(en.error.notLoaded);
  await page.unroute("**/assets/*.js");
  await page.getByRole("button", { name: en.journey.reload }).click();
  await passenger.sees(en.start.clearAction);
  await expect(page).toHaveURL(/\/clear$/);
});

test("who is forgotten in one tab is gone from the others, too", async ({ page, passenger, service }) => {
  await page.goto(service);
  await passenger.findsJourney(ADA);
  const kept = () => page.evaluate(() => localStorage.getItem("taglatch.journey-kept"));
  await passenger.keepsJourney();
  const other = await page.context().newPage();
  await other.goto(page.url());
  const inOther = new Passenger(other);
  await expect(inOther.firstBag).toBeVisible();

  const { forget, forgetYes } = en.passenger.cached;
  await passenger.more.click();
  await page.getByRole("button", { name: forget }).click();
  await passenger.dialog.getByRole("button", { name: forgetYes }).click();
  await inOther.sees(en.start.title);
  await expect(other).toHaveURL(`${service}/`);
  await expect(other.getByText(ADA.recordLocator)).toHaveCount(0);
  expect(await kept()).toBeNull();
});
