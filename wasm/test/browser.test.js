// The shared tests in a real Chromium, and what pages alone show.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open, serve } from "./browser.js";
import { profiles } from "./shared/profiles.js";
import { sections } from "./shared/sections.js";
import { tasks } from "./shared/tasks.js";
import { vectors } from "./shared/vectors.js";

const here = new URL("..", import.meta.url).pathname.replace(/\/$/, "");
const PLAIN = "<!doctype html><title>xtimer</title><link rel=icon href=data:,>";
const pages = { "/plain": PLAIN };
const ISOLATED = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};
let browser, plain, isolated, strict, allowed;

before(async () => {
  browser = await launch();
  const csp = (script) => ({ "content-security-policy": `default-src 'self'; script-src ${script}` });
  plain = await serve(here, { pages });
  isolated = await serve(here, { pages, headers: ISOLATED });
  strict = await serve(here, { pages, headers: csp("'self'") });
  allowed = await serve(here, { pages, headers: csp("'self' 'wasm-unsafe-eval'") });
});
after(async () => {
  await browser.close();
  for (const server of [plain, isolated, strict, allowed]) await server.close();
});

test("the shared tests", async (context) => {
  const { page, errors } = await open(browser, `${plain.url}/plain`);
  const outcomes = await page.evaluate(async (vectors) => {
    const xtimer = await import("/dist/web.js");
    await Promise.all([xtimer.default(), xtimer.default()]);
    const profile = await import("/dist/profile.js");
    const { profiles } = await import("/test/shared/profiles.js");
    const { sections } = await import("/test/shared/sections.js");
    const { tasks } = await import("/test/shared/tasks.js");
    const outcomes = {};
    for (const [name, body] of Object.entries({ ...sections, ...tasks, ...profiles })) {
      try {
        await body(xtimer, profile, vectors);
        outcomes[name] = "passed";
      } catch (error) {
        outcomes[name] = String(error.stack);
      }
    }
    return outcomes;
  }, vectors);
  assert.deepEqual(Object.keys(outcomes), Object.keys({ ...sections, ...tasks, ...profiles }));
  for (const [name, outcome] of Object.entries(outcomes)) {
    await context.test(name, () => assert.equal(outcome, "passed"));
  }
  assert.deepEqual(errors, []);
  await page.close();
});

test("use before init says what to do, a wrong address too, and init works afterwards", async () => {
  const { page } = await open(browser, `${plain.url}/plain`);
  const said = await page.evaluate(async () => {
    const { default: init, Timer } = await import("/dist/web.js");
    const said = [];
    try {
      new Timer();
    } catch (error) {
      said.push(error.message);
    }
    const refused = (source) => init(source).catch((error) => said.push(error.message));
    await refused("/nowhere.wasm");
    await refused("/plain");
    await refused("http://127.0.0.1:1/closed.wasm");
    await init(new URL("/dist/xtimer.wasm", location.href));
    new Timer().section("a").end();
    return said;
  });
  assert.match(said[0], /is not initialised: `await init\(\)`/);
  assert.match(said[1], /nowhere\.wasm answered 404\. Give init\(\) the URL/);
  assert.match(said[2], /plain is not WebAssembly/);
  assert.match(said[3], /could not fetch http:/);
  assert.equal(said.length, 4);
  await page.close();
});

test("init takes an address, a request, a response and a module", async () => {
  for (const source of [
    `"/dist/xtimer.wasm"`, `new Request("/dist/xtimer.wasm")`, `fetch("/dist/xtimer.wasm")`,
    `WebAssembly.compileStreaming(fetch("/dist/xtimer.wasm"))`,
    `fetch("/dist/xtimer.wasm").then((response) => response.arrayBuffer())`,
  ]) {
    const { page } = await open(browser, `${plain.url}/plain`);
    const count = await page.evaluate(`(async () => {
      const { default: init, Timer } = await import("/dist/web.js");
      await init(${source});
      const timer = new Timer();
      timer.section("a").end();
      return timer.snapshot().sections.length;
    })()`);
    assert.equal(count, 1, source);
    await page.close();
  }
});

