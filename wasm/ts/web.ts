// The entry for browsers, workers and bundlers: the module is fetched from beside this file.

import { usePlatform } from "./load.js";

usePlatform({ url: () => new URL("./xtimer.wasm", import.meta.url) });

export * from "./index.js";
export { default } from "./index.js";
