// The times of one section over many ranks: each sample with its rank, and what they come to.

import type { Whole } from "./bytes.js";
import { acrossOf, binsOf, bucketOf, meanOf, middleOf, ms, percentileOf, stdOf, type Across, type Bins } from "./figures.js";

/** @internal What a section came to on a rank, in nanoseconds. */
export interface RankNumbers {
  rank: number;
  category: string;
  count: Whole;
  total: Whole;
  min?: Whole;
  max?: Whole;
  squares?: Whole;
  dropped: Whole;
  histogram: [number, Whole][] | null;
  /** Start and duration, by start. */
  samples: [Whole, Whole][];
}

/** What a section came to on one rank. */
export interface RankTimes {
  rank: number;
  category: string;
  count: number;
  totalMs: number;
  minMs: number | null;
  maxMs: number | null;
  meanMs: number;
  /** How many durations have no sample. */
  dropped: number;
}

/** A sample and its rank. */
export interface RankSample {
  rank: number;
  /** When it began, by the rank's own clock; 0 where that is not known. */
  startMs: number;
  ms: number;
}

const add = (one: Whole, two: Whole): Whole => BigInt(one) + BigInt(two);
const lesser = (one: Whole, two: Whole): Whole => (two < one ? two : one);
const greater = (one: Whole, two: Whole): Whole => (two > one ? two : one);

function united(one: RankNumbers, two: RankNumbers): RankNumbers {
  const samples = [...one.samples, ...two.samples].sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
  const shared = { rank: one.rank, category: one.category, dropped: add(one.dropped, two.dropped), samples };
  if (one.count === 0 || two.count === 0) return { ...(one.count === 0 ? two : one), ...shared };
  const both = (a: Whole | undefined, b: Whole | undefined, by: (a: Whole, b: Whole) => Whole): Whole | undefined =>
    a === undefined || b === undefined ? undefined : by(a, b);
  const [min, max] = [both(one.min, two.min, lesser), both(one.max, two.max, greater)];
  const squares = both(one.squares, two.squares, add);
  return {
    ...shared,
    count: add(one.count, two.count),
    total: add(one.total, two.total),
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
    ...(squares === undefined ? {} : { squares }),
    histogram: one.histogram && two.histogram && summed([...one.histogram, ...two.histogram]),
  };
}

function summed(buckets: Iterable<[number, Whole]>): [number, Whole][] {
  const sum = new Map<number, Whole>();
  for (const [bucket, count] of buckets) sum.set(bucket, Number(sum.get(bucket) ?? 0) + Number(count));
  return [...sum].sort((a, b) => a[0] - b[0]);
}

/**
 * The times of one section, gathered from ranks, in milliseconds.
 *
 * Count, sum, mean, deviation and extremes come from what each rank counted, so they are exact where
 * samples were dropped, or never kept.
 */
export class Times {
  /** @internal by ascending rank. */ readonly _ranks: RankNumbers[] = [];

  /** @internal ranks come ascending; what a rank has at several paths is united. */
  constructor(ranks: RankNumbers[]) {
    for (const rank of ranks) {
      const last = this._ranks.at(-1);
      if (last?.rank === rank.rank) this._ranks[this._ranks.length - 1] = united(last, rank);
      else this._ranks.push(rank);
    }
  }

  /** The times of durations in milliseconds, each of the rank at the same place, or all of rank 0. */
  static of(durationsMs: ArrayLike<number>, ranks?: ArrayLike<number>): Times {
    if (ranks !== undefined && ranks.length !== durationsMs.length) {
      throw new RangeError(`There are ${durationsMs.length} durations, but ${ranks.length} ranks.`);
    }
    const byRank = new Map<number, [Whole, Whole][]>();
    Array.from(durationsMs, (duration, index) => {
      const rank = ranks?.[index] ?? 0;
      if (!byRank.has(rank)) byRank.set(rank, []);
      byRank.get(rank)!.push([0, Math.round(duration * 1e6)]);
    });
    return new Times([...byRank].sort((a, b) => a[0] - b[0]).map(([rank, samples]) => ofSamples(rank, "default", samples)));
  }

  /** The samples' durations, by rank, then start. */
  get durationsMs(): number[] {
    return this._ranks.flatMap(({ samples }) => samples.map((sample) => ms(sample[1])));
  }

  /** The samples, by rank, then start. */
  *[Symbol.iterator](): IterableIterator<RankSample> {
    for (const { rank, samples } of this._ranks) {
      for (const [start, duration] of samples) yield { rank, startMs: ms(start), ms: ms(duration) };
    }
  }

  /** A sample by its place; a negative one counts from the end. */
  at(index: number): RankSample | undefined {
    return [...this].at(index);
  }

  /** How many samples there are. */
  get length(): number {
    return this._ranks.reduce((sum, { samples }) => sum + samples.length, 0);
  }

  /** How many durations were counted, those without a sample among them. */
  get count(): number {
    return Number(this._sum("count"));
  }

  /** How many durations have no sample. */
  get dropped(): number {
    return Number(this._sum("dropped"));
  }

  get sumMs(): number {
    return ms(this._sum("total"));
  }

  /** NaN where it is empty. */
  get meanMs(): number {
    return meanOf(this._sum("count"), this._sum("total")) / 1e6;
  }

  /** The sample standard deviation (n - 1); NaN below two, or where a rank didn't keep it. */
  get stdMs(): number {
    const timed = this._ranks.filter(({ count }) => count !== 0);
    const isKnown = timed.every(({ squares }) => squares !== undefined);
    if (!isKnown && !this._hasAll) return NaN;
    const squares = isKnown
      ? timed.reduce((sum, it) => sum + BigInt(it.squares!), 0n)
      : this._all.reduce((sum, [, time]) => sum + BigInt(time) * BigInt(time), 0n);
    return stdOf(this._sum("count"), this._sum("total"), squares) / 1e6;
  }

