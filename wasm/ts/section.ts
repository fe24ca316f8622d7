/// <reference lib="esnext.disposable" preserve="true" />
// What callers hold of an open section.

/**
 * An open section. `using section = timer.section("load")` ends it with the block; elsewhere call `end()`
 * in a `finally`.
 */
export interface Section {
  /**
   * Ends the section and records it; called again it does nothing.
   *
   * @throws Error where sections inside it were left open: it was recorded, those were discarded and
   * counted as unclosed. The end of a `using` block counts them but does not throw.
   */
  end(): void;
  [Symbol.dispose](): void;
}
