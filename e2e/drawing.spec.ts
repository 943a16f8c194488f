/** The drawing of a running job shows what the tag has said, and nothing before. */
import type { Page } from "@playwright/test";
import { ADA } from "../scripts/drivers/passenger.ts";
import { expectLabel } from "../scripts/drivers/tag-checks.ts";
import type { TagSimulator } from "../sim/tag/tag-simulator.ts";
import { en } from "../web/i18n/en.ts";
import { MOVING } from "./support/browser.ts";
import { expect, test } from "./support/test.ts";
import { hold, holdAnswers } from "./support/tour.ts";

test.use(MOVING);

/** WCAG 2.3.1: no more than three flashes in a second. */
const FLASH = 1_000 / 3;

/** What the tag's display was each time the running job's drawing had changed: blank, a soft part, flashing, the label. */
async function watchDrawing(page: Page, tag: TagSimulator) {
  const seen: { readonly drawn: string; readonly display: string }[] = [];
  await page.exposeBinding("drawn", (_source, drawn: string) => {
    seen.push({ drawn, display: tag.snapshot().display.state });
  });
  await page.evaluate(() => {
    const world = globalThis as unknown as { drawn(what: string): void };
    let last = "";
    const look = () => {
      const drawing = document.querySelector(".working .tag");
      if (!drawing) return;
      const width = Number(drawing.querySelector("svg svg")?.getAttribute("width"));
      const soft = drawing.hasAttribute("data-refreshing") ? "flashing" : width > 0 ? "part" : "blank";
      const now = drawing.hasAttribute("data-preview") ? soft : "label";
      if (now !== last) world.drawn(now);
      last = now;
    };
    new MutationObserver(look).observe(document, { childList: true, subtree: true, attributes: true });
  });
  return seen;
}

const flashes = (page: Page) =>
  page.locator(".working .tag-paper").evaluate((paper) =>
    paper.getAnimations().map(({ effect }) => {
      const { duration, easing } = effect?.getTiming() ?? {};
      return { duration, easing };
    }),
  );

test("the label is drawn in softly, flashes, and is shown once the tag has said COMMITTED", {
  tag: "@nightly",
}, async ({ page, tag, passenger }) => {
  await passenger.findsJourney(ADA);
  const seen = await watchDrawing(page, tag);
  const asked = page.waitForRequest("**/v2/ebt-authorizations");
  const goOn = await hold(page, "**/v2/ebt-authorizations");
  await passenger.putsFirstBagOnTag();
  await asked;
  const answer = holdAnswers(tag);
  goOn();
  await expect(page.locator(".working .tag[data-refreshing]")).toBeVisible();
  const turns = await flashes(page);
  expect(turns).toHaveLength(1);
  expect(Number(turns[0]?.duration)).toBeGreaterThan(FLASH);
  await page.emulateMedia({ reducedMotion: "reduce" });
  expect(await flashes(page)).toEqual([]);
  answer();
  await passenger.sees(en.job.doneTitle);
  expectLabel(tag, ADA);
  expect(seen.map(({ drawn }) => drawn)).toEqual(["blank", "part", "flashing", "label"]);
  expect(seen.filter(({ drawn, display }) => drawn === "label" && display !== "LABEL")).toEqual([]);
});

test("a tag that shows another number is written once more, without the list", { tag: "@nightly" }, async ({
  page,
  makeTag,
  open,
  passenger,
}) => {
  const tag = await makeTag("2.1");
  const emulated = await open([tag]);
  await passenger.writesFirstBag(ADA);
  await passenger.reads(en.passenger.written.readBack(`\u2066…\u2060${ADA.licencePlate.slice(-3)}\u2069`));
  // A chooser that opened now would be refused.
  emulated.choose("cancel");
  const { commits } = tag.snapshot();
  await page.getByRole("button", { name: en.passenger.written.readBackNot }).click();
  await expect.poll(() => tag.snapshot().commits).toBe(commits + 1);
  await passenger.sees(en.job.doneTitle);
  expectLabel(tag, ADA);
});
