/** Whether two kinds of work take the same time, as dudect asks (Reparaz, Balasch, Verbauwhede 2017): Welch's t. */

/** Slower measurements than these percentiles of both kinds together are left out, one test for each. */
const CROPS = [0.5, 0.75, 0.9, 0.95, 0.99, 1] as const;

/** Welch's t of the means of `a` and `b`; positive where `a` is larger. */
export function welch(a: readonly number[], b: readonly number[]): number {
  const [one, two] = [moments(a), moments(b)];
  return (one.mean - two.mean) / Math.sqrt(one.variance / one.count + two.variance / two.count);
}

/** The t farthest from 0 over all crops. */
export function worstWelch(a: readonly number[], b: readonly number[]): number {
  const all = [...a, ...b].sort((x, y) => x - y);
  const figures = CROPS.map((percentile) => {
    const limit = all[Math.ceil(all.length * percentile) - 1] ?? Number.POSITIVE_INFINITY;
    return welch(
      a.filter((time) => time <= limit),
      b.filter((time) => time <= limit),
    );
  });
  return figures.reduce((worst, t) => (Math.abs(t) > Math.abs(worst) ? t : worst), 0);
}

export const mean = (times: readonly number[]): number =>
  times.reduce((sum, time) => sum + time, 0) / times.length;

function moments(times: readonly number[]) {
  const average = mean(times);
  const squares = times.reduce((sum, time) => sum + (time - average) ** 2, 0);
  return { mean: average, variance: squares / (times.length - 1), count: times.length };
}
