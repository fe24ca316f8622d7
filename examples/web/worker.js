// The worker: filters the pixels that it is handed, times the steps, and sends its snapshot along.

import init, { Timer } from "./xtimer-wasm/web.js";
import { blur, edges, grey } from "./filters.js";

await init();
const timer = new Timer();

/** Blurs and finds edges; each step is a section. */
function filter({ pixels, width, height, radius }) {
  return timer.time("filter", { category: "compute" }, () => {
    const light = timer.time("grey", { category: "compute" }, () => grey(pixels));
    const rows = { length: width, lines: height, step: 1, stride: width };
    const columns = { length: height, lines: width, step: width, stride: 1 };
    const smooth = timer.time("blur", { category: "compute" }, () => {
      const once = timer.time("rows", { category: "compute" }, () => blur(light, rows, radius));
      return timer.time("columns", { category: "compute" }, () => blur(once, columns, radius));
    });
    return timer.time("edges", { category: "compute" }, () => edges(smooth, width, height));
  });
}

onmessage = ({ data }) => {
  if (data.clear) timer.clear();
  if (!data.pixels) return;
  const pixels = filter(data);
  postMessage({ pixels, snapshot: timer.snapshot() }, [pixels.buffer]);
};
postMessage({ ready: true });
