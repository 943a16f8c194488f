/** A kiosk without keys, seen from a metre and from five, with several bags and a tag for each. */
import type { Page } from "@playwright/test";
import { ADA, JUERGEN } from "../scripts/drivers/passenger.ts";
import { expectBlank, expectLabel } from "../scripts/drivers/tag-checks.ts";
import { en } from "../web/i18n/en.ts";
import { adasPass, passText } from "./support/boarding-pass.ts";
import { expect, test } from "./support/kiosk-test.ts";

const words = en.kiosk;
const UPRIGHT = { width: 1080, height: 1920 };
const keys = (page: Page) => page.getByRole("group", { name: words.keyboard.label });
const key = (page: Page, name: string) => keys(page).getByRole("button", { name, exact: true });

async function touches(page: Page, text: string) {
  for (const letter of text) await key(page, letter === " " ? words.keyboard.space : letter).click();
}

test("a proof of custody is typed on the screen, or scanned from the boarding pass of the journey on the tag", {
  tag: "@nightly",
}, async ({ page, lockedTag, kiosk }) => {
  await touches(page, "ABSENT");
  await kiosk.dialog.getByLabel(en.start.surname).click();
  await touches(page, "O'NE IL");
  await expect(kiosk.dialog.getByLabel(en.start.recordLocator)).toHaveValue("ABSENT");
  await expect(kiosk.dialog.getByLabel(en.start.surname)).toHaveValue("O'NE IL");
  // It types into the dialog's fields alone, and all of it is in sight.
  expect(await kiosk.dialog.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBe(
    0,
  );
  expectBlank(lockedTag);
  const theirs = { name: "MUELLER/JUERGEN", recordLocator: JUERGEN.recordLocator };
  await kiosk.scans(passText({ ...adasPass(), ...theirs }));
  await kiosk.sees(words.job.doneTitle);
  expectLabel(lockedTag, ADA);
});

test("nothing on the attract screen is as large as where to begin, and it moves unless that is unwanted", {
  tag: "@nightly",
}, async ({ page, kiosk }) => {
  for (const size of [UPRIGHT, { width: 1920, height: 1080 }, { width: 1280, height: 800 }]) {
    await page.setViewportSize(size);
    await kiosk.isAttracting();
    const sizes = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>(".kiosk *")]
        .filter(({ childNodes }) => [...childNodes].some(({ nodeType }) => nodeType === Node.TEXT_NODE))
        .map((element) => ({
          text: element.textContent,
          size: Number.parseFloat(getComputedStyle(element).fontSize),
        }))
        .sort((a, b) => b.size - a.size),
    );
    expect(sizes[0]?.text).toBe(words.attract.scan);
    expect(sizes[0]?.size ?? 0).toBeGreaterThan(1.5 * (sizes[1]?.size ?? 0));
    // An attract screen has no scrolling.
    expect(
      await page.evaluate(() => document.documentElement.scrollHeight - innerHeight),
    ).toBeLessThanOrEqual(0);
  }
  const moving = () =>
    page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === "running").length);
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await expect.poll(moving).toBeGreaterThan(0);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await expect.poll(moving).toBe(0);
});

/** Success on an upright screen of 27 inches, read from five metres: 20 minutes of arc (ISO 9241-303). */
async function expectReadableFromAfar(page: Page, tagName: string) {
  const capitals = (selector: string) =>
    page.locator(selector).evaluate((element) => {
      const { fontSize, fontFamily, fontWeight } = getComputedStyle(element);
      const pen = document.createElement("canvas").getContext("2d") as CanvasRenderingContext2D;
      pen.font = `${fontWeight} ${fontSize} ${fontFamily}`;
      return pen.measureText("H").actualBoundingBoxAscent;
    });
  const millimetres = (27 * 25.4) / Math.hypot(UPRIGHT.width, UPRIGHT.height);
  await expect(page.locator(".kiosk-distant-tag")).toHaveText(tagName);
  const enough = 5_000 * Math.tan((20 / 60) * (Math.PI / 180));
  expect((await capitals(".kiosk-distant-tag")) * millimetres).toBeGreaterThan(enough);
  expect((await capitals(".kiosk-distant-place")) * millimetres).toBeGreaterThan(1.5 * enough);
  expect(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)).toBeLessThanOrEqual(
    0,
  );
}

test("whose bag is done can be read from afar", { tag: "@nightly" }, async ({ page, kiosk, tag }) => {
  await page.setViewportSize(UPRIGHT);
  await kiosk.takesAdasBag();
  await kiosk.sees(words.job.doneTitle);
  await expectReadableFromAfar(page, tag.name);
});
