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
  /** Of the whole journey's time over the other's. */
  readonly goal: number;
  readonly rounds: number;
}

/** Prints medians of time and processor time beside those of `other`; the ratio of each time has a goal. */
export function compare(
  title: string,
  took: readonly Took[],
  other: readonly Took[],
  { goal, rounds }: Compared,
): readonly Goal[] {
  const beside = new Map(byName(other));
  const rows = byName(took).flatMap(([name, ours]) => {
    const theirs = beside.get(name);
    if (theirs === undefined) return [];
    const times = ours.length / rounds;
    const [time, cpu] = (["time", "cpu"] as const).map((what) =>
      [ours, theirs].map((all) => median(all.map((one) => one[what])) * times),
    );
    return [{ name, time, cpu }];
  });
  const whole = (what: "time" | "cpu") => [0, 1].map((at) => sum(rows.map((row) => row[what]?.[at] ?? 0)));
  const all = [...rows, { name: "together", time: whole("time"), cpu: whole("cpu") }];
  const ratio = ([ours = 0, theirs = 0]: readonly number[] = []) => ours / theirs;
  const shown = (values: readonly number[] = []) =>
    `${values.map((value) => value.toFixed(1)).join(" / ")} = ${ratio(values).toFixed(2)}`;
  printTable(
    `${title}, ${rounds} journeys: medians in ms`,
    all.map(({ name, time, cpu }) => ({ request: name, p50: shown(time), processor: shown(cpu) })),
  );
  return all.map(({ name, cpu }) =>
    atMost(`${title}: ${name}, ratio of processor time`, ratio(cpu), goal, 2),
  );
}
