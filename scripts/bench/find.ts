/**
 * What a first visit downloads, how long a person waits from sending their booking until the journey is on the screen,
 * by the network's round trip, and what the page computes from the tap on a bag until the service has its attachment.
 */
import { type Browser, chromium, type Page } from "playwright";
import { EmulatedTags } from "../drivers/cdp-tag.ts";
import { ADA, Passenger } from "../drivers/passenger.ts";
import { newTag } from "../drivers/tag-factory.ts";
import type { Server } from "../serve/server.ts";
import { atMost, type Goal, median } from "./harness.ts";
import type { Http2Front } from "./http2-front.ts";

const VISITS = 9;
/** Milliseconds between two characters. */
const TYPING = 120;
/** Milliseconds of a round trip, and the most of the wait. */
const NETWORKS = [
  { roundTrip: 80, most: 150 },
  { roundTrip: 150, most: 230 },
] as const;

/** What a first visit downloads until the page also starts offline: the page's files, and the service worker's. */
const FIRST_VISIT = { requests: 80, kilobytes: 280 } as const;
/** Milliseconds without a request after which a visit has loaded everything. */
const QUIET = 2_000;

/** A slow phone's main thread takes six times as long as this one. */
const SLOWER = 6;
/** Milliseconds on such a phone: half a second less than on 25 November 2026. */
const MOST_WORK = 830;
/** Milliseconds: an e-paper's change; until an idle page has loaded what the tap needs; until the last drawing. */
const DISPLAY = 900;
const IDLE = 7_000;
const LAST = 700;
const TAPS = 7;

export async function benchFind(front: Http2Front, { url, database }: Server): Promise<readonly Goal[]> {
  front.serve(url);
  const browser = await chromium.launch(front.launch());
  try {
    const goals = [...(await firstVisit(browser, front)), ...(await findAll(browser, front.origin))];
    const works: number[] = [];
    for (let n = 0; n < TAPS; n += 1) {
      // A bag that is on a tag already is put there by another button.
      await database.prepare("delete from device_ticket_locks").run();
      works.push(await tap(browser, front.origin, url));
    }
    const slower = median(works) * SLOWER;
    return [...goals, atMost(`page work from tap to done, ${SLOWER} times slower, ms`, slower, MOST_WORK)];
  } finally {
    await browser.close();
  }
}

/** The start page alone, by a person who does nothing. */
async function firstVisit(browser: Browser, front: Http2Front): Promise<readonly Goal[]> {
  const before = front.traffic();
  const context = await browser.newContext({ locale: "de-DE" });
  const page = await context.newPage();
  await page.goto(front.origin);
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === "activated");
  let seen = 0;
  while (seen < front.traffic().requests) {
    seen = front.traffic().requests;
    await page.waitForTimeout(QUIET);
  }
  await context.close();
  const { requests, bytes } = front.traffic();
  return [
    atMost("a first visit, requests", requests - before.requests, FIRST_VISIT.requests),
    atMost("a first visit, kB", (bytes - before.bytes) / 1_000, FIRST_VISIT.kilobytes, 1),
  ];
}

async function findAll(browser: Browser, origin: string): Promise<readonly Goal[]> {
  const goals: Goal[] = [];
  for (const { roundTrip, most } of NETWORKS) {
    const waits: number[] = [];
    for (let n = 0; n < VISITS; n += 1) {
      // Empty storages and caches each time.
      const context = await browser.newContext();
      waits.push(await find(await context.newPage(), origin, roundTrip));
      await context.close();
    }
    goals.push(atMost(`submit to journey at ${roundTrip} ms, median of ${VISITS}`, median(waits), most));
  }
  return goals;
}

/** Milliseconds from the form to the journey. */
async function find(page: Page, origin: string, latency: number): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  const unlimited = { downloadThroughput: -1, uploadThroughput: -1 };
  await session.send("Network.emulateNetworkConditions", { offline: false, latency, ...unlimited });
  await page.goto(origin);
  // Asked before: what Playwright compiles for a question is no work of the page's.
  const wait = page.evaluate(journeyAfterSubmit);
  for (const name of ["recordLocator", "surname"] as const) {
    const field = page.locator(`form input[name=${name}]`);
    await field.click();
    await field.pressSequentially(ADA[name], { delay: TYPING });
  }
  await page.locator("form button[type=submit]").click();
  return wait;
}

/** Resolves when the heading is another than that of the form, with the milliseconds since it was sent. */
const journeyAfterSubmit = () =>
  new Promise<number>((resolve) => {
    const heading = () => document.querySelector("h1")?.textContent;
    const watch = () => {
      const [sent, before] = [performance.now(), heading()];
      const look = () => {
        if (location.pathname.startsWith("/journeys/") && heading() && heading() !== before)
          resolve(performance.now() - sent);
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    };
    addEventListener("submit", watch, { capture: true });
  });

/** Puts a bag on a tag of Chromium's emulation: the milliseconds that the page's main thread computes for it. */
async function tap(browser: Browser, origin: string, service: string): Promise<number> {
  const tag = await newTag(service, "2.1", { displayMs: DISPLAY });
  const context = await browser.newContext({ locale: "en-GB", viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  const emulated = await EmulatedTags.install(page, [tag]);
  emulated.choose(tag);
  await emulated.goto(origin);
  const passenger = new Passenger(page);
  await passenger.findsJourney(ADA);
  await page.waitForTimeout(IDLE);
  const session = await context.newCDPSession(page);
  // Of the thread, not of the clock: other programs do not count.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const spent = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN) * 1_000;
  };
  const button = await passenger.firstBag.boundingBox();
  if (button === null) throw new Error("the bag has no button");
  const before = await spent();
  // Waiting for a heading computes in the page as well.
  const attached = page.waitForResponse("**/v2/device-attachments");
  await page.mouse.click(button.x + button.width / 2, button.y + button.height / 2);
  await attached;
  await page.waitForTimeout(LAST);
  const work = (await spent()) - before;
  if (tag.snapshot().display.state !== "LABEL") throw new Error("the tag was not written");
  await emulated.remove();
  await context.close();
  return work;
}
