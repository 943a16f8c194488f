import { existsSync, readFileSync } from "node:fs";
import { type CDPSession, expect, type Page, type TestInfo } from "@playwright/test";
import sharp from "sharp";
import { FULL } from "../../core/full.test-support.ts";
import type { Dictionary } from "../../web/i18n/dictionary.ts";
import { en } from "../../web/i18n/en.ts";
import { today } from "./day.ts";
import { inTurn, KIOSK, type Look, PHONE, paired } from "./looks.ts";
import { wordsOf } from "./words.ts";

/** Takes out of a page what differs from day to day: the dates and times it shows. */

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
const tagDay = (): string => new Date(DAY).toUTCString().slice(5, 11).replace(" ", "").toUpperCase();

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

/** The words of the page in the languages of the tours: one from left to right and, in a full run, one from right to left. */

export interface Tongue {
  readonly name: "en" | "ar";
  /** Number of this walk through the same screens: see `paired`. */
  readonly turn: number;
  /** The language that the browser asks for. */
  readonly locale: string;
  readonly words: Dictionary;
}

const ENGLISH: Tongue = { name: "en", turn: 0, locale: "en-GB", words: en };
const ARABIC: Tongue = { name: "ar", turn: 1, locale: "ar", words: wordsOf("ar") };

/** Half of a tour's time goes into moving between screens: a daily run has one. */
export const TONGUES: readonly Tongue[] = FULL ? [ENGLISH, ARABIC] : [ENGLISH];

/** Takes shots of a screen, light or dark, and holds them against the picture of it under e2e/references: all of them side by side. */

/** What the pictures were made with: another one draws the same letters a little differently. */
const MADE_WITH = { chromium: "150", platform: "linux" };
/** How many pixels of a picture may differ, and how much a pixel may before it counts. Found by trial. */
const TOLERANCE = { maxDiffPixels: 200, threshold: 0.02 };
/** Parts of a screen that count time, are measured at run time, random, or filmed, or hold this server's address. */
const VARIABLE =
  "[role=timer], .step-note, .working-bar, .error-code, .ability-detail, video, .qr, .delegate-link, .lacking-scan .code";
const STILL = `
  *, ::before, ::after { animation: none !important; transition: none !important; caret-color: transparent !important; }
  ${VARIABLE} { visibility: hidden !important; }`;

const SIZES = { phone: PHONE, kiosk: KIOSK };
/** Widths of shots: half the pixels where there are many. */
const WIDTHS = { phone: PHONE.width, kiosk: KIOSK.width / 2 };
export type SizeName = keyof typeof SIZES;

/** Why pictures of this browser cannot be held against the references; undefined where they can. */
export function otherDrawing(browserVersion: string): string | undefined {
  const [major] = browserVersion.split(".");
  if (major === MADE_WITH.chromium && process.platform === MADE_WITH.platform) return undefined;
  return `the references were made with Chromium ${MADE_WITH.chromium} on ${MADE_WITH.platform}; this is ${browserVersion} on ${process.platform}`;
}

/** Where a picture has one of its shots. */
interface Place {
  /** The picture's file, below the folder of references. */
  readonly path: string;
  readonly left: number;
  /** Width of the whole picture. */
  readonly whole: number;
}

/** One size after the other, each from left to right beside right to left. */
function placeOf(name: string, size: SizeName, turn: number, sizes: readonly SizeName[]): Place {
  const widthOf = (some: readonly SizeName[]) => some.reduce((sum, one) => sum + 2 * WIDTHS[one], 0);
  const before = sizes.slice(0, sizes.indexOf(size));
  return {
    path: `${name}.png`,
    left: widthOf(before) + turn * WIDTHS[size],
    whole: widthOf(sizes),
  };
}

/** Whether the page as it stands is alike its shot in a picture, and if not, by how many pixels. For trials, on a phone. */
export async function differenceFrom(page: Page, info: TestInfo, name: string): Promise<string> {
  const session = await page.context().newCDPSession(page);
  const shot = await takeShot(page, session);
  await session.detach();
  return (await difference(info, placeOf(name, "phone", 0, ["phone", "kiosk"]), shot)) ?? "none";
}

/** In a daily run every third screen has a shot. */
const ONE_OF = 3;

/** Daily, one shot of every third screen, its size by turns; in a full run or an update, every size of every screen. */
export function photographer(page: Page, info: TestInfo, { turn }: Tongue, sizes: readonly SizeName[]): Look {
  // Two walks have shots in each picture: one of them would undo what the other writes at the same time.
  if (isUpdate(info) && info.config.workers > 1) throw new Error("Pictures are made with --workers 1.");
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
      await compare(info, placeOf(name, size, turn, sizes), () => takeShot(page, session));
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

/** A busy machine may draw a change late: a difference counts where it stays, and a new shot is kept once two are the same. */
async function compare(info: TestInfo, place: Place, take: () => Promise<Buffer>): Promise<void> {
  const until = performance.now() + (isUpdate(info) ? 0 : PATIENCE);
  let shot = await take();
  let last: Buffer | undefined;
  while (last === undefined || !shot.equals(last) || performance.now() < until) {
    if (!isUpdate(info) && (await difference(info, place, shot)) === undefined) return;
    last = shot;
    shot = await take();
  }
  // Soft, so that one walk reports every screen that has changed.
  expect.soft(await hang(info, place, shot)).toMatchSnapshot(place.path, TOLERANCE);
}

/** What differs beyond {@link TOLERANCE}, in Playwright's words; undefined where nothing does. */
async function difference(info: TestInfo, place: Place, shot: Buffer): Promise<string | undefined> {
  const file = info.snapshotPath(place.path);
  if (!existsSync(file)) return "no picture yet";
  const picture = await hang(info, place, shot);
  // The same pixels make the same file: nearly always.
  if (picture.equals(readFileSync(file))) return undefined;
  try {
    expect(picture).toMatchSnapshot(place.path, TOLERANCE);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What is behind shots that are shorter than others of their picture. */
const WALL = "#888888";

/** The picture as it is kept, with this shot in its place. */
async function hang(info: TestInfo, { path, left, whole }: Place, shot: Buffer): Promise<Buffer> {
  const wall = (width: number, height: number) => ({
    create: { width, height, channels: 3, background: WALL } as const,
  });
  const file = info.snapshotPath(path);
  const { width, height } = await sharp(shot).metadata();
  const picture = existsSync(file) ? sharp(readFileSync(file)) : sharp(wall(whole, height));
  const { height: kept } = await picture.metadata();
  return picture
    .extend({ bottom: Math.max(0, height - kept), background: WALL })
    .composite([
      { input: wall(width, Math.max(height, kept)), left, top: 0 },
      { input: shot, left, top: 0 },
    ])
    .removeAlpha()
    .png({ compressionLevel: 9 })
    .toBuffer();
}

async function takeShot(page: Page, session: CDPSession): Promise<Buffer> {
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
  return smallPicture(Buffer.from(data, "base64"), width === PHONE.width ? WIDTHS.phone : WIDTHS.kiosk);
}

/** In all its colours: a palette depends on every pixel, so that a change of one pixel would change hundreds. */
const smallPicture = (png: Buffer, width: number): Promise<Buffer> =>
  sharp(png).resize({ width, kernel: "linear" }).removeAlpha().png({ compressionLevel: 1 }).toBuffer();

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
