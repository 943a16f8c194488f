import { test as base, type Page } from "@playwright/test";
import type { GattVersion } from "../../core/gatt/profile.ts";
import { Caller } from "../../scripts/drivers/caller.ts";
import { EmulatedTags } from "../../scripts/drivers/cdp-tag.ts";
import { ADA, JUERGEN, Passenger, SILE } from "../../scripts/drivers/passenger.ts";
import { newTag } from "../../scripts/drivers/tag-factory.ts";
import type { TagSimulator } from "../../sim/tag/tag-simulator.ts";
import type { TagConfig } from "../../sim/tag/tag-types.ts";
import { IRENE } from "./family.ts";
import { type RunningServer, runServer } from "./server.ts";
import type { Scene } from "./tour.ts";

/**
 * Removes from a page what browsers got after the oldest ones that docs/embed.md names for the SDK, so that every story
 * runs as there. Runs in the page, before its scripts: it refers to nothing outside.
 */
export function forgetNewerFunctions(): void {
  const newer: readonly (readonly [object, string])[] = [
    [Array, "fromAsync"],
    [ArrayBuffer.prototype, "transfer transferToFixedLength"],
    [Object, "groupBy"],
    [Map, "groupBy"],
    [Promise, "withResolvers try"],
    [RegExp, "escape"],
    [
      Set.prototype,
      "union intersection difference symmetricDifference isSubsetOf isSupersetOf isDisjointFrom",
    ],
    [Iterator, "from concat"],
    [Iterator.prototype, "map filter take drop flatMap reduce toArray forEach some every find"],
    [String.prototype, "isWellFormed toWellFormed"],
    [Uint8Array, "fromBase64 fromHex"],
    [Uint8Array.prototype, "toBase64 toHex setFromBase64 setFromHex"],
    [AbortSignal, "any"],
    [Blob.prototype, "bytes"],
    [Response.prototype, "bytes"],
    [ReadableStream, "from"],
    [URL, "parse canParse"],
    [URLSearchParams.prototype, "size"],
  ];
  for (const [owner, names] of newer)
    for (const name of names.split(" ")) Reflect.deleteProperty(owner, name);
  Reflect.deleteProperty(ReadableStream.prototype, Symbol.asyncIterator);
}

export interface TestFixtures {
  /** Ids of the tags a test may have locked: released after it, so that the next finds every bag without a tag. */
  touchedTags: string[];
  /**
   * A blank, unlocked tag of the generation asked for. One that a stranger then locks without writing it must not sign:
   * it would say that it was never written, and no proof would be asked for.
   */
  makeTag: (generation: GattVersion, options?: Partial<TagConfig>) => Promise<TagSimulator>;
  /** Puts tags within reach of the page and opens it; the first is the one chosen. */
  open: (tags: readonly TagSimulator[], path?: string) => Promise<EmulatedTags>;
  /** A blank v2.1 tag within reach of the page, which is open. */
  tag: TagSimulator;
  /** As `open` with a tag that a stranger has locked to Jürgen's journey. */
  openLocked: (path?: string) => Promise<TagSimulator>;
  passenger: Passenger;
  /** What a walk through every screen needs. */
  scene: Scene;
  /** A stranger, with a session but no part in any journey. */
  stranger: Caller;
  /** For looking at a lock whose holder is `stranger`. */
  anotherStranger: Caller;
}

export interface WorkerFixtures {
  /** This worker's own service. */
  server: RunningServer;
  /** Its origin. */
  service: string;
}

/**
 * A caller who loads the booking may release its tag (endpoint 12); the hint says which booking it is. A custody proof would
 * be news to the next story: its bag would have been taken.
 */
async function releaseTag(caller: Caller, uniqueDeviceId: string): Promise<void> {
  const { locked, hints } = await caller.lookup(uniqueDeviceId);
  if (locked !== true) return;
  const booking = [ADA, JUERGEN, SILE, IRENE].find(
    ({ recordLocator }) => recordLocator[0] === hints?.maskedRecordLocator?.[0],
  );
  const { recordLocator = "", surname = "" } = booking ?? {};
  await caller.post("/v2/journeys/from-record-locator", { recordLocator, surname });
  const { status, body } = await caller.post("/v2/ebt-unlocks", { uniqueDeviceId });
  if (status !== 200) throw new Error(`${uniqueDeviceId} stays locked: ${JSON.stringify(body)}`);
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures asked for from the pattern.
    async ({}, use) => {
      const server = await runServer();
      await use(server);
      await server.stop();
    },
    { scope: "worker", timeout: 180_000 },
  ],
  service: [async ({ server }, use) => use(server.url), { scope: "worker" }],
  touchedTags: async ({ service }, use) => {
    const ids: string[] = [];
    await use(ids);
    const anybody = await Caller.guest(service);
    for (const id of ids) await releaseTag(anybody, id);
  },
  makeTag: async ({ service, touchedTags }, use) => {
    await use(async (generation, options) => {
      const tag = await newTag(service, generation, options);
      touchedTags.push(tag.id);
      return tag;
    });
  },
  page: async ({ page }, use, info) => {
    const thrown: string[] = [];
    page.on("pageerror", ({ stack }) => thrown.push(stack ?? ""));
    page.on("requestfailed", (request) => thrown.push(`${request.url()} ${request.failure()?.errorText}`));
    await page.addInitScript(forgetNewerFunctions);
    await use(page);
    // A story that fails says what the page met: afterwards there is only a picture.
    if (info.status !== info.expectedStatus)
      for (const error of thrown) console.log(`${info.title}: ${error}`);
  },
  open: async ({ page, service }, use) => {
    let emulated: EmulatedTags | undefined;
    await use(async ([first, ...others], path = "/") => {
      if (first === undefined) throw new Error("no tag in reach");
      emulated = await EmulatedTags.install(page, [first, ...others]);
      emulated.choose(first);
      await emulated.goto(`${service}${path}`);
      return emulated;
    });
    await emulated?.remove();
  },
  tag: async ({ makeTag, open }, use) => {
    const tag = await makeTag("2.1");
    await open([tag]);
    await use(tag);
  },
  openLocked: async ({ makeTag, open, stranger }, use) => {
    await use(async (path) => {
      const tag = await makeTag("2.1", { signs: false });
      await stranger.attach(tag.id, JUERGEN.baggageId);
      await open([tag], path);
      return tag;
    });
  },
  passenger: async ({ page }, use) => {
    await use(new Passenger(page));
  },
  scene: async ({ page, service, open, stranger, touchedTags }, use) => {
    await use({ page, service, open, stranger, touchedTags });
  },
  anotherStranger: async ({ service }, use) => {
    await use(await Caller.guest(service));
  },
  stranger: async ({ service }, use) => {
    await use(await Caller.guest(service));
  },
});

/** Errors that the page itself logs from now on; the browser logs refused requests, which the page sometimes expects. */
export function complaintsOf(page: Page): readonly string[] {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    const isRefusal = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isRefusal) complaints.push(message.text());
  });
  return complaints;
}

/** As on an iPhone, from the page's next document on. */
export const withoutBluetooth = (page: Page): Promise<unknown> =>
  page.addInitScript(() => Object.defineProperty(Navigator.prototype, "bluetooth", { get: () => undefined }));
export const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1";

export { expect } from "@playwright/test";
