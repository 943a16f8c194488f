import { Passenger } from "../scripts/drivers/passenger.ts";
import { en } from "../web/i18n/en.ts";
import { adasPass, choosesPhoto, passText, photograph, SYMBOLOGIES } from "./support/boarding-pass.ts";
import { browserWithCamera } from "./support/camera.ts";
import { Kiosk } from "./support/kiosk.ts";
import { expect, test } from "./support/test.ts";

const { scan, camera } = en.passenger;
const PASS = passText(adasPass());

test("a boarding pass before the camera opens its journey", async ({ page, service }) => {
  const filmed = await browserWithCamera(await photograph(page, "pdf417", PASS), { permissions: ["camera"] });
  try {
    const passenger = new Passenger(filmed.page);
    await filmed.page.goto(service);
    await filmed.page.getByRole("link", { name: en.start.scan }).click();
    await passenger.sees(en.journey.title("Helsinki"));
    await expect(passenger.firstBag).toBeVisible();
  } finally {
    await filmed.close();
  }
});

/** Each code, and the longest text: five flights. */
const PHOTOS = [...SYMBOLOGIES.map((symbology) => [symbology, 1] as const), ["azteccode", 5] as const];

for (const [symbology, flights] of PHOTOS)
  test(`a photo of a boarding pass does as well, as ${symbology} of ${flights}`, { tag: "@nightly" }, async ({
    page,
    service,
  }) => {
    const [first, ...onward] = Array.from({ length: flights }, adasPass);
    const text = passText(first ?? adasPass(), ...onward);
    const buffer = await photograph(await page.context().newPage(), symbology, text);
    await page.goto(`${service}/scan`);
    await page
      .locator("input[type=file]")
      .setInputFiles({ name: "pass.jpg", mimeType: "image/jpeg", buffer });
    await new Passenger(page).sees(en.journey.title("Helsinki"));
  });

test("a photo without a code, and a code that is no boarding pass, are distinguished and sent nowhere", {
  tag: "@nightly",
}, async ({ page, context, service }) => {
  const other = await context.newPage();
  const sent: string[] = [];
  page.on("request", (request) => sent.push(new URL(request.url()).pathname));
  await page.goto(`${service}/scan`);
  await choosesPhoto(page, await photograph(other, "qrcode", "https://somewhere.example/?secret"));
  await expect(page.getByText(camera.not_boarding_pass.what)).toBeVisible();
  await other.setContent("<p>A beach");
  await choosesPhoto(page, await other.screenshot({ type: "jpeg" }));
  await expect(page.getByText(camera.no_code.what)).toBeVisible();
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "p.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-") });
  await expect(page.getByText(camera.not_a_picture.what)).toBeVisible();
  expect(sent.filter((path) => path.startsWith("/v2/journeys"))).toEqual([]);
});

test("the camera is explained before it is asked for, and a refusal leaves a way on", {
  tag: "@nightly",
}, async ({ page, service }) => {
  const picture = await page.screenshot({ type: "jpeg" });
  const filmed = await browserWithCamera(picture, {}, ["--deny-permission-prompts"]);
  try {
    await filmed.page.goto(`${service}/scan`);
    await expect(filmed.page.getByText(scan.privacy)).toBeVisible();
    await filmed.page.getByRole("button", { name: scan.open }).click();
    await expect(filmed.page.getByText(camera.refused.what)).toBeVisible();
    await expect(filmed.page.getByRole("button", { name: scan.photo })).toBeVisible();
    await filmed.page.getByRole("link", { name: scan.type }).click();
    await new Passenger(filmed.page).sees(en.start.title);
  } finally {
    await filmed.close();
  }
});

test("a device without a camera says so", { tag: "@nightly" }, async ({ service }) => {
  const filmed = await browserWithCamera(undefined, { permissions: ["camera"] });
  try {
    await filmed.page.goto(`${service}/scan`);
    await expect(filmed.page.getByText(camera.missing.what)).toBeVisible();
  } finally {
    await filmed.close();
  }
});

test("a kiosk reads a boarding pass by its camera", {
  tag: "@nightly",
}, async ({ page, service }) => {
  const filmed = await browserWithCamera(await photograph(page, "azteccode", PASS), {
    viewport: { width: 1280, height: 800 },
    permissions: ["camera"],
  });
  try {
    const kiosk = new Kiosk(filmed.page);
    await kiosk.setsUp(service);
    await kiosk.takesCamera(service);
    await kiosk.presses(en.kiosk.attract.camera);
    await kiosk.sees(en.journey.title("Helsinki"));
    await kiosk.finishes();
  } finally {
    await filmed.close();
  }
});
