// One profile as plain objects, in milliseconds.

import type { Whole } from "./bytes.js";
import { decodeAll, LOSSES, type Exact } from "./decode.js";
import { meanOf, ms, stdOf } from "./figures.js";
import { Times, type RankNumbers } from "./times.js";

/** One section of a profile. Times that were not kept are null. */
export interface ProfileSection {
  /** The last name of its path. */
  name: string;
  /** The names from the outermost to its own. */
  path: string[];
  category: string;
  count: number;
  totalMs: number;
  /** The time in which nothing inside it was open. */
  selfMs: number | null;
  minMs: number | null;
  maxMs: number | null;
  meanMs: number | null;
  /** The sample standard deviation (n - 1). */
  stdMs: number | null;
  /** How many were open, and since when the first of them was. */
  open: number;
  openMs: number;
  /** Count and times may be one entry apart. */
  busy: boolean;
  /** Contexts without a lane added to it. */
  late: boolean;
  /** The sections directly inside it add up to more than it took. */
  exceeded: boolean;
}

const orNull = (time: Whole | undefined): number | null => (time === undefined ? null : ms(time));
const figure = (value: number): number | null => (Number.isNaN(value) ? null : value / 1e6);

/** What a timer knew when it was saved. It needs no WebAssembly: `Profile.load` reads the bytes by itself. */
export class Profile {
  /** Everything as the bytes tell it: nanoseconds, a bigint where a number is too small. */
  readonly exact: Exact;
  /** The rank: the worker's or process's number. */
  readonly rank: number;
  /** A text for people. */
  readonly label: string;
  /** The time of all sections at the top. */
  readonly totalMs: number;
  /** The time of each category's outermost sections. */
  readonly categoryTotalsMs: Record<string, number>;
  /** The clock; null where its price or quantum was not measured. */
  readonly clock: { name: string; pairMs: number | null; quantumMs: number | null };
  /** What was not recorded, or not as asked: counts by the names that docs/json.md explains. */
  readonly lost: Record<string, number>;
  /** The sections, depth first in order of first entry. */
  readonly sections: ProfileSection[];

  /** @internal */
  constructor(exact: Exact) {
    const { clock, categories } = exact;
    const price = (picoseconds: number): number | null => (picoseconds === 0 ? null : picoseconds / 1e9);
    this.exact = exact;
    this.rank = exact.rank;
    this.label = exact.label;
    this.totalMs = ms(exact.total);
    this.categoryTotalsMs = Object.fromEntries(categories.map((it) => [it.name, ms(it.total)]));
    this.clock = { name: clock.name, pairMs: price(clock.pair), quantumMs: price(clock.quantum) };
    this.lost = Object.fromEntries(LOSSES.map((name, index) => [name, Number(exact.losses[index])]));
    const open: string[][] = [];
    this.sections = exact.sections.map((it) => {
      const path = [...(it.depth === 0 ? (it.names_above ?? []) : open[it.depth - 1]!), it.name];
      open[it.depth] = path;
      const [count, total] = [BigInt(it.count), BigInt(it.total)];
      return {
        name: it.name, path, category: it.category, count: Number(count), totalMs: ms(total),
        selfMs: orNull(it.exclusive), minMs: orNull(it.min), maxMs: orNull(it.max),
        meanMs: figure(meanOf(count, total)),
        stdMs: it.squares === undefined ? null : figure(stdOf(count, total, BigInt(it.squares))),
        open: it.open ?? 0, openMs: ms(it.open_time ?? 0),
        busy: it.busy ?? false, late: it.late ?? false, exceeded: it.exceeded ?? false,
      };
    });
  }

  /**
   * Reads the bytes of one profile: of `timer.save()`, or of a file `.xtp` of any front end.
   *
   * @throws ProfileError what is wrong with them, and at which byte.
   */
  static load(bytes: Uint8Array | ArrayBuffer): Profile {
    const all = Profile.loadAll(bytes);
    if (all.length === 1) return all[0]!;
    throw new Error(`These bytes are ${all.length} profiles, not one: give them to Gathered.load().`);
  }

  /** Reads the profiles that stand one behind another, as files of them put together do. */
  static loadAll(bytes: Uint8Array | ArrayBuffer): Profile[] {
    if (!(bytes instanceof Uint8Array || bytes instanceof ArrayBuffer)) {
      throw new TypeError("A profile is loaded from a Uint8Array or an ArrayBuffer.");
    }
    return decodeAll(bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes)).map((it) => new Profile(it));
  }

  /** The section at a path of names, outermost first. */
  section(...path: string[]): ProfileSection | undefined {
    return this.sections[this._find(path)];
  }

  /** The times at a path: samples, statistics, percentiles. Undefined where there is no such section. */
  times(...path: string[]): Times | undefined {
    const index = this._find(path);
    return index < 0 ? undefined : new Times([this._numbers(index)]);
  }

  private _find(path: string[]): number {
    return this.sections.findIndex((it) => it.path.length === path.length && it.path.every((name, i) => name === path[i]));
  }

  /** @internal what a section came to, with its samples. */
  _numbers(index: number): RankNumbers {
    const { category, count, total, min, max, squares } = this.exact.sections[index]!;
    const lanes = this.exact.samples.filter((lane) => lane.section === index);
    const samples = lanes.flatMap((lane) => lane.samples);
    return {
      rank: this.rank, category, count, total,
      ...(min === undefined ? {} : { min }),
      ...(max === undefined ? {} : { max }),
      ...(squares === undefined ? {} : { squares }),
      dropped: lanes.reduce((sum, lane) => sum + Number(lane.dropped), 0),
      histogram: this.exact.histograms.find((it) => it.section === index)?.buckets ?? null,
      samples: samples.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0)),
    };
  }
}
