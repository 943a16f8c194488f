/** Lighthouse as it is run everywhere: a phone in the middle of the range, on a slow network (simulated). */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import lighthouse, { snapshot } from "lighthouse";
import type { BrowserContext } from "playwright";
import { connect, type Page as PuppeteerPage } from "puppeteer-core";
import { LIST_KNOWN } from "../../web/job/guide-chooser.ts";
import { Caller } from "../drivers/caller.ts";
import { ADA, JUERGEN } from "../drivers/passenger.ts";
import type { Http2Front } from "./http2-front.ts";
import { median } from "./median.ts";
import { Device, type PageBrowser } from "./page-browser.ts";

const RUNS = 5;
/** Of the development data. */
const JOURNEY = "/journeys/demo-journey-1";
/** Of v2.0, so that it cannot sign: one that could would say that nobody has written it, and no proof would be asked for. */
const VIRTUAL_TAG = { id: "ebt-20-0005", name: "EBT-0005" };

/** Medians of one screen: scores of a hundred, times in milliseconds. */
export interface LabFigures {
  readonly performance: number;
  readonly accessibility: number;
  readonly bestPractices: number;
  readonly lcp: number;
  readonly cls: number;
  readonly tbt: number;
}

type Result = NonNullable<Awaited<ReturnType<typeof lighthouse>>>["lhr"];

const score = ({ categories }: Result, name: string) =>
  Math.round((categories[name]?.score ?? Number.NaN) * 100);
const value = ({ audits }: Result, name: string) => audits[name]?.numericValue ?? Number.NaN;

/**
 * The middle of `RUNS` visits to `url`, each with empty caches and a browser started anew: one that goes on with the process of
 * an earlier page collects what that page left. What the browser has stored stays with `signedIn`.
 */
export async function visit(
  device: Device,
  url: string,
  { signedIn = false, runs = RUNS } = {},
): Promise<LabFigures> {
  const results: Result[] = [];
  for (let run = 0; run < runs; run++)
    results.push(await device.browse((browser) => look(browser, url, signedIn)));
  const middle = (of: (result: Result) => number) => median(results.map(of));
  const figures = {
    performance: middle((result) => score(result, "performance")),
    accessibility: middle((result) => score(result, "accessibility")),
    bestPractices: middle((result) => score(result, "best-practices")),
    lcp: middle((result) => value(result, "largest-contentful-paint")),
    cls: middle((result) => value(result, "cumulative-layout-shift")),
    tbt: middle((result) => value(result, "total-blocking-time")),
  };
  // The whole takes minutes: show progress.
  console.log(new URL(url).pathname, JSON.stringify(figures));
  return figures;
}

async function look({ context, port }: PageBrowser, url: string, signedIn: boolean): Promise<Result> {
  const answer = await lighthouse(url, {
    port,
    logLevel: "error",
    onlyCategories: ["performance", "accessibility", "best-practices"],
    disableStorageReset: signedIn,
  });
  if (answer === undefined || answer.lhr.runtimeError !== undefined)
    throw new Error(`Lighthouse of ${url}: ${answer?.lhr.runtimeError?.message ?? "nothing"}`);
  if (signedIn) await forgetFiles(context, url);
  return answer.lhr;
}

/** Removes service worker and caches, so that the next visit has none; only the session stays. */
async function forgetFiles(context: BrowserContext, url: string): Promise<void> {
  const page = await context.newPage();
  await page.goto(new URL("/icon.svg", url).href);
  const session = await context.newCDPSession(page);
  await session.send("Storage.clearDataForOrigin", {
    origin: new URL(url).origin,
    storageTypes: "service_workers,cache_storage",
  });
  await session.send("Network.clearBrowserCache");
  await page.close();
}

export interface Lab {
  readonly screens: Readonly<Record<"start" | "journey" | "proof" | "clear", LabFigures>>;
  /** An empty page from this machine, measured in the same way. */
  readonly floor: LabFigures;
}

/** Every screen as a phone gets it: by `front`, which stands before the service at `service`. */
export async function measureLab(front: Http2Front, service: string): Promise<Lab> {
  const device = new Device(front.trust);
  const { origin } = front;
  try {
    const floor = await onEmptyPage(front, () => visit(device, origin, { runs: 3 }));
    front.serve(service);
    const start = await visit(device, origin);
    const clear = await visit(device, `${origin}/clear`);
    await device.browse(({ context }) => findJourney(context, origin));
    const journey = await visit(device, `${origin}${JOURNEY}`, { signedIn: true });
    const beneath = await visit(device, `${origin}${JOURNEY}/bags/1`, { signedIn: true });
    await lockForAnother(service);
    const proof = { ...beneath, ...(await device.browse(({ port }) => lookAtProof(port, origin))) };
    return { floor, screens: { start, journey, proof, clear } };
  } finally {
    device.throwAway();
  }
}

/** Leaves a session in the browser. */
async function findJourney(context: BrowserContext, service: string): Promise<void> {
  const page = await context.newPage();
  await page.goto(service);
  await page.locator("form input[name=recordLocator]").fill(ADA.recordLocator);
  await page.locator("form input[name=surname]").fill(ADA.surname);
  await page.locator("form button[type=submit]").click();
  await page.locator(".bag").first().waitFor();
  // The page seals its copy of an opened journey in the background.
  await page.waitForFunction(() => localStorage.getItem("taglatch.journey-kept") !== null);
  await page.close();
  await forgetFiles(context, service);
}

async function lockForAnother(service: string): Promise<void> {
  const stranger = await Caller.guest(service);
  await stranger.attach(VIRTUAL_TAG.id, JUERGEN.baggageId);
}

/** The dialog has no address: a virtual tag leads to it, and Lighthouse takes a snapshot. */
async function lookAtProof(
  port: number,
  service: string,
): Promise<Pick<LabFigures, "accessibility" | "bestPractices">> {
  const browser = await connect({ browserURL: `http://127.0.0.1:${port}` });
  try {
    const page = await browser.newPage();
    await openProof(page, service);
    const result = await snapshot(page, { flags: { onlyCategories: ["accessibility", "best-practices"] } });
    if (result === undefined) throw new Error("Lighthouse said nothing of the proof");
    return {
      accessibility: score(result.lhr, "accessibility"),
      bestPractices: score(result.lhr, "best-practices"),
    };
  } finally {
    await browser.disconnect();
  }
}

async function openProof(page: PuppeteerPage, service: string): Promise<void> {
  await page.setViewport({ width: 412, height: 823, isMobile: true, hasTouch: true });
  await page.evaluateOnNewDocument((key) => localStorage.setItem(key, "1"), LIST_KNOWN);
  // The start page would open onto the journey of the visit before.
  await page.goto(`${service}/find?sim`);
  await page.locator("main form input[name=recordLocator]").fill(ADA.recordLocator);
  await page.locator("main form input[name=surname]").fill(ADA.surname);
  await page.locator("main form button[type=submit]").click();
  await page.locator(".bag .button[data-kind=primary]").click();
  await page.locator(`dialog ::-p-text(${VIRTUAL_TAG.name})`).click();
  await page.locator("dialog input[name=recordLocator]").wait();
}

/** The least that this machine needs for any page. */
async function onEmptyPage<Value>(front: Http2Front, measure: () => Promise<Value>): Promise<Value> {
  const html = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Floor</title><h1>Floor</h1><button>Nothing</button>`;
  const server = createServer((_, answer) => answer.setHeader("Content-Type", "text/html").end(html));
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  try {
    front.serve(`http://localhost:${(server.address() as AddressInfo).port}`);
    return await measure();
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
