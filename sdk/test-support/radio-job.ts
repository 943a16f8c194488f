import { encodePayload, type LabelPayload, payloadDigest } from "../../core/bag/payload.ts";
import { clearPayload, ticketPayload } from "../../core/bag/ticket-payload.ts";
import { type Bytes, equalBytes } from "../../core/encoding/bytes.ts";
import type { GattVersion } from "../../core/gatt/profile.ts";
import { CONNECT_TIME, type RadioQuality, seededRadio } from "../../sim/radio/radio-model.ts";
import { seeded } from "../../sim/seeded.ts";
import type {
  RadioFate,
  RadioModel,
  TagConfig,
  TagEvent,
  TagFaults,
  TagSnapshot,
} from "../../sim/tag/tag-types.ts";
import { isTaglatchError, type TaglatchError } from "../errors.ts";
import type { Result, TransferResult } from "../types.ts";
import { JOURNEY } from "./fake-service.ts";
import { type RadioScene, radioScene } from "./radio-scene.ts";
import { valueIn } from "./value-in.ts";

/**
 * The faults of a radio, a Bluetooth stack and a tag that can hit a job, one row each. A row says which operation it hits
 * (counted from the chooser on), and what it changes for the whole job.
 */

/** ATT MTUs: the least, what old phones ask for, what most agree on, the most. */
export const MTUS = [23, 185, 247, 517] as const;
/** Connection intervals in milliseconds. */
export const INTERVALS = [15, 30, 45] as const;

/** The longest value of one operation. */
export const frameOf = (mtu: number) => Math.min(mtu - 3, 512);

export interface FaultRow {
  readonly name: string;
  /** What happens to the operation that is struck. */
  readonly fate?: Partial<RadioFate>;
  /** What is done to the tag at that moment, `after` the operation so many have passed. */
  readonly tag?: (faults: TagFaults, after: number) => void;
  /** The radio around it; the interval is the job's. */
  readonly quality?: Partial<RadioQuality>;
  /** From the strike on no connection is made any more. */
  readonly away?: true;
  readonly config?: Partial<TagConfig>;
  /** The report does not reach the service in time. */
  readonly offline?: true;
  /** The job succeeds all the same once the tag was read; without it a typed failure will do. */
  readonly mended?: true;
}

const busy = (faults: TagFaults, after: number) => {
  if (after === 0) faults.busy = true;
};
const SLOW: Partial<TagConfig> = { displayMs: 15_000 };

export const FAULTS: readonly FaultRow[] = [
  { name: "the link falls before it", fate: { drop: "before" }, mended: true },
  { name: "the link falls after it", fate: { drop: "after" }, mended: true },
  {
    name: "the link falls, and connecting fails by 30 %",
    fate: { drop: "after" },
    quality: { connectFailure: 0.3 },
  },
  { name: "the link falls for good", fate: { drop: "before" }, away: true },
  { name: "the link falls for good after it", fate: { drop: "after" }, away: true },
  { name: "the stack says: already in progress", fate: { fails: "IN_PROGRESS" }, mended: true },
  { name: "the stack's handle is stale", fate: { fails: "INVALID_HANDLE" }, mended: true },
  { name: "the tag refuses it for no reason", fate: { fails: "UNLIKELY_ERROR" }, mended: true },
  { name: "the value is cut at 20 bytes", fate: { truncate: 20 } },
  { name: "every value is cut at 20 bytes", quality: { truncation: 1, truncateTo: 20 } },
  { name: "the tag is busy from here on", tag: busy },
  { name: "the tag reboots before it", fate: { reboot: "before" }, mended: true },
  { name: "the tag reboots after it", fate: { reboot: "after" }, mended: true },
  {
    name: "the display is slow and the link falls after it",
    fate: { drop: "after" },
    config: SLOW,
    mended: true,
  },
  {
    name: "the display is slow and the tag reboots after it",
    fate: { reboot: "after" },
    config: SLOW,
    mended: true,
  },
  {
    // More latency than this, and message_3 at MTU 23 and 45 ms takes longer than a tag waits for it (15 s).
    name: "the tag sleeps through up to 2 events and the link falls before it",
    fate: { drop: "before" },
    quality: { latency: 2, missedEvents: 0.1 },
    mended: true,
  },
  {
    name: "the service is out of reach and the link falls after it",
    fate: { drop: "after" },
    offline: true,
    mended: true,
  },
];

const PERFECT: RadioQuality = {
  interval: 30,
  missedEvents: 0,
  connectFailure: 0,
  drop: 0,
  inProgress: 0,
  truncation: 0,
  truncateTo: 20,
};

export interface Strike {
  readonly row: FaultRow;
  /** The number of the operation that is struck, from 1. */
  readonly at: number;
  readonly seed: number;
  readonly interval: number;
}

