// The worker: filters the pixels that it is handed, times the steps, and sends its profile along.

import init, { Timer } from "./xtimer-wasm/web.js";
import { blur, edges, grey } from "./filters.js";

await init();
// Each duration is kept, so that the page can tell how they spread.
const timer = new Timer({ samples: 4096 });

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
  const profile = timer.save({ rank: 1, label: "worker" });
  postMessage({ pixels, profile }, [pixels.buffer, profile.buffer]);
};
postMessage({ ready: true });
