/** A screen ready to check: its texts and code are loaded, and a kiosk has seen input. */
import { expect, type Page, type Request } from "@playwright/test";

export interface Size {
  readonly width: number;
  readonly height: number;
}

export const PHONE: Size = { width: 390, height: 844 };
export const KIOSK: Size = { width: 1080, height: 1920 };

/**
 * Combines two kinds of settings for one screen: each of `some` comes once, with a different one of `others`. With the next
 * `turn`, a walk through the same screens in another language, the pairs are different.
 */
export const paired = <A, B>(turn: number, some: readonly A[], others: readonly B[]): [A, B][] =>
  some.flatMap((one, index) =>
    others.filter((_, at) => at === (index + turn) % others.length).map((other): [A, B] => [one, other]),
  );

/** Looks for one screen after the other: one for each, the next screen the next. All of them if `isAll`. */
export function inTurn<T>(looks: readonly T[], isAll: boolean): () => readonly T[] {
  let screens = 0;
  return () => {
    const at = screens++ % looks.length;
    return isAll ? looks : looks.slice(at, at + 1);
  };
}

/** What a walk calls on each screen, with the screen's name. */
export type Stop = (name: string) => Promise<void>;

/** Resolves when everything that the screen needs in its size and colours is loaded and drawn. */
export type Settle = () => Promise<void>;

/** Examines the present screen of a walk; calls `settle` after each change it makes. */
export type Look = (name: string, settle: Settle) => Promise<void>;

/** Milliseconds without a request after which loading counts as finished. */
const QUIET = 80;

/** Runs all looks at every stop, one after the other, each on a settled screen. */
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
 * In the page: resolves when all changes are drawn and resize observers have been called. Uses a resize observer itself: it
 * is called in the next frame even if a test has stopped the clock of `requestAnimationFrame`.
 */
const nextFrame = () =>
  new Promise<void>((resolve) => {
    const observer = new ResizeObserver(() => {
      observer.disconnect();
      resolve();
    });
    observer.observe(document.documentElement);
  });

/** Waits for code and texts, not for answers of the service: a walk waits for those itself, or holds them back. */
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