  /** The shortest; null where it is empty, or where a rank didn't keep it. */
  get minMs(): number | null {
    return this._extreme("min", lesser);
  }

  /** The longest; null where it is empty, or where a rank didn't keep it. */
  get maxMs(): number | null {
    return this._extreme("max", greater);
  }

  /**
   * The percentile, 0 to 100, by linear interpolation as numpy's default. From the samples where all are
   * there; else from the histograms, off by a 64th at most; else from the samples that are left. NaN where
   * there is none of these.
   */
  percentileMs(percent: number): number {
    return this.percentilesMs([percent])[0]!;
  }

  /** Several percentiles at once: the samples are sorted once. */
  percentilesMs(percents: number[]): number[] {
    const buckets = this._hasAll ? null : this._histogram;
    if (buckets !== null) {
      const count = buckets.reduce((sum, bucket) => sum + Number(bucket[1]), 0);
      const [min, max] = [this.minMs, this.maxMs];
      const at = (place: number): number => {
        if (place === 0 && min !== null) return min;
        if (place + 1 === count && max !== null) return max;
        let below = 0;
        const bucket = buckets.find((it) => (below += Number(it[1])) > place)!;
        return Math.min(Math.max(ms(middleOf(bucket[0])), min ?? 0), max ?? Infinity);
      };
      return percents.map((percent) => percentileOf(count, percent, at));
    }
    const sorted = Float64Array.from(this._all, (sample) => Number(sample[1])).sort();
    return percents.map((percent) => percentileOf(sorted.length, percent, (index) => sorted[index]!) / 1e6);
  }

  /**
   * How many durations lie in each of so many bins of one width, as numpy.histogram: between the shortest and
   * the longest, or in `rangeMs`. From the samples where all are there; else from the histograms, each
   * duration off by a 64th at most; else from the samples that are left.
   */
  hist(bins = 10, rangeMs?: [number, number]): Bins {
    if (!Number.isInteger(bins) || bins < 1) throw new RangeError(`bins is ${String(bins)}; it must be 1 or more.`);
    const buckets = this._hasAll ? null : this._histogram;
    const values = buckets === null
      ? this._all.map((sample): [number, number] => [ms(sample[1]), 1])
      : buckets.map(([bucket, count]): [number, number] => [ms(middleOf(bucket)), Number(count)]);
    return binsOf(values, bins, rangeMs);
  }

  /**
   * The durations in the buckets of docs/format.md, ascending, each with its count: from the samples where all
   * are there, else from what each rank kept; null where a rank has neither.
   */
  buckets(): [number, number][] | null {
    const all = this._hasAll
      ? summed(this._all.map((sample): [number, Whole] => [bucketOf(sample[1]), 1]))
      : this._histogram;
    return all && all.map(([bucket, count]) => [bucket, Number(count)]);
  }

  /** What the section took on each rank: slowest, fastest, mean, imbalance. */
  across(): Across {
    return acrossOf(this._ranks.map(({ rank, total }) => [rank, total]));
  }

  /** What the section came to on each rank that has it, by ascending rank. */
  byRank(): RankTimes[] {
    const orNull = (time: Whole | undefined): number | null => (time === undefined ? null : ms(time));
    return this._ranks.map(({ rank, category, count, total, min, max, dropped }) => ({
      rank, category, count: Number(count), totalMs: ms(total), minMs: orNull(min), maxMs: orNull(max),
      meanMs: meanOf(BigInt(count), BigInt(total)) / 1e6, dropped: Number(dropped),
    }));
  }

  /** The times of some ranks; those that don't have the section are left out. */
  ofRanks(...ranks: number[]): Times {
    return new Times(this._ranks.filter(({ rank }) => ranks.includes(rank)));
  }

  /** All its categories, sorted; more than one where ranks, or paths of the name, differ. */
  get categories(): string[] {
    return [...new Set(this._ranks.map(({ category }) => category))].sort();
  }

  private get _all(): [Whole, Whole][] {
    return this._ranks.flatMap(({ samples }) => samples);
  }

  private get _hasAll(): boolean {
    return this.length === this.count;
  }

  private get _histogram(): [number, Whole][] | null {
    const timed = this._ranks.filter(({ count }) => count !== 0);
    return timed.every(({ histogram }) => histogram !== null)
      ? summed(timed.flatMap(({ histogram }) => histogram!))
      : null;
  }

  private _sum(of: "count" | "total" | "dropped"): bigint {
    return this._ranks.reduce((sum, rank) => sum + BigInt(rank[of]), 0n);
  }

  private _extreme(of: "min" | "max", choose: (one: Whole, two: Whole) => Whole): number | null {
    let known = this._ranks.filter(({ count }) => count !== 0).map((rank) => rank[of]);
    if (known.includes(undefined)) known = this._hasAll ? this._all.map((sample) => sample[1]) : [];
    return known.length === 0 ? null : ms((known as Whole[]).reduce(choose));
  }
}

/** @internal What samples alone come to. */
export function ofSamples(rank: number, category: string, samples: [Whole, Whole][]): RankNumbers {
  let [total, squares] = [0n, 0n];
  for (const [, time] of samples) {
    total += BigInt(time);
    squares += BigInt(time) * BigInt(time);
  }
  const times = samples.map((sample) => sample[1]);
  return {
    rank, category, count: samples.length, total, squares, dropped: 0, histogram: null, samples,
    ...(times.length > 0 ? { min: times.reduce(lesser), max: times.reduce(greater) } : {}),
  };
}
