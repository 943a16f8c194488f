import type { Page } from "@playwright/test";
import { ADA, JUERGEN } from "../scripts/drivers/passenger.ts";
import { en } from "../web/i18n/en.ts";
import { accented } from "../web/i18n/pseudo.ts";
import { Kiosk } from "./support/kiosk.ts";
import { expect, test } from "./support/test.ts";
import { find, prove } from "./support/tour.ts";
import { wordsOf } from "./support/words.ts";

const arabic = wordsOf("ar");
const german = wordsOf("de");

/**
 * What people see or hear in the pseudo-locale without brackets: words that cannot be translated. Data are allowed:
 * names, codes, plates, what a tag shows, languages' own names, and what a developer's desk says.
 */
async function hardCoded(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const DATA =
      ".tag-drawing, bdi, .code, .flight-airport, .flight-number, .flight-pair, .languages-list, body [lang]";
    const ALLOWED =
      /Taglatch|English|EBT-\w+|ebt-[\w-]+|ADA|LOVELACE|Helsinki|Frankfurt|\b(OSL|ARN|HEL|FRA|JFK|UTC|EN|en|SK|SAS|F\d+)\b|[\d\s–—·.,:;/()%•-]+/g;
    const outside = (text: string) => {
      let rest = text;
      for (let before = ""; before !== rest; ) {
        before = rest;
        rest = rest.replace(/\[[^[\]]*\]/g, "");
      }
      return rest.replace(ALLOWED, "").trim();
    };
    const visible = (element: Element) => element.checkVisibility({ visibilityProperty: true });
    const found: string[] = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const parent = node.parentElement;
      if (!parent || parent.closest(`${DATA}, script, style, noscript`) || !visible(parent)) continue;
      const rest = outside(node.textContent ?? "");
      if (rest !== "") found.push(`text: ${node.textContent}`);
    }
    for (const element of document.body.querySelectorAll("*")) {
      if (element.closest("body [lang]") || !visible(element)) continue;
      for (const name of ["aria-label", "aria-valuetext", "alt", "title", "placeholder"]) {
        const value = element.getAttribute(name) ?? "";
        if (outside(value) !== "") found.push(`${name}: ${value}`);
      }
    }
    if (outside(document.title) !== "") found.push(`document title: ${document.title}`);
    return found;
  });
}

const NARROW = { width: 320, height: 640 };

/** Every word on the screen came from a dictionary, and the longest of them fit. */
async function speaks(page: Page): Promise<void> {
  await expect.poll(() => hardCoded(page)).toEqual([]);
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  await expect.poll(overflow).toBeLessThanOrEqual(0);
}

test("in the pseudo-locale no screen of a transfer with proof has a word of its own", async ({
  page,
  openLocked,
}) => {
  await page.setViewportSize(NARROW);
  await openLocked("/?lang=x-pseudo");
  await expect(page.locator("html")).toHaveAttribute("lang", "en-x-pseudo");
  await speaks(page);
  await page.locator("form button[type=submit]").click();
  await speaks(page);
  await find(page, { ...ADA, surname: "ABSENT" });
  await expect(page.locator("form [role=alert] .notice")).toBeVisible();
  await speaks(page);
  await find(page, ADA);
  await expect(page.locator(".bag").first()).toBeVisible();
  await speaks(page);
  await page.locator(".bag .button[data-kind=primary]").first().click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toBeVisible();
  await speaks(page);
  await prove(page, { recordLocator: "ZZZZZZ", surname: "ABSENT" });
  await expect(dialog.locator(".notice")).toBeVisible();
  await speaks(page);
  await prove(page, JUERGEN);
  await expect(page.locator(".outcome")).toBeVisible();
  await speaks(page);
  await page.locator(".outcome-after a").first().click();
  await expect(page.locator(".bag").first()).toBeVisible();
  await speaks(page);
  await page.locator(".more > summary").first().click();
  await speaks(page);
  await page.locator('a[href^="/clear?tag="]').first().click();
  await expect(page.locator(".page > .button[data-kind=primary]")).toBeVisible();
  await speaks(page);
});

test("in the pseudo-locale no other screen has a word of its own", async ({ page, service }) => {
  await page.setViewportSize(NARROW);
  for (const path of ["/scan", "/handover", "/clear", "/nowhere", "/kiosk", "/kiosk/setup"])
    await test.step(path, async () => {
      await page.goto(`${service}${path}?lang=x-pseudo`);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      await speaks(page);
    });
  await page.setViewportSize({ width: 1080, height: 1920 });
  await new Kiosk(page).setsUp(service);
  await page.goto(`${service}/kiosk?lang=x-pseudo`);
  await expect(page.getByRole("heading", { level: 1, name: accented(en.kiosk.attract.scan) })).toBeVisible();
  await speaks(page);
});

test.describe("somebody whose browser speaks German", () => {
  test.use({ locale: "de-AT" });

  test("sees German from the first drawing on, and never English", async ({ page, service }) => {
    await page.addInitScript(() => {
      const seen = new Set<string>();
      Object.assign(globalThis, { seenHeadings: seen });
      const look = () => seen.add(document.querySelector("h1")?.textContent ?? "");
      new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true });
    });
    await page.goto(service);
    await expect(page.getByRole("heading", { level: 1, name: german.start.title })).toBeVisible();
    await expect(page.locator("html")).toHaveAttribute("lang", "de");
    const seen = await page.evaluate(() => [
      ...(globalThis as unknown as { seenHeadings: Set<string> }).seenHeadings,
    ]);
    expect(seen.filter((text) => text !== "")).toEqual([german.start.title]);
    expect(await page.locator("meta[name=description]").getAttribute("content")).toBe(german.app.description);
  });
});

test("a language that is chosen keeps the screen as it is, turns the page and is remembered until an address asks for another", async ({
  page,
  service,
}) => {
  await page.goto(service);
  await page.getByLabel(en.start.recordLocator).fill("ABC");
  await page.getByRole("button", { name: new RegExp(en.app.language) }).click();
  const choice = page.getByRole("link", { name: "العربية" });
  await expect(choice).toHaveAttribute("hreflang", "ar");
  await choice.click();
  await expect(page.getByRole("heading", { level: 1, name: arabic.start.title })).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("dir", "rtl");
  await expect(page.locator("html")).toHaveAttribute("lang", "ar");
  await expect(page.getByLabel(arabic.start.recordLocator)).toHaveValue("ABC");
  await page.reload();
  await expect(page.getByRole("heading", { level: 1, name: arabic.start.title })).toBeVisible();
  await page.goto(`${service}/clear?lang=de`);
  await expect(page.getByRole("heading", { level: 1, name: german.start.clearAction })).toBeVisible();
});
