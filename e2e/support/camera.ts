/** A separate browser whose camera plays a film: Chromium reads it from a file named at its start. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, expect, type Page } from "@playwright/test";
import { chromiumLaunch } from "../../scripts/drivers/chromium.ts";

/** Frames of the film; Chromium plays it over and over. */
const FRAMES = 30;

export interface Filmed {
  readonly page: Page;
  close(): Promise<void>;
}

/** Motion JPEG: pictures one after the other. Without `picture` the device has no camera. */
export async function browserWithCamera(
  picture: Buffer | undefined,
  options: BrowserContextOptions = {},
  extraFlags: readonly string[] = [],
): Promise<Filmed> {
  const folder = mkdtempSync(join(tmpdir(), "taglatch-camera-"));
  const film = join(folder, "film.mjpeg");
  if (picture) writeFileSync(film, Buffer.concat(Array.from({ length: FRAMES }, () => picture)));
  const { args, ...launch } = chromiumLaunch();
  const flags = picture
    ? ["--use-fake-device-for-media-stream", `--use-file-for-fake-video-capture=${film}`]
    : ["--use-fake-device-for-media-stream=device-count=0"];
  const browser: Browser = await chromium.launch({ ...launch, args: [...args, ...flags, ...extraFlags] });
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    locale: "en-GB",
    serviceWorkers: "block",
    ...options,
  });
  return {
    page: await context.newPage(),
    close: async () => {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** After `later` milliseconds time stands still, and so do reader and film: they would keep a core busy for a whole stop. */
export async function haltCamera(page: Page, later = 500): Promise<void> {
  const video = page.locator("video");
  // Before its first picture, a pause would be a camera that does not start.
  const shown = () => video.evaluate(({ currentTime }: HTMLVideoElement) => currentTime);
  await expect.poll(shown).toBeGreaterThan(0);
  // Again where a busy machine has let that moment pass before the page saw it.
  await expect(async () => page.clock.pauseAt((await page.evaluate(() => Date.now())) + later)).toPass();
  await video.evaluate((film: HTMLVideoElement) => film.pause());
}
