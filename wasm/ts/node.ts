// The entry for Node: the module is read when the first timer is made, and tasks find their context by
// AsyncLocalStorage.

import { AsyncLocalStorage } from "node:async_hooks";
import { readFileSync } from "node:fs";
import type { Context } from "./context.js";
import { usePlatform } from "./load.js";
import { useStorage, type Storage } from "./storage.js";

const url = (): URL => new URL("./xtimer.wasm", import.meta.url);
usePlatform({ url, read: () => readFileSync(url()), file: (at) => readFileSync(at) });

class NodeStorage implements Storage {
  private readonly _kept = new AsyncLocalStorage<Context>();

  get(): Context | undefined {
    return this._kept.getStore();
  }

  run<T>(context: Context, fn: () => T): T {
    return this._kept.run(context, fn);
  }
}

useStorage(() => new NodeStorage());

export * from "./index.js";
export { default } from "./index.js";
