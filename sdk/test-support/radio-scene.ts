/**
 * One passenger in front of one tag, in virtual time: the whole SDK over fake Web Bluetooth, with any radio. All scenes
 * share one session and one certificate, so that a scene costs little more than its transfer.
 */
import "fake-indexeddb/auto";
import type { GattVersion } from "../../core/gatt/profile.ts";
import { fakeBluetooth } from "../../sim/radio/fake-bluetooth.ts";
import { TagSimulator } from "../../sim/tag/tag-simulator.ts";
import type { RadioModel, TagConfig, TagEvent } from "../../sim/tag/tag-types.ts";
import { VirtualTime } from "../../sim/test-support/virtual-time.ts";
import type { Taglatch } from "../api.ts";
import { createTaglatch } from "../index.ts";
import { webBluetoothRadio } from "../tag/web-bluetooth-link.ts";
import type { PickedTag, TransferTagRequest } from "../types.ts";
import { type Authorities, makeAuthorities } from "./authorities.ts";
import { FakeService } from "./fake-service.ts";
import { valueIn } from "./value-in.ts";

/** Real people have minutes; a job that takes longer than this (virtual milliseconds) hangs. */
export const JOB_BUDGET = 120_000;
/** After this every timer of a tag and of the SDK has rung. */
const AFTERMATH = 90_000;

/** Calls that only follow a changed tag. */
const LAST_WORDS = /device-attachments|ebt-unlocks/;

const IDS = { "2.1": "ebt-21-0001", "2.0": "ebt-20-0005" } as const;

export interface RadioScene {
  readonly time: VirtualTime;
  readonly tag: TagSimulator;
  readonly client: Taglatch;
  readonly service: FakeService;
  readonly request: TransferTagRequest;
  readonly events: readonly TagEvent[];
  /** How often the chooser opened. */
  readonly choosers: () => number;
  /** `work` within the job's budget. */
  job<Value>(work: () => Promise<Value>): Promise<Value>;
  pick(): Promise<PickedTag>;
  /** Picks without counting the chooser: a job before the one that is watched. */
  pickedBefore(): Promise<void>;
  /** Until the scene settles, no report of what a tag shows reaches the service. */
  goOffline(): void;
  /** A perfect radio again, and every timer rung. */
  settle(): Promise<void>;
}

export interface RadioSceneOptions {
  readonly generation: GattVersion;
  readonly seed: number;
  readonly tag?: Partial<TagConfig>;
  readonly radio?: RadioModel;
}

interface Backdrop {
  readonly authorities: Authorities;
  readonly service: FakeService;
  readonly credential: NonNullable<TagConfig["credential"]>;
}

let backdrop: Promise<Backdrop> | undefined;

async function makeBackdrop(): Promise<Backdrop> {
  const authorities = await makeAuthorities();
  const service = new FakeService(authorities);
  return { authorities, service, credential: await authorities.tag(IDS["2.1"]) };
}

/** The client before `service`, which its last reports do not reach while `offline` says so. */
const clientOf = (service: FakeService, bluetooth: Bluetooth, offline: () => boolean): Taglatch =>
  createTaglatch({
    baseUrl: "https://service.example",
    databaseName: "radio",
    async fetch(input, init) {
      if (offline() && LAST_WORDS.test(String(input))) throw new TypeError("Failed to fetch");
      return service.fetch(input, init);
    },
    radio: webBluetoothRadio(() => bluetooth),
  });

/** Its radio, and what it did from now on. */
async function tagOf(
  { authorities, credential }: Backdrop,
  { generation, radio, tag: config }: RadioSceneOptions,
  time: VirtualTime,
): Promise<{ readonly tag: TagSimulator; readonly events: TagEvent[] }> {
  const common = { clientRoots: [authorities.clientRoot], tokenKeys: [authorities.tokenJwk] };
  const own = generation === "2.1" ? { credential } : {};
  const all: TagConfig = { id: IDS[generation], generation, ...common, ...own, ...config };
  const tag = await TagSimulator.create(all, time.world);
  tag.faults.radio = radio ?? null;
  const events: TagEvent[] = [];
  tag.observe((event) => events.push(event));
  return { tag, events };
}

/** A tag not picked yet. */
export async function radioScene(options: RadioSceneOptions): Promise<RadioScene> {
  backdrop ??= makeBackdrop();
  const { service } = await backdrop;
  service.calls.length = 0;
  service.locks.clear();
  const id = IDS[options.generation];
  const time = new VirtualTime(options.seed);
  const { tag, events } = await tagOf(await backdrop, options, time);
  let choosers = 0;
  let offline = false;
  const bluetooth = fakeBluetooth([tag], async ([first]) => {
    choosers++;
    return first;
  });
  const client = clientOf(service, bluetooth, () => offline);
  const job = <Value>(work: () => Promise<Value>) => time.run(JOB_BUDGET, work);
  const pick = () => job(async () => valueIn(await client.pickTag()));
  return {
    time,
    tag,
    client,
    service,
    events,
    request: { deviceId: `virtual-${id}`, uniqueDeviceId: id, baggageId: 3, journeyId: "j-1" },
    choosers: () => choosers,
    job,
    pick,
    async pickedBefore() {
      await pick();
      choosers = 0;
    },
    goOffline() {
      offline = true;
    },
    async settle() {
      tag.faults.radio = null;
      tag.faults.busy = false;
      offline = false;
      await time.pass(AFTERMATH);
      await time.run(AFTERMATH, () => client.outbox.flush());
    },
  };
}
