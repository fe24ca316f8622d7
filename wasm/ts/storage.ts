// Where the context of the running task is found: what the platform carries over every `await`.

import type { Context } from "./context.js";

/** A variable that belongs to a task; `AsyncContext.Variable` has this form. */
export interface Storage {
  get(): Context | undefined;
  run<T>(context: Context, fn: () => T): T;
}

let make: (() => Storage) | undefined;

/** Says how this platform carries contexts. Called by the entry; touches nothing. */
export function useStorage(chosen: () => Storage): void {
  make = chosen;
}

/** A new variable; null where neither platform nor engine has one. */
export function storage(): Storage | null {
  if (make !== undefined) return make();
  const own = (globalThis as { AsyncContext?: { Variable?: new () => Storage } }).AsyncContext;
  return typeof own?.Variable === "function" ? new own.Variable() : null;
}
