// A call site: a name and category that were handed to the core once.

import { core } from "./core.js";
import { dispose, refused } from "./check.js";
import { mark } from "./devtools.js";
import type { Section } from "./section.js";
import type { Timer } from "./timer.js";

/**
 * A name and category, ready to be entered without looking anything up: for the innermost loops.
 *
 * ```js
 * const load = timer.site("load", "io");
 * const token = load.enter();
 * try { … } finally { load.exit(token); }
 * ```
 */
export class Site {
  /** The section's name. */
  readonly name: string;
  /** The category that it is entered with. */
  readonly category: string;
  /** @internal */ readonly _timer: Timer;
  /** @internal */ readonly _number: number;
  /** @internal the timer's number and clock, kept near. */ readonly _of: number;
  /** @internal */ readonly _now: () => number;

  /** @internal */
  constructor(timer: Timer, number: number, name: string, category: string) {
    this._timer = timer;
    this._of = timer._number;
    this._now = timer._now;
    this._number = number;
    this.name = name;
    this.category = category;
  }

  /**
   * Enters the section on the timer's own stack and gives a token for `exit`. For synchronous code: a
   * token's section must not stay open over an `await`. Costs two clock reads a pair and little more;
   * makes no garbage.
   *
   * @throws Error with the rule's sentence where the nesting is forbidden.
   */
  enter(): number {
    const token = core.enter(this._of, this._number, this._now());
    return token < -1 ? this._timer._notEntered() : token;
  }

  /**
   * Exits the section of a token and records it. A token of a section that was not entered is ignored.
   *
   * @throws Error where the section is not open, or where sections inside it were left open: then it was
   * recorded and those were discarded.
   */
  exit(token: number): void {
    const code = core.exit(this._of, token, this._now());
    if (code !== 0) refused(code);
  }

  /** Opens the section where the code runs, as `timer.section` does. */
  section(): Section {
    return this._timer._open(this);
  }
}

/** @internal a section on the timer's own stack. */
export class StackSection implements Section {
  private _token: number;
  private readonly _site: Site;
  private readonly _start: number;

  constructor(site: Site) {
    this._site = site;
    const start = site._now();
    this._start = start;
    const token = core.enter(site._of, site._number, start);
    this._token = token < -1 ? site._timer._notEntered() : token;
  }

  end(): void {
    const token = this._token;
    if (token < 0) return;
    this._token = -1;
    const { _site: site } = this;
    const now = site._now();
    const code = core.exit(site._of, token, now);
    if (site._timer._track !== null) mark(site._timer._track, site, this._start, now);
    if (code !== 0) refused(code);
  }

  [dispose](): void {
    try {
      this.end();
    } catch {
      // Counted as unclosed in the report; an error on its way out of the block is not covered up.
    }
  }
}
