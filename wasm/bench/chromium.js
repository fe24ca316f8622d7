// The bench in Chromium, in an isolated page: `node bench/chromium.js`.

import { launch, open, serve } from "../test/browser.js";
import { table } from "./pair.js";

/** Nanoseconds a pair of each way, in a fresh page. */
export async function inChromium() {
  const here = new URL("..", import.meta.url).pathname.replace(/\/$/, "");
  const server = await serve(here, {
    pages: { "/plain": "<!doctype html><link rel=icon href=data:,>" },
    headers: {
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-embedder-policy": "require-corp",
    },
  });
  const browser = await launch();
  const { page } = await open(browser, `${server.url}/plain`);
  const best = await page.evaluate(async () => {
    const { default: init, Timer } = await import("/dist/web.js");
    const { measure } = await import("/bench/pair.js");
    await init();
    return measure(Timer);
  });
  await browser.close();
  await server.close();
  return best;
}

if (process.argv[1] === new URL(import.meta.url).pathname) console.log(table(await inChromium()));
