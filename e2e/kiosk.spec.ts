import type { Page } from "@playwright/test";
import { type Bytes, toBase64 } from "../core/encoding/bytes.ts";
import { tagName } from "../core/gatt/tag-name.ts";
import { ADA, JUERGEN } from "../scripts/drivers/passenger.ts";
import { expectBlank, expectLabel, expectUnlocked } from "../scripts/drivers/tag-checks.ts";
import { issueCredential } from "../scripts/drivers/tag-factory.ts";
import { en } from "../web/i18n/en.ts";
import { kiosk as words } from "../web/i18n/en-kiosk.ts";
import { unbroken } from "../web/i18n/forms.ts";
import { expect, test } from "./support/kiosk-test.ts";

const done = words.job.doneTitle;

test("the set-up changes only after a staff sign-in; a shift begins with user name and password, never the secret", {
  tag: "@nightly",
}, async ({ page, service, kiosk }) => {
  await page.goto(`${service}/kiosk/setup`);
  await page.getByLabel(words.setup.name).fill("Somewhere else");
  await page.getByLabel(words.signIn.username).fill("kiosk-osl-1");
  await page.getByLabel(words.signIn.password).fill("guessed");
  await kiosk.presses(words.setup.save);
  await expect(page.getByText(en.errors.invalid_credentials.what)).toBeVisible();
  await page.goto(`${service}/kiosk`);
  await expect(page.getByText("OSL 12", { exact: true })).toBeVisible();

  await kiosk.endsShift();
  await kiosk.sees(words.signIn.title);
  await page.getByLabel(words.signIn.username).fill("kiosk-osl-1");
  await page.getByLabel(words.signIn.password).fill("wrong");
  await kiosk.presses(words.signIn.submit);
  await expect(page.getByText(en.errors.invalid_credentials.what)).toBeVisible();
  await expect(page.getByLabel(words.signIn.password)).toHaveValue("");
  await page.getByLabel(words.signIn.password).fill("correct horse battery staple");
  await page.keyboard.press("Enter");
  await kiosk.isAttracting();
  // The shift outlives a restart of the browser.
  await page.goto(`${service}/kiosk`);
  await kiosk.isAttracting();
  // Virtual tags asked for at the set-up are there at the kiosk.
  await kiosk.setsUp(service, "?sim");
  await expect(page.getByRole("complementary", { name: en.sim.title })).toBeVisible();
});

test("another airline's lock opens to the word of the tag that is in hand", { tag: "@nightly" }, async ({
  kiosk,
  makeTag,
  reach,
  stranger,
}) => {
  const id = `ebt-21-${crypto.randomUUID().slice(0, 8)}`;
  const credential = await issueCredential(id);
  const tag = await makeTag("2.1", { id, credential });
  // The service knows its key: without its word, the lock is another airline's alone.
  await stranger.attach(tag.id, JUERGEN.baggageId, toBase64(credential.chain[0] as Bytes));
  await reach(tag);
  await kiosk.presses(words.attract.staff);
  await kiosk.presses(words.release.title);
  await kiosk.choosesTag();
  await kiosk.opensLock();
  await expectUnlocked(tag, stranger);
  // It is in hand still: it is not chosen again.
  await kiosk.presses(words.release.clear);
  await kiosk.sees(words.job.clearedTitle);
});

test("a tag that is locked to the booking that is open is written and cleared without a question", {
  tag: "@nightly",
}, async ({ kiosk, makeTag, reach, stranger }) => {
  const tag = await makeTag("2.1", { signs: false });
  await reach(tag);
  const older = `${tag.id}-older-7070`;
  await stranger.attach(older, ADA.baggageId);
  await stranger.attach(tag.id, ADA.baggageId);
  await kiosk.takesAdasBag();
  await kiosk.sees(done);
  expectLabel(tag, ADA);
  expect((await stranger.post("/v2/ebt-custody-proofs", { uniqueDeviceId: tag.id, ...ADA })).status).toBe(
    200,
  );
  await stranger.attach(tag.id, ADA.baggageId);
  // The warning of a tag that still shows the bag leads to where that tag is cleared, and only that.
  await kiosk.presses(en.clear.titleOf(unbroken(tagName(older))));
  await kiosk.sees(en.clear.titleOf(unbroken(tagName(older))));
  await kiosk.presses(words.job.toJourney);
  await kiosk.presses(en.start.clearAction);
  await kiosk.choosesTag();
  await kiosk.sees(words.job.clearedTitle);
  expectBlank(tag);
  await expectUnlocked(tag, stranger);
  await expect(kiosk.page.getByRole("button", { name: en.job.nextBag(2) })).toBeVisible();
  expect((await stranger.post("/v2/ebt-unlocks", { uniqueDeviceId: older })).status).toBe(200);
});

/** Errors that the page itself logs; the browser logs refused requests, which the page sometimes expects. */
function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    const isRefusal = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isRefusal) complaints.push(message.text());
  });
  return complaints;
}

test("a tag is written, cleared without a journey, and the shift ended, with nothing to complain about", async ({
  page,
  kiosk,
  makeTag,
  reach,
  stranger,
}) => {
  const complaints = complaintsOf(page);
  const tag = await makeTag("2.1");
  await reach(tag);
  await kiosk.scans("https://example.com/advert");
  await expect(page.getByText(words.notice.unknown)).toBeVisible();
  await kiosk.scans(ADA.licencePlate);
  await expect(page.getByText(words.notice.plateFirst)).toBeVisible();
  await kiosk.takesAdasBag();
  await kiosk.sees(done);
  // The second bag waits: it is too early for the bag drop.
  await expect(page.getByText(words.job.drop)).toHaveCount(0);
  await kiosk.finishes();
  await expect(page.getByText(words.notice.goodbye)).toBeVisible();
  await kiosk.presses(en.start.clearAction);
  await kiosk.choosesTag();
  await kiosk.sees(words.job.clearedTitle);
  expectBlank(tag);
  await expectUnlocked(tag, stranger);
  await kiosk.finishes();
  await kiosk.endsShift();
  await kiosk.sees(words.signIn.title);
  expect(complaints).toEqual([]);
});
