import type { Page } from "@playwright/test";
import { ADA, Passenger } from "../scripts/drivers/passenger.ts";
import { expectLabel, expectLocked, expectUnlocked } from "../scripts/drivers/tag-checks.ts";
import { en } from "../web/i18n/en.ts";
import { LANGUAGES } from "../web/i18n/languages.ts";
import { Kiosk } from "./support/kiosk.ts";
import { controlled, fireSync } from "./support/service-worker.ts";
import { expect, test } from "./support/test.ts";
import { storesOf, tracesOf } from "./support/traces.ts";
import { wordsOf } from "./support/words.ts";

test.use({ serviceWorkers: "allow" });

const { cached } = en.passenger;
test("without a network the page starts and shows the last journey", async ({
  page,
  context,
  service,
  passenger,
}) => {
  await page.goto(service);
  await controlled(page);
  await passenger.findsJourney(ADA);
  await passenger.keepsJourney();
  await context.setOffline(true);
  await page.goto("about:blank");
  await page.goto(service);
  await passenger.sees(en.journey.title("Helsinki"));
  await passenger.reads(en.start.offline);
  await passenger.reads(ADA.recordLocator);
  // What cannot work is not offered, until it can.
  await expect(passenger.firstBag).toHaveCount(0);
  await context.setOffline(false);
  await expect(passenger.firstBag).toBeVisible();
  await context.setOffline(true);
  await passenger.more.click();
  await page.getByRole("link", { name: en.journey.other }).click();
  await passenger.reads(en.start.offline);
  await expect(page.getByRole("button", { name: en.start.find })).toHaveCount(0);
  await page.getByRole("link", { name: en.start.clearAction }).click();
  await passenger.reads(en.job.offline);
  await expect(page.getByText(en.clear.lead)).toHaveCount(0);
});

