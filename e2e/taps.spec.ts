/** How many taps lead from opening the page to a written tag. */
import { chromium, type Page } from "@playwright/test";
import type { EmulatedTags } from "../scripts/drivers/cdp-tag.ts";
import { ADA } from "../scripts/drivers/passenger.ts";
import { endsOf, expectBlank, expectLabel } from "../scripts/drivers/tag-checks.ts";
import { en } from "../web/i18n/en.ts";
import { unbroken } from "../web/i18n/forms.ts";
import { LIST_KNOWN } from "../web/job/guide-chooser.ts";
import { launchForTests, MOVING } from "./support/browser.ts";
import { expect, test } from "./support/test.ts";

const { remembered } = en.passenger;

/** In the browser's own list: the tag's row, and “Pair”. */
const IN_CHOOSER = 2;

/** Counts from now on what a finger does, in the page and in the browser's list. Once for each page. */
async function countTaps(page: Page, tags: EmulatedTags): Promise<() => number> {
  let taps = 0;
  await page.exposeBinding("tapped", () => {
    taps += 1;
  });
  await page.evaluate(() => {
    const world = globalThis as unknown as { tapped(): void };
    addEventListener("click", ({ isTrusted }) => isTrusted && world.tapped(), true);
  });
  const before = tags.choosers;
  return () => taps + IN_CHOOSER * (tags.choosers - before);
}

test.describe("in motion", () => {
  test.use(MOVING);

  test("the first time, the booking is followed by four taps: button, advice, row, Pair", async ({
    page,
    makeTag,
    open,
    passenger,
  }) => {
    const tag = await makeTag("2.1");
    const emulated = await open([tag]);
    await page.evaluate((key) => localStorage.removeItem(key), LIST_KNOWN);
    await passenger.findsJourney(ADA);
    const taps = await countTaps(page, emulated);
    await passenger.putsFirstBagOnTag();
    await passenger.dialog.getByRole("button", { name: en.passenger.list.show }).click();
    await passenger.sees(en.job.doneTitle);
    expectLabel(tag, ADA);
    expect(taps()).toBe(4);
  });

  test("a tag moves from its place on one screen to its place on the next, and taps go through it", async ({
    page,
    service,
    passenger,
  }) => {
    await page.addInitScript(() => {
      const { animate } = Element.prototype;
      Element.prototype.animate = function (...call) {
        const animation = animate.apply(this, call);
        if (!this.matches(".tag")) return animation;
        const { x, y, width, height } = this.getBoundingClientRect();
        const hit = document.elementFromPoint(x + width / 2, Math.max(1, y + height / 2));
        document.documentElement.dataset.moved = [x + width / 2, y + height / 2].map(Math.round).join(" ");
        document.documentElement.dataset.lasts = String(animation.effect?.getTiming().duration);
        if (this.contains(hit)) document.documentElement.dataset.tapped = "the tag";
        return animation;
      };
    });
    await page.goto(service);
    await passenger.findsJourney(ADA);
    const html = page.locator("html");
    // From the form no tag can move to the journey.
    await expect(html).not.toHaveAttribute("data-moved");
    const place = () =>
      page
        .locator("main .tag")
        .first()
        .evaluate(async (tag) => {
          await Promise.all(tag.getAnimations().map(({ finished }) => finished));
          const { x, y, width, height } = tag.getBoundingClientRect();
          return [x + width / 2, y + height / 2].map(Math.round).join(" ");
        });
    await passenger.firstBag.scrollIntoViewIfNeeded();
    const onCard = await place();
    await passenger.firstBag.click();
    await expect(html).toHaveAttribute("data-moved", onCard);
    await expect(html).toHaveAttribute("data-lasts", "240");
    await expect(passenger.dialog).toBeVisible();
    await page.keyboard.press("Escape");
    const onJob = await place();
    expect(onJob).not.toBe(onCard);
    await page.getByRole("link", { name: en.job.toJourney }).click();
    await expect(html).toHaveAttribute("data-moved", onJob);
    await expect(html).not.toHaveAttribute("data-tapped");
  });
});

/** Chromium keeps `getDevices` and `watchAdvertisements` behind this. */
const NEW_PERMISSIONS = "WebBluetoothNewPermissionsBackend";

/** A browser of their own, and the service of all: `test.use` of other flags would start another of both. */
const testRemembered = test.extend({
  context: async ({ locale, viewport, serviceWorkers }, use) => {
    const { args, ...launch } = launchForTests();
    const more = args.map((arg) =>
      arg.startsWith("--enable-features=") ? `${arg},${NEW_PERMISSIONS}` : arg,
    );
    const browser = await chromium.launch({ ...launch, args: more, headless: true });
    await use(await browser.newContext({ locale: locale ?? "en-GB", viewport, serviceWorkers }));
    await browser.close();
  },
});

testRemembered(
  "where the browser remembers the tag, one tap leads from the start to the written tag, and it is cleared without the chooser",
  {
    tag: "@nightly",
  },
  async ({ page, makeTag, open, passenger, service, stranger }) => {
    const tag = await makeTag("2.1");
    const emulated = await open([tag]);
    await passenger.writesFirstBag(ADA);
    expect((await stranger.post("/v2/ebt-custody-proofs", { uniqueDeviceId: tag.id, ...ADA })).status).toBe(
      200,
    );
    // A later visit; a chooser that opened now would be refused.
    emulated.choose("cancel");
    await emulated.goto(service);
    const taps = await countTaps(page, emulated);
    await page
      .getByRole("button", { name: en.bag.putOn(unbroken(tag.name)) })
      .first()
      .click();
    await passenger.reads(remembered.looking(unbroken(tag.name)));
    await emulated.advertise(tag);
    await passenger.sees(en.job.doneTitle);
    expectLabel(tag, ADA);
    expect(taps()).toBe(1);

    // One visit later.
    await emulated.goto(service);
    await passenger.findsJourney(ADA);
    await passenger.opensMore();
    await page.getByRole("link", { name: en.bag.clear }).click();
    await passenger.reads(remembered.ready(unbroken(tag.name)));
    await page.getByRole("button", { name: en.clear.titleOf(unbroken(tag.name)) }).click();
    await passenger.reads(remembered.looking(unbroken(tag.name)));
    const ends = endsOf(tag);
    await emulated.advertise(tag);
    await passenger.sees(en.clear.doneTitle);
    expectBlank(tag);
    // The page hangs up, though the browser has no name for a tag that it only remembers.
    await expect.poll(() => ends).toEqual(["central"]);
  },
);
