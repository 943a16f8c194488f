import type { Journey } from "../core/api/index.ts";
import { EmulatedTags } from "../scripts/drivers/cdp-tag.ts";
import { ADA, asHeading, JUERGEN, Passenger, SILE } from "../scripts/drivers/passenger.ts";
import { expectBlank, expectLabel, expectUnlocked } from "../scripts/drivers/tag-checks.ts";
import { en } from "../web/i18n/en.ts";
import { unbroken } from "../web/i18n/forms.ts";
import { expect, test } from "./support/test.ts";

const { addBag, arrival, attempts, lost } = en.passenger;
const HOUR = 3_600_000;
/** A locator that no other story guesses at: each has a budget of its own. */
const WRONG = { recordLocator: "WRONG3", surname: "ABSENT" };

test("a tag that its holder reports lost cannot be written until the holder has found it", {
  tag: "@nightly",
}, async ({ browser, service, makeTag, open, passenger }) => {
  const tag = await makeTag("2.1");
  const context = await browser.newContext();
  const holder = new Passenger(await context.newPage());
  const emulated = await EmulatedTags.install(holder.page, [tag]);
  emulated.choose(tag);
  await emulated.goto(service);
  await holder.writesFirstBag(ADA);
  // The emulation serves one page at a time; the holder's page continues without it.
  await emulated.remove();
  await holder.page.getByRole("link", { name: en.job.toJourney }).click();
  await holder.opensMore();
  await holder.page.getByRole("button", { name: `${lost.report} (${tag.name})` }).click();
  await expect(holder.dialog).toContainText(lost.body);
  await holder.dialog.getByRole("button", { name: en.passenger.lost.report }).click();
  await holder.reads(lost.badge(unbroken(tag.name)));

  await open([tag]);
  await passenger.beginsFirstBag(JUERGEN);
  await passenger.sees(asHeading(en.errors.device_lost.what));
  await passenger.reads(en.errors.device_lost.next);
  expectLabel(tag, ADA);

  await holder.page.getByRole("button", { name: `${lost.found} (${tag.name})` }).click();
  await holder.reads(en.bag.onTag(unbroken(tag.name)));
  await passenger.page.getByRole("button", { name: en.passenger.otherBag.another }).click();
  // Found, the tag is locked like every other: a custody proof would unlock it.
  await expect(passenger.dialog).toContainText("A•••••");
  await context.close();
});

test("a holder sees that others tried for the tag, and after arrival is led to clear it", {
  tag: "@nightly",
}, async ({ page, service, makeTag, open, passenger, stranger }) => {
  const tag = await makeTag("2.1");
  const emulated = await open([tag]);
  const answer = page.waitForResponse("**/v2/journeys/from-record-locator");
  await passenger.findsJourney(ADA);
  const { flights }: Journey = await (await answer).json();
  await passenger.putsFirstBagOnTag();
  await passenger.sees(en.job.doneTitle);
  for (let tries = 1; tries <= 2; tries++) {
    const { status } = await stranger.post("/v2/ebt-custody-proofs", { uniqueDeviceId: tag.id, ...WRONG });
    expect(status).toBe(422);
  }
  await emulated.goto(service);
  await expect(page.getByText(arrival.title)).toHaveCount(0);
  await passenger.reads(attempts.title(2));

  await page.clock.setFixedTime(Date.parse(flights.at(-1)?.scheduledArrival ?? "") + HOUR);
  await emulated.goto(service);
  await passenger.reads(arrival.title);
  // The tap clears where the journey was loaded in this visit; until then the page asks.
  await page.getByRole("link", { name: en.clear.titleOf(unbroken(tag.name)) }).click();
  await passenger.choosesTagUntil(page.getByRole("heading", { level: 1, name: en.clear.doneTitle }));
  expectBlank(tag);
  await expectUnlocked(tag, stranger);
  await passenger.goesHome();
  await expect(page.getByText(arrival.title)).toHaveCount(0);
});

test("a bag that a passenger adds has a number of the airline's, and goes on a tag", {
  tag: "@nightly",
}, async ({ page, tag, passenger }) => {
  await passenger.findsJourney(SILE);
  const bags = page.locator(".bag");
  const known = await bags.count();
  await page.getByRole("button", { name: addBag.action }).click();
  await expect(passenger.dialog).toContainText(addBag.body);
  await passenger.dialog.getByRole("button", { name: addBag.action }).click();
  await passenger.reads(addBag.added(known + 1));
  await expect(bags).toHaveCount(known + 1);
  const name = await bags.last().getByRole("img").getAttribute("aria-label");
  const licencePlate = /\d{10}/.exec(name ?? "")?.[0] ?? "";
  expect(licencePlate).toMatch(/^0117/);
  await page.getByRole("button", { name: en.bag.putLabel(known + 1) }).click();
  await passenger.sees(en.job.doneTitle);
  expectLabel(tag, { ...SILE, licencePlate });
});
