// A timer: sections, functions, records, rules, and what is read back.

import { core } from "./core.js";
import { callable, dispose, refused, text } from "./check.js";
import { clockInfo, now, useClock, type Clock, type ClockInfo } from "./clock.js";
import {
  categoryOf, Context, timeArguments, timeCall, type DetachedSection, type TaskSection, type TimeOptions,
} from "./context.js";
import type { Track } from "./devtools.js";
import { need } from "./load.js";
import {
  CAPACITIES, DEFAULT_CATEGORY, whole, type SaveOptions, type TimerOptions, type ViewOptions,
} from "./options.js";
import type { Section } from "./section.js";
import { Site, StackSection } from "./site.js";
import { snapshotOf, type Snapshot } from "./snapshot.js";
import { storage, type Storage } from "./storage.js";
import { answer, answerBytes, say } from "./text.js";

/**
 * Times named sections as they nest, by category.
 *
 * ```js
 * import init, { Timer } from "xtimer-wasm";
 * await init();
 * const timer = new Timer();
 * timer.time("frame", () => {
 *   using load = timer.section("load", "io");
 * });
 * console.log(timer.report());
 * ```
 */
export class Timer {
  /** @internal */ readonly _number: number;
  /** @internal */ readonly _now: () => number;
  /** @internal */ _clears = 0;
  /** @internal */ readonly _track: Track | null;
  private readonly _clock: Clock | undefined;
  /** Sites by name and category, at most `_room` of them. */
  private readonly _sites = new Map<string, Map<string | undefined, Site>>();
  private _room: number;
  /** The core's number of the site that names beyond those share. */
  private _spare = -1;
  /** The context of the code that runs now, while it has not yet waited; null: the timer's stack. */
  private _running: Context | null = null;
  /** Found when the first task runs: until then a section need not ask it. */
  private _storage: Storage | null = null;
  private _wantsStorage: boolean;
  private _enabled = true;
  private _isPriced = false;

  /**
   * Makes a timer.
   *
   * @throws Error where the module is not loaded yet (browsers: `await init()` first), or where a capacity
   * can't work.
   */
  constructor(options: TimerOptions = {}) {
    need();
    useClock();
    const room = CAPACITIES.map(([way, usual]) => {
      return whole(options[way] ?? usual, way);
    }) as [number, number, number, number, number, number];
    const { clock, devtools, asyncContext } = options;
    if (clock !== undefined) callable(clock?.now, "clock.now");
    this._clock = clock;
    this._now = clock === undefined ? now : () => clock.now();
    this._track = devtools ? (devtools === true ? {} : devtools) : null;
    this._wantsStorage = asyncContext ?? true;
    this._room = 4 * room[0];
    this._number = given(core.timer_new(...room, clock !== undefined));
  }

  /**
   * Opens a section beneath the innermost one that is open where the code runs. End it with `using`, or by
   * `end()` in a `finally`.
   *
   * In a task (`time`, `detached`, `context`) it goes to the task's own stack; elsewhere to the timer's
   * stack, where it must end before the code waits.
   *
   * @throws Error with the rule's sentence where the nesting is forbidden. It was not entered.
   */
  section(name: string, category?: string): Section {
    return this._open(this._site(name, category));
  }

  /**
   * Times a function, plain or async: until it returns, or until what it returns settles. What it throws
   * or rejects with is recorded and passed on.
   *
   * It runs in a task of its own: sections that it opens nest beneath it, whatever else runs meanwhile. In
   * Node they do so by themselves; in a browser use the context that it is handed, behind the first
   * `await`.
   */
  time<T>(name: string, fn: (context: Context) => T): T;
  time<T>(name: string, options: TimeOptions | undefined, fn: (context: Context) => T): T;
  time<T>(name: string, options: unknown, fn?: unknown): T {
    return this._time<T>(this._current(), name, options, fn);
  }

  /**
   * The same function, timed at each call under its own name or `options.name`. Keeps `this`, arguments
   * and result.
   */
  timerify<F extends (...values: never[]) => unknown>(fn: F, options: TimeOptions & { name?: string } = {}): F {
    callable(fn, "timerify(): what is timed");
    const name = text(options.name ?? fn.name, "A name");
    if (name === "") throw new TypeError("timerify(): this function has no name; give { name }.");
    const site = this._keptSite(name, categoryOf(options));
    const timer = this;
    const timed = function (this: unknown, ...values: unknown[]): unknown {
      return timer._call(timer._current(), site, fn as unknown as Callable, this, values);
    };
    Object.defineProperty(timed, "name", { value: fn.name, configurable: true });
    Object.defineProperty(timed, "length", { value: fn.length, configurable: true });
    return timed as unknown as F;
  }

