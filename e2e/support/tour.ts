/**
 * Walks through every screen, in any language, and calls `stop` on each with its name: what looks at all screens
 * (accessibility, references) looks at the same ones. Found by structure, not by words, wherever that is possible.
 */
import { expect, type Page } from "@playwright/test";
import type { Caller } from "../../scripts/drivers/caller.ts";
import type { EmulatedTags } from "../../scripts/drivers/cdp-tag.ts";
import { ADA, JUERGEN } from "../../scripts/drivers/passenger.ts";
import type { Journey, RunRecord } from "../../sdk/index.ts";
import type { TagSimulator } from "../../sim/tag/tag-simulator.ts";
import { LIST_KNOWN } from "../../web/job/guide-chooser.ts";
import { haltCamera } from "./camera.ts";
import { lastWeek } from "./day.ts";
import { hostToken } from "./host-airline.ts";
import { KIOSK, PHONE, type Stop } from "./looks.ts";
import { patientTag } from "./patient-tag.ts";

export interface Scene {
  readonly page: Page;
  readonly service: string;
  readonly open: (tags: readonly TagSimulator[], path?: string) => Promise<EmulatedTags>;
  readonly stranger: Caller;
  readonly touchedTags: string[];
}

/** No booking, and no other story's: each locator has a budget of wrong guesses. */
const WRONG = { recordLocator: "TOUR99", surname: "ABSENT" };
/** From nothing to a written tag, past another's lock. */
export async function walkToWrittenTag(scene: Scene, stop: Stop): Promise<void> {
  const tag = await patientTag(scene, "ebt-21-tour-0001");
  await scene.stranger.attach(tag.id, JUERGEN.baggageId);
  const tags = await scene.open([tag]);
  const walk = { ...scene, tags, tag, stop };
  await walkToJourney(walk);
  await walkAroundJourney(walk);
  await walkThroughProof(walk);
  await walkToCamera(walk);
}

/** With a written tag: what can be done with it, until it is cleared; then what goes wrong. */
export async function walkWithWrittenTag(scene: Scene, stop: Stop): Promise<void> {
  const tag = await patientTag(scene, "ebt-21-tour-0002");
  const tags = await scene.open([tag]);
  const walk = { ...scene, tags, tag, stop };
  await find(scene.page, ADA);
  await walkToDisplay(walk);
  await walkThroughLoss(walk);
  await walkToCarrying(walk);
  await walkToArrival(walk);
  await walkHomeAndClear(walk);
  await walkIntoTrouble(walk);
}

interface Walk extends Scene {
  readonly tags: EmulatedTags;
  readonly tag: TagSimulator;
  readonly stop: Stop;
}

async function walkToJourney({ page, service, tags, tag, stop }: Walk): Promise<void> {
  const submit = page.locator("form button[type=submit]");
  await expect(submit).toBeVisible();
  await stop("start");
  // The drawing beside the form comes with the first wide screen: it must be there before the network goes.
  const usual = page.viewportSize() ?? PHONE;
  await page.setViewportSize(KIOSK);
  await expect(page.locator(".hero-tag .tag")).toBeVisible();
  await page.setViewportSize(usual);
  await page.context().setOffline(true);
  await expect(submit).toHaveCount(0);
  await stop("start-offline");
  await page.context().setOffline(false);
  await submit.click();
  await expect(page.locator(".field-error").first()).toBeVisible();
  await stop("start-missing");
  await find(page, WRONG);
  await expect(page.locator("form [role=alert] .notice")).toBeVisible();
  await stop("start-not-found");
  for (const [path, name] of [
    ["/scan", "scan"],
    ["/nowhere", "not-found"],
    ["/handover", "hand-over-nothing"],
    [`/t/${tag.id}`, "from-the-tag"],
    // A token that is made before its turn may have run out by then.
    [async () => `/handover#token=${await hostToken()}`, "hand-over"],
    [`/with#${"A".repeat(22)}`, "with"],
  ] as const) {
    await tags.goto("about:blank");
    await tags.goto(`${service}${typeof path === "string" ? path : await path()}`);
    await expect(page.locator("main .button").first()).toBeVisible();
    await stop(name);
  }
  await tags.goto(`${service}/t/${tag.id}`);
  await page.locator(".page .stack > .button").last().click();
  await expect(page.locator(".found form")).toBeVisible();
  await stop("found-bag");
  await tags.goto(service);
}

