// Asserts what a pair may cost, in Node and in Chromium: the best of a few runs counts, as a busy machine
// only adds.

import { execFileSync } from "node:child_process";
import { inChromium } from "./chromium.js";
import { table } from "./pair.js";

const RUNS = 8;
/** Nanoseconds above two clock reads, in Node. */
const MOST_ABOVE = 10;
/** How much cheaper than a mark and a measure. */
const LEAST_RATIO = 3;

const PAIR = "site.enter, site.exit";
const above = (best) => best[PAIR] - best["two performance.now()"];
const ratio = (best) => best["mark, measure"] / best["timer.section, end"];

function inNode() {
  const script = new URL("node.js", import.meta.url).pathname;
  return JSON.parse(execFileSync(process.execPath, [script, "json"], { encoding: "utf8" }));
}

let failed = false;
const show = async (where, run, fits) => {
  let best;
  for (let left = RUNS; left > 0 && !(best && fits(best)); left--) best = await run();
  console.log(`${where}\n${table(best)}\n`);
  if (!fits(best)) {
    failed = true;
    console.log(`${where}: too slow in each of ${RUNS} runs\n`);
  }
};

await show("Node", inNode, (best) => above(best) <= MOST_ABOVE && ratio(best) >= LEAST_RATIO);
await show("Chromium", inChromium, (best) => ratio(best) >= LEAST_RATIO);
process.exit(failed ? 1 : 0);