  /** Adds a duration in milliseconds measured elsewhere, beneath the innermost section.
   *
   * @throws Error where it is negative, not a number or too long, or by a rule. */
  record(name: string, ms: number, options?: TimeOptions): void {
    this._record(this._current(), name, ms, options);
  }

  /**
   * Opens a section that is on no stack: it may end in another callback, in any order. Its `context` is for
   * what runs inside it.
   */
  detached(name: string, category?: string): DetachedSection {
    return this.context().detached(name, category);
  }

  /** A context beneath the innermost section: for a task that runs beside what runs now. */
  context(): Context {
    return this._current()?.context() ?? new Context(this, core.current(this._number), null);
  }

  /**
   * Runs a function outside of any task, so that what it starts nests nowhere: for a loop that starts itself
   * anew from inside a task, which would nest ever deeper.
   */
  outside<T>(fn: (context: Context) => T): T {
    return new Context(this, 0, null).run(fn);
  }

  /** A name and category, ready to be entered without a look-up: for the innermost loops. */
  site(name: string, category?: string): Site {
    return this._keptSite(name, category);
  }

  /**
   * Forbids sections of category `inner` directly inside ones of category `outer`: opening one throws an
   * Error, `Category 'io' is not allowed inside category 'gpu'.`
   */
  forbid(outer: string, inner: string): void {
    say(text(outer, "A category"), text(inner, "A category"));
    refused(core.forbid(this._number));
  }

  /** Drops all rules. */
  clearRules(): void {
    core.clear_rules(this._number);
  }

  /** Drops all timings. Names, rules and open sections stay; sections open now are not recorded. */
  clear(): void {
    refused(core.clear(this._number));
    this._clears++;
  }

  /** Whether sections are recorded. While it is false they cost almost nothing and leave no trace. */
  get enabled(): boolean {
    return this._enabled;
  }

  set enabled(enabled: boolean) {
    this._enabled = Boolean(enabled);
    core.set_enabled(this._number, this._enabled);
  }

  /** The time of all sections at the top, in milliseconds. */
  totalMs(): number {
    return given(core.total(this._number, this._now()));
  }

  /** The time of a category's outermost sections, in milliseconds; 0 where it has none. */
  categoryTotalMs(category: string): number {
    say(text(category, "A category"));
    return given(core.category_total(this._number, this._now()));
  }

  /** What the timer knows now, as plain objects in milliseconds. */
  snapshot(options: ViewOptions = {}): Snapshot {
    return snapshotOf(this._json(0, options));
  }

  /** The same as JSON, in seconds: the form that every front end writes (docs/json.md). */
  exportJson(options: ViewOptions = {}): string {
    const { indent = 0 } = options;
    if (!Number.isInteger(indent) || indent < 0 || indent > 16) {
      throw new RangeError(`indent is ${String(indent)}; it must be 0 to 16.`);
    }
    return this._json(indent, options);
  }

  /** A report for people: the sections as a tree, categories, the timer's own price, what was lost. */
  report(options: ViewOptions = {}): string {
    this._price();
    refused(core.report(this._number, this._now(), options.flatten ?? true));
    return answer();
  }

  /**
   * The profile as bytes (docs/format.md): to be kept, sent, and read by `xtimer-wasm/profile` or another
   * front end. `rank` tells it from others that it is merged with: each worker has its own.
   */
  save({ rank = 0, label = "" }: SaveOptions = {}): Uint8Array<ArrayBuffer> {
    whole(rank, "rank");
    this._price();
    say(text(label, "A label"));
    refused(core.save(this._number, rank, this._now()));
    return answerBytes();
  }

  /**
   * The kept durations of the sections of a name, wherever they nest, in milliseconds and in order of start:
   * for timers made with `samples`. Without any it is empty.
   */
  times(name: string): Float64Array<ArrayBuffer> {
    say(text(name, "A name"));
    refused(core.times(this._number, this._now()));
    // Starts and durations by turns, section by section.
    const both = new Float64Array(answerBytes().buffer);
    const pairs = Array.from({ length: both.length / 2 }, (_, i) => both.subarray(2 * i, 2 * i + 2));
    return Float64Array.from(pairs.sort((a, b) => a[0]! - b[0]!), (pair) => pair[1]!);
  }

