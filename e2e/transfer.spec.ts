import type { Page } from "@playwright/test";
import { ADA } from "../scripts/drivers/passenger.ts";
import { expectLabel, expectLocked } from "../scripts/drivers/tag-checks.ts";
import { en } from "../web/i18n/en.ts";
import { MOVING } from "./support/browser.ts";
import { expect, test } from "./support/test.ts";
import { hold, holdAnswers } from "./support/tour.ts";

test.describe("in motion", () => {
  test.use(MOVING);

  for (const generation of ["2.1", "2.0"] as const)
    test(`a bag is written to a v${generation} tag, which is locked to its journey and reveals nothing of it`, async ({
      makeTag,
      open,
      passenger,
      stranger,
    }) => {
      const tag = await makeTag(generation);
      const read: string[] = [];
      tag.observe((event) => {
        if (event.type === "gatt" && event.operation === "read")
          read.push(Buffer.from(event.value).toString("latin1"));
      });
      await open([tag]);
      await passenger.writesFirstBag(ADA);
      expectLabel(tag, ADA);
      await expectLocked(tag, stranger);
      expect(read.length).toBeGreaterThan(4);
      for (const secret of [ADA.surname, ADA.licencePlate, ADA.recordLocator])
        expect(read.join("\n")).not.toContain(secret);
    });

  const flashes = (page: Page) =>
    page
      .locator(".working .tag-paper")
      .evaluate((paper) => paper.getAnimations().map(({ effect }) => Number(effect?.getTiming().duration)));

  test("while the display changes, its drawing flashes at most three times a second (WCAG 2.3.1), or not at all", {
    tag: "@nightly",
  }, async ({ page, tag, passenger }) => {
    await passenger.findsJourney(ADA);
    const asked = page.waitForRequest("**/v2/ebt-authorizations");
    const goOn = await hold(page, "**/v2/ebt-authorizations");
    await passenger.putsFirstBagOnTag();
    await asked;
    const answer = holdAnswers(tag);
    goOn();
    await expect(page.locator(".working .tag[data-refreshing]")).toBeVisible();
    const [duration, ...others] = await flashes(page);
    expect(duration).toBeGreaterThan(1_000 / 3);
    expect(others).toEqual([]);
    await page.emulateMedia({ reducedMotion: "reduce" });
    expect(await flashes(page)).toEqual([]);
    answer();
    await passenger.sees(en.job.doneTitle);
  });
});
