// Serves the page on loopback: `node serve.js [port]`. The package is found under /xtimer-wasm/.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, normalize } from "node:path";

const TYPES = {
  ".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript", ".wasm": "application/wasm",
};
const HEADERS = {
  // Isolated, so that the browser's clock tells 5 µs instead of 100.
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  // What WebAssembly needs, and no more.
  "content-security-policy": "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' blob: data:",
};

/** The file of an address. */
function fileOf(address) {
  const path = normalize(new URL(address, "http://localhost").pathname);
  const own = path === "/" ? "/index.html" : path;
  const file = own.startsWith("/xtimer-wasm/") ? own.replace("/xtimer-wasm/", "../../wasm/dist/") : `.${own}`;
  return new URL(file, import.meta.url);
}

export const server = createServer(async (request, response) => {
  const file = fileOf(request.url);
  const bytes = await readFile(file).catch(() => undefined);
  const type = TYPES[extname(file.pathname)];
  if (bytes === undefined || type === undefined) {
    response.writeHead(404, HEADERS).end("not here\n");
    return;
  }
  response.writeHead(200, { ...HEADERS, "content-type": type }).end(bytes);
});

if (process.argv[1] === new URL(import.meta.url).pathname) {
  server.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () => {
    console.log(`http://127.0.0.1:${server.address().port}/`);
  });
}
