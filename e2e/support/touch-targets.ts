/** Looks at a kiosk's screen as hands in gloves do: everything that can be touched is large enough, however it stands. */
import type { Page } from "@playwright/test";
import type { Look } from "./looks.ts";

/** CSS pixels each way. */
const TARGET = 64;
const SIZES = [
  { name: "an upright kiosk", width: 1080, height: 1920 },
  { name: "a lying kiosk", width: 1920, height: 1080 },
  { name: "a tablet", width: 1280, height: 800 },
] as const;

/** Every size a kiosk has; what is too small, or runs out of the side, is added to `problems`. */
export function touchTargets(page: Page, problems: string[]): Look {
  return async (screen) => {
    for (const { name, ...size } of SIZES) {
      await page.setViewportSize(size);
      const found = await page.evaluate(outOfReach, TARGET);
      problems.push(...found.map((what) => `${screen}, ${name}: ${what}`));
    }
  };
}

/** Runs in the page. */
async function outOfReach(target: number): Promise<string[]> {
  // Without input the kiosk would assume that the passenger has left.
  dispatchEvent(new Event("wheel"));
  // Elements that are still moving in are smaller, or elsewhere.
  await Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => undefined)));
  const touchable = (document.querySelector("dialog[open]") ?? document).querySelectorAll<HTMLElement>(
    "a[href], button, input, select, textarea, summary, [role=button], [tabindex='0']",
  );
  const small = [...touchable].flatMap((element) => {
    const { width, height } = element.getBoundingClientRect();
    // Half a pixel is rounding.
    const isSmall = width > 0 && Math.min(width, height) < target - 0.5;
    return isSmall ? [`${element.tagName} ${element.textContent}: ${width} × ${height}`] : [];
  });
  const overflow = document.documentElement.scrollWidth - innerWidth;
  return overflow > 0 ? [...small, `${overflow} px out of the side`] : small;
}
