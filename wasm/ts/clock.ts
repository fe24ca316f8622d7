// The page's clock: how coarse it is, and what a section costs by it.

import { core } from "./core.js";
import { say } from "./text.js";

/** A clock of the caller's: for tests, and for times that another clock measures. */
export interface Clock {
  /** The time in milliseconds, from any beginning, never going back. */
  now(): number;
  /** How fine it is, in milliseconds: rows near it are marked. */
  quantumMs?: number;
}

/** What is known of a timer's clock. */
export interface ClockInfo {
  /** `performance.now`, or `custom`. */
  readonly name: string;
  /** The usual step of the clock in milliseconds; null where it is not known. */
  readonly quantumMs: number | null;
  /** Whether it can't tell microseconds, as in pages that are not isolated, and by 5 µs in those that are. */
  readonly coarse: boolean;
  /** What a section costs by this clock, in milliseconds; null where it is not known. */
  readonly pairMs: number | null;
}

let source: Performance;

/** Takes the platform's clock, once: in Node looking `performance` up costs a seventh of reading it. */
export function useClock(): void {
  source ??= performance;
}

/** `performance.now` as one function, so that engines inline it into every timer. */
export const now = (): number => source.now();

const STEPS = 15;
/** Readings of a clock that does not move: some milliseconds. */
const READINGS = 200_000;
/** A page's clock that never moved meanwhile is no finer than this; browsers that resist fingerprinting
 * have 16 or 100 ms. It is as coarse as the core can note. */
const COARSEST = 2;

/** The usual step from one reading to the next that differs: the median of 15. */
function quantumOf(read: () => number): number {
  const steps: number[] = [];
  let before = read();
  for (let left = READINGS; left > 0 && steps.length < STEPS; left--) {
    const after = read();
    if (after > before) steps.push(after - before);
    before = after;
  }
  steps.sort((a, b) => a - b);
  return Math.min(steps[steps.length >> 1] ?? COARSEST, COARSEST);
}

/** What entering and exiting adds, in milliseconds, measured over many quanta on a timer of its own. */
function pairOf(quantum: number): number {
  const timer = core.timer_new(1, 2, 2, 0, 64, 0, false);
  if (timer < 0) return 0;
  say("", "default");
  const site = core.site_new(timer);
  let cost = 0;
  for (let pairs = 512; pairs <= 32_768; pairs *= 4) {
    const start = now();
    for (let left = pairs; left > 0; left--) {
      core.exit(timer, core.enter(timer, site, now()), now());
    }
    const elapsed = now() - start;
    cost = elapsed / pairs;
    if (elapsed > 20 * quantum) break;
  }
  core.timer_free(timer);
  return cost;
}

let ofPage: ClockInfo | undefined;

/** What is known of a clock; that of the page is measured once. */
export function clockInfo(custom: Clock | undefined): ClockInfo {
  if (custom !== undefined) {
    const quantumMs = custom.quantumMs ?? null;
    return { name: "custom", quantumMs, coarse: (quantumMs ?? 0) >= 0.001, pairMs: null };
  }
  if (ofPage === undefined) {
    const quantumMs = quantumOf(now);
    const pairMs = pairOf(quantumMs);
    ofPage = { name: "performance.now", quantumMs, coarse: quantumMs >= 0.001, pairMs };
  }
  return ofPage;
}
