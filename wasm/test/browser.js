// A real Chromium, and a server on loopback for its pages.

import { createServer } from "node:http";
import { existsSync, readFileSync } from "node:fs";
import { extname, join, normalize } from "node:path";
import { chromium } from "playwright-core";

const TYPES = {
  ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm",
  ".json": "application/json", ".svg": "image/svg+xml",
};

/** Debian's Chromium, or the one that CHROMIUM names. */
export const EXECUTABLE = process.env.CHROMIUM || "/usr/bin/chromium";

export function launch() {
  return chromium.launch({
    executablePath: EXECUTABLE,
    args: [
      "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync",
    ],
  });
}

/**
 * Serves folder on loopback, with `headers` on every answer; `pages` are answers by path that no file
 * has. Gives the address and a way to stop.
 */
export async function serve(folder, { headers = {}, pages = {} } = {}) {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url, "http://localhost").pathname);
    const page = pages[path];
    const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
    if (page === undefined && (!file.startsWith(folder) || !existsSync(file))) {
      response.writeHead(404, headers).end("not here");
      return;
    }
    const type = page === undefined ? (TYPES[extname(file)] ?? "application/octet-stream") : "text/html";
    response.writeHead(200, { "content-type": type, "cache-control": "no-store", ...headers });
    response.end(page ?? readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    }),
  };
}

/** Opens a page and fails the test on any error in it. */
export async function open(browser, url) {
  const page = await browser.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().includes("favicon")) errors.push(message.text());
  });
  await page.goto(url);
  return { page, errors };
}
