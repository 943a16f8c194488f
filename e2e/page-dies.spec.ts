/**
 * A page that ends in the middle of a transfer, at four steps and in four ways. Once it is open again and online there is
 * never a label without a lock or a question, and never a lock on a tag that shows no label. Nightly;
 * sdk/radio/page-death.test.ts has every step daily, of a clear and of v2.0 tags too, without a browser.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium, type Page } from "@playwright/test";
import { EmulatedTags } from "../scripts/drivers/cdp-tag.ts";
import { ADA, asHeading, Passenger } from "../scripts/drivers/passenger.ts";
import type { TagSimulator } from "../sim/tag/tag-simulator.ts";
import { en } from "../web/i18n/en.ts";
import { launchForTests } from "./support/browser.ts";
import { expect, test } from "./support/test.ts";

/** A browser with a profile that outlives it. */
interface Phone {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly emulated: EmulatedTags;
  readonly passenger: Passenger;
  /** Lets go on what {@link hold} held. */
  readonly release: PromiseWithResolvers<void>;
}

interface Place {
  readonly profile: string;
  readonly service: string;
  readonly tag: TagSimulator;
}

const REPORT = "**/v2/device-attachments";

const STEPS = {
  /** The service has given its token, and the tag has received none of it. */
  "before the commit": (phone) => hold(phone, "**/v2/ebt-authorizations", true),
  "after the commit, before its answer": (_phone, tag) => refreshing(tag),
  "after COMMITTED, before the report": (phone) => hold(phone, REPORT, false),
  "while the service answers": (phone) => hold(phone, REPORT, true),
} as const satisfies Record<string, (phone: Phone, tag: TagSimulator) => Promise<unknown>>;
type Step = keyof typeof STEPS;

/** Each ends with the page open again, and in reach of the tag. */
const WAYS = {
  async "its tab is closed"(phone, place) {
    await phone.emulated.vanish(() => phone.page.close());
    return openPage(phone.context, place);
  },
  async "its browser is killed"(phone, place) {
    await phone.emulated.vanish(() => killBrowser(phone));
    return openPage(await openBrowser(place), place);
  },
  async "it is reloaded"(phone, { service }) {
    // The page that comes is answered.
    await phone.page.unrouteAll({ behavior: "ignoreErrors" });
    // Chromium asks first, once the tag has its commit; Playwright says yes.
    await phone.emulated.vanish(() => phone.page.reload());
    await phone.emulated.goto(service);
    return phone;
  },
  async "it is frozen for a while"(phone, { service }) {
    const session = await phone.context.newCDPSession(phone.page);
    await session.send("Page.setWebLifecycleState", { state: "frozen" });
    await new Promise((resolve) => setTimeout(resolve, FROZEN));
    await session.send("Page.setWebLifecycleState", { state: "active" });
    // It goes on by itself, to whatever end.
    phone.release.resolve();
    const { job } = en;
    const causes = Object.values(en.errors).map(({ what }) => asHeading(what));
    const ends = [job.doneTitle, job.pendingTitle, ...causes].join("|");
    await expect(phone.page.getByRole("heading", { level: 1, name: new RegExp(ends) })).toBeVisible();
    await phone.emulated.goto(service);
    return phone;
  },
} as const satisfies Record<string, (phone: Phone, place: Place) => Promise<Phone>>;
type Way = keyof typeof WAYS;

/** How long a display takes to change, and how much longer a page is frozen. Milliseconds. */
const DISPLAY = 1_500;
const FROZEN = 2_500;

const DEATHS = (Object.keys(STEPS) as Step[]).flatMap((step) =>
  (Object.keys(WAYS) as Way[]).map((way) => [step, way] as const),
);

for (const [step, way] of DEATHS)
  test(`${step}, ${way}: no label without a lock or a question, no lock without a label`, {
    tag: "@nightly",
  }, async ({ service, makeTag, stranger }) => {
    const tag = await makeTag("2.1", { displayMs: DISPLAY });
    const profile = mkdtempSync(join(tmpdir(), "taglatch-profile-"));
    const place = { profile, service, tag };
    const phone = await openPage(await openBrowser(place), place);
    await phone.passenger.findsJourney(ADA);
    const reached = STEPS[step](phone, tag);
    await phone.passenger.putsFirstBagOnTag();
    await reached;
    const after = await WAYS[way](phone, place);
    await expect.poll(() => tag.snapshot().display.state).not.toBe("REFRESHING");
    const hasLabel = () => tag.snapshot().display.content !== null;
    const isLocked = async () => (await stranger.lookup(tag.id)).locked === true;
    const question = after.page.getByRole("button", { name: en.passenger.unresolved.ask });
    // The page asks only once it has found what it left; until then tag and lock may differ.
    await expect
      .poll(async () => (await isLocked()) === hasLabel() || (await question.isVisible()))
      .toBe(true);
    if (await question.isVisible()) {
      await question.click();
      await expect(question).toHaveCount(0);
    }
    await expect.poll(isLocked).toBe(hasLabel());
    // A frozen page goes on afterwards; any other is over.
    if (way !== "it is frozen for a while") expect(hasLabel()).toBe(step !== "before the commit");
    await after.emulated.remove();
    await after.context.close();
    // The processes of a browser that was killed may still put something there.
    rmSync(profile, { recursive: true, force: true, maxRetries: 20 });
  });

function openBrowser({ profile }: Place): Promise<BrowserContext> {
  return chromium.launchPersistentContext(profile, {
    ...launchForTests(),
    headless: true,
    locale: "en-GB",
    viewport: { width: 360, height: 740 },
    serviceWorkers: "block",
  });
}

async function openPage(context: BrowserContext, { service, tag }: Place): Promise<Phone> {
  const page = await context.newPage();
  const emulated = await EmulatedTags.install(page, [tag]);
  emulated.choose(tag);
  await emulated.goto(service);
  return { context, page, emulated, passenger: new Passenger(page), release: Promise.withResolvers() };
}

/** Resolves when a call has come; it is not answered before the release. `served`: the service carries it out at once. */
function hold({ page, release }: Phone, path: string, served: boolean): Promise<void> {
  return new Promise((resolve) => {
    void page.route(path, async (route) => {
      const response = served ? await route.fetch() : undefined;
      resolve();
      await release.promise;
      await (response ? route.fulfill({ response }) : route.continue());
    });
  });
}

/** The tag has its commit, and shows it a moment later. */
async function refreshing(tag: TagSimulator): Promise<void> {
  while (tag.snapshot().display.state !== "REFRESHING")
    await new Promise((resolve) => setTimeout(resolve, 10));
}

/** As by the system: without an event, and nothing is put away. */
async function killBrowser({ context }: Phone): Promise<void> {
  const browser = context.browser();
  if (browser === null) throw new Error("no browser to kill");
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const main = processInfo.find(({ type }) => type === "browser");
  if (main === undefined) throw new Error("no process to kill");
  const closed = new Promise((resolve) => context.once("close", resolve));
  process.kill(main.id, "SIGKILL");
  await closed;
}
