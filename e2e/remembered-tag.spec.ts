import { chromium } from "@playwright/test";
import { ADA } from "../scripts/drivers/passenger.ts";
import { endsOf, expectBlank, expectLabel } from "../scripts/drivers/tag-checks.ts";
import { en } from "../web/i18n/en.ts";
import { unbroken } from "../web/i18n/forms.ts";
import { launchForTests } from "./support/browser.ts";
import { countTaps } from "./support/taps.ts";
import { test as base, expect } from "./support/test.ts";

/** Chromium keeps `getDevices` and `watchAdvertisements` behind this. */
const NEW_PERMISSIONS = "WebBluetoothNewPermissionsBackend";

/** A browser of their own, and the service of all: `test.use` of other flags would start another of both. */
const test = base.extend({
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

const { remembered } = en.passenger;

test("where the browser remembers the tag, one tap leads from the start to the written tag, and it is cleared without the chooser", {
  tag: "@nightly",
}, async ({ page, makeTag, open, passenger, service, stranger }) => {
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
});

test("a remembered tag that does not advertise is said to be away, and the list is still there", {
  tag: "@nightly",
}, async ({ page, makeTag, open, passenger, service }) => {
  const tag = await makeTag("2.1");
  const emulated = await open([tag]);
  await passenger.writesFirstBag(ADA);
  await page.clock.install();
  await emulated.goto(service);
  await passenger.findsJourney(ADA);
  await passenger.opensMore();
  await page.getByRole("link", { name: en.bag.clear }).click();
  // Until the browser has named the tags that it remembers, the tap opens its list.
  await passenger.reads(remembered.ready(unbroken(tag.name)));
  await page.getByRole("button", { name: en.clear.titleOf(unbroken(tag.name)) }).click();
  await passenger.reads(remembered.looking(unbroken(tag.name)));
  // As long as it is listened for (web-bluetooth-link.ts).
  await page.clock.fastForward(5_000);
  await passenger.reads(remembered.away(unbroken(tag.name)));
  await page.getByRole("button", { name: remembered.other }).click();
  await passenger.sees(en.clear.doneTitle);
});
