// The shared tests in Node, and what Node alone can do.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import * as xtimer from "xtimer-wasm";
import init from "xtimer-wasm";
import * as profile from "xtimer-wasm/profile";
import { ManualClock, rows, turn } from "./shared/check.js";
import { profiles } from "./shared/profiles.js";
import { sections } from "./shared/sections.js";
import { checkTree, interleave, tasks, turns } from "./shared/tasks.js";
import { vectors } from "./shared/vectors.js";

const { Timer } = xtimer;
const node = (code) =>
  promisify(execFile)(process.execPath, ["--input-type=module", "-e", code], { cwd: import.meta.dirname });

for (const [name, body] of Object.entries({ ...sections, ...tasks, ...profiles })) {
  test(name, () => body(xtimer, profile, vectors));
}

test("init is not needed, and harmless before and after", async () => {
  await init();
  await init("anything");
  const { stdout } = await node(`
    import init, { Timer } from "xtimer-wasm";
    new Timer().section("a").end();
    await init();
    const url = import.meta.resolve("xtimer-wasm/xtimer.wasm");
    await init(new URL(url));
    console.log("done");
  `);
  assert.equal(stdout, "done\n");
});

test("init takes a URL, bytes, a module, a promise, a response", async () => {
  const give = {
    url: `new URL(url)`,
    bytes: `readFileSync(new URL(url))`,
    buffer: `readFileSync(new URL(url)).buffer.slice(0)`,
    module: `new WebAssembly.Module(readFileSync(new URL(url)))`,
    promise: `Promise.resolve(new WebAssembly.Module(readFileSync(new URL(url))))`,
    response: `new Response(readFileSync(new URL(url)))`,
  };
  for (const [kind, source] of Object.entries(give)) {
    // The entry for browsers: nothing is loaded behind one's back.
    const { stdout } = await node(`
      import { readFileSync } from "node:fs";
      import init, { Timer } from "../dist/web.js";
      const url = import.meta.resolve("xtimer-wasm/xtimer.wasm");
      const source = ${kind === "url" ? `readFileSync(new URL(url))` : source};
      await Promise.all([init(source), init(source)]);
      new Timer().section("a").end();
      console.log("done");
    `);
    assert.equal(stdout, "done\n", kind);
  }
});

test("importing does nothing, in either entry", async () => {
  const { stdout } = await node(`
    const before = JSON.stringify(Object.getOwnPropertyNames(globalThis));
    let touched = 0;
    const { WebAssembly, fetch } = globalThis;
    globalThis.WebAssembly = new Proxy({}, { get() { touched++; } });
    globalThis.fetch = () => { touched++; };
    globalThis.performance = new Proxy({}, { get() { touched++; } });
    await import("../dist/node.js");
    const web = await import("../dist/web.js");
    Object.assign(globalThis, { WebAssembly, fetch });
    let said;
    try { new web.Timer(); } catch (error) { said = error.message; }
    console.log(touched, before === JSON.stringify(Object.getOwnPropertyNames(globalThis)), said);
  `);
  assert.equal(
    stdout,
    "0 true xtimer-wasm is not initialised: `await init()` (the default export) before `new Timer()`.\n",
  );
});

