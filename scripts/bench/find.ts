/**
 * What a first visit downloads, and how long a person waits from sending their booking until the journey is on the screen,
 * by the network's round trip.
 */
import type { Browser, CDPSession, Page } from "playwright";
import { ADA } from "../drivers/passenger.ts";
import { atMost, type Goal, median, printTable } from "./harness.ts";
import { type Http2Front, withBrowser } from "./http2-front.ts";

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

interface Found {
  /** Milliseconds. */
  readonly wait: number;
  /** To the service: since the page was opened, and after the form was sent. */
  readonly requests: number;
  readonly requestsAfter: number;
}

export const benchFind = (front: Http2Front): Promise<readonly Goal[]> =>
  withBrowser(front, async (browser) => {
    const goals = [...(await firstVisit(browser, front))];
    const rows: Record<string, number>[] = [];
    for (const { roundTrip, most } of NETWORKS) {
      const visits: Found[] = [];
      for (let n = 0; n < VISITS; n += 1) {
        // Empty storages and caches each time.
        const context = await browser.newContext();
        visits.push(await find(await context.newPage(), front.origin, roundTrip));
        await context.close();
      }
      const middle = (what: keyof Found) => median(visits.map((visit) => visit[what]));
      const wait = Math.round(middle("wait"));
      rows.push({
        "round trip, ms": roundTrip,
        "submit to journey, ms": wait,
        "of it the slowest": Math.round(Math.max(...visits.map((visit) => visit.wait))),
        requests: middle("requests"),
        "requests after submit": middle("requestsAfter"),
      });
      goals.push(atMost(`submit to journey at ${roundTrip} ms`, wait, most));
    }
    printTable(`A first visit finds its booking, medians of ${VISITS} visits`, rows);
    return goals;
  });

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

async function find(page: Page, origin: string, latency: number): Promise<Found> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  const requests = countRequests(session);
  const unlimited = { downloadThroughput: -1, uploadThroughput: -1 };
  await session.send("Network.emulateNetworkConditions", { offline: false, latency, ...unlimited });
  await page.goto(origin);
  await page.evaluate(watchSubmit);
  for (const name of ["recordLocator", "surname"] as const) {
    const field = page.locator(`form input[name=${name}]`);
    await field.click();
    await field.pressSequentially(ADA[name], { delay: TYPING });
  }
  const before = requests();
  await page.locator("form button[type=submit]").click();
  const wait = await page.waitForFunction(
    () => Reflect.get(globalThis, "journeyAfter") as number | undefined,
  );
  return { wait: (await wait.jsonValue()) ?? 0, requests: requests(), requestsAfter: requests() - before };
}

/** Sets `journeyAfter` when the heading is another than that of the form. */
function watchSubmit(): void {
  const heading = () => document.querySelector("h1")?.textContent;
  addEventListener(
    "submit",
    () => {
      const [sent, before] = [performance.now(), heading()];
      const look = () => {
        if (location.pathname.startsWith("/journeys/") && heading() && heading() !== before)
          Reflect.set(globalThis, "journeyAfter", performance.now() - sent);
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    },
    { capture: true },
  );
}

/** How many answers of the service have come over the network. */
function countRequests(session: CDPSession): () => number {
  let count = 0;
  session.on("Network.responseReceived", ({ response }) => {
    if (/\/(v2|\.well-known)\//.test(response.url) && !response.fromDiskCache) count += 1;
  });
  return () => count;
}
