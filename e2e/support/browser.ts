/** How the browser under test starts: as everywhere, with the fonts of `e2e/fonts.conf` alone and a camera that is no camera. */
import { join } from "node:path";
import { chromiumLaunch } from "../../scripts/drivers/chromium.ts";
import { ROOT } from "../../scripts/project-files.ts";

/** Letters without hints and without the colours of a screen; a film in place of the machine's camera. */
const FLAGS = ["--font-render-hinting=none", "--disable-lcd-text", "--use-fake-device-for-media-stream"];

/**
 * One and the same for every test: Playwright starts another worker, with a browser and a service, for any other. Contact
 * sheets alone have `fonts` of their own: they are looked at by people, Chinese and Japanese in what fonts the machine has.
 */
export function launchForTests(fonts: "fonts.conf" | "fonts-of-sheets.conf" = "fonts.conf") {
  const { args, ...launch } = chromiumLaunch();
  const folder = join(ROOT, "e2e");
  const env = { ...process.env, FONTCONFIG_PATH: folder, FONTCONFIG_FILE: join(folder, fonts) };
  return { ...launch, args: [...args, ...FLAGS], env };
}

/** For `test.use`: as people have it who have asked for nothing else. */
export const MOVING = { contextOptions: { reducedMotion: "no-preference" } } as const;
