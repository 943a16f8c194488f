import type { Page } from "@playwright/test";
import { type Bytes, toBase64 } from "../core/encoding/bytes.ts";
import { tagName } from "../core/gatt/tag-name.ts";
import { ADA, JUERGEN } from "../scripts/drivers/passenger.ts";
import { expectBlank, expectLabel, expectLocked, expectUnlocked } from "../scripts/drivers/tag-checks.ts";
import { issueCredential } from "../scripts/drivers/tag-factory.ts";
import { en } from "../web/i18n/en.ts";
import { kiosk as words } from "../web/i18n/en-kiosk.ts";
import { unbroken } from "../web/i18n/forms.ts";
import { adasPass, passText } from "./support/boarding-pass.ts";
import { expect, test } from "./support/kiosk-test.ts";
import { prove } from "./support/tour.ts";

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

test("at the attract screen a code that leads nowhere says so, and Arabic is spoken to one passenger alone", {
  tag: "@nightly",
}, async ({ page, kiosk }) => {
  await kiosk.scans("https://example.com/advert");
  await expect(page.getByText(words.notice.unknown)).toBeVisible();
  await kiosk.scans(ADA.licencePlate);
  await expect(page.getByText(words.notice.plateFirst)).toBeVisible();
  await kiosk.isAttracting();
  // Another airline's.
  await kiosk.scans(
    passText({
      ...adasPass(),
      name: "MUELLER/JUERGEN",
      recordLocator: "K7Q2ZD",
      route: "JFKFRA",
      carrier: "LH",
      flight: "0401",
    }),
  );
  await kiosk.sees(words.find.notFound);
  await expect(page.getByText(en.errors.journey_not_found.what)).toBeVisible();
  await kiosk.finishes();

  await kiosk.presses("العربية");
  await expect(page.locator("html")).toHaveAttribute("dir", "rtl");
  await kiosk.scans(passText(adasPass()));
  await expect(page.locator(".kiosk-bags")).toBeVisible();
  await page.locator(".kiosk-bar-end button").click();
  await kiosk.isAttracting();
  await expect(page.locator("html")).toHaveAttribute("dir", "ltr");
});

test("staff open a lock they cannot prove, with a reason, and write the bag then", {
  tag: "@nightly",
}, async ({ page, kiosk, lockedTag, stranger }) => {
  await kiosk.presses(words.job.proofRelease);
  await kiosk.sees(words.release.title);
  await expect(page.getByText(words.release.today, { exact: true })).toBeVisible();
  await expect(page.getByText(words.release.daysUnknown)).toHaveCount(0);
  await expect(page.getByRole("button", { name: words.release.confirm })).toBeInViewport({ ratio: 1 });
  await kiosk.presses(words.release.confirm);
  await expect(page.getByText(words.release.reasonMissing)).toBeVisible();
  await kiosk.opensLock();
  await expectUnlocked(lockedTag, stranger);
  await kiosk.presses(words.release.write);
  await kiosk.sees(done);
  expectLabel(lockedTag, ADA);
});

test("a visitor with another's tag in hand takes another one, and the locked one stays", {
  tag: "@nightly",
}, async ({ kiosk, makeTag, reach, stranger, anotherStranger }) => {
  const [locked, free] = [await makeTag("2.1", { signs: false }), await makeTag("2.1")];
  await stranger.attach(locked.id, JUERGEN.baggageId);
  const emulated = await reach(locked, free);
  await kiosk.takesAdasBag();
  emulated.choose(free);
  await kiosk.presses(en.passenger.otherBag.another);
  await kiosk.sees(done);
  expectLabel(free, ADA);
  expectBlank(locked);
  await expectLocked(locked, anotherStranger);
});

test("a visitor who takes the same tag again has as many tries as before", { tag: "@nightly" }, async ({
  kiosk,
  lockedTag: _locked,
}) => {
  const { otherBag, proof } = en.passenger;
  const left = (tries: number) => kiosk.dialog.getByText(proof.attemptsLeft(tries));
  await kiosk.presses(otherBag.another);
  await expect(left(3)).toBeVisible();
  await prove(kiosk.page, { recordLocator: "K12345", surname: "ABSENT" });
  await expect(left(2)).toBeVisible();
  await kiosk.presses(otherBag.another);
  await expect(left(2)).toBeVisible();
  await prove(kiosk.page, JUERGEN);
  await kiosk.sees(done);
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

test("a tag written while the service is away waits in the queue, over the end of a shift, until it is back", {
  tag: "@nightly",
}, async ({ page, kiosk, tag, stranger }) => {
  await page.route("**/v2/device-attachments", (route) => route.abort("connectionfailed"));
  await kiosk.takesAdasBag();
  await kiosk.sees(en.job.pendingTitle);
  expectLabel(tag, ADA);
  await kiosk.finishes();
  await expect(page.getByRole("button", { name: words.attract.waiting(1) })).toBeVisible();

  await kiosk.endsShift();
  await expect(page.getByText(words.staff.waitingTitle)).toBeVisible();
  await page.keyboard.press("Escape");
  await kiosk.presses(words.attract.waiting(1));
  await kiosk.sees(words.queue.title);
  await expect(page.getByText(tag.name)).toBeVisible();
  await page.unroute("**/v2/device-attachments");
  await kiosk.presses(en.outbox.retry);
  await expect(page.getByText(words.queue.empty)).toBeVisible();
  await expectLocked(tag, stranger);
});

/** The update as the page handles it: found by its own check, installed by its own reload. */
async function hasLoadedAnew(page: Page): Promise<boolean> {
  return page.evaluate(() => !("beforeUpdate" in globalThis));
}

test.describe("a new version", () => {
  // The page's Trusted Types would not let a test name another script.
  test.use({ serviceWorkers: "allow", bypassCSP: true });

  test("is taken on the attract screen, and nowhere else", { tag: "@nightly" }, async ({ page, kiosk }) => {
    await page.evaluate(async () => {
      await navigator.serviceWorker.ready;
      Object.assign(globalThis, { beforeUpdate: true });
    });
    await kiosk.presses(words.attract.type);
    await page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      // A second script for the same scope installs beside the first and waits, as a new version does.
      await navigator.serviceWorker.register("/sw.js?next", { scope: registration.scope });
      await new Promise<void>((resolve) => {
        const look = () => (registration.waiting ? resolve() : setTimeout(look, 50));
        look();
      });
    });
    await kiosk.sees(words.find.title);
    expect(await hasLoadedAnew(page)).toBe(false);
    await kiosk.presses(en.job.toStart);
    await expect.poll(() => hasLoadedAnew(page).catch(() => false)).toBe(true);
    await kiosk.isAttracting();
  });
});
