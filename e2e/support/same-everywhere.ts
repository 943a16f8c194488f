/** Takes out of a page what differs from machine to machine and from day to day: fonts, dates, measured times. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";

const WEIGHTS = [400, 600, 700];
const SCRIPTS = ["noto-sans/files/noto-sans-latin", "noto-sans-arabic/files/noto-sans-arabic-arabic"];
const FAMILY = "Reference";
/** The day every flight seems to leave. */
const DAY = Date.UTC(2027, 4, 3);
const DAY_LENGTH = 86_400_000;
/** The time of day at which everything seems to happen, in UTC. */
const TIME = (9 * 60 + 41) * 60_000;

const { resolve } = createRequire(import.meta.url);

interface Font {
  readonly weight: string;
  readonly data: string;
}

const FONTS: readonly Font[] = SCRIPTS.flatMap((script) =>
  WEIGHTS.map((weight) => ({
    weight: String(weight),
    data: readFileSync(resolve(`@fontsource/${script}-${weight}-normal.woff2`)).toString("base64"),
  })),
);

export async function sameEverywhere(page: Page): Promise<void> {
  await page.addInitScript(useFonts, { family: FAMILY, fonts: FONTS });
  await page.addInitScript(shiftDays, { by: shift(), time: TIME });
}

/** From tomorrow, when every demo journey begins, to {@link DAY}; dates are only shown otherwise, as data they stay. */
function shift(): number {
  return DAY - Math.floor(Date.now() / DAY_LENGTH + 1) * DAY_LENGTH;
}

/** {@link DAY} as tags show it. */
export const tagDay = (): string => new Date(DAY).toUTCString().slice(5, 11).replace(" ", "").toUpperCase();

function shiftDays({ by, time }: { readonly by: number; readonly time: number }): void {
  const dayLength = 86_400_000;
  const { get } = Object.getOwnPropertyDescriptor(Intl.DateTimeFormat.prototype, "format") ?? {};
  Object.defineProperty(Intl.DateTimeFormat.prototype, "format", {
    get(this: Intl.DateTimeFormat) {
      const format = get?.call(this) as (moment: number) => string;
      return (moment: Date | number = Date.now()) =>
        format(Math.floor((Number(moment) + by) / dayLength) * dayLength + time);
    },
  });
}

/** Built from bytes, so that the page's policy, which allows no fonts, has nothing to say about it. */
function useFonts({ family, fonts }: { family: string; fonts: readonly Font[] }): void {
  for (const { weight, data } of fonts) {
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    document.fonts.add(new FontFace(family, bytes, { weight }));
  }
  const dress = () => {
    const root = document.documentElement;
    if (root === null) return;
    for (const name of ["--font", "--font-code", "--font-tag"]) root.style.setProperty(name, family);
  };
  new MutationObserver(dress).observe(document, { childList: true });
  dress();
}