/** The radio of one job. `faults` are those of its tag; `struck` says whether it came to the strike. */
export function strikingRadio(
  { row, at, seed, interval }: Strike,
  faults: () => TagFaults,
): RadioModel & { readonly struck: () => boolean } {
  const usual = seededRadio(seed, { ...PERFECT, interval, ...row.quality });
  let operations = 0;
  return {
    struck: () => operations >= at,
    connect: () => (row.away && operations >= at ? { delay: CONNECT_TIME, fails: true } : usual.connect()),
    operation(index, kind, length) {
      operations++;
      const fate = usual.operation(index, kind, length);
      if (operations >= at) row.tag?.(faults(), operations - at);
      return operations === at ? { ...fate, ...row.fate } : fate;
    },
  };
}

/** A number below `below` that `seed` decides, independent of the radio's. */
export function choice(seed: number, below: number): number {
  return Math.floor(seeded(seed ^ 0x5bd1e995)() * below);
}

/** What may have come of a job over the radio, and what must hold whatever came. */

/** What a outcomeOfJob looks at. */
type ObservedScene = Pick<RadioScene, "tag" | "service" | "events" | "choosers">;

/** A failure that left the tag as it was is "unchanged" when it says so by its code; all others name theirs. */
export type JobOutcome = "committed" | "pending" | `failed ${string}`;

export interface Expected {
  readonly before: TagSnapshot;
  /** SHA-256 of what was to be shown. */
  readonly digest: Bytes;
  readonly shown: LabelPayload | null;
}

/** The outcome's name. Throws where the job broke a rule; call it after the scene has settled. */
export function outcomeOfJob(
  scene: ObservedScene,
  result: Result<TransferResult>,
  expected: Expected,
): JobOutcome {
  const after = scene.tag.snapshot();
  const { before } = expected;
  must(scene.choosers() === 1, `the chooser opened ${scene.choosers()} times`);
  must(after.state !== "COMMITTING", "the tag is still at work");
  const commits = after.commits - before.commits;
  must(commits === 0 || commits === 1, `${commits} commits`);
  checkDisplay(scene, expected, commits);
  if (result.ok) {
    must(commits === 1, "ok without a commit");
    must(
      after.lastDigest !== null && equalBytes(after.lastDigest, expected.digest),
      "ok, but the tag committed something else",
    );
    checkService(scene, expected);
    return result.value.pendingRetry ? "pending" : "committed";
  }
  const { error } = result;
  must(isTyped(error), `an untyped failure: ${String(error)}`);
  must(
    commits === 0 || error.code === "outcome_unknown",
    `failed with ${error.code}, but the tag has changed`,
  );
  must(
    scene.service.locks.size === (before.display.content === null ? 0 : 1),
    "failed, but the lock changed",
  );
  return `failed ${error.code}`;
}

/** The display was only ever old or new, and new only once the tag said COMMITTED. */
function checkDisplay(scene: ObservedScene, { before, shown }: Expected, commits: number): void {
  const old = before.display.content;
  const after = scene.tag.snapshot().display;
  must(same(after.content, commits === 0 ? old : shown), "the display shows something else");
  must(after.state !== "REFRESHING", "the display never finished");
  for (const event of scene.events)
    if (event.type === "display")
      must(same(event.content, old) || same(event.content, shown), "the display showed a third thing");
  const committed = scene.events.filter((event) => event.type === "state" && event.to === "COMMITTED").length;
  must(committed === scene.tag.snapshot().commits, "the display changed without COMMITTED");
}

/** Once the outbox had its turn, the service knows what the tag shows. */
function checkService({ service }: ObservedScene, { shown }: Expected): void {
  must(service.locks.size === (shown === null ? 0 : 1), "the service got no report");
}

function isTyped(error: unknown): error is TaglatchError {
  return isTaglatchError(error) && error.code !== "internal";
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function must(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise);
}

/** One job over one radio: what is struck, where, and what came of it. */

export type Operation = "transfer" | "clear";

/** A stretch of operations of one kind on one characteristic, by their numbers in an undisturbed job. */
export interface Step {
  readonly name: string;
  readonly first: number;
  readonly last: number;
}

const NAMES: Readonly<Record<GattVersion, readonly string[]>> = {
  "2.1": [
    ...["INFO", "message_1", "message_2", "message_3", "message_4 and hello"],
    ...["token", "payload", "commit", "COMMITTED"],
  ],
  "2.0": [
    ...["INFO", "STATUS", "chain", "PRESENTED", "nonce", "token", "AUTHORIZED", "payload", "COMMITTED"],
  ],
};

/** Names of the steps from the chooser to the end. */
export const stepsOf = (generation: GattVersion) => NAMES[generation];

const rehearsals = new Map<string, Promise<readonly Step[]>>();

/** The steps of an undisturbed job; which operations they are depends on the MTU. */
function rehearsed(generation: GattVersion, operation: Operation, mtu: number): Promise<readonly Step[]> {
  const key = `${generation} ${operation} ${mtu}`;
  const known = rehearsals.get(key) ?? rehearse(generation, operation, mtu);
  rehearsals.set(key, known);
  return known;
}

