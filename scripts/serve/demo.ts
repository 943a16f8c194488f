/**
 * The main job shown from end to end: builds, serves with fresh state on a free port, and lets passengers in headless
 * Chromium write tags, prove custody of locked ones and clear one, through Web Bluetooth. Screenshots and transcripts go
 * to demo-out/; the last line is one JSON object.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright";
import type { GattVersion } from "../../core/gatt/profile.ts";
import { runCommand } from "../../kit/command-line.ts";
import type { VirtualTag } from "../../sim/tag/tag-types.ts";
import { Caller } from "../drivers/caller.ts";
import { EmulatedTags } from "../drivers/cdp-tag.ts";
import { chromiumLaunch } from "../drivers/chromium.ts";
import { Passenger } from "../drivers/passenger.ts";
import { countConnections } from "../drivers/tag-checks.ts";
import { newTag } from "../drivers/tag-factory.ts";
import { ROOT } from "../project-files.ts";
import { DemoLog } from "./demo-log.ts";
import { SCENARIOS, type Scenario } from "./demo-scenarios.ts";

const OUT = join(ROOT, "demo-out");
const DEMO = {
  usage: `npm run demo: writes, locks and clears virtual tags in a headless browser, with a service of its own.
It takes no options. Screenshots and transcripts go to demo-out/. Its last line is one JSON object:
  {"ok":true,"scenarios":[{"name","generations","ok","ms","connections","error"?}, …]}`,
  options: {},
};

/** The screen of the README's picture, copied to docs/pictures when the page has changed. */
const PICTURE = "transfer-2.1 done";

async function takePicture(page: Page, screen: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(OUT, `${screen}-${colorScheme}.png`), animations: "disabled" });
  }
  await page.emulateMedia({ colorScheme: null });
}

/** What a scenario with one tag needs: its log, its screenshots and the browser to open pages in. */
interface Recording {
  readonly log: DemoLog;
  readonly shoot: (page: Page, screen: string) => Promise<void>;
  readonly browser: Browser;
  readonly url: string;
}

/** Opens the page in a profile of its own with `tag` in range, runs `act` there, and closes it. */
async function visit({ log, browser, url }: Recording, tag: VirtualTag, act: (page: Page) => Promise<void>) {
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    serviceWorkers: "block",
  });
  const page = await context.newPage();
  const emulated = await EmulatedTags.install(page, [tag]);
  emulated.choose(tag);
  log.watchService(page);
  try {
    await emulated.goto(url);
    await act(page);
  } finally {
    await emulated.remove();
    await context.close();
  }
}

/** Plays `scenario` with one tag; returns how often the tag was connected. Throws where the scenario does. */
async function playWith(generation: GattVersion, scenario: Scenario, recording: Recording): Promise<number> {
  const { log, shoot, url } = recording;
  const tag = await newTag(url, generation);
  const connections = countConnections(tag);
  log.watchTag(tag);
  let open: Page | undefined;
  await scenario.play({
    tag,
    stranger: await Caller.guest(url),
    visit: (act) =>
      visit(recording, tag, async (page) => {
        open = page;
        await act(new Passenger(page)).catch(async (error) => {
          await shoot(page, "failed");
          throw error;
        });
      }),
    shoot: async (screen) => {
      if (open !== undefined) await shoot(open, screen);
    },
    step: (text) => log.step(text),
  });
  return connections();
}

async function play(scenario: Scenario, browser: Browser, url: string) {
  const { name, title, generations } = scenario;
  console.log(`\n${title}`);
  const log = new DemoLog();
  let shots = 0;
  const shoot = async (page: Page, screen: string): Promise<void> => {
    shots += 1;
    await page.screenshot({ path: join(OUT, `${name}-${shots}-${screen}.png`), fullPage: true });
    if (`${name} ${screen}` === PICTURE) await takePicture(page, screen);
  };
  let connections = 0;
  const outcome = (ok: boolean) => ({ name, generations, ok, ms: Math.round(log.ms), connections });
  try {
    for (const generation of generations) {
      if (generations.length > 1) log.step(`tag      v${generation}`);
      connections += await playWith(generation, scenario, { log, shoot, browser, url });
    }
    console.log(`  done in ${(log.ms / 1000).toFixed(2)} s`);
    return outcome(true);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    console.log(`  FAILED: ${text}`);
    return { ...outcome(false), error: text.split("\n")[0] ?? "" };
  } finally {
    writeFileSync(join(OUT, `${name}.transcript.jsonl`), log.transcript);
  }
}

async function demo(): Promise<void> {
  const { startServer } = await import("./server.ts");
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  const stateDir = mkdtempSync(join(tmpdir(), "taglatch-demo-"));
  const server = await startServer({ port: 0, stateDir });
  console.log(`serving ${server.url} with fresh state`);
  const browser = await chromium.launch({ headless: true, ...chromiumLaunch() });
  const outcomes: Awaited<ReturnType<typeof play>>[] = [];
  try {
    for (const scenario of SCENARIOS) outcomes.push(await play(scenario, browser, server.url));
  } finally {
    await browser.close();
    await server.stop();
    rmSync(stateDir, { recursive: true, force: true });
  }
  const ok = outcomes.every((outcome) => outcome.ok);
  if (!ok) process.exitCode = 1;
  console.log("\nscreenshots and transcripts: demo-out/");
  console.log(JSON.stringify({ ok, scenarios: outcomes }));
}

await runCommand(DEMO, demo);