test("what is not the module is refused, and the next try works", async () => {
  const bytes = readFileSync(new URL(import.meta.resolve("xtimer-wasm/xtimer.wasm")));
  const { stdout } = await node(`
    import { readFileSync } from "node:fs";
    import init, { initSync, Timer } from "../dist/web.js";
    const good = readFileSync(new URL(import.meta.resolve("xtimer-wasm/xtimer.wasm")));
    const bad = Uint8Array.from(good); bad[${bytes.length >> 1}] ^= 0xff; bad[9] = 0xff;
    const empty = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
    const html = new Response("<!doctype html>");
    const missing = new Response("no", { status: 404 });
    for (const source of [bad, good.subarray(0, 100), new Uint8Array(0), empty, html, missing, "data:,x"]) {
      await init(source).then(() => console.log("accepted"), (error) => console.log(error.message));
    }
    for (const source of [bad, 5]) {
      try { initSync(source); } catch (error) { console.log(error.message); }
    }
    initSync(good);
    new Timer().section("a").end();
    await init();
    console.log("done");
  `);
  const lines = stdout.trimEnd().split("\n");
  for (const line of lines.slice(0, 2)) assert.match(line, /^xtimer-wasm: these bytes are not the module xtimer\.wasm/);
  assert.match(lines[2], /is not WebAssembly|are not the module/);
  assert.match(lines[3], /another one than xtimer\.wasm/);
  assert.match(lines[4], /is not WebAssembly\. Give init\(\)/);
  assert.match(lines[5], /answered 404/);
  assert.match(lines[6], /is not WebAssembly/);
  assert.match(lines[7], /are not the module/);
  assert.match(lines[8], /takes the bytes/);
  assert.equal(lines[9], "done");
});

test("a thousand interleaved tasks nest by themselves", async () => {
  const clock = new ManualClock();
  const timer = new Timer({ clock });
  await interleave(1000, (index) =>
    timer.time(`task ${index % 4}`, async () => {
      await turns(index % 3);
      const outer = timer.section("outer", "io");
      await turns(index % 5);
      await inner(timer, clock, index);
      outer.end();
    }));
  checkTree(timer);
});

/** Knows of no context: it is called from anywhere. */
async function inner(timer, clock, index) {
  await timer.time("inner", async () => {
    await turns(index % 2);
    const deepest = timer.section("deepest");
    clock.advance(0.001);
    await turn();
    deepest.end();
  });
}

test("callbacks and timers of a task find its context; the code around it does not", async () => {
  const timer = new Timer({ clock: new ManualClock() });
  const later = timer.time("task", () =>
    new Promise((resolve) => {
      setTimeout(() => {
        timer.section("in a timeout").end();
        setImmediate(() => {
          timer.section("in an immediate").end();
          resolve();
        });
      }, 1);
    }));
  timer.section("beside").end();
  await later;
  timer.section("after").end();
  assert.deepEqual(
    timer.snapshot().sections.map((it) => it.path.join("/")),
    ["task", "task/in a timeout", "task/in an immediate", "beside", "after"],
  );
});

test("a loop that starts itself anew stays at the top, outside of the task", async () => {
  const timer = new Timer({ clock: new ManualClock() });
  const tick = (left) =>
    timer.time("tick", async () => {
      await turn();
      if (left > 0) await timer.outside(() => tick(left - 1));
    });
  await timer.time("start", () => tick(3));
  assert.deepEqual(rows(timer), ["start: 1 0 0 default", "start/tick: 1 0 0 default", "tick: 3 0 0 default"]);
});