async function walkAroundJourney({ page, stop }: Walk): Promise<void> {
  await find(page, ADA);
  await expect(page.locator(".bag").first()).toBeVisible();
  const more = page.locator(".foot > summary");
  await expect(more).toBeVisible();
  await stop("journey");
  await page.locator(".bags > .row .button").click();
  await expect(page.locator("dialog")).toBeVisible();
  await stop("add-bag");
  await page.keyboard.press("Escape");
  await more.click();
  await expect(page.locator(".foot a").first()).toBeVisible();
  await stop("journey-more");
  await page.context().setOffline(true);
  await expect(page.locator(".page > .notice")).toBeVisible();
  await stop("journey-offline");
  await page.context().setOffline(false);
  if (!(await page.locator(".foot[open]").isVisible())) await more.click();
  await page.locator('.foot a[href$="/with"]').click();
  await expect(page.locator("main .qr")).toBeVisible();
  await stop("delegate");
  await page.locator(".page-back").click();
  await expect(more).toBeVisible();
}

async function walkThroughProof({ page, tags, tag, stop }: Walk): Promise<void> {
  const dialog = page.locator("dialog");
  tags.choose("cancel");
  await page.evaluate((key) => localStorage.removeItem(key), LIST_KNOWN);
  await putFirstBag(page);
  await expect(dialog.locator(".tag-named")).toBeVisible();
  await stop("list-first");
  await dialog.locator(".button[data-kind=primary]").click();
  await expect(dialog.locator(".numbered > li")).toHaveCount(4);
  await stop("list-closed");
  await page.keyboard.press("Escape");
  await expect(page.locator(".page > .tag-place")).toBeVisible();
  await stop("transfer-ready");
  tags.choose(tag);
  await page.locator(".page .button[data-kind=primary]").click();
  await expect(dialog).toBeVisible();
  await stop("proof");
  await prove(page, { ...WRONG, recordLocator: "KOUR99" });
  await expect(dialog.locator(".notice")).toBeVisible();
  await stop("proof-refused");
  const goOn = await hold(page, "**/v2/ebt-authorizations");
  await prove(page, JUERGEN);
  await expect(dialog).toHaveCount(0);
  await expect(page.locator(".working-bar")).toBeVisible();
  await stop("transfer-working");
  goOn();
  await expect(page.locator(".outcome-mark")).toBeVisible();
  await stop("transfer-done");
}

/** Last, because it takes the page's Bluetooth away and changes its clock. */
async function walkToCamera({ page, service, stop }: Walk): Promise<void> {
  await page.addInitScript(() =>
    Object.defineProperty(Navigator.prototype, "bluetooth", { get: () => undefined }),
  );
  await page.goto(service);
  await page.locator(".lacking summary").click();
  await expect(page.locator(".lacking details[open]")).toBeVisible();
  await stop("start-without-bluetooth");
  await page.context().grantPermissions(["camera"]);
  await page.clock.install();
  await page.goto(`${service}/scan`);
  const open = page.locator(".scan[data-open]");
  await expect(open.or(page.locator(".scan .button[data-kind=primary]"))).toBeVisible();
  await expect(open.locator("video")).toHaveJSProperty("paused", false);
  // The page has found nothing for so long that it gives a hint, which stays.
  await haltCamera(page, 8_000);
  await stop("scan-open");
}

/** The tag has its commit: its display changes, and nothing can be cancelled. */
async function walkToDisplay({ page, tag, stop }: Walk): Promise<void> {
  const asked = page.waitForRequest("**/v2/ebt-authorizations");
  const goOn = await hold(page, "**/v2/ebt-authorizations");
  await putFirstBag(page);
  await asked;
  const answer = holdAnswers(tag);
  goOn();
  await expect(page.locator(".tag[data-refreshing]")).toBeVisible();
  await expect(page.locator(".working .button")).toHaveCount(0);
  await stop("transfer-updating");
  answer();
  await expect(page.locator(".outcome-mark")).toBeVisible();
  await page.unroute("**/v2/ebt-authorizations");
}

