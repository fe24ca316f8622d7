// Contexts of tasks: each has a stack of its own, so that tasks interleave and still nest.

import { core } from "./core.js";
import { callable, dispose, isThenable, refused, text } from "./check.js";
import { mark } from "./devtools.js";
import type { Section } from "./section.js";
import type { Site } from "./site.js";
import type { Timer } from "./timer.js";

/** How a function is timed. */
export interface TimeOptions {
  /** The section's category; without it, `default`. */
  category?: string;
}

/**
 * The open sections of one task. What it opens nests beneath the section that the task was started in,
 * whatever other tasks do meanwhile.
 *
 * `timer.time` and `timer.detached` make one and hand it over; in Node, code that runs in the task finds
 * it by itself.
 */
export class Context {
  /** The timer that it belongs to. */
  readonly timer: Timer;
  /** @internal the section that the task was started in; 0 at the top. */ readonly _base: number;
  /** @internal that section, while it is open and held by a task. */ readonly _owner: TaskSection | null;
  /** @internal */ _top: TaskSection | null = null;

  /** @internal */
  constructor(timer: Timer, base: number, owner: TaskSection | null) {
    this.timer = timer;
    this._base = base;
    this._owner = owner;
  }

  /** Opens a section in this task; as {@link Timer.section}. */
  section(name: string, category?: string): Section {
    return this._open(this.timer._site(name, category));
  }

  /** Times a function in a task beneath this one; as {@link Timer.time}. */
  time<T>(name: string, fn: (context: Context) => T): T;
  time<T>(name: string, options: TimeOptions | undefined, fn: (context: Context) => T): T;
  time<T>(name: string, options: unknown, fn?: unknown): T {
    return this.timer._time<T>(this, name, options, fn);
  }

  /** Opens a section that is on no stack, with a context of its own; as {@link Timer.detached}. */
  detached(name: string, category?: string): DetachedSection {
    return this._detached(this.timer._site(name, category));
  }

  /** Adds a duration in milliseconds measured elsewhere, beneath this task's innermost section. */
  record(name: string, ms: number, options?: TimeOptions): void {
    this.timer._record(this, name, ms, options);
  }

  /** Another context beneath this one's innermost section: for a task that runs beside it. */
  context(): Context {
    return new Context(this.timer, this._section, this._over);
  }

  /**
   * Runs a function in this context: what it opens through the timer, until it returns, and in Node over
   * every `await`, belongs to this task.
   */
  run<T>(fn: (context: Context) => T): T {
    return this.timer._run(this, callable(fn, "run(): what is run"), undefined, [this]);
  }

  /** @internal the innermost open section's number. */
  get _section(): number {
    return this._top === null ? this._base : this._top._section;
  }

  /** @internal the section that is open around what is opened next. */
  get _over(): TaskSection | null {
    return this._top ?? this._owner;
  }

  /** @internal */
  _open(site: Site): TaskSection {
    return new TaskSection(this.timer, site, this._section, this, this._over);
  }

  /** @internal */
  _detached(site: Site): TaskSection {
    return new TaskSection(this.timer, site, this._section, null, this._over);
  }
}

/** A section on no stack: it may end in another callback than it began in, in any order. */
export interface DetachedSection extends Section {
  /** The context for what runs inside it. */
  readonly context: Context;
}

/** @internal a section that a task holds. */
export class TaskSection implements DetachedSection {
  readonly _section: number;
  readonly _start: number;
  /** The clears before it began. */
  private readonly _epoch: number;
  /** On whose stack it is; null for none. */
  private readonly _on: Context | null;
  private readonly _below: TaskSection | null;
  /** The open section around it, whose own time stands still while this one is open. */
  private _over: TaskSection | null;
  private readonly _timer: Timer;
  private readonly _site: Site;
  private _context: Context | undefined;
  private _ended: boolean;
  /** Open sections directly inside it, since when, and how long there were any before. */
  private _inside = 0;
  private _since = 0;
  private _covered = 0;

