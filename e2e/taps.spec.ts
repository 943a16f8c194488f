import { ADA } from "../scripts/drivers/passenger.ts";
import { expectLabel } from "../scripts/drivers/tag-checks.ts";
import { en } from "../web/i18n/en.ts";
import { LIST_KNOWN } from "../web/job/guide-chooser.ts";
import { MOVING } from "./support/browser.ts";
import { countTaps } from "./support/taps.ts";
import { expect, test } from "./support/test.ts";

/** How many taps lead from opening the page to a written tag. One, where the browser remembers tags: remembered-tag.spec.ts */

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

test("a passenger with a journey opens onto it, and writes its tag with three taps: button, row, Pair", {
  tag: "@nightly",
}, async ({ page, makeTag, open, passenger, service }) => {
  const tag = await makeTag("2.1");
  const emulated = await open([tag]);
  await passenger.findsJourney(ADA);
  await passenger.keepsJourney();
  await emulated.goto(service);
  const files = () =>
    page.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .map(({ name }) => name)
        .join("\n"),
    );
  expect(await files()).not.toContain("/TransferPage-");
  // Before the tap that needs it, once the journey is at rest.
  await expect.poll(files).toContain("/TransferPage-");
  const taps = await countTaps(page, emulated);
  await passenger.putsFirstBagOnTag();
  await passenger.sees(en.job.doneTitle);
  expectLabel(tag, ADA);
  expect(taps()).toBe(3);
});

test("a tap counts while one screen still turns into the next", async ({ page, service, passenger }) => {
  await page.addInitScript(() => {
    const begin = document.startViewTransition.bind(document);
    document.startViewTransition = (update) => {
      const transition = begin(update);
      // A busy machine may show the screen before its first bag.
      const look = () => {
        const button = document.querySelector(".bag .button[data-kind=primary]");
        if (button === null) return void requestAnimationFrame(look);
        button.scrollIntoView({ block: "center", behavior: "instant" });
        const { x, y, width, height } = button.getBoundingClientRect();
        const hit = document.elementFromPoint(x + width / 2, y + height / 2);
        document.documentElement.dataset.tapped = hit?.closest(".button")?.textContent ?? "nothing";
      };
      void transition.ready.then(look);
      return transition;
    };
  });
  await page.goto(service);
  await passenger.findsJourney(ADA);
  const put = (await passenger.firstBag.textContent()) ?? "";
  await expect(page.locator("html")).toHaveAttribute("data-tapped", put);
});
