// What whole numbers come to in 64 bits: mean, deviation, percentiles, histograms, the slowest rank.

import type { Whole } from "./bytes.js";

/** Milliseconds of nanoseconds. */
export const ms = (nanoseconds: Whole): number => Number(nanoseconds) / 1e6;

/** The figure of many ranks: what it came to on the slowest, the fastest, on average. */
export interface Across {
  /** How many ranks have it. */
  rankCount: number;
  /** The rank with the most, the lowest of those that tie; null without ranks. */
  slowest: { rank: number; ms: number } | null;
  /** The rank with the least. */
  fastest: { rank: number; ms: number } | null;
  sumMs: number;
  /** NaN without ranks. */
  meanMs: number;
  /** The sample standard deviation (n - 1) of the ranks; NaN below two. */
  stdMs: number;
  /** Most ÷ mean: 1 where all ranks have the same. NaN without ranks, or where all have 0. */
  imbalance: number;
}

/** @internal sum ÷ n in nanoseconds; NaN without values. */
export const meanOf = (count: bigint, sum: bigint): number => (count === 0n ? NaN : Number(sum) / Number(count));

/** @internal sqrt((squares - sum² ÷ n) ÷ (n - 1)), as numpy.std(ddof=1): n × squares - sum² is exact. */
export function stdOf(count: bigint, sum: bigint, squares: bigint): number {
  if (count < 2n) return NaN;
  const spread = count * squares - sum * sum;
  return Math.sqrt((spread < 0n ? 0 : Number(spread)) / Number(count) / (Number(count) - 1));
}

/** @internal as numpy.percentile: linear between the two values next to (n - 1) × percent ÷ 100. */
export function percentileOf(count: number, percent: number, value: (index: number) => number): number {
  if (count === 0 || !(percent >= 0 && percent <= 100)) return NaN;
  const position = (percent / 100) * (count - 1);
  const index = Math.min(Math.floor(position), count - 1);
  const from = value(index);
  return from + (value(Math.min(index + 1, count - 1)) - from) * (position - index);
}

/** @internal figures of ranks, each with its rank, ascending. */
export function acrossOf(figures: [number, Whole][]): Across {
  let [sum, squares] = [0n, 0n];
  let [slowest, fastest] = [figures[0], figures[0]];
  for (const figure of figures) {
    const value = BigInt(figure[1]);
    sum += value;
    squares += value * value;
    if (figure[1] > slowest![1]) slowest = figure;
    if (figure[1] < fastest![1]) fastest = figure;
  }
  const count = BigInt(figures.length);
  const one = (it: [number, Whole] | undefined): Across["slowest"] => (it ? { rank: it[0], ms: ms(it[1]) } : null);
  const mean = meanOf(count, sum);
  return {
    rankCount: figures.length,
    slowest: one(slowest),
    fastest: one(fastest),
    sumMs: ms(sum),
    meanMs: mean / 1e6,
    stdMs: stdOf(count, sum, squares) / 1e6,
    imbalance: sum > 0n ? Number(slowest![1]) / mean : NaN,
  };
}

/** @internal The bucket of a duration in nanoseconds (docs/format.md). */
export function bucketOf(duration: Whole): number {
  const bits = BigInt(duration).toString(2).length;
  const shift = Math.max(0, bits - 6);
  return 32 * shift + Number(BigInt(duration) >> BigInt(shift));
}

/** @internal The duration in nanoseconds that stands for a bucket: its middle. */
export function middleOf(bucket: number): number {
  if (bucket < 64) return bucket;
  const shift = (bucket >> 5) - 1;
  const least = BigInt(bucket - 32 * shift) << BigInt(shift);
  return Number(least + ((1n << BigInt(shift)) - 1n) / 2n);
}

/** Bins of one width and how many durations each holds: as numpy.histogram of milliseconds. */
export interface Bins {
  /** How many durations lie in each bin. A bin has its lower edge; the last has its upper one too. */
  counts: number[];
  /** The edges in milliseconds: one more than there are bins. */
  edgesMs: number[];
}

/** @internal values, each with its weight, in `bins` of one width between `range`, or their extremes. */
export function binsOf(values: [number, number][], bins: number, range?: [number, number]): Bins {
  let [from, to] = range ?? values.reduce(
    ([least, most], [value]) => [Math.min(least, value), Math.max(most, value)], [Infinity, -Infinity],
  );
  if (from > to) [from, to] = [0, 1];
  if (from === to) [from, to] = [from - 0.5, to + 0.5];
  const step = (to - from) / bins;
  const edgesMs = Array.from({ length: bins + 1 }, (_, index) => (index === bins ? to : from + index * step));
  const counts = new Array<number>(bins).fill(0);
  for (const [value, weight] of values) {
    if (!(value >= from && value <= to)) continue;
    let bin = Math.min(Math.floor(((value - from) / (to - from)) * bins), bins - 1);
    if (value < edgesMs[bin]!) bin--;
    else if (bin < bins - 1 && value >= edgesMs[bin + 1]!) bin++;
    counts[bin]! += weight;
  }
  return { counts, edgesMs };
}
