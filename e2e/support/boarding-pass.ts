/** Boarding passes as airlines print them: the text (IATA Res. 792, 60 characters and 37 more for each leg after the first) and its code. */

import type { Page } from "@playwright/test";
import { toSVG } from "bwip-js/node";
import { today } from "./day.ts";

export const SYMBOLOGIES = ["pdf417", "azteccode", "qrcode"] as const;
export type Symbology = (typeof SYMBOLOGIES)[number];

export interface Pass {
  /** `SURNAME/GIVEN` */
  readonly name: string;
  readonly recordLocator: string;
  /** `OSLARN` */
  readonly route: string;
  readonly carrier: string;
  /** Four digits. */
  readonly flight: string;
  /** Milliseconds since 1970, on the day of the flight. */
  readonly day: number;
}

/** Ada's first flight: demo journeys are on the day after their service was filled. */
export const adasPass = (): Pass => ({
  name: "LOVELACE/ADA",
  recordLocator: "ABC123",
  route: "OSLARN",
  carrier: "SK",
  flight: "1234",
  day: today() + 86_400_000,
});

/** The pass of one flight, or of several; the name is the first one's. */
export function passText(pass: Pass, ...onward: readonly Pass[]): string {
  const legs = [pass, ...onward];
  return `M${legs.length}${pass.name.padEnd(20)}E${legs.map(legText).join("")}`;
}

/** `100` at the end: checked in, no variable block. */
function legText({ recordLocator, route, carrier, flight, day }: Pass): string {
  const date = new Date(day);
  const dayOfYear = Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 0)) / 86_400_000);
  const julian = dayOfYear.toString().padStart(3, "0");
  return `${recordLocator.padEnd(7)}${route}${carrier.padEnd(3)}${flight.padEnd(5)}${julian}Y008A0034 100`;
}

/** A photograph of a printed pass, JPEG: taken of a page that shows nothing else. */
export async function photograph(page: Page, symbology: Symbology, text: string): Promise<Buffer> {
  const code = toSVG({ bcid: symbology, text, scale: 3, ...(symbology === "pdf417" && { columns: 6 }) });
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.setContent(
    `<style>
       body { margin: 0; display: grid; place-items: center; height: 100vh; background: #77716a; }
       main { background: #fdfcf8; padding: 40px; rotate: 2deg; font: 20px sans-serif; }
       svg { display: block; width: 520px; max-height: 420px; margin-top: 20px; }
     </style><main>Boarding pass${code}</main>`,
  );
  return page.screenshot({ type: "jpeg", quality: 90 });
}

/** Chooses the photograph `buffer` on the screen that reads passes, where the page is. */
export const choosesPhoto = (page: Page, buffer: Buffer): Promise<void> =>
  page.locator("input[type=file]").setInputFiles({ name: "pass.jpg", mimeType: "image/jpeg", buffer });
