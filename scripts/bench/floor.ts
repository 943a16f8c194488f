/**
 * The service beside a floor that does only what cannot be left out (`floor-worker.ts`): the same runtime, the same
 * tables and rows, production, sessions without DPoP and requests without keys. At one connection the two take turns at
 * every request; at sixteen they take turns in blocks, and what counts is the processor time of their workerd.
 */
import { cpuOf, GUESTS, withBoth } from "./floor-sides.ts";
import { ask, type Guest, NAMES, prepare, type Side, STEPS, type Step } from "./floor-steps.ts";
import { median } from "./median.ts";
import { requireQuiet } from "./quiet.ts";
import { printTable } from "./table.ts";

const GOAL = 1.3;
const ROUNDS = 150;
const WARM_UP = 30;
/** Rounds between renewals: an access token lives ten minutes. */
const RENEWING = 50;
/** A block's processor time is between two thirds and one and a half of the usual: of five the median said little. */
const BLOCKS = 15;
/** Tags of each guest in a block. */
const TAGS = 8;

/** Prints the ratios; resolves with whether each is within its goal. */
export async function benchFloor(): Promise<boolean> {
  await requireQuiet();
  return withBoth(async (service, floor, guests) => {
    for (let round = -WARM_UP; round < ROUNDS; round += 1) {
      if (round % RENEWING === 0) for (const guest of guests) await guest.renew();
      await takeTurns([service, floor], guests, round);
    }
    for (let block = 0; block < BLOCKS; block += 1) {
      for (const guest of guests) await guest.renew();
      for (const side of block % 2 === 0 ? [service, floor] : [floor, service])
        await playBlock(side, guests, block);
    }
    return report(service, floor);
  });
}

/** One tag's life on both sides, a request here and the same there. */
async function takeTurns(sides: readonly Side[], guests: readonly Guest[], round: number): Promise<void> {
  const guest = guests[(round + WARM_UP) % GUESTS] as Guest;
  for (const name of NAMES) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const asked = await prepare(side, STEPS[name] as Step, { guest, tag: `floor-${round + WARM_UP}` });
      const took = await ask(side, name, asked);
      if (round >= 0) side.milliseconds[name]?.push(took);
    }
  }
}

/** Sixteen guests at once, each with some tags, one step after the other. */
async function playBlock(side: Side, guests: readonly Guest[], block: number): Promise<void> {
  const tags = Array.from({ length: TAGS }, (_, tag) => tag);
  for (const name of NAMES) {
    const step = STEPS[name] as Step;
    const lists = guests.map((guest, n) =>
      Promise.all(tags.map((tag) => prepare(side, step, { guest, tag: `block-${block}-${n}-${tag}` }))),
    );
    const asked = await Promise.all(lists);
    const before = cpuOf(side.pid);
    const all = asked.map(async (list) => {
      // What the answer before has given counts, not what was known to begin with.
      for (const one of list) await ask(side, name, step.after ? await prepare(side, step, one) : one);
    });
    await Promise.all(all);
    side.cpu[name]?.push((cpuOf(side.pid) - before) / (GUESTS * TAGS));
  }
}

function report(service: Side, floor: Side): boolean {
  const rows = NAMES.flatMap((step) =>
    (["milliseconds", "cpu"] as const).map((what) => {
      const [ours, least] = [median(service[what][step] ?? []), median(floor[what][step] ?? [])];
      return { step, what, ours, least, ratio: ours / least };
    }),
  );
  printTable(
    `Beside the floor: p50 of ${ROUNDS} at one connection; processor time a request at ${GUESTS}`,
    rows.map(({ step, what, ours, least, ratio }) => ({
      endpoint: step,
      measure: what === "cpu" ? "CPU, ms" : "p50, ms",
      service: ours.toFixed(2),
      floor: least.toFixed(2),
      ratio: ratio.toFixed(2),
      goal: `≤ ${GOAL}`,
      met: ratio <= GOAL ? "yes" : "NO",
    })),
  );
  return rows.every(({ ratio }) => ratio <= GOAL);
}
