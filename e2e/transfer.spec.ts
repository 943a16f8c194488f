import type { Page } from "@playwright/test";
import { ADA, JUERGEN } from "../scripts/drivers/passenger.ts";
import { countConnections, expectBlank, expectLabel, expectLocked } from "../scripts/drivers/tag-checks.ts";
import { en } from "../web/i18n/en.ts";
import { MOVING } from "./support/browser.ts";
import { expect, test } from "./support/test.ts";
import { hold, holdAnswers } from "./support/tour.ts";

/** A locator that no other story tries, because each has a budget of its own at the service. It begins as Jürgen's does. */
const WRONG = { recordLocator: "KWRON1", surname: "ABSENT" };

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

// The tag is locked to Jürgen's journey; Ada stands at it.
test("two wrong proofs and a right one let the transfer go on over the same connection", async ({
  openLocked,
  passenger,
  stranger,
}) => {
  const tag = await openLocked();
  const connections = countConnections(tag);
  await passenger.beginsFirstBag(ADA);

  await expect(passenger.dialog).toContainText("\u2066JFK\u2069 – \u2066FRA\u2069");
  await expect(passenger.dialog).toContainText("K•••••");
  await expect(passenger.dialog).toContainText("M•••••");
  await passenger.proves(ADA);
  await expect(passenger.dialog).toContainText(en.passenger.hint.other("K"));
  await expect(passenger.dialog).toContainText(en.passenger.proof.attemptsLeft(3));
  await passenger.proves(WRONG);
  await expect(passenger.dialog).toContainText(en.errors.custody_proof_invalid.what);
  await expect(passenger.dialog).toContainText(en.passenger.proof.attemptsLeft(2));
  await passenger.proves({ ...JUERGEN, surname: "LOVELACE" });
  await expect(passenger.dialog).toContainText(en.passenger.proof.attemptsLeft(1));
  expectBlank(tag);

  await passenger.proves({ ...JUERGEN, surname: "mueller" });
  await passenger.sees(en.job.doneTitle);
  expect(connections()).toBe(1);
  expectLabel(tag, ADA);
  expect(await stranger.lookup(tag.id)).toMatchObject({
    locked: true,
    hints: { departureAirport: "OSL", destinationAirport: "HEL" },
  });
});
