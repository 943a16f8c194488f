/** Takes a screen's picture, light or dark, and holds it against the one under e2e/references. */

import { existsSync, readFileSync } from "node:fs";
import type { CDPSession, Page, TestInfo } from "@playwright/test";
import { expect } from "@playwright/test";
import { FULL } from "../../core/full.test-support.ts";
import { inTurn, KIOSK, type Look, PHONE, paired } from "./looks.ts";
import { tagDay } from "./same-every-day.ts";
import { smallPicture } from "./small-picture.ts";
import type { Tongue } from "./words.ts";

/** What the pictures were made with: another one draws the same letters a little differently. */
const MADE_WITH = { chromium: "150", platform: "linux" };
/** How many pixels of a picture may differ, and how much a pixel may before it counts. ADR 18 has the trial. */
export const TOLERANCE = { maxDiffPixels: 200, threshold: 0.02 };
/** Parts of a screen that are measured at run time, random, or filmed, or hold this server's address. */
const VARIABLE = ".step-note, .error-code, .ability-detail, video, .qr, .lacking-scan .code";
const STILL = `
  *, ::before, ::after { animation: none !important; transition: none !important; caret-color: transparent !important; }
  ${VARIABLE} { visibility: hidden !important; }
  /* Seconds: the line they stand in is centred. */
  .working-line .step-note { display: none !important; }`;

const SIZES = { phone: PHONE, kiosk: KIOSK };
export type SizeName = keyof typeof SIZES;

/** Why pictures of this browser cannot be held against the references; undefined where they can. */
export function otherDrawing(browserVersion: string): string | undefined {
  const [major] = browserVersion.split(".");
  if (major === MADE_WITH.chromium && process.platform === MADE_WITH.platform) return undefined;
  return `the references were made with Chromium ${MADE_WITH.chromium} on ${MADE_WITH.platform}; this is ${browserVersion} on ${process.platform}`;
}

/** Whether the page as it stands is alike the picture at `path`, and if not, by how many pixels. For trials. */
export async function differenceFrom(page: Page, info: TestInfo, path: string[]): Promise<string> {
  const session = await page.context().newCDPSession(page);
  const picture = await photograph(page, session);
  await session.detach();
  return difference(picture, path, info.snapshotPath(...path)) ?? "none";
}

/** In a daily run every third screen has a picture. */
const ONE_OF = 3;

/** One picture of some screens, by turns in each size; all of every screen in a full run, and where they are renewed. */
export function photographer(
  page: Page,
  info: TestInfo,
  { name: tongue, turn }: Tongue,
  sizes: readonly SizeName[],
): Look {
  const isAll = FULL || isUpdate(info);
  const next = inTurn(paired(turn, sizes, ["light", "dark"] as const), isAll);
  let screens = 0;
  return async (name, settle) => {
    if (!isAll && screens++ % ONE_OF > 0) return;
    const session = await page.context().newCDPSession(page);
    for (const [size, colorScheme] of next()) {
      await page.setViewportSize(SIZES[size]);
      await page.emulateMedia({ colorScheme, forcedColors: "none", reducedMotion: "reduce" });
      await settle();
      await compare(info, [size, `${name}-${colorScheme}-${tongue}.png`], () => photograph(page, session));
    }
    await session.detach();
    await page.evaluate(() => {
      document.adoptedStyleSheets = [];
    });
  };
}

const isUpdate = ({ config }: TestInfo) =>
  config.updateSnapshots === "all" || config.updateSnapshots === "changed";

/** Milliseconds in which an answer of the service may still change the screen: no test is about time. */
const PATIENCE = 15_000;

/** A busy machine may draw a change late: a difference counts where it stays, and a new picture is kept once two are the same. */
async function compare(info: TestInfo, path: string[], take: () => Promise<Buffer>): Promise<void> {
  const file = info.snapshotPath(...path);
  const until = performance.now() + (isUpdate(info) ? 0 : PATIENCE);
  let picture = await take();
  let last: Buffer | undefined;
  while (last === undefined || !picture.equals(last) || performance.now() < until) {
    if (!isUpdate(info) && difference(picture, path, file) === undefined) return;
    last = picture;
    picture = await take();
  }
  // Soft, so that one walk reports every screen that has changed.
  expect.soft(picture).toMatchSnapshot(path, TOLERANCE);
}

/** What differs beyond {@link TOLERANCE}, in Playwright's words; undefined where nothing does. */
function difference(picture: Buffer, path: string[], file: string): string | undefined {
  if (!existsSync(file)) return "no picture yet";
  // The same pixels make the same file: nearly always.
  if (picture.equals(readFileSync(file))) return undefined;
  try {
    expect(picture).toMatchSnapshot(path, TOLERANCE);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function photograph(page: Page, session: CDPSession): Promise<Buffer> {
  const { isWhole, height } = await page.evaluate(standStill, { style: STILL, day: tagDay() });
  const { width, height: visible } = page.viewportSize() ?? PHONE;
  // Not if all of it is visible anyway: on right-to-left pages such a picture shows the wrong area.
  const isLong = width === PHONE.width && isWhole && height > visible;
  const { data } = await session.send("Page.captureScreenshot", {
    format: "png",
    // Compressed again anyway.
    optimizeForSpeed: true,
    captureBeyondViewport: isLong,
    clip: { x: 0, y: 0, width, height: isLong ? height : visible, scale: 1 },
  });
  return smallPicture(Buffer.from(data, "base64"));
}

/** In the page. Days on the tags are text: they become `day`, all alike. Returns whether the whole page is to be seen. */
function standStill({ style, day }: { readonly style: string; readonly day: string }) {
  if (document.adoptedStyleSheets.length === 0) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    document.adoptedStyleSheets = [sheet];
  }
  for (const line of document.querySelectorAll(".tag text"))
    if (/^\d\d[A-Z]{3}$/.test(line.textContent ?? "") && line.textContent !== day) line.textContent = day;
  const isWhole = document.querySelector("dialog[open]") === null;
  return { isWhole, height: document.documentElement.scrollHeight };
}
