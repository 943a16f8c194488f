/**
 * The main job shown from end to end: builds, serves with fresh state on a free port, and lets a passenger in
 * headless Chromium write two tags, prove custody of a locked one and clear one, through Web Bluetooth.
 * Screenshots and transcripts go to demo-out/; the last line is one JSON object.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium } from "playwright";
import { EmulatedTags } from "../../e2e/cdp-tag.ts";
import { Caller } from "../../e2e/support/caller.ts";
import { Passenger } from "../../e2e/support/passenger.ts";
import { newTag } from "../../e2e/support/tag-factory.ts";
import { ROOT } from "../project-files.ts";
import { chromiumLaunch, requireChromium } from "../test/chromium.ts";
import { DemoLog } from "./demo-log.ts";
import { SCENARIOS, type Scenario } from "./demo-scenarios.ts";
import { startServer } from "./server.ts";

const OUT = join(ROOT, "demo-out");

interface ScenarioResult {
  readonly name: string;
  readonly generation: string;
  readonly ok: boolean;
  readonly ms: number;
  readonly connections: number;
  readonly error?: string;
}

async function play(scenario: Scenario, browser: Browser, url: string): Promise<ScenarioResult> {
  const { name, generation } = scenario;
  console.log(`\n${scenario.title}`);
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    serviceWorkers: "block",
  });
  const page = await context.newPage();
  const tag = await newTag(url, generation);
  const emulated = await EmulatedTags.install(page, [tag]);
  emulated.choose(tag);
  const log = new DemoLog(console.log);
  log.watchTag(tag);
  log.watchService(page);
  let connections = 0;
  let shots = 0;
  tag.observe((event) => {
    if (event.type === "link" && event.change === "connected") connections += 1;
  });
  const shoot = async (screen: string): Promise<void> => {
    shots += 1;
    await page.screenshot({ path: join(OUT, `${name}-${shots}-${screen}.png`), fullPage: true });
  };
  const outcome = { name, generation };
  try {
    await emulated.goto(url);
    const stranger = await Caller.guest(url);
    await scenario.play({
      passenger: new Passenger(page),
      tag,
      stranger,
      shoot,
      step: (text) => log.step(text),
    });
    const ms = Math.round(log.ms);
    console.log(`  done in ${(ms / 1000).toFixed(2)} s`);
    return { ...outcome, ok: true, ms, connections };
  } catch (error) {
    await shoot("failed");
    const text = error instanceof Error ? error.message : String(error);
    console.log(`  FAILED: ${text}`);
    return { ...outcome, ok: false, ms: Math.round(log.ms), connections, error: text.split("\n")[0] ?? "" };
  } finally {
    writeFileSync(join(OUT, `${name}.transcript.jsonl`), log.transcript);
    await emulated.remove();
    await context.close();
  }
}

requireChromium("The demo needs", "npm run demo");
rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
const stateDir = mkdtempSync(join(tmpdir(), "taglatch-demo-"));
const server = await startServer({ port: 0, stateDir });
console.log(`serving ${server.url} with fresh state`);
const browser = await chromium.launch({ headless: true, ...chromiumLaunch() });
const outcomes: ScenarioResult[] = [];
try {
  for (const scenario of SCENARIOS) outcomes.push(await play(scenario, browser, server.url));
} finally {
  await browser.close();
  await server.stop();
  rmSync(stateDir, { recursive: true, force: true });
}
const ok = outcomes.length === SCENARIOS.length && outcomes.every((outcome) => outcome.ok);
if (!ok) process.exitCode = 1;
console.log("\nscreenshots and transcripts: demo-out/");
console.log(JSON.stringify({ ok, scenarios: outcomes }));
