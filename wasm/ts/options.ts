// How a timer is made, shown and saved.

import type { Clock } from "./clock.js";
import type { Track } from "./devtools.js";

/** The category of sections entered without one. */
export const DEFAULT_CATEGORY = "default";

/** How a timer is made. Capacities are fixed; what does not fit is counted and shown. */
export interface TimerOptions {
  /** Distinct section paths: 1024 unless said, at about 270 bytes each. */
  sections?: number;
  /** Sections open at once on the timer's own stack: 256 unless said, at 32 bytes each. */
  depth?: number;
  /** Distinct categories: 64 unless said, at about 700 bytes each. */
  categories?: number;
  /** Forbidden nestings: 64 unless said, at 4 bytes each. */
  rules?: number;
  /** Bytes of all distinct names, with 12 more for each: 65,536 unless said. */
  nameBytes?: number;
  /** Durations that are kept one by one, the newest of them: 0 unless said, at 16 bytes each. */
  samples?: number;
  /**
   * Whether code that runs in a task finds its context by itself over every `await`, where the platform
   * can (AsyncLocalStorage in Node, AsyncContext where an engine has it). True unless said. False is
   * faster; then the context is handed on as `ctx`.
   */
  asyncContext?: boolean;
  /** Shows sections on a track of Chrome's Performance panel. A few microseconds a section: off unless said. */
  devtools?: boolean | Track;
  /** A clock other than `performance.now`. */
  clock?: Clock;
}

/** How a snapshot is shown. */
export interface ViewOptions {
  /** Whether counted sections, `step[3]`, are united as `step`. */
  flatten?: boolean;
  /** Spaces to indent JSON by; 0 for one line. */
  indent?: number;
}

/** What a saved profile says of where it comes from. */
export interface SaveOptions {
  /** The number of the worker, or of the process: 0 unless said. */
  rank?: number;
  /** A text for people. */
  label?: string;
}

/** @internal The capacities in the order of the core, and what each is unless said. */
export const CAPACITIES = [
  ["sections", 1024], ["depth", 256], ["categories", 64], ["rules", 64], ["nameBytes", 65_536], ["samples", 0],
] as const;

/** @internal A whole number of 32 bits. */
export function whole(value: number, what: string): number {
  if (value !== value >>> 0) throw new RangeError(`${what} is ${String(value)}; it must be a whole number.`);
  return value;
}