  /** The clock and how coarse it is; measured at the first call, in a few milliseconds. */
  get clock(): ClockInfo {
    return clockInfo(this._clock);
  }

  /** Gives the timer's memory back. What is left of it throws from then on. */
  free(): void {
    core.timer_free(this._number);
  }

  /** @internal */
  [dispose](): void {
    this.free();
  }

  private _json(indent: number, options: ViewOptions): string {
    this._price();
    refused(core.json(this._number, this._now(), indent, options.flatten ?? true));
    return answer();
  }

  /** Tells the core what the clock is worth: it can't measure a clock that it does not read. */
  private _price(): void {
    if (this._isPriced) return;
    this._isPriced = true;
    const { pairMs, quantumMs } = this.clock;
    core.set_price(this._number, pairMs ?? 0, quantumMs ?? 0);
  }

  /** @internal the context of the code that runs now; null: the timer's own stack. */
  _current(): Context | null {
    const kept = this._storage;
    return kept === null ? this._running : (kept.get() ?? this._running);
  }

  /** @internal */
  _open(site: Site): Section {
    const context = this._current();
    return context === null ? new StackSection(site) : context._open(site);
  }

  /** @internal */
  _notEntered(): number {
    refused(-2);
    return -1;
  }

  /** @internal */
  _site(name: string, category: string | undefined): Site {
    const site = this._sites.get(name)?.get(category);
    return site === undefined ? this._newSite(name, category) : site;
  }

  /** A site that is kept by whoever asks, and so not shared, however many there are. */
  private _keptSite(name: string, category: string | undefined): Site {
    return this._sites.get(name)?.get(category) ?? this._newSite(name, category, true);
  }

  private _newSite(name: string, category: string | undefined, isKept = false): Site {
    text(name, "A name");
    const spelled = category === undefined ? DEFAULT_CATEGORY : text(category, "A category");
    const hasRoom = this._room > 0;
    if (!hasRoom && !isKept) return this._spareSite(name, spelled);
    say(name, spelled);
    const site = new Site(this, given(core.site_new(this._number)), name, spelled);
    if (!hasRoom) return site;
    let named = this._sites.get(name);
    if (named === undefined) this._sites.set(name, (named = new Map()));
    named.set(category, site);
    this._room--;
    return site;
  }

  /** Names that never come again would fill the memory: those beyond `_room` share one site. */
  private _spareSite(name: string, category: string): Site {
    say(name, category);
    if (this._spare < 0) this._spare = given(core.site_new(this._number));
    else refused(core.site_rename(this._number, this._spare));
    return new Site(this, this._spare, name, category);
  }

  /** @internal */
  _time<T>(parent: Context | null, name: string, options: unknown, fn: unknown): T {
    const [category, timed] = timeArguments(options, fn);
    return this._call(parent, this._site(name, category), timed, undefined, null) as T;
  }

  /** @internal */
  _record(context: Context | null, name: string, ms: number, options: unknown): void {
    if (typeof ms !== "number") throw new TypeError(`record('${String(name)}'): the duration must be a number of milliseconds.`);
    const site = this._site(name, categoryOf(options));
    const parent = context === null ? -1 : context._section;
    refused(core.record(this._number, site._number, parent, ms));
  }

  /** Calls a function in a task of its own; with `values` null it is handed its context. */
  private _call(
    parent: Context | null,
    site: Site,
    fn: Callable,
    self: unknown,
    values: unknown[] | null,
  ): unknown {
    return timeCall(this, parent, site, (section: TaskSection) => {
      const { context } = section;
      return this._run(context, fn, self, values ?? [context]);
    });
  }

  /** @internal */
  _run<T>(context: Context, fn: (...values: never[]) => T, self: unknown, values: unknown[]): T {
    if (this._wantsStorage) {
      this._wantsStorage = false;
      this._storage = storage();
    }
    const before = this._running;
    this._running = context;
    try {
      const call = (): T => fn.apply(self, values as never[]);
      return this._storage === null ? call() : this._storage.run(context, call);
    } finally {
      this._running = before;
    }
  }
}

export interface Timer {
  [Symbol.dispose](): void;
}

/** A number that the core gave, where it is no code. */
function given(number: number): number {
  refused(number);
  return number;
}

type Callable = (...values: unknown[]) => unknown;
