// In Node: what a pair costs, and how memory grows over ten million of them:
// `node --expose-gc bench/node.js [pair] [memory] [json]`.

import { Timer } from "xtimer-wasm";
import { measure, table } from "./pair.js";

const chosen = process.argv.slice(2);
const wants = (name) => chosen.length === 0 || chosen.includes(name);

if (chosen.includes("json")) console.log(JSON.stringify(measure(Timer)));
else if (wants("pair")) console.log(table(measure(Timer)));

if (wants("memory")) {
  const timer = new Timer({ asyncContext: false });
  const site = timer.site("site", "io");
  const pairs = (count) => {
    for (let i = 0; i < count / 2; i++) {
      site.exit(site.enter());
      timer.section("section", "io").end();
    }
  };
  pairs(100_000);
  globalThis.gc?.();
  const before = process.memoryUsage();
  pairs(10_000_000);
  globalThis.gc?.();
  const after = process.memoryUsage();
  const grown = after.heapUsed + after.external - before.heapUsed - before.external;
  console.log(`memory over 10 million pairs: ${(grown / 1024).toFixed(0)} KiB`);
}
