import { en } from "../web/i18n/en.ts";
import { kiosk as words } from "../web/i18n/en-kiosk.ts";
import { adasPass, passText } from "./support/boarding-pass.ts";
import { Kiosk } from "./support/kiosk.ts";
import { ADA } from "./support/passenger.ts";
import { runServer } from "./support/server.ts";
import { expectLabel } from "./support/tag-checks.ts";
import { test as base, expect } from "./support/test.ts";

/** A service of this file's own: the bag added here would be one too many in every other story. */
const test = base.extend<object, { service: string }>({
  service: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures asked for from the pattern.
    async ({}, use) => {
      const server = await runServer();
      await use(server.url);
      await server.stop();
    },
    { scope: "worker", timeout: 60_000 },
  ],
});
test.use({ viewport: { width: 1280, height: 800 } });

/** Of the same airline as the demo's, on no bag. */
const PLATE = "0117654321";

test("a bag label nobody has is added to the journey when staff say so, and written", async ({
  page,
  service,
  makeTag,
  open,
}) => {
  const kiosk = new Kiosk(page);
  await kiosk.setsUp(service);
  const tag = await makeTag("2.1");
  await open([tag], "/kiosk");
  await kiosk.isAttracting();
  await kiosk.scans(passText(adasPass()));
  await kiosk.sees(words.journey.title("Helsinki"));
  await kiosk.scans(PLATE);
  await expect(kiosk.dialog).toContainText(words.journey.addBody(PLATE));
  await page.keyboard.press("Escape");
  await expect(kiosk.dialog).toHaveCount(0);
  await expect(page.getByRole("button", { name: en.bag.putLabel(3) })).toHaveCount(0);

  await kiosk.scans(PLATE);
  await kiosk.dialog.getByRole("button", { name: words.journey.addBag }).click();
  await page.getByRole("button", { name: en.bag.putLabel(3) }).click();
  await kiosk.choosesTag();
  await kiosk.sees(words.job.doneTitle);
  expectLabel(tag, { ...ADA, licencePlate: PLATE });
});
