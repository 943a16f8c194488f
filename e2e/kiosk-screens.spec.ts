import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { en } from "../web/i18n/en.ts";
import { kiosk as words } from "../web/i18n/en-kiosk.ts";
import { adasPass, passText } from "./support/boarding-pass.ts";
import { Kiosk } from "./support/kiosk.ts";
import { ADA, JUERGEN } from "./support/passenger.ts";
import { expectLabel } from "./support/tag-checks.ts";
import { issueCredential } from "./support/tag-factory.ts";
import { expect, test } from "./support/test.ts";

/** CSS pixels each way: fingers in gloves. */
const TARGET = 64;

/** Everything that can be touched is large enough, nothing runs out of the side, and axe finds nothing. */
async function isFitForGloves(page: Page): Promise<void> {
  await page.evaluate(() =>
    Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => 0))),
  );
  const small = await page.evaluate((target) => {
    const dialog = document.querySelector("dialog[open]");
    const touchable = (dialog ?? document).querySelectorAll<HTMLElement>(
      "a[href], button, input, select, textarea, summary, [role=button], [tabindex='0']",
    );
    return [...touchable].flatMap((element) => {
      const { width, height } = element.getBoundingClientRect();
      if (width === 0 || element.closest("[hidden]")) return [];
      // Half a pixel is rounding.
      return width < target - 0.5 || height < target - 0.5
        ? [`${element.tagName} ${element.textContent}: ${width} × ${height}`]
        : [];
    });
  }, TARGET);
  expect(small).toEqual([]);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
  const { violations } = await new AxeBuilder({ page })
    .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
    .analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)])).toEqual([]);
}

const SETTINGS = [
  { name: "an upright kiosk", viewport: { width: 1080, height: 1920 }, media: { colorScheme: "light" } },
  {
    name: "a lying kiosk in the dark",
    viewport: { width: 1920, height: 1080 },
    media: { colorScheme: "dark" },
  },
  { name: "a tablet", viewport: { width: 1280, height: 800 }, media: {} },
  {
    name: "a tablet in forced colours",
    viewport: { width: 1280, height: 800 },
    media: { forcedColors: "active" },
  },
] as const;

