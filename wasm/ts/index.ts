// What both entries export.

import { load, loadSync, type Source } from "./load.js";

export { DEFAULT_CATEGORY, type SaveOptions, type TimerOptions, type ViewOptions } from "./options.js";
export { Timer } from "./timer.js";
export type { Context, DetachedSection, TimeOptions } from "./context.js";
export type { Section } from "./section.js";
export type { Site } from "./site.js";
export type { Clock, ClockInfo } from "./clock.js";
export type { Snapshot, SnapshotSection } from "./snapshot.js";
export type { Track } from "./devtools.js";
export type { Source } from "./load.js";

/**
 * Loads the WebAssembly module, once: later calls wait for the first. Without a source it is fetched from
 * beside the package's code; in Node it is read from there, and needs no waiting.
 *
 * @param source where the `.wasm` is (URL, Request, Response), its bytes, or the compiled module
 * @throws Error that says what to do: a wrong address, other bytes, a content security policy without
 * `'wasm-unsafe-eval'`. A later call tries again.
 */
export default function init(source?: Source | Promise<Source>): Promise<void> {
  return load(source);
}

/** Loads the module at once, from its bytes or compiled. For workers that were handed them. */
export function initSync(source: BufferSource | WebAssembly.Module): void {
  loadSync(source);
}
