// The bench in Node, and how memory grows over ten million pairs: `node --expose-gc bench/node.js`.

import { Timer } from "xtimer-wasm";
import { measure, table } from "./pair.js";

console.log(table(measure(Timer)));

const timer = new Timer({ asyncContext: false });
const site = timer.site("site", "io");
const pairs = (count) => {
  for (let i = 0; i < count; i++) site.exit(site.enter());
};
pairs(100_000);
globalThis.gc?.();
const before = process.memoryUsage();
pairs(10_000_000);
globalThis.gc?.();
const after = process.memoryUsage();
const grown = (after.heapUsed + after.external - before.heapUsed - before.external) / 1024;
console.log(`memory over 10 million pairs: ${grown.toFixed(0)} KiB`);
