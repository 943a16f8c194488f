/**
 * The faults of a radio, a Bluetooth stack and a tag that can hit a job, one row each. A row says which operation it hits
 * (counted from the chooser on), and what it changes for the whole job.
 */
import { CONNECT_TIME, type RadioQuality, seededRadio } from "../../sim/radio/radio-model.ts";
import { seeded } from "../../sim/seeded.ts";
import type { RadioFate, RadioModel, TagConfig, TagFaults } from "../../sim/tag/tag-types.ts";

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
