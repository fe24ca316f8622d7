// The examples, driven: the server by real requests, the page by a real browser.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, cpSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { launch, open } from "./browser.js";

const wasm = new URL("..", import.meta.url).pathname.replace(/\/$/, "");
const examples = join(wasm, "../examples");

/** Starts a program that prints its address first. */
async function started(script) {
  const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
  const url = await new Promise((resolve, reject) => {
    child.stdout.once("data", (line) => resolve(String(line).trim()));
    child.once("exit", (code) => reject(new Error(`${script} ended with ${code}`)));
  });
  return { url, stop: () => child.kill() };
}

test("the server times requests that interleave", async () => {
  // A copy whose dependency is a link, as `npm install` makes it.
  const project = mkdtempSync(join(tmpdir(), "xtimer-server-"));
  cpSync(join(examples, "node"), project, { recursive: true, filter: (path) => !path.includes("node_modules") });
  mkdirSync(join(project, "node_modules"));
  symlinkSync(wasm, join(project, "node_modules/xtimer-wasm"));
  const { url, stop } = await started(join(project, "server.js"));
  try {
    const get = (path) => fetch(url + path).then(async (it) => [it.status, await it.text()]);
    const counted = await Promise.all(Array.from({ length: 50 }, () => get("word/loopback")));
    for (const [status, text] of counted) assert.deepEqual([status, text], [200, "1\n"]);
    assert.deepEqual(await get("nowhere"), [404, "not here\n"]);

    const [, json] = await get("profile.json");
    const { sections, lost, total_category_time: categories } = JSON.parse(json);
    const counts = Object.fromEntries(sections.map((it) => [it.path.join("/"), it.count]));
    // The request that asks is still running, as a task.
    assert.deepEqual(counts, {
      request: 51, "request/countWord": 50, "request/countWord/load": 100, "request/countWord/count": 50,
      "request/send": 51,
    });
    assert.deepEqual(Object.keys(categories).sort(), ["compute", "default", "io", "net"]);
    const time = Object.fromEntries(sections.map((it) => [it.path.join("/"), it.time]));
    assert.ok(time.request >= time["request/countWord"] + time["request/send"] - 1e-6);
    assert.equal(lost.unclosed + lost.refused + lost.not_open, 0);
    const [, report] = await get("report");
    assert.match(report, /^request .* net$/m);
    assert.match(report, /^ {4}load .* io$/m);
  } finally {
    stop();
    rmSync(project, { recursive: true, force: true });
  }
});

test("the page filters pictures in a worker and shows its own report", async () => {
  const { url, stop } = await started(join(examples, "web/serve.js"));
  const browser = await launch();
  try {
    const { page, errors } = await open(browser, url);
    const output = page.locator("output");
    await output.filter({ hasText: "ready" }).waitFor();
    await page.fill("[name=times]", "5");
    await page.click("form button:not([type])");
    await output.filter({ hasText: "done" }).waitFor();

    const rows = (id) => page.locator(`#${id} tr[data-path]`).evaluateAll((found) =>
      Object.fromEntries(found.map((row) => [row.dataset.path, [...row.cells].map((it) => it.textContent)])));
    const [ofPage, ofWorker] = [await rows("page"), await rows("worker")];
    const counts = (table) => Object.fromEntries(Object.entries(table).map(([path, cells]) => [path, Number(cells[2])]));
    assert.deepEqual(counts(ofPage), {
      "draw picture": 1, picture: 5, "picture/read pixels": 5, "picture/wait for the worker": 5, "picture/show": 5,
    });
    assert.deepEqual(counts(ofWorker), {
      filter: 5, "filter/grey": 5, "filter/blur": 5, "filter/blur/rows": 5, "filter/blur/columns": 5,
      "filter/edges": 5,
    });
    // The page waited at least for as long as the worker worked, and each whole holds its parts.
    const total = (table, path) => Number(table[path][5]);
    assert.ok(total(ofPage, "picture/wait for the worker") >= total(ofWorker, "filter") - 1);
    assert.ok(total(ofPage, "picture") >= total(ofPage, "picture/wait for the worker") - 0.01);
    assert.ok(total(ofWorker, "filter") >= total(ofWorker, "filter/blur") + total(ofWorker, "filter/edges") - 0.01);
    assert.deepEqual([ofWorker.filter[1], ofPage["picture/wait for the worker"][1]], ["compute", "wait"]);

    // The worker's profile, united with the page's.
    const spread = await rows("spread");
    assert.deepEqual(counts(spread), { ...counts(ofPage), ...counts(ofWorker) });
    assert.deepEqual([spread.picture[1], spread["filter/blur/rows"][1]], ["page", "worker"]);
    for (const [path, [, , , median, ninety, most]] of Object.entries(spread)) {
      assert.ok(Number(median) <= Number(ninety) && Number(ninety) <= Number(most), path);
      const bins = await page.locator(`#spread tr[data-path="${path}"] .bins i`).evaluateAll((all) =>
        all.map((it) => Number(it.title)));
      assert.equal(bins.length, 16);
      assert.equal(bins.reduce((sum, count) => sum + count), counts(spread)[path], path);
    }
    const longest = Number(spread.filter[5]);
    assert.ok(longest >= total(ofWorker, "filter") / 5 - 0.001 && longest <= total(ofWorker, "filter"), `${longest}`);

    // The filter found the rings and left the ramp white.
    const shades = await page.evaluate(() => {
      const { data } = document.getElementById("after").getContext("2d").getImageData(0, 0, 480, 320);
      const at = (x, y) => data[4 * (480 * y + x)];
      let dark = 0;
      for (let i = 0; i < data.length; i += 4) dark += data[i] < 128;
      return { corner: at(20, 20), centre: at(240, 160), dark: dark / (data.length / 4) };
    });
    assert.ok(shades.corner > 230 && shades.centre > 230, JSON.stringify(shades));
    assert.ok(shades.dark > 0.05 && shades.dark < 0.6, JSON.stringify(shades));
    assert.match(await page.locator("#clock").textContent(), /^The clock tells [\d.]+ µs apart, a section costs \d+ ns/);
    if (process.env.XTIMER_SCREENSHOT) {
      await page.setViewportSize({ width: 1100, height: 1000 });
      await page.screenshot({ path: process.env.XTIMER_SCREENSHOT, fullPage: true });
    }

    await page.click("[name=clear]");
    await page.click("form button:not([type])");
    await output.filter({ hasText: "done" }).waitFor();
    assert.equal(counts(await rows("worker")).filter, 5);
    assert.deepEqual(errors, []);
    await page.close();
  } finally {
    await browser.close();
    stop();
  }
});