test("tasks that follow each other hold on to nothing", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", "--input-type=module", "-e", `
    import { Timer } from "xtimer-wasm";
    const timer = new Timer();
    const next = (left) => timer.time("a", async () => { await 0; if (left > 0) setImmediate(next, left - 1); else done(); });
    let done;
    const run = (count) => new Promise((resolve) => { done = resolve; next(count); });
    const used = () => { gc(); return process.memoryUsage().heapUsed; };
    await run(2000);
    const before = used();
    await run(20000);
    console.log(Math.round((used() - before) / 1024));
  `], { cwd: import.meta.dirname });
  assert.ok(Number(stdout) < 512, `${stdout} KiB`);
});

test("without asyncContext, sections behind an await go to the timer's stack", async () => {
  const timer = new Timer({ clock: new ManualClock(), asyncContext: false });
  await timer.time("task", async () => {
    timer.section("before").end();
    await turn();
    timer.section("behind").end();
  });
  assert.deepEqual(rows(timer), ["task: 1 0 0 default", "task/before: 1 0 0 default", "behind: 1 0 0 default"]);
});

test("an engine's AsyncContext carries contexts", async () => {
  const { stdout } = await node(`
    import { AsyncLocalStorage } from "node:async_hooks";
    globalThis.AsyncContext = { Variable: class {
      kept = new AsyncLocalStorage();
      get() { return this.kept.getStore(); }
      run(value, body, ...rest) { return this.kept.run(value, body, ...rest); }
    } };
    import { readFileSync } from "node:fs";
    import { initSync, Timer } from "../dist/web.js";
    initSync(readFileSync(new URL(import.meta.resolve("xtimer-wasm/xtimer.wasm"))));
    const timer = new Timer();
    await timer.time("a", async () => { await 0; timer.section("b").end(); });
    console.log(timer.snapshot().sections.map((it) => it.path.join("/")).join());
  `);
  assert.equal(stdout, "a,a/b\n");
});

test("a worker has timers of its own", async () => {
  const worker = new Worker(`
    import { parentPort } from "node:worker_threads";
    import { Timer } from "xtimer-wasm";
    const timer = new Timer();
    timer.section("in a worker").end();
    parentPort.postMessage(timer.exportJson());
  `, { eval: true, type: "module", execArgv: ["--input-type=module"] });
  const json = await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
  assert.equal(JSON.parse(json).sections[0].name, "in a worker");
  await worker.terminate();
});

test("a using block ends its section", async () => {
  // Compiled, as Node 20 does not parse `using`.
  const { transform } = await import("esbuild");
  const { code } = await transform(
    `import { Timer } from "xtimer-wasm";
     const timer = new Timer();
     { using outer = timer.section("outer"); using inner = timer.section("inner"); }
     try { using failed = timer.section("failed"); throw new Error("mine"); } catch (error) { console.log(error.message); }
     using all = timer;
     console.log(timer.snapshot().sections.map((it) => it.path.join("/") + it.count).join());`,
    { format: "esm", target: "node20" },
  );
  const { stdout } = await node(code);
  assert.equal(stdout, "mine\nouter1,outer/inner1,failed1\n");
});

test("the guide's code runs", async () => {
  const { transform } = await import("esbuild");
  const guide = readFileSync(new URL("../../docs/web.md", import.meta.url), "utf8");
  const blocks = [...guide.matchAll(/```js\n(\/\/ Node\n.*?)```/gs)].map(([, code]) => code);
  assert.ok(blocks.length >= 4);
  for (const block of blocks) {
    const { code } = await transform(block, { format: "esm", target: "node20" });
    await node(code);
  }
});

test("ten million pairs leave nothing behind", async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--expose-gc", new URL("../bench/node.js", import.meta.url).pathname, "memory"],
  );
  const grown = Number(/(-?\d+) KiB/.exec(stdout)[1]);
  assert.ok(grown < 1024, stdout);
});

test("workers' profiles are united with that of the program", async () => {
  const { Gathered } = profile;
  const timer = new Timer();
  timer.record("work", 4, { category: "compute" });
  const work = (rank) => new Promise((resolve, reject) => {
    const worker = new Worker(`
      const { parentPort } = require("node:worker_threads");
      import("xtimer-wasm").then(({ Timer }) => {
        const timer = new Timer({ samples: 4 });
        timer.record("work", ${rank}, { category: "compute" });
        timer.record("only here", 1);
        const bytes = timer.save({ rank: ${rank} });
        parentPort.postMessage(bytes, [bytes.buffer]);
      });`, { eval: true });
    worker.once("message", resolve).once("error", reject);
  });
  const all = Gathered.of([await work(2), timer.save(), await work(1)]);
  assert.deepEqual(all.ranks, [0, 1, 2]);
  const times = all.get("work");
  assert.deepEqual([times.count, times.sumMs, times.across().slowest], [3, 7, { rank: 0, ms: 4 }]);
  assert.deepEqual(all.get("only here").byRank().map((it) => it.rank), [1, 2]);
  assert.equal(all.acrossCategory("compute").sumMs, 7);
});
