// Sections, records, rules, clear: what synchronous code sees.

import { equal, ManualClock, ok, rows, throws } from "./check.js";

const dispose = Symbol.dispose ?? Symbol.for("Symbol.dispose");

export const sections = {
  "sections nest and add up": ({ Timer }) => {
    const clock = new ManualClock();
    const timer = new Timer({ clock });
    for (let i = 0; i < 3; i++) {
      const step = timer.section("step");
      clock.advance(1);
      const load = timer.section("load", "io");
      clock.advance(2.5);
      load.end();
      step.end();
    }
    equal(rows(timer), ["step: 3 10.5 3 default", "step/load: 3 7.5 7.5 io"]);
    equal([timer.totalMs(), timer.categoryTotalMs("io"), timer.categoryTotalMs("none")], [10.5, 7.5, 0]);
  },

  "statistics are in milliseconds, to the nanosecond": ({ Timer }) => {
    const clock = new ManualClock();
    const timer = new Timer({ clock });
    for (const ms of [0.000001, 2, 4]) {
      const section = timer.section("a");
      clock.advance(ms);
      section.end();
    }
    const [row] = timer.snapshot().sections;
    equal([row.count, row.totalMs, row.minMs, row.maxMs, row.meanMs, row.stdMs],
      [3, 6.000001, 0.000001, 4, 2.000000333, 1.9999995]);
    equal([row.name, row.open, row.nearPrice, row.exceeded], ["a", 0, false, false]);
  },

  "end is idempotent, also as the end of a block": ({ Timer }) => {
    const clock = new ManualClock();
    const timer = new Timer({ clock });
    const section = timer.section("a");
    clock.advance(1);
    section.end();
    clock.advance(1);
    section.end();
    section[dispose]();
    const detached = timer.detached("b");
    clock.advance(1);
    detached.end();
    detached.end();
    detached[dispose]();
    equal(rows(timer), ["a: 1 1 1 default", "b: 1 1 1 default"]);
    equal(timer.snapshot().lost.not_open, 0);
  },

  "an open section shows as open": ({ Timer }) => {
    const clock = new ManualClock();
    const timer = new Timer({ clock });
    const section = timer.section("a");
    clock.advance(1);
    equal(timer.snapshot().sections.map((it) => [it.count, it.open]), [[0, 1]]);
    section.end();
  },

  "a site's tokens": ({ Timer }) => {
    const clock = new ManualClock();
    const timer = new Timer({ clock });
    const site = timer.site("a", "io");
    equal([site.name, site.category], ["a", "io"]);
    const token = site.enter();
    clock.advance(2);
    site.exit(token);
    equal(rows(timer), ["a: 1 2 2 io"]);
    throws(() => site.exit(token), /is not open \(it was ended before/);
    throws(() => site.exit(123_456_789), /is not open/);
    site.exit(-1);
    equal(timer.snapshot().lost.not_open, 2);
  },

  "an outer section that ends first": ({ Timer }) => {
    const clock = new ManualClock();
    const timer = new Timer({ clock });
    const outer = timer.section("outer");
    const inner = timer.section("inner");
    clock.advance(1);
    throws(() => outer.end(), /^'outer' exited while 'inner' was still active\.$/);
    throws(() => inner.end(), /is not open/);
    inner.end();
    const again = timer.section("outer");
    timer.section("inner");
    again[dispose]();
    equal(rows(timer).slice(0, 1), ["outer: 2 1 1 default"]);
    equal(timer.snapshot().lost.unclosed, 2);
  },

  "records": ({ Timer }) => {
    const timer = new Timer({ clock: new ManualClock() });
    const outer = timer.section("outer");
    timer.record("kernel", 1.5, { category: "gpu" });
    timer.record("kernel", 0, { category: "gpu" });
    outer.end();
    equal(rows(timer), ["outer: 1 0 0 default", "outer/kernel: 2 1.5 1.5 gpu"]);
    equal(timer.snapshot().sections.map((it) => it.exceeded), [true, false]);
    for (const ms of [-1, NaN, Infinity, 1e300]) {
      throws(() => timer.record("kernel", ms), /duration is negative, not a number, or too long/);
    }
    throws(() => timer.record("kernel", "1"), /duration must be a number of milliseconds/);
  },

  "a forbidden nesting": ({ Timer }) => {
    const timer = new Timer({ clock: new ManualClock() });
    timer.forbid("gpu", "io");
    const outer = timer.section("outer", "gpu");
    const sentence = /^Category 'io' is not allowed inside category 'gpu'\.$/;
    throws(() => timer.section("inner", "io"), sentence);
    throws(() => timer.site("inner", "io").enter(), sentence);
    throws(() => timer.time("inner", { category: "io" }, () => 1), sentence);
    throws(() => timer.record("inner", 1, { category: "io" }), sentence);
    throws(() => timer.detached("inner", "io"), sentence);
    const between = timer.section("between");
    timer.section("inner", "io").end();
    between.end();
    timer.clear();
    throws(() => timer.section("inner", "io"), sentence);
    timer.clearRules();
    timer.section("inner", "io").end();
    outer.end();
    equal(rows(timer), ["outer/inner: 1 0 0 io"]);
  },

  "categories: the last one counts, the empty one is its own": ({ Timer, DEFAULT_CATEGORY }) => {
    const timer = new Timer({ clock: new ManualClock() });
    timer.section("a", "x").end();
    timer.section("a", "y").end();
    timer.section("b", "").end();
    timer.section("c", DEFAULT_CATEGORY).end();
    equal(rows(timer), ["a: 2 0 0 y", "b: 1 0 0 ", "c: 1 0 0 default"]);
    equal(timer.snapshot().categoryTotalsMs, { "": 0, default: 0, y: 0 });
  },

  "clear drops timings, and what is open is not recorded": async ({ Timer }) => {
    const clock = new ManualClock();
    const timer = new Timer({ clock });
    timer.forbid("a", "b");
    const open = timer.section("open");
    const detached = timer.detached("task");
    clock.advance(1);
    timer.clear();
    const inner = timer.section("inner");
    clock.advance(2);
    inner.end();
    const child = detached.context.section("child");
    clock.advance(1);
    child.end();
    detached.end();
    open.end();
    equal(rows(timer), ["open/inner: 1 2 2 default", "open/task/child: 1 1 1 default"]);
    equal(timer.totalMs(), 3);
  },

  "switched off": ({ Timer }) => {
    const clock = new ManualClock();
    const timer = new Timer({ clock });
    timer.enabled = false;
    equal(timer.enabled, false);
    const section = timer.section("a");
    clock.advance(1);
    equal(timer.time("b", (context) => {
      context.section("c").end();
      timer.record("d", 1);
      return 7;
    }), 7);
    timer.enabled = true;
    section.end();
    equal([rows(timer), timer.report()], [[], ""]);
    timer.section("a").end();
    equal(rows(timer), ["a: 1 0 0 default"]);
  },

  "counted sections are united unless asked not to": ({ Timer }) => {
    const timer = new Timer({ clock: new ManualClock() });
    for (let i = 0; i < 3; i++) timer.section(`step[${i}]`).end();
    equal(rows(timer), ["step: 3 0 0 default"]);
    equal(rows(timer, { flatten: false }), [0, 1, 2].map((i) => `step[${i}]: 1 0 0 default`));
    ok(timer.report({ flatten: false }).includes("step[2]"), "the report has the counters");
  },

  "names are any text": ({ Timer }) => {
    const timer = new Timer({ clock: new ManualClock() });
    const names = ["a/b", "", "ä\0ß", "\u{1F600}", "__proto__", "\ufeffx", "x".repeat(1000)];
    for (const name of names) {
      timer.section(name, name).end();
      timer.section(name, name).end();
    }
    const snapshot = timer.snapshot();
    equal(snapshot.sections.map((it) => [it.name, it.category, it.count]), names.map((name) => [name, name, 2]));
    equal(Object.keys(snapshot.categoryTotalsMs).sort(), [...names].sort());
    equal(Object.getPrototypeOf(snapshot.categoryTotalsMs) === Object.prototype, true);
    equal(JSON.parse(timer.exportJson()).sections.map((it) => it.name), names);
  },

  "more names than there is room for are counted, and memory stays": ({ Timer }) => {
    const timer = new Timer({ clock: new ManualClock(), sections: 4, nameBytes: 512 });
    const name = (i) => `name ${i}`;
    for (let i = 0; i < 100; i++) timer.section(name(i), "io").end();
    const kept = timer.site(name(100), "io");
    const timed = timer.timerify(() => 1, { name: name(101), category: "io" });
    for (let i = 102; i < 200; i++) timer.section(name(i), "io").end();
    kept.section().end();
    timed();
    const { sections: found, lost } = timer.snapshot();
    equal([found.length, lost.no_slot], [4, 196]);
    equal(JSON.parse(timer.exportJson()).lost.without_slot.io.count, 196);
    timer.free();

    // Beyond what is remembered: two names for one section, whose sites are not mixed up.
    const roomy = new Timer({ clock: new ManualClock(), sections: 2 });
    for (let i = 0; i < 8; i++) roomy.section("a", `${i}`).end();
    const [first, second] = [roomy.site("b", "x"), roomy.site("b", "y")];
    for (let i = 8; i < 20; i++) roomy.section("a", `${i}`).end();
    first.section().end();
    equal(rows(roomy)[1], "b: 1 0 0 x");
    second.section().end();
    equal(rows(roomy)[1], "b: 2 0 0 y");
  },

  "deeper than the stack holds": ({ Timer }) => {
    const timer = new Timer({ clock: new ManualClock(), depth: 2 });
    const open = ["a", "b", "c"].map((name) => timer.section(name));
    for (const section of open.reverse()) section.end();
    equal(rows(timer), ["a: 1 0 0 default", "a/b: 1 0 0 default"]);
    equal(timer.snapshot().lost.too_deep, 1);
  },

  "JSON and report": ({ Timer }) => {
    const clock = new ManualClock();
    const timer = new Timer({ clock });
    timer.time("load", { category: "io" }, () => clock.advance(1500));
    const exported = JSON.parse(timer.exportJson());
    equal(exported.sections[0].time, 1.5);
    equal(JSON.parse(timer.exportJson({ indent: 2 })), exported);
    ok(timer.exportJson({ indent: 2 }).includes('\n  "'), "indented");
    ok(/^load +1\.500 s +100\.0% +1 +1\.500 s +io$/m.test(timer.report()), timer.report());
    ok(timer.report().includes("\nclock  custom,"), timer.report());
    throws(() => timer.exportJson({ indent: -1 }), /indent is -1; it must be 0 to 16/);
  },

  "bad input is an Error, and everything works afterwards": ({ Timer, initSync }) => {
    const timer = new Timer({ clock: new ManualClock() });
    throws(() => timer.section(5), /^A name must be a string, not the number 5\.$/);
    throws(() => timer.section(undefined), /^A name must be a string, not undefined\.$/);
    throws(() => timer.section(null), /not null/);
    throws(() => timer.section({}), /not an object/);
    throws(() => timer.section(Symbol("x")), /not the symbol/);
    throws(() => timer.section("a", 5), /^A category must be a string/);
    throws(() => timer.section("a\ud800"), /^A name has a lone surrogate: "a\\ud800"/);
    throws(() => timer.section("a", "\udc00b"), /^A category has a lone surrogate/);
    throws(() => timer.time("a"), /must be a function/);
    throws(() => timer.time("a", "io", () => 1), /options must be an object/);
    throws(() => timer.time("a", { category: 1 }, () => 1), /A category must be a string/);
    throws(() => timer.timerify(3), /must be a function/);
    throws(() => timer.timerify(() => 1), /has no name; give \{ name \}/);
    throws(() => timer.forbid("a"), /A category must be a string/);
    throws(() => timer.categoryTotalMs(), /A category must be a string/);
    throws(() => new Timer({ sections: 0 }), /^sections is 0; it must be 1 to \d+ with so many categories\.$/);
    throws(() => new Timer({ depth: 1.5 }), /^depth is 1\.5; it must be a whole number\.$/);
    throws(() => new Timer({ sections: -1 }), /^sections is -1/);
    throws(() => new Timer({ clock: {} }), /clock\.now must be a function/);
    throws(() => timer.record("a\ud800", 1), /lone surrogate/);
    timer.section("a").end();
    equal(rows(timer), ["a: 1 0 0 default"]);
  },

  "a freed timer": ({ Timer }) => {
    const timer = new Timer({ clock: new ManualClock() });
    const site = timer.site("a");
    const open = timer.section("open");
    const detached = timer.detached("task");
    timer.free();
    timer.free();
    const other = new Timer({ clock: new ManualClock() });
    other.site("b");
    for (const call of [
      () => timer.section("a"), () => site.enter(), () => timer.snapshot(), () => timer.report(),
      () => timer.totalMs(), () => timer.categoryTotalMs("x"), () => timer.time("a", () => 1),
      () => timer.site("new"), () => timer.clear(), () => timer.record("a", 1), () => open.end(),
      () => detached.end(), () => timer.forbid("a", "b"),
    ]) {
      throws(call, /^This timer was freed; make a new one\.$/);
    }
    equal(rows(other), []);
  },

  "the clock tells how coarse it is, and rows near it are marked": ({ Timer }) => {
    const timer = new Timer();
    const { name, quantumMs, pairMs } = timer.clock;
    equal(name, "performance.now");
    ok(quantumMs > 0 && quantumMs <= 2, `quantum ${quantumMs}`);
    ok(pairMs > 0 && pairMs < 1, `pair ${pairMs}`);
    equal(timer.clock.coarse, quantumMs >= 0.001);
    timer.record("near", quantumMs * 2);
    timer.record("far", quantumMs * 5 + pairMs * 5);
    const { sections: found, overhead } = timer.snapshot();
    equal(found.map((it) => it.nearPrice), [true, false]);
    ok(Math.abs(overhead.quantumMs - quantumMs) < 1e-6 && Math.abs(overhead.pairMs - pairMs) < 1e-6,
      JSON.stringify(overhead));
    const custom = new Timer({ clock: { now: () => 0, quantumMs: 1 } });
    equal(custom.clock, { name: "custom", quantumMs: 1, coarse: true, pairMs: null });
    custom.record("near", 3);
    custom.record("far", 5);
    equal(custom.snapshot().sections.map((it) => it.nearPrice), [true, false]);
  },

  "a clock that goes back counts as zero": ({ Timer }) => {
    const clock = new ManualClock();
    const timer = new Timer({ clock });
    const section = timer.section("a");
    clock.advance(-1);
    section.end();
    equal([rows(timer), timer.snapshot().lost.steps_back], [["a: 1 0 0 default"], 1]);
  },

  "sections inside what reads the timer don't throw": ({ Timer }) => {
    const timer = new Timer({ clock: new ManualClock() });
    const seen = [];
    const outer = timer.time("a", () => {
      seen.push(...rows(timer));
      return timer.time("b", () => timer.timerify(function c() {
        timer.section("d").end();
        return 4;
      })());
    });
    equal([outer, seen], [4, ["a: 0 0 0 default"]]);
    equal(timer.snapshot().sections.map((it) => it.path.join("/")), ["a", "a/b", "a/b/c", "a/b/c/d"]);
  },
};
