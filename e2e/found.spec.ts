/** A found bag: finder, holder, staff of the airline, and its end (rules §5, "Found"). */
import type { Browser, Page } from "@playwright/test";
import { EmulatedTags } from "../scripts/drivers/cdp-tag.ts";
import { ADA, Passenger } from "../scripts/drivers/passenger.ts";
import type { TagSimulator } from "../sim/tag/tag-simulator.ts";
import { en } from "../web/i18n/en.ts";
import { unbroken } from "../web/i18n/forms.ts";
import { Kiosk } from "./support/kiosk.ts";
import { expect, test } from "./support/test.ts";

const { found, lost } = en.passenger;
const { tracing } = en.kiosk;
/** What would run, were it more than text. */
const WORDS = '<img src="x" onerror="document.title = 1"> under the stairs';
const LINK = "https://share.apple.com/item/4pY1xQz";

/** Ada's first bag is on the tag, and she misses it. */
async function whoMissesABag(browser: Browser, service: string, tag: TagSimulator): Promise<Passenger> {
  const holder = new Passenger(await (await browser.newContext()).newPage());
  const emulated = await EmulatedTags.install(holder.page, [tag]);
  emulated.choose(tag);
  await emulated.goto(service);
  await holder.writesFirstBag(ADA);
  await emulated.remove();
  await holder.page.getByRole("link", { name: en.job.toJourney }).click();
  await holder.opensMore();
  await holder.page.getByRole("button", { name: `${lost.report} (${tag.name})` }).click();
  await holder.dialog.getByRole("button", { name: en.passenger.lost.report }).click();
  await holder.reads(lost.badge(unbroken(tag.name)));
  return holder;
}

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

/** A stranger with a small phone and the bag in front of them. Their place is sent only once they allow it. */
async function whoFindsIt(browser: Browser, address: string): Promise<void> {
  const context = await browser.newContext({
    viewport: { width: 360, height: 640 },
    geolocation: { latitude: 60.19755, longitude: 11.10042, accuracy: 12 },
  });
  const finder = new Passenger(await context.newPage());
  const { page } = finder;
  const sent: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/v2/"))
      sent.push(`${pathname} ${request.headers().authorization ?? "anonymously"}`);
  });
  await page.goto(address);
  await press(page, found.action);
  await press(page, found.send);
  await finder.reads(found.missing);
  await page.getByLabel(found.airport).fill("osl");
  await page.getByLabel(found.desk).fill("4");
  await page.getByLabel(found.words).fill(WORDS);
  await press(page, found.locate);
  await finder.reads(found.locateFailed);
  await context.grantPermissions(["geolocation"]);
  await press(page, found.locate);
  await finder.reads(found.located(12));
  await context.setOffline(true);
  await finder.reads(found.offline);
  await context.setOffline(false);
  await press(page, found.send);
  await finder.reads(found.done);
  expect(sent).toEqual(["/v2/found-reports anonymously"]);
  await context.close();
}

test("a bag is lost, found by a stranger, traced by staff who open its link, and back with its holder", async ({
  browser,
  page,
  service,
  makeTag,
}) => {
  const tag = await makeTag("2.1");
  const holder = await whoMissesABag(browser, service, tag);
  await whoFindsIt(browser, `${service}/t/${tag.id}`);

  await holder.page.goto(service);
  const story = holder.page.getByRole("button", { name: `${found.trace} (${tag.name})` });
  await expect(holder.page.getByText(found.reported("").trim().replace(/,$/, ""))).toBeVisible();
  await story.click();
  const reports = holder.dialog.locator(".found-reports > li");
  await expect(reports).toContainText(["OSL"]);
  await expect(reports).toContainText([WORDS]);
  await expect(reports).toContainText([found.atDesk("4")]);
  await expect(reports).toContainText(["60.19755, 11.10042"]);
  await expect(holder.dialog.locator("img")).toHaveCount(0);
  await holder.dialog.getByLabel(found.link).fill("https://share.apple.com.evil.example/item");
  await press(holder.page, found.linkAdd);
  await holder.reads(found.linkWrong);
  await holder.dialog.getByLabel(found.link).fill(LINK);
  await press(holder.page, found.linkAdd);
  await holder.reads(found.linkUnopened);
  await press(holder.page, found.mute);
  await expect(holder.dialog.getByRole("button", { name: found.unmute })).toBeVisible();
  await press(holder.page, en.app.close);
  await expect(holder.page.getByText(lost.badge(unbroken(tag.name)))).toBeVisible();
  await expect(holder.page.getByText(found.reported("").trim().replace(/,$/, ""))).toHaveCount(0);

  const kiosk = new Kiosk(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await kiosk.setsUp(service);
  await kiosk.presses(en.kiosk.attract.staff);
  await kiosk.presses(en.kiosk.tracing.title);
  await kiosk.provesStaff();
  await kiosk.sees(tracing.title);
  const bag = page.getByRole("button", { name: tag.name });
  await bag.click();
  await expect(page.locator(".found-reports")).toContainText(WORDS);
  await kiosk.presses(tracing.linkOpen);
  await expect(page.getByRole("img", { name: tracing.linkCode })).toBeVisible();

  await story.click();
  await expect(holder.dialog).toContainText(/Opened by SK/);
  await press(holder.page, en.passenger.lost.found);
  await expect(holder.page.getByText(en.bag.onTag(unbroken(tag.name)))).toBeVisible();
  await kiosk.presses(tracing.all);
  await expect(bag).toHaveCount(0);
  await kiosk.finishes();
  await holder.page.context().close();
});
