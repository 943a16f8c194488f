import type { Page } from "@playwright/test";
import type { EmulatedTags } from "../../scripts/drivers/cdp-tag.ts";

/** In the browser's own list: the tag's row, and “Pair”. */
const IN_CHOOSER = 2;

/** Counts from now on what a finger does, in the page and in the browser's list. Once for each page. */
export async function countTaps(page: Page, tags: EmulatedTags): Promise<() => number> {
  let taps = 0;
  await page.exposeBinding("tapped", () => {
    taps += 1;
  });
  await page.evaluate(() => {
    const world = globalThis as unknown as { tapped(): void };
    addEventListener("click", ({ isTrusted }) => isTrusted && world.tapped(), true);
  });
  const before = tags.choosers;
  return () => taps + IN_CHOOSER * (tags.choosers - before);
}