for (const { name, viewport, media } of SETTINGS) {
  test(`every screen of the kiosk is fit for gloves and accessible on ${name}`, async ({
    page,
    service,
    makeTag,
    open,
    stranger,
  }) => {
    test.setTimeout(180_000);
    await page.setViewportSize(viewport);
    await page.emulateMedia({ ...media, reducedMotion: "reduce" });
    const kiosk = new Kiosk(page);
    await page.goto(`${service}/kiosk`);
    await kiosk.sees(words.unset.title);
    await isFitForGloves(page);
    await page.goto(`${service}/kiosk/setup`);
    await kiosk.sees(words.setup.title);
    await kiosk.presses(words.setup.save);
    await isFitForGloves(page);
    await kiosk.setsUp(service);
    await isFitForGloves(page);
    await kiosk.presses(words.attract.staff);
    await isFitForGloves(page);
    await kiosk.presses(words.staff.release);
    await isFitForGloves(page);
    await kiosk.finishes();
    await kiosk.presses(words.attract.staff);
    await kiosk.presses(words.staff.queue);
    await isFitForGloves(page);
    await kiosk.finishes();
    await kiosk.presses(words.attract.type);
    await kiosk.presses(en.start.find);
    await isFitForGloves(page);

    const tag = await makeTag("2.1");
    await stranger.attach(tag.id, JUERGEN.baggageId);
    await open([tag], "/kiosk");
    await kiosk.isAttracting();
    await kiosk.scans(passText({ ...adasPass(), recordLocator: "ZZZZZZ" }));
    await kiosk.sees(words.find.notFound);
    await isFitForGloves(page);
    await kiosk.scans(passText(adasPass()));
    await kiosk.sees(words.journey.title("Helsinki"));
    await isFitForGloves(page);
    await kiosk.scans(ADA.licencePlate);
    await kiosk.choosesTag();
    await expect(kiosk.dialog).toBeVisible({ timeout: 30_000 });
    await isFitForGloves(page);
    await kiosk.dialog.getByLabel(en.proof.recordLocator).fill(JUERGEN.recordLocator);
    await kiosk.dialog.getByLabel(en.proof.surname).fill(JUERGEN.surname);
    await kiosk.dialog.getByRole("button", { name: en.proof.submit }).click();
    await kiosk.sees(words.job.doneTitle);
    await isFitForGloves(page);
    await kiosk.finishes();
    await kiosk.presses(words.attract.clear);
    await kiosk.sees(words.job.clearTitle);
    await isFitForGloves(page);
    await kiosk.finishes();
    await kiosk.presses(words.attract.staff);
    await kiosk.presses(words.staff.endShift);
    await kiosk.sees(words.signIn.title);
    await isFitForGloves(page);
  });
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`what goes wrong, waits or is about to be cleared is fit for gloves and accessible in the ${colorScheme}`, async ({
    page,
    service,
    makeTag,
    open,
  }) => {
    await page.setViewportSize({ width: 1080, height: 1920 });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const kiosk = new Kiosk(page);
    await kiosk.setsUp(service);
    const tag = await makeTag("2.1", { wrongCredential: await issueCredential("another-tag") });
    await open([tag], "/kiosk");
    await kiosk.isAttracting();
    tag.faults.wrongCertificate = true;
    await kiosk.scans(passText(adasPass()));
    await kiosk.sees(words.journey.title("Helsinki"));
    await kiosk.scans(ADA.licencePlate);
    await kiosk.choosesTag();
    await kiosk.sees(en.error.title);
    await isFitForGloves(page);

    tag.faults.wrongCertificate = false;
    await page.route("**/v2/device-attachments", (route) => route.abort("connectionfailed"));
    await kiosk.presses(en.app.again);
    await kiosk.sees(words.job.pendingTitle);
    await isFitForGloves(page);
    await kiosk.finishes();
    await kiosk.presses(words.attract.waiting(1));
    await kiosk.sees(words.queue.title);
    await expect(page.getByText(tag.id)).toBeVisible();
    await isFitForGloves(page);
    // Nobody touches anything for 45 seconds.
    await expect(kiosk.dialog).toContainText(words.idle.title, { timeout: 60_000 });
    await isFitForGloves(page);
    await kiosk.presses(words.idle.more);
    await expect(kiosk.dialog).toHaveCount(0);
    await page.unroute("**/v2/device-attachments");
    await kiosk.presses(words.queue.retry);
    await expect(page.getByText(words.queue.empty)).toBeVisible({ timeout: 30_000 });
  });
}

test("the attract screen speaks Arabic from right to left, and the next passenger's language again", async ({
  page,
  service,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  const kiosk = new Kiosk(page);
  await kiosk.setsUp(service);
  await kiosk.presses("العربية");
  await expect(page.locator("html")).toHaveAttribute("dir", "rtl");
  await isFitForGloves(page);
  await kiosk.scans(passText(adasPass()));
  await expect(page.locator(".kiosk-bags")).toBeVisible();
  await page.locator(".kiosk-bar-end button").click();
  await kiosk.isAttracting();
  await expect(page.locator("html")).toHaveAttribute("dir", "ltr");
});

test("a bag is put on a tag with the keyboard alone", async ({ page, service, makeTag, open }) => {
  const kiosk = new Kiosk(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await kiosk.setsUp(service);
  const tag = await makeTag("2.1");
  await open([tag], "/kiosk");
  await kiosk.isAttracting();
  const presses = async (name: string) => {
    const button = page.getByRole("button", { name, exact: true });
    await expect(button).toBeVisible();
    for (let presses = 0; presses < 20; presses++) {
      if (await button.evaluate((element) => element === document.activeElement)) break;
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
  };
  await presses(words.attract.type);
  await expect(page.getByLabel(en.start.recordLocator)).toBeFocused();
  await page.keyboard.type(ADA.recordLocator, { delay: 80 });
  await page.keyboard.press("Tab");
  await page.keyboard.type(ADA.surname, { delay: 80 });
  await page.keyboard.press("Enter");
  await kiosk.sees(words.journey.title("Helsinki"));
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  await presses(en.bag.putLabel(1));
  await kiosk.sees(words.job.doneTitle);
  expectLabel(tag, ADA);
  await presses(words.journey.next);
  await kiosk.isAttracting();
});
