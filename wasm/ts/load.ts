// Getting the module: once for a page, a worker or a process, from a URL, bytes or a module.

import { useCore } from "./core.js";

/** What `init` takes: where the `.wasm` is, its bytes, or the compiled module; or a promise of it. */
export type Source =
  | string
  | URL
  | Request
  | Response
  | BufferSource
  | WebAssembly.Module;

/** How the entry for this platform gets the module by itself. */
export interface Platform {
  /** Where the module lies when nobody says. */
  url(): URL;
  /** Reads it at once, where the platform can. */
  read?(): BufferSource;
  /** Reads a file URL, which `fetch` does not. */
  file?(url: URL): BufferSource;
}

let platform: Platform | undefined;
let loading: Promise<void> | undefined;
let ready = false;

/** Says how this platform gets the module. Called by the entry; touches nothing. */
export function usePlatform(chosen: Platform): void {
  platform = chosen;
}

/** Loads the module. Later calls wait for the first; after a failure the next call tries again. */
export function load(source?: Source | Promise<Source>): Promise<void> {
  if (ready) return Promise.resolve();
  loading ??= begin(source).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

/** Loads the module at once from bytes or a compiled module. */
export function loadSync(source: BufferSource | WebAssembly.Module): void {
  if (!ready) use(instantiate(source));
}

/** Makes sure that the module is there: loads it at once where the platform can. */
export function need(): void {
  if (ready) return;
  if (platform?.read) return loadSync(platform.read());
  throw new Error(
    "xtimer-wasm is not initialised: `await init()` (the default export) before `new Timer()`.",
  );
}

async function begin(given?: Source | Promise<Source>): Promise<void> {
  const source = await given;
  if (source === undefined && platform?.read) return need();
  const module = await moduleOf(source ?? platform!.url());
  if (ready) return; // loadSync came first
  try {
    use(await WebAssembly.instantiate(module));
  } catch (error) {
    throw explained(error);
  }
}

async function moduleOf(source: Source): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  let bytes: BufferSource;
  if (isBytes(source)) {
    bytes = source;
  } else {
    const url = typeof source === "string" || source instanceof URL ? source : source.url;
    bytes = await fetched(source, url);
    if (!isWasm(bytes)) {
      throw new Error(
        `xtimer-wasm: what is at ${url} is not WebAssembly. Give init() the URL, the bytes or the ` +
          "module of xtimer-wasm/xtimer.wasm.",
      );
    }
  }
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    throw explained(error);
  }
}

async function fetched(source: string | URL | Request | Response, url: string | URL): Promise<BufferSource> {
  const at = source instanceof URL ? source : undefined;
  if (at?.protocol === "file:" && platform?.file) return platform.file(at);
  let response: Response;
  try {
    response = typeof Response === "function" && source instanceof Response
      ? source
      : await fetch(source as Request);
  } catch (cause) {
    throw new Error(`xtimer-wasm: could not fetch ${url}.`, { cause });
  }
  if (!response.ok) {
    throw new Error(
      `xtimer-wasm: ${url} answered ${response.status}. Give init() the URL of xtimer-wasm/xtimer.wasm.`,
    );
  }
  return response.arrayBuffer();
}

function instantiate(source: BufferSource | WebAssembly.Module): WebAssembly.Instance {
  if (!(source instanceof WebAssembly.Module) && !isBytes(source)) {
    throw new TypeError("xtimer-wasm: initSync() takes the bytes of the .wasm or a WebAssembly.Module.");
  }
  try {
    const module = source instanceof WebAssembly.Module ? source : new WebAssembly.Module(source);
    return new WebAssembly.Instance(module);
  } catch (error) {
    throw explained(error);
  }
}

function use(instance: WebAssembly.Instance): void {
  if (typeof instance.exports["task_enter"] !== "function") {
    throw new Error("xtimer-wasm: this WebAssembly module is another one than xtimer.wasm.");
  }
  useCore(instance.exports);
  ready = true;
}

function isBytes(source: unknown): source is BufferSource {
  return source instanceof ArrayBuffer || ArrayBuffer.isView(source);
}

function isWasm(bytes: BufferSource): boolean {
  const view = ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
  return view[0] === 0 && view[1] === 0x61 && view[2] === 0x73 && view[3] === 0x6d;
}

/** An error of the engine with what to do about it. */
function explained(cause: unknown): Error {
  const said = String((cause as Error)?.message ?? cause);
  if (/unsafe-eval|Content.?Security|\bCSP\b/i.test(said)) {
    return new Error(
      "xtimer-wasm: this page's content security policy forbids WebAssembly. Add 'wasm-unsafe-eval' to " +
        "its script-src.",
      { cause },
    );
  }
  return cause instanceof Error && said.startsWith("xtimer-wasm")
    ? cause
    : new Error(`xtimer-wasm: these bytes are not the module xtimer.wasm (${said}).`, { cause });
}
