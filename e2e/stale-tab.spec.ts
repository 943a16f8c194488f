import { en } from "../web/i18n/en.ts";
import { expect, test } from "./support/test.ts";

test("a tab of an earlier version, whose files are gone, says so and offers to load anew", async ({
  page,
  passenger,
  service,
}) => {
  await page.goto(service);
  await page.waitForLoadState("networkidle");
  await page.route("**/assets/*.js", (route) => route.fulfill({ status: 404 }));
  await passenger.opensClearPage();
  await passenger.sees(en.error.title);
  await passenger.goesHome();
  await passenger.sees(en.start.title);
  await passenger.opensClearPage();
  await passenger.sees(en.error.title);
  await page.unroute("**/assets/*.js");
  await page.getByRole("button", { name: en.journey.reload }).click();
  await passenger.sees(en.start.clearAction);
  await expect(page).toHaveURL(/\/clear$/);
});
