/** What a person waits for: the answer to a touch during a transfer, and a start without a network. */
import { type BrowserContext, type CDPSession, chromium, type Page } from "playwright";
import { Caller } from "../drivers/caller.ts";
import { EmulatedTags } from "../drivers/cdp-tag.ts";
import { chromiumLaunch } from "../drivers/chromium.ts";
import { ADA, JUERGEN } from "../drivers/passenger.ts";
import { newTag } from "../drivers/tag-factory.ts";
import type { Http2Front } from "./http2-front.ts";
import { median } from "./median.ts";
import { Device } from "./page-browser.ts";

const RUNS = 3;
const SLOWDOWN = 4;
const STARTS = 5;

export interface Responses {
  /** Interaction to next paint, the worst of a transfer with proof, in milliseconds. */
  readonly inp: number;
  /** The same for a button that does nothing on an empty page. */
  readonly floor: number;
}

/** Medians of `RUNS` transfers with the CPU slowed down {@link SLOWDOWN} times. */
export async function measureResponses(front: Http2Front, service: string): Promise<Responses> {
  const figures: number[] = [];
  const floors: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const { args, ...launch } = chromiumLaunch();
    const browser = await chromium.launch({ ...launch, args: [...args, ...front.trust] });
    try {
      const context = await browser.newContext({ viewport: { width: 390, height: 844 }, locale: "en-GB" });
      const page = await context.newPage();
      await page.addInitScript(watchInteractions);
      floors.push(await touchNothing(page));
      figures.push(await transferWithProof(page, front.origin, service));
    } finally {
      await browser.close();
    }
  }
  return { inp: median(figures), floor: median(floors) };
}

interface Watched {
  /** Longest of the events of each interaction, in milliseconds. */
  readonly interactions: Map<number, number>;
}

function watchInteractions(): void {
  const world = globalThis as unknown as Watched & { interactions: Map<number, number> };
  world.interactions = new Map();
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { interactionId: number })[]) {
      if (entry.interactionId === 0) continue;
      const before = world.interactions.get(entry.interactionId) ?? 0;
      world.interactions.set(entry.interactionId, Math.max(before, entry.duration));
    }
    // The browser reports nothing below 16 ms; durations are multiples of 8.
  }).observe({ type: "event", durationThreshold: 16, buffered: true } as PerformanceObserverInit);
}

/** Below fifty interactions the worst of them is the INP. */
async function worst(page: Page): Promise<number> {
  // The browser reports events once their frame is on the screen.
  await page.waitForTimeout(500);
  return page.evaluate(() => Math.max(0, ...(globalThis as unknown as Watched).interactions.values()));
}

async function slowDown(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  return session;
}

async function touchNothing(page: Page): Promise<number> {
  await page.goto("data:text/html,<h1>Floor</h1><button>Nothing</button>");
  await slowDown(page);
  for (let touches = 0; touches < 5; touches++) await page.locator("button").click();
  return worst(page);
}

async function transferWithProof(page: Page, origin: string, service: string): Promise<number> {
  // One that signs would say that nobody has written it, and no proof would be asked for.
  const tag = await newTag(service, "2.1", { signs: false });
  const stranger = await Caller.guest(service);
  await stranger.attach(tag.id, JUERGEN.baggageId);
  const tags = await EmulatedTags.install(page, [tag]);
  tags.choose(tag);
  await tags.goto(origin);
  await slowDown(page);
  await typeInto(page, "main form", ADA);
  await page.locator(".bag .button[data-kind=primary]").first().click();
  await page.locator("dialog").waitFor();
  await typeInto(page, "dialog", JUERGEN);
  await page.locator(".outcome-mark").waitFor();
  await page.locator(".outcome-after a").last().click();
  await page.locator(".bag").first().waitFor();
  const figure = await worst(page);
  await tags.remove();
  const released = await stranger.post("/v2/ebt-custody-proofs", {
    uniqueDeviceId: tag.id,
    recordLocator: ADA.recordLocator,
    surname: ADA.surname,
  });
  if (released.status !== 200) throw new Error(JSON.stringify(released.body));
  return figure;
}

/** Key by key, as a person does: each is an interaction. */
async function typeInto(page: Page, form: string, { recordLocator, surname }: typeof ADA): Promise<void> {
  await page.locator(`${form} input[name=recordLocator]`).pressSequentially(recordLocator, { delay: 60 });
  await page.locator(`${form} input[name=surname]`).pressSequentially(surname, { delay: 60 });
  await page.locator(`${form} button[type=submit]`).click();
}

export interface Installed {
  /** Milliseconds from navigation to the first paint with content, without a network. */
  readonly offlineStart: number;
  /** What keeps the browser from offering to install the page. */
  readonly obstacles: readonly string[];
}

export async function measureInstalled({ origin, trust }: Http2Front): Promise<Installed> {
  const device = new Device(trust);
  try {
    return await device.browse(({ context }) => openInstalled(context, origin));
  } finally {
    device.throwAway();
  }
}

async function openInstalled(context: BrowserContext, origin: string): Promise<Installed> {
  const page = await context.newPage();
  await page.goto(origin);
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === "activated");
  const session = await context.newCDPSession(page);
  const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
  const { errors } = await session.send("Page.getAppManifest");
  const obstacles = [
    ...installabilityErrors.map(({ errorId }) => errorId),
    ...errors.map(({ message }) => message),
  ];
  await context.setOffline(true);
  const starts: number[] = [];
  for (let start = 0; start < STARTS; start++) {
    await page.goto("about:blank");
    await page.goto(origin);
    await page.locator("form input[name=recordLocator]").waitFor();
    starts.push(await firstPaint(page));
  }
  return { offlineStart: median(starts), obstacles };
}

const firstPaint = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list) => {
          const paint = list.getEntries().find(({ name }) => name === "first-contentful-paint");
          if (paint) resolve(paint.startTime);
        }).observe({ type: "paint", buffered: true });
      }),
  );
