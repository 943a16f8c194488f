import type { Page } from "@playwright/test";
import { en } from "../web/i18n/en.ts";
import { kiosk as words } from "../web/i18n/en-kiosk.ts";
import { adasPass, passText, photograph } from "./support/boarding-pass.ts";
import { browserWithCamera } from "./support/camera.ts";
import { Kiosk } from "./support/kiosk.ts";
import { expect, test } from "./support/test.ts";

const SIZE = { viewport: { width: 1280, height: 800 } };

/** A kiosk that reads by its camera, too, at the attract screen. */
async function kioskWithCamera(page: Page, service: string): Promise<Kiosk> {
  const kiosk = new Kiosk(page);
  await kiosk.setsUp(service);
  await kiosk.takesCamera(service);
  return kiosk;
}

test("a kiosk reads a boarding pass by its camera, and lets the camera go with the screen", {
  tag: "@nightly",
}, async ({ page, service }) => {
  const filmed = await browserWithCamera(await photograph(page, "azteccode", passText(adasPass())), {
    ...SIZE,
    permissions: ["camera"],
  });
  try {
    await filmed.page.addInitScript(() => {
      const { mediaDevices } = navigator;
      const open = mediaDevices.getUserMedia.bind(mediaDevices);
      const streams: MediaStream[] = [];
      Object.assign(globalThis, { streams });
      mediaDevices.getUserMedia = async (constraints) => {
        const stream = await open(constraints);
        streams.push(stream);
        return stream;
      };
    });
    const kiosk = await kioskWithCamera(filmed.page, service);
    await kiosk.presses(words.attract.camera);
    await kiosk.sees(en.journey.title("Helsinki"));
    const tracks = () =>
      filmed.page.evaluate(() => {
        const { streams } = globalThis as unknown as { streams: MediaStream[] };
        return streams.flatMap((stream) => stream.getTracks().map(({ readyState }) => readyState));
      });
    await expect.poll(tracks).toEqual(["ended"]);
    await kiosk.finishes();
  } finally {
    await filmed.close();
  }
});

test("a kiosk whose camera is missing says so, and names what it has instead", { tag: "@nightly" }, async ({
  service,
}) => {
  const filmed = await browserWithCamera(undefined, { ...SIZE, permissions: ["camera"] });
  try {
    const kiosk = await kioskWithCamera(filmed.page, service);
    await kiosk.presses(words.attract.camera);
    await expect(filmed.page.getByText(en.passenger.camera.missing.what)).toBeVisible();
    await expect(filmed.page.getByText(en.passenger.scan.opening)).toHaveCount(0);
    await expect(filmed.page.getByText(en.errors.invalid_bcbp_format.next)).toBeVisible();
    await kiosk.presses(words.attract.type);
    await kiosk.sees(words.find.title);
  } finally {
    await filmed.close();
  }
});
