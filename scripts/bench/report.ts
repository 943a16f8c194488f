/** Tables of the service bench: what its requests cost, and how long they take beside others. */
import { atMost, type Goal, median, printTable, sum } from "./harness.ts";
import type { Line, Side, Took } from "./sides.ts";

const COUNTED = ["calls", "statements", "rowsRead", "rowsWritten"] as const;
type Counts = Readonly<Record<(typeof COUNTED)[number] | "sent" | "answered" | "times", number>> &
  Pick<Took, "name">;

/** By request, the median of what the service logged and the SDK sent, for all of its times in a journey. */
export function countsOf({ took, lines }: Side, rounds: number): readonly Counts[] {
  const logged = new Map(lines.map((line) => [line.requestId, line]));
  return byName(took).map(([name, all]) => {
    const times = all.length / rounds;
    const ofLine = (what: (typeof COUNTED)[number]) =>
      median(all.map(({ requestId }) => (logged.get(requestId) as Line)[what])) * times;
    const ofBytes = (what: "sent" | "answered") => median(all.map((one) => one[what])) * times;
    const counted = Object.fromEntries(COUNTED.map((what) => [what, ofLine(what)]));
    return { name, times, ...counted, sent: ofBytes("sent"), answered: ofBytes("answered") } as Counts;
  });
}

export function printCounts(title: string, counts: readonly Counts[]): void {
  const columns = ["times", ...COUNTED, "sent", "answered"] as const;
  const row = (request: string, count: (what: (typeof columns)[number]) => number) => ({
    request,
    ...Object.fromEntries(columns.map((what) => [what, Math.round(count(what))])),
  });
  const together = row("together", (what) => sum(counts.map((one) => one[what])));
  printTable(title, [...counts.map((one) => row(one.name, (what) => one[what])), together]);
}

const byName = (took: readonly Took[]) => [...Map.groupBy(took, ({ name }) => name)];

interface Compared {
  /** Of its time over the other's, by the name of a request; `together` is the whole journey. */
  readonly most: (name: string) => number;
  readonly rounds: number;
}

/** A figure of each request, and how its goal names it. */
const TIMES = { time: "p50", cpu: "processor time" } as const;
type What = keyof typeof TIMES;
/** The journeys in which a ratio is taken: the median of blocks says more than one over all on a machine with other work. */
const BLOCKS = 15;

/** Prints medians of time and processor time beside those of `other`; the ratio of each has a goal. */
export function compare(
  title: string,
  took: readonly Took[],
  other: readonly Took[],
  { most, rounds }: Compared,
): readonly Goal[] {
  const beside = new Map(byName(other));
  const shared = byName(took).flatMap(([name, ours]) => {
    const theirs = beside.get(name);
    return theirs === undefined ? [] : [{ name, ours: [ours], theirs: [theirs] }];
  });
  const together = {
    name: "together",
    ours: shared.flatMap(({ ours }) => ours),
    theirs: shared.flatMap(({ theirs }) => theirs),
  };
  const rows = [...shared, together].map(({ name, ours, theirs }) => {
    const ratio = (what: What) => ratioOf(inJourneys(ours, what, rounds), inJourneys(theirs, what, rounds));
    return { name, time: ratio("time"), cpu: ratio("cpu") };
  });
  printTable(
    `${title}, ${rounds} journeys: medians in ms, and of the ratios of ${Math.min(BLOCKS, rounds)} blocks`,
    rows.map(({ name, time, cpu }) => ({ request: name, p50: time.shown, processor: cpu.shown })),
  );
  return rows.flatMap(({ name, ...row }) =>
    (["time", "cpu"] as const).map((what) =>
      atMost(`${title}: ${name}, ratio of ${TIMES[what]}`, row[what].ratio, most(name), 2),
    ),
  );
}

/** What requests took together in each journey, all of their times in it. */
const inJourneys = (requests: readonly (readonly Took[])[], what: What, rounds: number) =>
  Array.from({ length: rounds }, (_, at) => {
    const inOne = (took: readonly Took[]) =>
      took.slice((at * took.length) / rounds, ((at + 1) * took.length) / rounds);
    return sum(requests.flatMap(inOne).map((one) => one[what]));
  });

function ratioOf(ours: readonly number[], theirs: readonly number[]) {
  const length = Math.max(1, Math.floor(ours.length / BLOCKS));
  const blocks = Array.from({ length: Math.min(BLOCKS, ours.length) }, (_, n) => n * length);
  const block = (all: readonly number[], at: number) => median(all.slice(at, at + length));
  const ratio = median(blocks.map((at) => block(ours, at) / block(theirs, at)));
  const shown = [ours, theirs].map((all) => median(all).toFixed(1)).join(" / ");
  return { ratio, shown: `${shown} = ${ratio.toFixed(2)}` };
}