test("a strict content security policy gets a clear message", async () => {
  const { page } = await open(browser, `${strict.url}/plain`);
  const load = () => import("/dist/web.js").then(({ default: init }) => init()).then(() => "loaded", (error) => error.message);
  assert.equal(
    await page.evaluate(load),
    "xtimer-wasm: this page's content security policy forbids WebAssembly. Add 'wasm-unsafe-eval' to its " +
      "script-src.",
  );
  await page.close();
  const other = await open(browser, `${allowed.url}/plain`);
  assert.equal(await other.page.evaluate(load), "loaded");
  await other.page.close();
});

test("coarse clocks are told, isolated and not", async () => {
  const clock = async (server) => {
    const { page } = await open(browser, `${server.url}/plain`);
    const found = await page.evaluate(async () => {
      const { default: init, Timer } = await import("/dist/web.js");
      await init();
      const timer = new Timer();
      timer.record("short", 0.01);
      const { quantumMs, coarse } = timer.clock;
      return { quantumMs, coarse, isolated: crossOriginIsolated, near: timer.snapshot().sections[0].nearPrice };
    });
    await page.close();
    return found;
  };
  const [a, b] = [await clock(plain), await clock(isolated)];
  assert.deepEqual([a.isolated, a.coarse, a.near], [false, true, true]);
  assert.ok(a.quantumMs > 0.05 && a.quantumMs < 0.3, `${a.quantumMs}`);
  assert.deepEqual([b.isolated, b.coarse], [true, true]);
  assert.ok(b.quantumMs >= 0.004 && b.quantumMs < 0.03, `${b.quantumMs}`);
});

test("a module worker", async () => {
  const { page } = await open(browser, `${plain.url}/plain`);
  const names = await page.evaluate(async () => {
    const code = `
      import init, { initSync, Timer } from "${location.origin}/dist/web.js";
      onmessage = ({ data }) => {
        initSync(data);
        const timer = new Timer();
        timer.section("in a worker").end();
        postMessage(timer.snapshot());
      };
      postMessage("ready");`;
    const worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })), { type: "module" });
    const next = () => new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = reject;
    });
    await next();
    // A compiled module travels: the worker compiles nothing.
    worker.postMessage(await WebAssembly.compileStreaming(fetch("/dist/xtimer.wasm")));
    const snapshot = await next();
    worker.terminate();
    return snapshot.sections.map((it) => it.name);
  });
  assert.deepEqual(names, ["in a worker"]);
  await page.close();
});

test("sections appear on a track of the Performance panel, and clear only their own entries", async () => {
  const { page } = await open(browser, `${plain.url}/plain`);
  await browser.startTracing(page, { categories: ["blink.user_timing", "devtools.timeline"] });
  const kept = await page.evaluate(async () => {
    const { default: init, Timer } = await import("/dist/web.js");
    await init();
    performance.measure("load");
    const timer = new Timer({ devtools: { track: "our track", group: "our group" } });
    const quiet = new Timer();
    timer.section("load", "io").end();
    await timer.time("task", async (context) => {
      await 0;
      context.section("inner").end();
    });
    quiet.section("unseen").end();
    return performance.getEntriesByType("measure").map((it) => it.name);
  });
  const trace = JSON.parse(String(await browser.stopTracing())).traceEvents;
  assert.deepEqual(kept, ["load"]);
  const shown = trace.filter((it) => it.cat === "blink.user_timing" && JSON.stringify(it.args).includes("our track"));
  const names = [...new Set(shown.map((it) => it.name.replace("\u2063", "")))];
  assert.deepEqual(names.sort(), ["inner", "load", "task"]);
  const detail = JSON.parse(shown.find((it) => it.name.startsWith("load")).args.detail);
  assert.deepEqual(detail.devtools, {
    dataType: "track-entry", track: "our track", trackGroup: "our group", properties: [["category", "io"]],
  });
  assert.ok(!trace.some((it) => it.name === "unseen\u2063"));
  await page.close();
});
