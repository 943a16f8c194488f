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

const TIMES = ["time", "cpu"] as const;
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
  const pairs = byName(took).flatMap(([name, ours]) => {
    const theirs = beside.get(name);
    return theirs === undefined ? [] : [{ name, ours, theirs }];
  });
  const all = (whose: "ours" | "theirs") => pairs.map((pair) => inJourneys(pair[whose], rounds));
  const rows = [
    ...pairs.map(({ name, ours, theirs }) => ({
      name,
      sides: [inJourneys(ours, rounds), inJourneys(theirs, rounds)] as const,
    })),
    { name: "together", sides: [together(all("ours")), together(all("theirs"))] as const },
  ].map(({ name, sides: [ours, theirs] }) => ({
    name,
    time: ratioOf(ours.time, theirs.time),
    cpu: ratioOf(ours.cpu, theirs.cpu),
  }));
  printTable(
    `${title}, ${rounds} journeys: medians in ms, and of the ratios of ${Math.min(BLOCKS, rounds)} blocks`,
    rows.map(({ name, time, cpu }) => ({ request: name, p50: time.shown, processor: cpu.shown })),
  );
  return rows.flatMap(({ name, ...row }) =>
    TIMES.map((what) =>
      atMost(
        `${title}: ${name}, ratio of ${what === "cpu" ? "processor time" : "p50"}`,
        row[what].ratio,
        most(name),
        2,
      ),
    ),
  );
}

/** What a request took in each journey, all of its times in it together. */
type InJourneys = Readonly<Record<(typeof TIMES)[number], readonly number[]>>;

function inJourneys(took: readonly Took[], rounds: number): InJourneys {
  const times = took.length / rounds;
  const sums = (what: (typeof TIMES)[number]) =>
    Array.from({ length: rounds }, (_, at) =>
      sum(took.slice(at * times, (at + 1) * times).map((one) => one[what])),
    );
  return { time: sums("time"), cpu: sums("cpu") };
}

const together = (requests: readonly InJourneys[]): InJourneys => {
  const sums = (what: (typeof TIMES)[number]) =>
    (requests[0]?.[what] ?? []).map((_, at) => sum(requests.map((one) => one[what][at] ?? 0)));
  return { time: sums("time"), cpu: sums("cpu") };
};

function ratioOf(ours: readonly number[], theirs: readonly number[]) {
  const length = Math.max(1, Math.floor(ours.length / BLOCKS));
  const blocks = Array.from({ length: Math.min(BLOCKS, ours.length) }, (_, n) => n * length);
  const block = (all: readonly number[], at: number) => median(all.slice(at, at + length));
  const ratio = median(blocks.map((at) => block(ours, at) / block(theirs, at)));
  const shown = [ours, theirs].map((all) => median(all).toFixed(1)).join(" / ");
  return { ratio, shown: `${shown} = ${ratio.toFixed(2)}` };
}
