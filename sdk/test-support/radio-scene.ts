/**
 * One passenger in front of one tag, in virtual time: the whole SDK over fake Web Bluetooth, with any radio. All scenes
 * share one session and one certificate, so that a scene costs little more than its transfer.
 */
import "fake-indexeddb/auto";
import type { GattVersion } from "../../core/gatt/profile.ts";
import { fakeBluetooth } from "../../sim/radio/fake-bluetooth.ts";
import type { RadioModel, TagConfig } from "../../sim/tag/tag-types.ts";
import { VirtualTime } from "../../sim/test-support/virtual-time.ts";
import { sharedAuthorities } from "./authorities.ts";
import { FakeService } from "./fake-service.ts";
import { valueIn } from "./value-in.ts";
import { appOf, virtualTag } from "./virtual-tag.ts";

/** Real people have minutes; a job that takes longer than this (virtual milliseconds) hangs. */
export const JOB_BUDGET = 120_000;
/** After this every timer of a tag and of the SDK has rung. */
const AFTERMATH = 90_000;

/** Calls that only follow a changed tag. */
const LAST_WORDS = /device-attachments|ebt-unlocks/;

export type RadioScene = Awaited<ReturnType<typeof radioScene>>;

export interface RadioSceneOptions {
  readonly generation: GattVersion;
  readonly seed: number;
  readonly tag?: Partial<TagConfig>;
  readonly radio?: RadioModel;
}

let shared: FakeService | undefined;

/** The one of all scenes, which has forgotten those before. */
async function emptyService(): Promise<FakeService> {
  shared ??= new FakeService(await sharedAuthorities());
  shared.calls.length = 0;
  shared.locks.clear();
  return shared;
}

/** A tag not picked yet. */
export async function radioScene({ generation, seed, tag: changes, radio }: RadioSceneOptions) {
  const service = await emptyService();
  const time = new VirtualTime(seed);
  const { tag, events } = await virtualTag(generation, time.world, changes);
  tag.faults.radio = radio ?? null;
  let choosers = 0;
  let offline = false;
  const bluetooth = fakeBluetooth([tag], async ([first]) => {
    choosers++;
    return first;
  });
  const client = appOf(service, bluetooth, {
    databaseName: "radio",
    async fetch(input, init) {
      if (offline && LAST_WORDS.test(String(input))) throw new TypeError("Failed to fetch");
      return service.fetch(input, init);
    },
  });
  /** `work` within the job's budget. */
  const job = <Value>(work: () => Promise<Value>) => time.run(JOB_BUDGET, work);
  const pick = () => job(async () => valueIn(await client.pickTag()));
  const { id } = tag;
  return {
    time,
    tag,
    client,
    service,
    events,
    request: { deviceId: `virtual-${id}`, uniqueDeviceId: id, baggageId: 3, journeyId: "j-1" },
    /** How often the chooser opened. */
    choosers: () => choosers,
    job,
    pick,
    /** Picks without counting the chooser: a job before the one that is watched. */
    async pickedBefore() {
      await pick();
      choosers = 0;
    },
    /** Until the scene settles, no report of what a tag shows reaches the service. */
    goOffline() {
      offline = true;
    },
    /** A perfect radio again, and every timer rung. */
    async settle() {
      tag.faults.radio = null;
      tag.faults.busy = false;
      offline = false;
      await time.pass(AFTERMATH);
      await time.run(AFTERMATH, () => client.outbox.flush());
    },
  };
}
