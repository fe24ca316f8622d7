// A snapshot as plain objects, in milliseconds, made from the core's JSON.

/** One section of a snapshot. */
export interface SnapshotSection {
  /** The last name of its path. */
  name: string;
  /** The names from the outermost to its own. */
  path: string[];
  /** The category that it was last entered with. */
  category: string;
  /** How often it ended. */
  count: number;
  /** The time of all of its ends, in milliseconds. */
  totalMs: number;
  /** The time in which nothing inside it was open, in milliseconds. */
  selfMs: number;
  /** The shortest; null before the first end. */
  minMs: number | null;
  /** The longest; null before the first end. */
  maxMs: number | null;
  /** The mean; null before the first end. */
  meanMs: number | null;
  /** The sample standard deviation (divisor n - 1); null below two ends. */
  stdMs: number | null;
  /** How many are open now on the timer's own stack; not in count and times. */
  open: number;
  /** Whether its mean is so near to the clock's quantum or to a section's cost that it says as much of
   * them as of the section. */
  nearPrice: boolean;
  /** Whether the sections directly inside it add up to more than it took: some ran side by side. */
  exceeded: boolean;
}

/** What a timer knows at one moment. */
export interface Snapshot {
  /** The time of all sections at the top, in milliseconds. */
  totalMs: number;
  /** The time of each category's outermost sections, in milliseconds. */
  categoryTotalsMs: Record<string, number>;
  /** The recorded sections, depth first in order of first entry. */
  sections: SnapshotSection[];
  /** What a section costs and the clock's usual step, in milliseconds; null where not known. */
  overhead: { pairMs: number | null; quantumMs: number | null };
  /** What was not recorded, or not as asked: counts by the names that docs/json.md explains. */
  lost: Record<string, number>;
}

/** The core's JSON, as far as it is used here. Times are in seconds. */
interface Exported {
  total_time: number;
  total_category_time: Record<string, number>;
  sections: {
    name: string; path: string[]; time: number; category: string; count: number; self_time: number;
    min: number | null; max: number | null; mean: number | null; std: number | null; open: number;
    near_price?: boolean; exceeded?: boolean;
  }[];
  overhead: { pair: number | null; quantum: number | null };
  lost: Record<string, unknown>;
}

/** Milliseconds of seconds that have nine decimals, or twelve where they are fine: to the last digit. */
const ms = (seconds: number): number => Math.round(seconds * 1e9) / 1e6;
const fine = (seconds: number | null): number | null =>
  seconds === null ? null : Math.round(seconds * 1e12) / 1e9;
const orNull = (seconds: number | null): number | null => (seconds === null ? null : ms(seconds));

/** A snapshot from the core's JSON. */
export function snapshotOf(json: string): Snapshot {
  const exported = JSON.parse(json) as Exported;
  const entries = <T>(object: Record<string, T>): [string, T][] => Object.entries(object);
  return {
    totalMs: ms(exported.total_time),
    categoryTotalsMs: Object.fromEntries(
      entries(exported.total_category_time).map(([name, time]) => [name, ms(time)]),
    ),
    sections: exported.sections.map((it) => ({
      name: it.name,
      path: it.path,
      category: it.category,
      count: it.count,
      totalMs: ms(it.time),
      selfMs: ms(it.self_time),
      minMs: orNull(it.min),
      maxMs: orNull(it.max),
      meanMs: fine(it.mean),
      stdMs: fine(it.std),
      open: it.open,
      nearPrice: it.near_price ?? false,
      exceeded: it.exceeded ?? false,
    })),
    overhead: { pairMs: fine(exported.overhead.pair), quantumMs: fine(exported.overhead.quantum) },
    lost: Object.fromEntries(
      entries(exported.lost).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
    ),
  };
}
