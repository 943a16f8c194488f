/** Takes out of a page what differs from day to day: the dates and times it shows. */
import type { Page } from "@playwright/test";
import { today } from "./day.ts";

/** The day every flight seems to leave. */
const DAY = Date.UTC(2027, 4, 3);
const DAY_LENGTH = 86_400_000;
/** The time of day at which everything seems to happen, in UTC. */
const TIME = (9 * 60 + 41) * 60_000;

export async function sameEveryDay(page: Page): Promise<void> {
  await page.addInitScript(shiftDays, { by: shift(), time: TIME });
}

/** From tomorrow, when every demo journey begins, to {@link DAY}; dates are only shown otherwise, as data they stay. */
function shift(): number {
  return DAY - Math.floor(today() / DAY_LENGTH + 1) * DAY_LENGTH;
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
