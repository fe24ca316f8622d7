// Profiles of many ranks, united by path: a mapping from section to gathered times.

import { acrossOf, type Across } from "./figures.js";
import { Profile } from "./profile.js";
import { Times, type RankNumbers } from "./times.js";

interface Node {
  path: string[];
  children: Map<string, Node>;
  /** By ascending rank: a profile and the place of its section. */
  rows: [Profile, number][];
}

/**
 * Profiles of workers or processes, united by path. A section that a rank never entered is missing there, not
 * zero.
 *
 * ```js
 * const all = Gathered.of([timer.save(), bytesOfWorker]);
 * all.get("filter", "blur").across().slowest;
 * ```
 */
export class Gathered {
  /** The profiles by ascending rank. */
  readonly profiles: Profile[];
  /** The sections, depth first, in order of first entry on the lowest rank that has them. */
  private readonly _nodes: Node[] = [];
  private readonly _root: Node = { path: [], children: new Map(), rows: [] };

  private constructor(profiles: Profile[]) {
    this.profiles = [...profiles].sort((a, b) => a.rank - b.rank);
    this.profiles.forEach((profile, index) => {
      const before = this.profiles[index - 1];
      if (before?.rank === profile.rank) {
        throw new Error(
          `Two profiles are of rank ${profile.rank} ('${before.label}' and '${profile.label}'); give each a ` +
            "rank of its own.",
        );
      }
      profile.sections.forEach(({ path }, section) => this._node(path).rows.push([profile, section]));
    });
    const walk = (node: Node): void => {
      if (node.rows.length > 0) this._nodes.push(node);
      node.children.forEach(walk);
    };
    walk(this._root);
  }

  /**
   * Unites profiles, or their bytes, in any order.
   *
   * @throws Error where two have the same rank; ProfileError where bytes are no profile.
   */
  static of(profiles: Iterable<Profile | Uint8Array | ArrayBuffer>): Gathered {
    return new Gathered(Array.from(profiles, (it) => (it instanceof Profile ? it : Profile.load(it))));
  }

  /** Unites profiles that stand one behind another, as files of them put together do. */
  static load(bytes: Uint8Array | ArrayBuffer): Gathered {
    return new Gathered(Profile.loadAll(bytes));
  }

  /** The ranks, ascending, those without sections among them. */
  get ranks(): number[] {
    return this.profiles.map(({ rank }) => rank);
  }

  /** The paths of all sections. */
  get paths(): string[][] {
    return this._nodes.map(({ path }) => [...path]);
  }

  /** The names of sections, each once. */
  get names(): string[] {
    return [...new Set(this._nodes.map(({ path }) => path.at(-1)!))];
  }

  /** The times at a path, outermost name first; undefined where no rank has it. */
  get(...path: string[]): Times | undefined {
    let node: Node | undefined = this._root;
    for (const name of path) node = node?.children.get(name);
    return node === undefined ? undefined : timesOf(node.rows);
  }

  /** The times of a name across all paths that end in it; a section nested in one of its name counts as well. */
  byName(name: string): Times | undefined {
    const rows = this._nodes.filter(({ path }) => path.at(-1) === name).flatMap((node) => node.rows);
    return timesOf(rows.sort((a, b) => a[0].rank - b[0].rank));
  }

  /** Each path and its times. */
  *[Symbol.iterator](): IterableIterator<[string[], Times]> {
    for (const { path, rows } of this._nodes) yield [[...path], timesOf(rows)!];
  }

  /** What some ranks came to. */
  ofRanks(...ranks: number[]): Gathered {
    return new Gathered(this.profiles.filter(({ rank }) => ranks.includes(rank)));
  }

  /** The whole over the ranks: slowest, fastest, mean, imbalance. */
  across(): Across {
    return acrossOf(this.profiles.map(({ rank, exact }) => [rank, exact.total]));
  }

  /** A category's total over the ranks that have it. */
  acrossCategory(category: string): Across {
    return acrossOf(this.profiles.flatMap(({ rank, exact }): [number, number | bigint][] =>
      exact.categories.filter(({ name }) => name === category).map(({ total }) => [rank, total])));
  }

  /** The categories of all ranks, sorted. */
  get categories(): string[] {
    return [...new Set(this.profiles.flatMap(({ exact }) => exact.categories.map(({ name }) => name)))].sort();
  }

  private _node(path: string[]): Node {
    let node = this._root;
    path.forEach((name, index) => {
      let child = node.children.get(name);
      if (child === undefined) {
        child = { path: path.slice(0, index + 1), children: new Map(), rows: [] };
        node.children.set(name, child);
      }
      node = child;
    });
    return node;
  }
}

function timesOf(rows: [Profile, number][]): Times | undefined {
  const numbers: RankNumbers[] = rows.map(([profile, section]) => profile._numbers(section));
  return numbers.length === 0 ? undefined : new Times(numbers);
}
