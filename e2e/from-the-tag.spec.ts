/** `/t/<device id>`, as NFC or a QR code on the tag opens it, and what a link may carry and may not do. */
import type { Page, Request } from "@playwright/test";
import { ADA, JUERGEN } from "../scripts/drivers/passenger.ts";
import { en } from "../web/i18n/en.ts";
import { expect, test } from "./support/test.ts";

const words = en.passenger.link;
const booking = ({ recordLocator, surname }: typeof ADA) =>
  `#booking=${recordLocator}/${encodeURIComponent(surname)}`;
const yes = (page: Page) => page.getByRole("button", { name: words.yes }).click();

/** Every request of this context, and where each document says it came from. */
function watch(page: Page): Request[] {
  const all: Request[] = [];
  page.context().on("request", (request) => all.push(request));
  return all;
}
const asked = (all: readonly Request[]) =>
  all.map((request) => new URL(request.url()).pathname).filter((path) => path.startsWith("/v2/"));

test("a booking in the fragment is wiped at once, and not submitted before a yes", async ({
  page,
  service,
  passenger,
}) => {
  const all = watch(page);
  await page.goto(`${service}/t/ebt-21-0001${booking(JUERGEN)}`);
  await passenger.reads(words.yours);
  expect(page.url()).toBe(`${service}/t/ebt-21-0001`);
  await passenger.reads(JUERGEN.surname);
  await page.waitForLoadState("networkidle");
  expect(asked(all)).toEqual([]);
  await yes(page);
  await passenger.reads(words.which);
  expect(asked(all)).toContain("/v2/journeys/from-record-locator");
  // Neither an address nor a header has it; the body of that one request does.
  const said = all.flatMap((request) => [
    decodeURIComponent(request.url()),
    JSON.stringify(request.headers()),
  ]);
  expect(said.filter((text) => text.includes(JUERGEN.recordLocator) || /"referer":"[^"]/.test(text))).toEqual(
    [],
  );
  expect(await page.evaluate(() => JSON.stringify(history.state))).not.toContain(JUERGEN.recordLocator);
});

test("a reload, a no and another screen forget the link's booking", async ({ page, service, passenger }) => {
  const all = watch(page);
  const question = page.getByRole("heading", { name: words.yours });
  await page.goto(`${service}/t${booking(JUERGEN)}`);
  await expect(question).toBeVisible();
  await page.reload();
  await passenger.reads(words.lead);
  await expect(question).toHaveCount(0);
  // Followed while the page is open, the link loads nothing again: it is wiped and asked about just so.
  await page.evaluate((hash) => location.assign(hash), booking(JUERGEN));
  await expect(question).toBeVisible();
  expect(page.url()).toBe(`${service}/t`);
  await page.getByRole("button", { name: words.no }).click();
  await expect(question).toHaveCount(0);
  await page.evaluate((hash) => location.assign(hash), booking(JUERGEN));
  await expect(question).toBeVisible();
  await page.getByRole("link", { name: en.job.toStart }).click();
  await passenger.sees(en.start.title);
  await page.goBack();
  await passenger.reads(words.lead);
  await expect(question).toHaveCount(0);
  expect(page.url()).not.toContain("booking");
  expect(asked(all)).toEqual([]);
});

test("a stranger's link leaves a journey that is held as it is, and asks the service nothing", async ({
  page,
  service,
  passenger,
}) => {
  await page.goto(service);
  await passenger.findsJourney(ADA);
  await passenger.keepsJourney();
  const all = watch(page);
  await page.goto(`${service}/t/ebt-21-0001${booking(JUERGEN)}`);
  await passenger.reads(words.otherTitle);
  await expect(page.getByRole("button", { name: words.yes })).toHaveCount(0);
  await expect(page.getByRole("heading", { name: en.journey.title("Helsinki") })).toBeVisible();
  expect(asked(all).filter((path) => path.includes("journeys"))).toEqual([]);
  await passenger.goesHome();
  await passenger.reads(en.journey.title("Helsinki"));
});

test.describe("with the service worker", () => {
  test.use({ serviceWorkers: "allow" });

  test("nothing of a link's booking is in its caches", async ({ page, service, passenger }) => {
    await page.goto(service);
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.goto(`${service}/t/ebt-21-0001${booking(JUERGEN)}`);
    await passenger.reads(words.yours);
    const kept = await page.evaluate(async () => {
      const names = await caches.keys();
      const lists = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
      return lists.flat().map(({ url }) => url);
    });
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.filter((url) => url.includes("booking") || url.includes("/t/"))).toEqual([]);
  });
});