/** What the tag is asked waits until the function returned is called. */
export function holdAnswers(tag: TagSimulator): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  const read = tag.read.bind(tag);
  tag.read = async (uuid) => {
    await promise;
    return read(uuid);
  };
  return resolve;
}

/** The second bag is to go on the tag that carries the first. */
async function walkToCarrying({ page, stop }: Walk): Promise<void> {
  const question = page.locator(".notice[data-tone=warn] .button[data-kind=primary]");
  const choose = page.locator(".page > .button[data-kind=primary]");
  await putFirstBag(page);
  // The tap counts, or the button that has taken its place is pressed.
  await expect(async () => {
    if (await choose.isVisible()) await choose.click({ timeout: 1_000 });
    await expect(question).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await stop("transfer-carrying");
  await page.goBack();
}

async function walkThroughLoss({ page, tag, stranger, stop }: Walk): Promise<void> {
  const dialog = page.locator("dialog");
  const report = page.locator(".more button").last();
  await page.locator(".outcome-after a").first().click();
  await expect(page.locator(".bag .badge[data-tone=good]")).toBeVisible();
  await stop("journey-written");
  await page.locator(".more > summary").first().click();
  await report.click();
  await expect(dialog).toBeVisible();
  await stop("lost");
  await dialog.locator(".button[data-kind=primary]").click();
  await expect(page.locator(".bag .badge[data-tone=warn]")).toBeVisible();
  await stop("journey-lost");
  await page.locator(".bag:has(.badge[data-tone=warn]) .bag-actions > .button").first().click();
  await expect(dialog.locator("form")).toBeVisible();
  await stop("trace");
  await page.keyboard.press("Escape");
  await page.locator(".bag:has(.badge[data-tone=warn]) .bag-actions > .button").last().click();
  await expect(page.locator(".bag .badge[data-tone=good]")).toBeVisible();
  await expect(dialog).toHaveCount(0);
  const { status } = await stranger.post("/v2/ebt-custody-proofs", { uniqueDeviceId: tag.id, ...WRONG });
  expect(status).toBe(422);
}

/** The journey as it is loaded again: a stranger tried the tag, and the flights are over. */
async function walkToArrival({ page, tags, stranger, touchedTags, stop }: Walk): Promise<void> {
  await tags.reload();
  await expect(page.locator(".bag .notice[data-tone=warn]")).toBeVisible();
  await stop("journey-attempts");
  // The bag has a second tag, until that one is cleared.
  const second = "ebt-21-tour-0004";
  touchedTags.push(second);
  await stranger.attach(second, ADA.baggageId);
  await tags.reload();
  await expect(page.locator(".bag .more a")).toHaveCount(2);
  await stop("journey-two-tags");
  // Written once more on the tag at hand: the other one still shows it.
  const choose = page.locator(".page > .button[data-kind=primary]");
  await page.locator(".bag-actions button").first().click();
  await expect(async () => {
    if (await choose.isVisible()) await choose.click({ timeout: 1_000 });
    await expect(page.locator(".outcome-after .notice")).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await stop("transfer-moved");
  await page.goBack();
  expect((await stranger.post("/v2/ebt-unlocks", { uniqueDeviceId: second })).status).toBe(200);
  const over = "**/v2/journeys";
  await page.route(over, async (route) => {
    const response = await route.fetch();
    const { journeys } = (await response.json()) as { readonly journeys: readonly Journey[] };
    await route.fulfill({ response, json: { journeys: journeys.map(lastWeek) } });
  });
  await tags.reload();
  await expect(page.locator(".page > .notice[data-tone=warn]")).toBeVisible();
  await stop("journey-arrived");
  await page.unroute(over);
  await tags.reload();
  await expect(page.locator(".page > .notice[data-tone=warn]")).toHaveCount(0);
}

async function walkHomeAndClear({ page, stop }: Walk): Promise<void> {
  const dialog = page.locator("dialog");
  await page.locator(".bar-home").click();
  await expect(page.locator(".bag").first()).toBeVisible();
  await stop("start-cached");
  await page.locator(".foot > summary").click();
  await page.locator(".foot button").last().click();
  await expect(dialog).toBeVisible();
  await stop("forget");
  await page.keyboard.press("Escape");
  await page.locator(".foot a").last().click();
  await page.waitForURL("**/clear");
  await expect(page.locator(".page > .facts")).toBeVisible();
  await stop("clear");
  await page.locator(".page .button[data-kind=primary]").click();
  const early = page.locator(".notice[data-tone=warn] .button[data-kind=secondary]");
  await expect(early).toBeVisible();
  await stop("clear-early");
  await early.click();
  await expect(page.locator(".outcome-mark")).toBeVisible();
  await stop("clear-done");
}

async function walkIntoTrouble({ page, tag, stop }: Walk): Promise<void> {
  await page.locator(".bar-home").click();
  tag.faults.wrongCertificate = true;
  await putFirstBag(page);
  await expect(page.locator(".notice[data-tone=bad]")).toBeVisible();
  await stop("transfer-failed");
  tag.faults.wrongCertificate = false;
  await page.route("**/v2/device-attachments", (route) => route.abort("connectionfailed"));
  await page.locator(".notice[data-tone=bad] .button[data-kind=primary]").click();
  await expect(page.locator(".outcome-mark[data-tone=plain]")).toBeVisible();
  await stop("transfer-pending");
  await page.locator(".bar-home").click();
  await expect(page.locator(".notices .notice")).toBeVisible();
  await stop("start-waiting");
  await page.unroute("**/v2/device-attachments");
  await page.locator(".notices .button").click();
  await expect(page.locator(".notices .notice")).toHaveCount(0);
}

/** The desks of developers and tag makers: in English, whatever the page speaks. */
export async function walkAsDeveloper({ page, service }: Scene, stop: Stop): Promise<void> {
  await page.goto(`${service}/conformance`);
  await expect(page.locator(".check-group").first()).toBeVisible();
  await stop("conformance");
  await page.evaluate(keepRuns, RUNS);
  await page.goto(`${service}/diagnostics`);
  await expect(page.locator(".runs")).toBeVisible();
  await stop("diagnostics");
  await page.goto(`${service}/?sim`);
  await expect(page.locator("[role=complementary], aside").getByRole("img").first()).toBeVisible();
  await stop("virtual-tags");
}

/** Two transfers that took the same time in every walk. */
const RUNS: readonly RunRecord[] = (["ok", "link_lost"] as const).map((outcome, index) => ({
  operation: "transfer",
  startedAt: Date.UTC(2027, 4, 3, 9, 41 + index),
  elapsed: 2345,
  generation: "2.1",
  outcome,
  phases: [
    { phase: "connect", at: 0, duration: 412 },
    { phase: "secure", at: 412, duration: 987 },
  ],
  retries: [],
}));

/** In the page: keeps `runs` as web/state/run-log.ts does. */
function keepRuns(runs: readonly RunRecord[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open("taglatch-runs", 1);
    opening.onerror = () => reject(opening.error);
    opening.onupgradeneeded = () => opening.result.createObjectStore("runs", { autoIncrement: true });
    opening.onsuccess = () => {
      const transaction = opening.result.transaction("runs", "readwrite");
      for (const run of runs) transaction.objectStore("runs").add(run);
      transaction.oncomplete = () => {
        opening.result.close();
        resolve();
      };
    };
  });
}

export async function find(page: Page, { recordLocator, surname }: typeof WRONG): Promise<void> {
  await page.locator("main form input[name=recordLocator]").fill(recordLocator);
  await page.locator("main form input[name=surname]").fill(surname);
  await page.locator("main form button[type=submit]").click();
}

export async function prove(page: Page, { recordLocator, surname }: typeof WRONG): Promise<void> {
  await page.locator("dialog input[name=recordLocator]").fill(recordLocator);
  await page.locator("dialog input[name=surname]").fill(surname);
  await page.locator("dialog button[type=submit]").click();
}

const putFirstBag = (page: Page) => page.locator(".bag .button[data-kind=primary]").first().click();

/** Requests to `url` wait until the function returned is called. */
export async function hold(page: Page, url: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}
