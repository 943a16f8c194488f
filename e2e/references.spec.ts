/** How closely every-screen.spec.ts compares screens with pictures: it must see a small change. */
import { differenceFrom, otherDrawing, sameEveryDay } from "./support/photographer.ts";
import { expect, test } from "./support/test.ts";

test.use({ bypassCSP: true, timezoneId: "UTC" });

/** Changes that are easily made without looking, on the start page of a phone. */
const CHANGES = [
  { what: "a shade on the button", style: ":root { --accent-fill: #1b4ba6 !important; }" },
  { what: "a label of one word more", label: "Your surname" },
  {
    what: "four pixels more between the fields",
    style: "form { row-gap: calc(var(--s5) + 4px) !important; }",
  },
];

test.beforeEach(({ browser }, info) => {
  const other = otherDrawing(browser.version());
  info.skip(other !== undefined, other);
  info.skip(info.config.updateSnapshots === "all", "pictures are being made");
});

for (const { what, style, label } of CHANGES)
  test(`${what} differs from the picture, and the same screen does not`, async ({ page, service }, info) => {
    const start = ["phone", "start-light-en.png"];
    await sameEveryDay(page);
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    await page.goto(service);
    const surname = page.locator("label", { hasText: "Surname" });
    await expect(surname).toBeVisible();
    await expect(async () => expect(await differenceFrom(page, info, start)).toBe("none")).toPass();

    if (style !== undefined) await page.addStyleTag({ content: style });
    if (label !== undefined) await surname.evaluate((element, text) => element.replaceChildren(text), label);
    const difference = await differenceFrom(page, info, start);
    expect(difference).toMatch(/pixels|Expected an image/);
    info.annotations.push({ type: "difference", description: difference });
  });