test.describe("before the service worker has the page's files", () => {
  test.use({ serviceWorkers: "block" });

  test("a moment without a network spoils no later tap", async ({ page, context, service, passenger }) => {
    const losesNetwork = async () => {
      await context.setOffline(true);
      await expect.poll(() => page.evaluate(() => navigator.onLine)).toBe(false);
    };
    await page.clock.install();
    await page.goto(`${service}/?sim`);
    const locator = page.getByLabel(en.start.recordLocator);
    await expect(locator).toBeVisible();
    // What is cut off on its way has failed for good: the next story.
    await page.waitForLoadState("networkidle");
    await losesNetwork();
    // From the fourth character on, what the journey's screen needs is loaded.
    await locator.pressSequentially(ADA.recordLocator);
    await page.clock.runFor(10_000);
    await context.setOffline(false);
    await passenger.findsJourney(ADA);
    await losesNetwork();
    // What the next screen needs is loaded after five seconds at rest.
    await page.clock.runFor(10_000);
    await context.setOffline(false);
    await passenger.firstBag.click();
    await expect(page).toHaveURL(/\/bags\//);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page.getByRole("heading", { name: en.error.notLoaded })).toHaveCount(0);
  });

  test("where the SDK's file never came, the page offers to load itself again", async ({
    page,
    service,
    passenger,
  }) => {
    // The browser believes in its network: a hall's Wi-Fi before its login.
    const SCRIPTS = "**/assets/*.js";
    await page.goto(`${service}/?sim`);
    await expect(page.getByLabel(en.start.recordLocator)).toBeVisible();
    await page.route(SCRIPTS, (route) => route.abort());
    const reload = page.getByRole("alert").getByRole("button", { name: en.journey.reload });
    await passenger.submits(ADA);
    await expect(reload).toBeVisible();
    await page.unroute(SCRIPTS);
    await reload.click();
    await passenger.findsJourney(ADA);
  });
});

test.describe("in German", () => {
  test.use({ locale: "de-DE" });

  const german = wordsOf("de");

  test("the page starts in German without a network, and so do its errors", async ({
    page,
    context,
    service,
    passenger,
  }) => {
    await page.goto(service);
    await controlled(page);
    // The page, its errors and a passenger's screens; of no other language.
    await expect.poll(() => keptWords(page)).toEqual(["errors", "page", "passenger"]);
    await context.setOffline(true);
    await page.reload();
    await page.getByLabel(german.start.recordLocator).fill(ADA.recordLocator);
    await page.getByLabel(german.start.surname).fill(ADA.surname);
    await page.getByRole("button", { name: german.start.find }).click();
    await passenger.reads(german.errors.network.what);
  });
});

test("a kiosk starts without a network, in any language", async ({ page, context, service }) => {
  const kiosk = new Kiosk(page);
  await kiosk.setsUp(service);
  await controlled(page);
  // English has its page's words in the first load.
  await expect.poll(async () => (await keptWords(page)).length).toBe(4 * LANGUAGES.length - 1);
  await context.setOffline(true);
  await page.reload();
  await kiosk.isAttracting();
  await page.goto(`${service}/kiosk?lang=ja`);
  await expect(page.locator("html")).toHaveAttribute("lang", "ja");
});

/** Files of words that the service worker keeps for this browser. */
const keptWords = (page: Page) =>
  page.evaluate(async () => {
    const kept = await (await caches.open("extra-files")).keys();
    return kept.flatMap(({ url }) => /\/(?:words|kiosk)\/..\/([\w-]+)-.{8}\.js$/.exec(url)?.[1] ?? []).sort();
  });

test("what is kept is sealed, and forgetting leaves nothing of it", async ({ page, service, passenger }) => {
  await page.goto(service);
  await passenger.findsJourney(ADA);
  await passenger.keepsJourney();
  const traces = await tracesOf(page, ["LOVELACE", "ABC123", "0117123456"]);
  expect(traces.filter(({ place }) => /^(localStorage|indexedDB)$/.test(place))).toEqual([]);
  expect(Object.keys(await storesOf(page))).toContain("taglatch-journey kept");
  await passenger.goesHome();
  await passenger.more.click();
  await page.getByRole("button", { name: cached.forget }).click();
  await passenger.dialog.getByRole("button", { name: cached.forgetYes }).click();
  await expect(passenger.dialog).toHaveCount(0);
  await passenger.sees(en.start.title);
  await passenger.reads(en.start.forgotten);
  // The language belongs to the device, the look to the airline.
  const notTheirs = ["taglatch.language", "taglatch.look"];
  const kept = await page.evaluate(() => Object.keys(localStorage));
  expect(kept.filter((item) => !notTheirs.includes(item))).toEqual([]);
  expect(await storesOf(page)).toEqual({});
  await page.reload();
  await passenger.sees(en.start.title);
});

test("a page that was closed too early has its tag confirmed in the background, once", async ({
  page,
  context,
  service,
  makeTag,
  open,
  passenger,
  stranger,
}) => {
  const tag = await makeTag("2.1");
  await page.goto(service);
  await controlled(page);
  const emulated = await open([tag]);
  // The network goes as the tag is confirmed: while it is away Chromium does not synchronise by itself.
  await page.route("**/v2/device-attachments", async (route) => {
    await context.setOffline(true);
    await route.abort("connectionfailed");
  });
  await passenger.beginsFirstBag(ADA);
  await passenger.sees(en.job.pendingTitle);
  expectLabel(tag, ADA);
  await expectUnlocked(tag, stranger);
  await emulated.vanish(() => page.close());
  await context.setOffline(false);
  // Another page of the origin without our code, to reach the worker.
  const bystander = await context.newPage();
  await bystander.goto(`${service}/icon.svg`);
  await fireSync(bystander, "outbox:passenger:taglatch");
  await expect.poll(async () => (await stranger.lookup(tag.id)).locked).toBe(true);
  await expectLocked(tag, stranger);
  await expect.poll(async () => (await storesOf(bystander))["taglatch outbox"]).toBeUndefined();
  // Fired again, there is nothing left to do.
  await fireSync(bystander, "outbox:passenger:taglatch");
  await expectLocked(tag, stranger);
});

test("who is forgotten in one tab is gone from the others, too", async ({ page, passenger, service }) => {
  await page.goto(service);
  await passenger.findsJourney(ADA);
  const kept = () => page.evaluate(() => localStorage.getItem("taglatch.journey-kept"));
  await passenger.keepsJourney();
  const other = await page.context().newPage();
  await other.goto(page.url());
  const inOther = new Passenger(other);
  await expect(inOther.firstBag).toBeVisible();

  const { forget, forgetYes } = en.passenger.cached;
  await passenger.more.click();
  await page.getByRole("button", { name: forget }).click();
  await passenger.dialog.getByRole("button", { name: forgetYes }).click();
  await inOther.sees(en.start.title);
  await expect(other).toHaveURL(`${service}/`);
  await expect(other.getByText(ADA.recordLocator)).toHaveCount(0);
  expect(await kept()).toBeNull();
});
