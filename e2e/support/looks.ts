/** A screen ready to check: its texts and code are loaded, and a kiosk has seen input. */
import { expect, type Page, type Request } from "@playwright/test";

export interface Size {
  readonly width: number;
  readonly height: number;
}

export const PHONE: Size = { width: 390, height: 844 };
export const KIOSK: Size = { width: 1080, height: 1920 };

/**
 * Which of two kinds of setting meet on a screen: each of the first kind once, each with another of the second. The next
 * `turn`, a walk through the same screens in another language, has the same ones in other company.
 */
export const paired = <A, B>(turn: number, some: readonly A[], others: readonly B[]): [A, B][] =>
  some.flatMap((one, index) =>
    others.filter((_, at) => at === (index + turn) % others.length).map((other): [A, B] => [one, other]),
  );

/** What a walk calls on each screen, with the screen's name. */
export type Stop = (name: string) => Promise<void>;

/** Resolves once all that the screen needs in its size and colours has come and is drawn. */
export type Settle = () => Promise<void>;

/** A look at the screen the walk stands on; it lets the screen settle after each change it makes. */
export type Look = (name: string, settle: Settle) => Promise<void>;

/** Milliseconds without a request after which loading counts as finished. */
const QUIET = 80;

/** One after the other at every stop, each on a settled screen. */
export function stopFor(page: Page, usual: Size, looks: readonly Look[]): Stop {
  const hasLoaded = watchLoading(page);
  const settle = async () => {
    await page.evaluate(nextFrame);
    await hasLoaded();
    await page.evaluate(nextFrame);
  };
  return async (name) => {
    await expect(page.locator("h1").first()).not.toBeEmpty();
    await page.evaluate(() => {
      dispatchEvent(new Event("wheel"));
      scrollTo(0, 0);
    });
    // Nothing under the pointer.
    await page.mouse.move(0, 0);
    await settle();
    for (const look of looks) await look(name, settle);
    await page.setViewportSize(usual);
    await page.emulateMedia({ colorScheme: "light", forcedColors: "none", reducedMotion: "reduce" });
  };
}

/**
 * In the page: until what has changed is drawn, and what watches the screen's size has been told. An observer of sizes is
 * called in every next frame, even where a test has stopped the clock that `requestAnimationFrame` goes by.
 */
const nextFrame = () =>
  new Promise<void>((resolve) => {
    const observer = new ResizeObserver(() => {
      observer.disconnect();
      resolve();
    });
    observer.observe(document.documentElement);
  });

/** Waits for code and words; answers of the service are what walks wait for themselves, or hold back. */
function watchLoading(page: Page): () => Promise<void> {
  const open = new Set<Request>();
  let changed = 0;
  const isOfPage = (request: Request) => !request.url().includes("/v2/");
  page.on("request", (request) => {
    if (!isOfPage(request)) return;
    changed = Date.now();
    open.add(request);
  });
  const ended = (request: Request) => {
    if (open.delete(request)) changed = Date.now();
  };
  page.on("requestfinished", ended);
  page.on("requestfailed", ended);
  return async () => {
    while (open.size > 0 || Date.now() - changed < QUIET)
      await new Promise((resolve) => setTimeout(resolve, QUIET / 4));
  };
}
