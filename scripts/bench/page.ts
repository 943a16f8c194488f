/**
 * What the page costs a phone: Lighthouse's figures beside an empty page's. `--find`: how long a
 * person waits for their booking, and what the tap on it costs.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import lighthouse from "lighthouse";
import { type BrowserContext, chromium } from "playwright";
import { chromiumPath } from "../drivers/chromium.ts";
import { ADA, Passenger } from "../drivers/passenger.ts";
import { startServer } from "../serve/server.ts";
import { fail } from "../serve/start-failure.ts";
import { benchFind } from "./find.ts";
import { atMost, type Goal, median, type Options, printTable } from "./harness.ts";
import { type Http2Front, http2Front } from "./http2-front.ts";

const VISITS = 5;
const JOURNEY = "/journeys/demo-journey-1";
/** The journey is opened with the session of an earlier visit. */
const SCREENS = { start: "/", clear: "/clear", journey: JOURNEY } as const;

/** Lighthouse's audits, and the most of each. */
const AUDITS = [
  { name: "LCP, ms", id: "largest-contentful-paint", most: 1_200, digits: 0 },
  { name: "TBT, ms", id: "total-blocking-time", most: 50, digits: 0 },
  { name: "CLS", id: "cumulative-layout-shift", most: 0.01, digits: 3 },
] as const;
type Figures = Readonly<Record<string, number>>;

export async function benchPage({ busy, find }: Options): Promise<readonly Goal[]> {
  const folder = mkdtempSync(join(tmpdir(), "taglatch-page-"));
  if (!busy) putChromiumFirst(folder);
  const front = await http2Front();
  const vars = { PUBLIC_ORIGIN: front.origin };
  const server = await startServer({ port: 0, stateDir: join(folder, "state"), vars });
  try {
    if (find) return await benchFind(front, server);
    return await measureScreens(front, server.url, join(folder, "device"));
  } finally {
    front.stop();
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

/** Before all other programs (sched(7), round robin): on two cores page, service and Lighthouse wait for each other. */
function putChromiumFirst(folder: string): void {
  try {
    execFileSync("chrt", ["--rr", "1", "true"], { stdio: "pipe" });
  } catch {
    fail("Without priority these figures are too high: let this user run `chrt --rr 1`, or add --busy.", 2);
  }
  const program = join(folder, "chromium-first");
  const path = chromiumPath() ?? chromium.executablePath();
  writeFileSync(program, `#!/bin/sh\nexec chrt --rr 1 "${path}" "$@"\n`, { mode: 0o755 });
  process.env.CHROMIUM_PATH = program;
}

async function measureScreens(front: Http2Front, service: string, profile: string): Promise<Goal[]> {
  const rows = [{ screen: "empty page", ...(await visit(front, "/", profile)) }];
  front.serve(service);
  for (const [screen, path] of Object.entries(SCREENS)) {
    if (path === JOURNEY) await browse(front, profile, ({ context }) => findJourney(context, front.origin));
    rows.push({ screen, ...(await visit(front, path, profile)) });
  }
  printTable(`Lighthouse mobile, medians of ${VISITS} visits`, rows);
  return rows.slice(1).flatMap(({ screen, ...figures }) => goalsOf(screen, figures));
}

function goalsOf(screen: string, figures: Figures): Goal[] {
  const { performance = Number.NaN } = figures;
  const score = { goal: "≥ 98", figure: `${performance}`, met: performance >= 98 };
  return [
    { what: `${screen}: performance`, ...score },
    ...AUDITS.map(({ name, most, digits }) =>
      atMost(`${screen}: ${name}`, figures[name] ?? Number.NaN, most, digits),
    ),
  ];
}

/**
 * The middle of {@link VISITS}, each with empty caches and a browser of its own: one that goes on with the process of an
 * earlier page collects what that page left. The session stays on the device for the journey.
 */
async function visit(front: Http2Front, path: string, profile: string): Promise<Figures> {
  const visits: Figures[] = [];
  for (let n = 0; n < VISITS; n += 1)
    visits.push(await browse(front, profile, (browser) => look(browser, front.origin, path)));
  const names = Object.keys(visits[0] ?? {});
  const middle = (name: string) => median(visits.map((one) => one[name] ?? Number.NaN));
  return Object.fromEntries(names.map((name) => [name, Number(middle(name).toFixed(3))]));
}

async function look({ context, port }: Browser, origin: string, path: string): Promise<Figures> {
  const onlyCategories = ["performance"];
  const disableStorageReset = path === JOURNEY;
  const flags = { port, logLevel: "error", onlyCategories, disableStorageReset } as const;
  const lhr = (await lighthouse(origin + path, { ...flags, onlyCategories }))?.lhr;
  if (lhr === undefined || lhr.runtimeError !== undefined)
    throw new Error(`Lighthouse of ${path}: ${lhr?.runtimeError?.message ?? "nothing"}`);
  await forgetFiles(context, origin);
  const audits = AUDITS.map(({ name, id }) => [name, lhr.audits[id]?.numericValue]);
  const performance = Math.round((lhr.categories.performance?.score ?? Number.NaN) * 100);
  return { performance, ...Object.fromEntries(audits) };
}

interface Browser {
  readonly context: BrowserContext;
  /** Of the DevTools protocol. */
  readonly port: number;
}

/** Not incognito: service workers and storage work as on a person's own device, whose `profile` outlives the browser. */
async function browse<T>(
  front: Http2Front,
  profile: string,
  act: (browser: Browser) => Promise<T>,
): Promise<T> {
  const context = await chromium.launchPersistentContext(profile, {
    ...front.launch("--remote-debugging-port=0"),
    locale: "en-GB",
    viewport: { width: 390, height: 844 },
  });
  try {
    const [port] = readFileSync(join(profile, "DevToolsActivePort"), "utf8").split("\n");
    return await act({ context, port: Number(port) });
  } finally {
    await context.close();
  }
}

/** Removes service worker and caches, so that the next visit has none. */
async function forgetFiles(context: BrowserContext, origin: string): Promise<void> {
  const page = await context.newPage();
  await page.goto(`${origin}/icon.svg`);
  const session = await context.newCDPSession(page);
  const storageTypes = "service_workers,cache_storage";
  await session.send("Storage.clearDataForOrigin", { origin, storageTypes });
  await session.send("Network.clearBrowserCache");
}

/** Leaves a session on the device, and a copy of the journey. */
async function findJourney(context: BrowserContext, origin: string): Promise<void> {
  const page = await context.newPage();
  await page.goto(origin);
  const passenger = new Passenger(page);
  await passenger.submits(ADA);
  await passenger.keepsJourney();
  await forgetFiles(context, origin);
}
