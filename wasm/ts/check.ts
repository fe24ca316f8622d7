// Checks of what callers hand in, and the errors of the core.

import { answer } from "./text.js";

/** The core's sentence as an error, where `code` says that a call was refused. */
export function refused(code: number): void {
  if (code < -1) throw new Error(answer());
}

/** A name or category as the core takes it: a well-formed string. */
export function text(value: unknown, what: string): string {
  if (typeof value !== "string") {
    throw new TypeError(`${what} must be a string, not ${shown(value)}.`);
  }
  if (!isWellFormed(value)) {
    throw new TypeError(`${what} has a lone surrogate: ${JSON.stringify(value)} is not Unicode text.`);
  }
  return value;
}

/** A function to time. */
export function callable<F>(value: F, what: string): F {
  if (typeof value !== "function") {
    throw new TypeError(`${what} must be a function, not ${shown(value)}.`);
  }
  return value;
}

/** Whether a value settles later. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return value !== null && (typeof value === "object" || typeof value === "function")
    && typeof (value as PromiseLike<unknown>).then === "function";
}

/** `Symbol.dispose`, or what compilers use in engines that lack it. */
export const dispose: typeof Symbol.dispose =
  Symbol.dispose ?? (Symbol.for("Symbol.dispose") as typeof Symbol.dispose);

function isWellFormed(value: string): boolean {
  const own = (value as { isWellFormed?: () => boolean }).isWellFormed;
  return own ? own.call(value) : !/\p{Surrogate}/u.test(value);
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return typeof value === "object" ? "an object" : `the ${typeof value} ${String(value)}`;
}
