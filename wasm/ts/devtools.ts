// Sections on a track of their own in the Performance panel of Chrome's developer tools.

import type { Site } from "./site.js";

/** Where sections are shown in Chrome's Performance panel. */
export interface Track {
  /** The track's name; `xtimer` unless said. */
  track?: string;
  /** The group that it is shown in. */
  group?: string;
}

/** What marks our entries: no page's own measure has this invisible character behind its name, so that
 * clearing by name takes ours alone. */
const OURS = "\u2063";

/** Shows one section, and leaves no entry behind in the page's timeline. */
export function mark(track: Track, site: Site, start: number, end: number): void {
  const name = site.name + OURS;
  const devtools = {
    dataType: "track-entry",
    track: track.track ?? "xtimer",
    ...(track.group === undefined ? {} : { trackGroup: track.group }),
    properties: [["category", site.category]],
  };
  try {
    performance.measure(name, { start, end, detail: { devtools } });
    performance.clearMeasures(name);
  } catch {
    // An engine without measures of its own span: there is no panel to show them in.
  }
}
