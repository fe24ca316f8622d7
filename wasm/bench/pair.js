// What a pair of enter and exit costs, side by side: batches alternate, so that each meets the same
// machine, and the cheapest batch of each counts, since interruptions only add.

const BATCH = 5_000;
const ROUNDS = 60;
/** User timings leave an entry each behind, so theirs is a longer run: what they cost shows as they pile up. */
const MARKS = 50_000;
const MARK_ROUNDS = 2;

/** Nanoseconds a pair of each way, from one run. */
export function measure(Timer) {
  const timer = new Timer({ asyncContext: false });
  const site = timer.site("site", "io");
  const kept = performance; // as the timer does: looking it up is not free
  const ways = {
    "two performance.now()": () => {
      let sum = 0;
      for (let i = 0; i < BATCH; i++) {
        sum -= performance.now();
        sum += performance.now();
      }
      return sum;
    },
    "the same, kept": () => {
      let sum = 0;
      for (let i = 0; i < BATCH; i++) {
        sum -= kept.now();
        sum += kept.now();
      }
      return sum;
    },
    "site.enter, site.exit": () => {
      for (let i = 0; i < BATCH; i++) site.exit(site.enter());
    },
    "timer.section, end": () => {
      for (let i = 0; i < BATCH; i++) timer.section("section", "io").end();
    },
    "mark, measure": () => {
      for (let i = 0; i < MARKS; i++) {
        performance.mark("a");
        performance.measure("m", "a");
      }
    },
  };
  const best = Object.fromEntries(Object.keys(ways).map((name) => [name, Infinity]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, way] of Object.entries(ways)) {
      const isMark = name === "mark, measure";
      if (isMark && round >= MARK_ROUNDS) continue;
      const start = performance.now();
      way();
      const ns = ((performance.now() - start) / (isMark ? MARKS : BATCH)) * 1e6;
      best[name] = Math.min(best[name], ns);
      if (!isMark) continue;
      performance.clearMarks();
      performance.clearMeasures();
    }
  }
  const outer = timer.section("outer");
  outer.end();
  const counted = timer.snapshot().sections.reduce((sum, section) => sum + section.count, 0);
  if (counted !== 2 * BATCH * ROUNDS + 1) throw new Error(`${counted} sections were counted`);
  timer.free();
  return best;
}

/** The figures as a table. */
export function table(best) {
  const floor = best["two performance.now()"];
  const row = ([name, ns]) =>
    `${name.padEnd(24)}${ns.toFixed(1).padStart(8)} ns  ${(ns - floor).toFixed(1).padStart(7)} above two reads`;
  return Object.entries(best).map(row).join("\n");
}