  constructor(timer: Timer, site: Site, parent: number, on: Context | null, over: TaskSection | null) {
    const start = timer._now();
    const section = core.task_enter(timer._number, site._number, parent, start);
    if (section < -1) timer._notEntered();
    this._ended = section < 0;
    // Switched off: what is opened inside counts as opened in what is around it.
    this._section = section < 0 ? parent : section;
    this._start = start;
    this._epoch = timer._clears;
    this._timer = timer;
    this._site = site;
    this._on = this._ended ? null : on;
    this._below = on === null ? null : on._top;
    this._over = over;
    if (this._ended) return;
    if (on !== null) on._top = this;
    if (over !== null && over._inside++ === 0) over._since = start;
  }

  get context(): Context {
    this._context ??= new Context(this._timer, this._section, this);
    return this._context;
  }

  get _isOpen(): boolean {
    return !this._ended;
  }

  end(): void {
    if (!this._ended) refused(this._close(this._timer._now()));
  }

  [dispose](): void {
    if (!this._ended) this._close(this._timer._now());
  }

  /** Ends it at `now`; a code below 0 where something inside it was left open. Its duration is known. */
  _close(now: number): number {
    const timer = this._timer;
    const unclosed = this._on === null ? 0 : this._discardAbove(this._on, now);
    if (this._inside > 0) this._covered += now - this._since;
    this._leave(now, now - (this._over?._since ?? 0));
    if (this._on !== null) this._on._top = this._below;
    const { _section: section, _start: start, _epoch: epoch, _covered: covered } = this;
    const code = core.task_exit(timer._number, section, start, epoch, covered, now);
    if (timer._track !== null) mark(timer._track, this._site, start, now);
    return code < -1 ? code : unclosed;
  }

  /** Marks it as ended; the section around it was covered for `covered` if this was the last inside. */
  private _leave(now: number, covered: number): void {
    this._ended = true;
    const over = this._over;
    // A context outlives its section, which must not hold on to all that it was ever nested in.
    this._over = null;
    if (over !== null && !over._ended && --over._inside === 0) over._covered += covered;
  }

  /** Takes off what is still open above it on its stack. */
  private _discardAbove(on: Context, now: number): number {
    const top = on._top;
    if (top === this || top === null) return 0;
    let count = 0;
    for (let open: TaskSection | null = top; open !== null && open !== this; open = open._below) {
      // What was closed inside it was nested in what is around it; its own time was not.
      const inside = open._covered + (open._inside > 0 ? now - open._since : 0);
      open._leave(now, inside);
      count++;
    }
    return core.task_unclosed(this._timer._number, this._section, top._section, count);
  }
}

/** @internal times a call in a task of its own beneath `parent` (null: the timer's stack). */
export function timeCall<T>(
  timer: Timer,
  parent: Context | null,
  site: Site,
  call: (section: TaskSection) => T,
): T {
  const section = parent === null
    ? new TaskSection(timer, site, core.current(timer._number), null, null)
    : parent._detached(site);
  let result: T;
  try {
    result = call(section);
  } catch (error) {
    atOnce(timer, parent, section);
    throw error;
  }
  if (!isThenable(result)) {
    atOnce(timer, parent, section);
    return result;
  }
  // Another library's promise is made one of the engine's: its `then` may give nothing.
  return (result instanceof Promise ? result : Promise.resolve(result)).then(
    (value: unknown) => {
      section[dispose]();
      return value;
    },
    (error: unknown) => {
      section[dispose]();
      throw error;
    },
  ) as T;
}

/** Ends a section whose function returned without waiting: it was nested on the timer's stack. */
function atOnce(timer: Timer, parent: Context | null, section: TaskSection): void {
  if (!section._isOpen) return;
  const now = timer._now();
  section._close(now);
  if (parent === null) core.nest(timer._number, now - section._start);
}

/** @internal category and function, from arguments that may leave the options out. */
export function timeArguments(options: unknown, fn: unknown): [string | undefined, () => unknown] {
  if (fn === undefined) return [undefined, callable(options as () => unknown, "time(): what is timed")];
  return [categoryOf(options), callable(fn as () => unknown, "time(): what is timed")];
}

/** @internal the category in options. */
export function categoryOf(options: unknown): string | undefined {
  if (options === undefined) return undefined;
  if (typeof options !== "object" || options === null) {
    throw new TypeError("The options must be an object such as { category: \"io\" }.");
  }
  const { category } = options as TimeOptions;
  return category === undefined ? undefined : text(category, "A category");
}