async function rehearse(
  generation: GattVersion,
  operation: Operation,
  mtu: number,
): Promise<readonly Step[]> {
  const scene = await radioScene({ generation, seed: 1, tag: { frame: frameOf(mtu) } });
  if (operation === "clear") await writeLabel(scene);
  const before = scene.events.length;
  await scene.pick();
  valueIn(await scene.job(() => act(scene, operation)));
  return stretches(scene.events.slice(before), generation);
}

function stretches(events: readonly TagEvent[], generation: GattVersion): Step[] {
  const steps: Step[] = [];
  let last = "";
  let number = 0;
  for (const event of events) {
    if (event.type !== "gatt") continue;
    number++;
    const what = `${event.operation} ${event.characteristic}`;
    // A short MTU leaves no room for the id in INFO.
    if (what === last || what === "read ID") steps.push({ ...(steps.pop() as Step), last: number });
    else steps.push({ name: NAMES[generation][steps.length] ?? what, first: number, last: number });
    last = what;
  }
  return steps;
}

export interface Job {
  readonly generation: GattVersion;
  readonly operation: Operation;
  readonly row: FaultRow;
  readonly step: string;
  /** Decides MTU, interval, which operation of the step, and everything the radio does. */
  readonly seed: number;
}

export interface Report {
  readonly outcome: JobOutcome;
  readonly struck: boolean;
  /** The tag was read before anything happened: a single mishap must be mended from here on. */
  readonly picked: boolean;
  /** Virtual milliseconds of the job itself. */
  readonly took: number;
  /** Asked of endpoint 8, links made, and handshakes that reached their end, all of this job alone. */
  readonly tokens: number;
  readonly links: number;
  readonly handshakes: number;
  readonly scene: RadioScene;
}

/** Runs one job to its end, and beyond. Throws with everything needed to run it again. */
export async function runJob(job: Job): Promise<Report> {
  const mtu = MTUS[choice(job.seed, MTUS.length)] as number;
  try {
    return await jobAt(job, mtu);
  } catch (cause) {
    const { generation, operation, row, step, seed } = job;
    const what = `${operation} v${generation}, ${row.name}, at ${step}, MTU ${mtu}, seed ${seed}`;
    throw new Error(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

async function jobAt({ generation, operation, row, step, seed }: Job, mtu: number): Promise<Report> {
  const steps = await rehearsed(generation, operation, mtu);
  const { first, last } = steps.find(({ name }) => name === step) as Step;
  const at = first + choice(seed + 1, last - first + 1);
  const interval = INTERVALS[choice(seed + 2, INTERVALS.length)] as number;
  const tag = { frame: frameOf(mtu), ...row.config };
  const scene = await radioScene({ generation, seed, tag });
  if (operation === "clear") await writeLabel(scene);
  if (row.offline) scene.goOffline();
  const before = scene.tag.snapshot();
  const mark = { events: scene.events.length, calls: scene.service.calls.length };
  const radio = strikingRadio({ row, at, seed, interval }, () => scene.tag.faults);
  scene.tag.faults.radio = radio;
  const began = scene.time.world.now();
  const picking = await scene.job(() => scene.client.pickTag());
  const result = picking.ok ? await scene.job(() => act(scene, operation)) : picking;
  const took = scene.time.world.now() - began;
  const counts = countsSince(scene, mark);
  await scene.settle();
  const outcome = outcomeOfJob(scene, result, { before, ...(await expectationOf(operation)) });
  return { outcome, struck: radio.struck(), picked: picking.ok, took, ...counts, scene };
}

function countsSince({ events, service }: RadioScene, mark: { events: number; calls: number }) {
  const own = events.slice(mark.events);
  const calls = service.calls.slice(mark.calls);
  return {
    tokens: calls.filter(({ path }) => path.endsWith("ebt-authorizations")).length,
    links: own.filter((event) => event.type === "link" && event.change === "connected").length,
    handshakes: own.filter((event) => event.type === "state" && event.because === "message3").length,
  };
}

function act({ client, request }: RadioScene, operation: Operation): Promise<Result<TransferResult>> {
  return operation === "transfer" ? client.transferTag(request) : client.clearTag(request);
}

/** The tag as a passenger brings it back: with the label of an earlier job, and its lock. */
async function writeLabel(scene: RadioScene): Promise<void> {
  await scene.pickedBefore();
  valueIn(await scene.job(() => act(scene, "transfer")));
  await scene.settle();
}

/** What the display is to show after `operation`, and its digest. */
export async function expectationOf(operation: Operation) {
  const bag = JOURNEY.baggage[0];
  if (bag === undefined) throw new Error("the journey has no bag");
  const ticket = operation === "clear" ? clearPayload() : ticketPayload(JOURNEY, bag, { showLocator: false });
  const digest = await payloadDigest(encodePayload(ticket));
  return { digest, shown: operation === "clear" ? null : (ticket as LabelPayload) };
}
