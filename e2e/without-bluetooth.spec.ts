/** Browsers without Web Bluetooth: the first screen says so, with ways out that work. */
import { readBarcodes } from "zxing-wasm/reader";
import { en } from "../web/i18n/en.ts";
import { sim } from "../web/i18n/en-sim.ts";
import { pixelsOf, readerReady } from "./support/qr-reader.ts";
import { IOS_BROWSER } from "./support/server.ts";
import { expect, IPHONE, test, withoutBluetooth } from "./support/test.ts";

const words = en.passenger.elsewhere;
test.beforeAll(readerReady);

test.describe("on an iPhone", () => {
  test.use({ userAgent: IPHONE });

  test("the start page says so above the booking, with a code, a browser and the kiosks", async ({
    page,
    passenger,
    service,
  }) => {
    await withoutBluetooth(page);
    await page.goto(`${service}/?from=newsletter#top`);
    await page.getByText(words.how).click();
    await passenger.reads(words.ios);
    const notice = page.getByRole("region", { name: words.title });
    const title = await notice.boundingBox();
    const field = await page.getByLabel(en.start.recordLocator).boundingBox();
    expect(title?.y).toBeLessThan(field?.y ?? 0);
    // The code leads to this page on another device, and says no more than where it is.
    const code = page.getByRole("img", { name: words.code(`${service}/`) });
    const [read] = await readBarcodes(await pixelsOf(await code.screenshot()), { formats: ["QRCode"] });
    expect(read?.text).toBe(`${service}/`);
    await expect(page.getByRole("link", { name: words.iosBrowser })).toHaveAttribute("href", IOS_BROWSER);
    await passenger.reads("Departure hall, row C");
    await passenger.reads("Terminal 1, hall B");
    // Of a known journey, the kiosk where it begins.
    await page.getByLabel(en.start.recordLocator).fill("ABC123");
    await page.getByLabel(en.start.surname, { exact: true }).fill("Lovelace");
    await page.getByRole("button", { name: en.start.find }).click();
    await passenger.sees(en.journey.title("Helsinki"));
    await passenger.goesHome();
    await page.getByText(words.others).click();
    await passenger.reads("Departure hall, row C");
    await expect(page.getByText("Terminal 1, hall B")).toHaveCount(0);
  });
});

test("where virtual tags stand in for Bluetooth the notice goes, until they are put away", async ({
  page,
  service,
}) => {
  await withoutBluetooth(page);
  await page.goto(`${service}/?sim`);
  const tags = page.getByRole("complementary", { name: sim.title });
  await expect(tags.getByText("EBT-0001")).toBeVisible();
  const notice = page.getByRole("region", { name: words.title });
  await expect(notice).toHaveCount(0);
  await tags.getByRole("button", { name: sim.close }).click();
  await expect(notice).toBeVisible();
});
