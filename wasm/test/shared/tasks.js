// Functions and tasks: what is timed over an await, and what interleaves.

import { equal, ManualClock, ok, rejects, rows, throws, turn } from "./check.js";

export const tasks = {
  "time spans the await, and gives what the function gives": async ({ Timer }) => {
    const clock = new ManualClock();
    const timer = new Timer({ clock });
    equal(timer.time("plain", () => {
      clock.advance(1);
      return 5;
    }), 5);
    equal(await timer.time("async", { category: "net" }, async () => {
      clock.advance(2);
      await turn();
      clock.advance(3);
      return 6;
    }), 6);
    equal(rows(timer), ["plain: 1 1 1 default", "async: 1 5 5 net"]);
  },

  "throws and rejects still record": async ({ Timer }) => {
    const clock = new ManualClock();
    const timer = new Timer({ clock });
    throws(() => timer.time("plain", () => {
      clock.advance(1);
      throw new Error("mine");
    }), /^mine$/);
    await rejects(timer.time("async", async () => {
      await turn();
      clock.advance(2);
      throw new Error("mine too");
    }), /^mine too$/);
    await rejects(timer.time("thenable", () => ({
      then: (_, reject) => queueMicrotask(() => reject(new Error("theirs"))),
    })), /^theirs$/);
    equal(rows(timer), ["plain: 1 1 1 default", "async: 1 2 2 default", "thenable: 1 0 0 default"]);
  },

  "plain functions nest on the timer's stack": ({ Timer }) => {
    const clock = new ManualClock();
    const timer = new Timer({ clock });
    const outer = timer.section("outer");
    clock.advance(1);
    timer.time("timed", () => {
      clock.advance(2);
      const inner = timer.section("inner");
      clock.advance(4);
      inner.end();
    });
    outer.end();
    equal(rows(timer), ["outer: 1 7 1 default", "outer/timed: 1 6 2 default", "outer/timed/inner: 1 4 4 default"]);
  },

  "timerify keeps this, arguments, name, length and result": async ({ Timer }) => {
    const clock = new ManualClock();
    const timer = new Timer({ clock });
    const object = {
      base: 10,
      add(a, b) {
        clock.advance(1);
        return this.base + a + b;
      },
    };
    const add = timer.timerify(object.add, { category: "math" });
    equal([add.call(object, 1, 2), add.name, add.length], [13, "add", 2]);
    const slow = timer.timerify(async (value) => {
      await turn();
      clock.advance(2);
      return value;
    }, { name: "slow" });
    equal(await slow(3), 3);
    equal(rows(timer), ["add: 1 1 1 math", "slow: 1 2 2 default"]);
  },

  "what a task waited for is not its own time": async ({ Timer }) => {
    const clock = new ManualClock();
    const timer = new Timer({ clock });
    await timer.time("request", async (context) => {
      clock.advance(1);
      await context.time("query", async () => {
        await turn();
        clock.advance(10);
      });
      clock.advance(2);
      // Two that overlap: what either of them covers is counted once.
      const [a, b] = [context.detached("a"), context.detached("b")];
      clock.advance(3);
      a.end();
      clock.advance(4);
      b.end();
      clock.advance(5);
    });
    equal(rows(timer), [
      "request: 1 25 8 default", "request/query: 1 10 10 default",
      "request/a: 1 3 3 default", "request/b: 1 7 7 default",
    ]);
  },

  "a thousand interleaved tasks nest by explicit contexts": async ({ Timer }) => {
    const clock = new ManualClock();
    const timer = new Timer({ clock, asyncContext: false });
    await interleave(1000, (index) =>
      timer.time(`task ${index % 4}`, async (context) => {
        await turns(index % 3);
        const outer = context.section("outer", "io");
        await turns(index % 5);
        await context.time("inner", async (within) => {
          await turns(index % 2);
          const deepest = within.section("deepest");
          clock.advance(0.001);
          await turn();
          deepest.end();
        });
        outer.end();
      }));
    checkTree(timer);
  },

  "sections that are on no stack end in any order": ({ Timer }) => {
    const clock = new ManualClock();
    const timer = new Timer({ clock });
    const a = timer.detached("a", "x");
    const b = timer.detached("b", "x");
    const inner = a.context.section("inner");
    clock.advance(1);
    a.end();
    clock.advance(1);
    inner.end();
    b.end();
    // Its section has ended; what opens in its context later is still beneath it.
    a.context.section("late").end();
    equal(rows(timer), ["a: 1 1 0 x", "a/inner: 1 2 2 default", "a/late: 1 0 0 default", "b: 1 2 2 x"]);
  },

  "run makes a context current, contexts nest": ({ Timer }) => {
    const timer = new Timer({ clock: new ManualClock() });
    const outer = timer.section("outer");
    const context = timer.context();
    equal(context.timer === timer, true);
    equal(context.run((same) => {
      equal(same === context, true);
      timer.section("a").end();
      context.run(() => timer.section("b").end());
      const open = context.section("c");
      timer.context().section("d").end();
      timer.record("e", 1);
      open.end();
      return 9;
    }), 9);
    timer.section("f").end();
    outer.end();
    equal(timer.snapshot().sections.map((it) => it.path.join("/")),
      ["outer", "outer/a", "outer/b", "outer/c", "outer/c/d", "outer/c/e", "outer/f"]);
    throws(() => context.run(1), /must be a function/);
  },

  "a task's outer section that ends first": ({ Timer }) => {
    const clock = new ManualClock();
    const timer = new Timer({ clock });
    const context = timer.context();
    const outer = context.section("outer");
    const middle = context.section("middle");
    context.section("inner").end();
    const inner = context.section("inner");
    clock.advance(1);
    throws(() => outer.end(), /^'outer' exited while 'inner' was still active\.$/);
    middle.end();
    inner.end();
    context.section("next").end();
    equal(rows(timer), [
      "outer: 1 1 1 default", "outer/middle: 0 0 0 default", "outer/middle/inner: 1 0 0 default",
      "next: 1 0 0 default",
    ]);
    equal(timer.snapshot().lost.unclosed, 2);
  },

  "rules hold in tasks": ({ Timer }) => {
    const timer = new Timer({ clock: new ManualClock() });
    timer.forbid("gpu", "io");
    const context = timer.detached("outer", "gpu").context;
    throws(() => context.section("inner", "io"), /^Category 'io' is not allowed inside category 'gpu'\.$/);
    context.section("inner", "cpu").end();
    equal(timer.snapshot().lost.refused, 1);
  },

  "a real clock goes forward": async ({ Timer }) => {
    const timer = new Timer();
    await timer.time("wait", () => new Promise((resolve) => setTimeout(resolve, 20)));
    const [row] = timer.snapshot().sections;
    ok(row.totalMs > 15 && row.totalMs < 5000, `${row.totalMs} ms`);
  },
};

/** Starts `count` tasks at once and waits for all. */
export const interleave = (count, task) =>
  Promise.all(Array.from({ length: count }, (_, index) => task(index)));

export const turns = async (count) => {
  for (let i = 0; i < count; i++) await turn();
};

/** What `interleave` of a thousand must have left. */
export function checkTree(timer) {
  const paths = [0, 1, 2, 3].flatMap((i) => {
    const task = `task ${i}`;
    return [task, `${task}/outer`, `${task}/outer/inner`, `${task}/outer/inner/deepest`];
  });
  const { sections, lost } = timer.snapshot();
  equal(sections.map((it) => it.path.join("/")).sort(), paths.sort());
  for (const it of sections) equal(it.count, 250, it.path.join("/"));
  equal(Object.entries(lost).filter(([, count]) => count > 0), []);
}
