// An HTTP server on loopback that times its requests: `node server.js [port]`.
//
// Requests interleave at every await, and still each one's sections nest beneath its own: nothing hands a
// context on, AsyncLocalStorage does. GET /word/xtimer counts a word, /report shows where the time went.

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { Timer } from "xtimer-wasm";

export const timer = new Timer();
timer.forbid("compute", "io"); // reading a file in the middle of computing is a mistake

const here = (name) => new URL(name, import.meta.url);

/** What each address answers. */
const pages = {
  "/": async () => "GET /word/WORD counts a word in this program, /report shows where the time went\n",
  "/report": async () => timer.report(),
  "/profile.json": async () => timer.exportJson({ indent: 2 }),
};

/** Counts a word in the program and its README. Knows of no request: its sections find theirs. */
const countWord = timer.timerify(async function countWord(word) {
  const texts = await Promise.all(["server.js", "README.md"].map(load));
  const count = timer.section("count", "compute"); // in Node 24: `using count = …`
  try {
    return texts.reduce((sum, text) => sum + text.split(word).length - 1, 0);
  } finally {
    count.end();
  }
});

const load = (name) => timer.time("load", { category: "io" }, () => readFile(here(name), "utf8"));

async function answer(url) {
  const [, word] = /^\/word\/(.+)$/.exec(url) ?? [];
  if (word !== undefined) return `${await countWord(decodeURIComponent(word))}\n`;
  return pages[url]?.();
}

async function handle(request, response) {
  const text = await answer(request.url);
  await timer.time("send", { category: "net" }, async () => {
    response.writeHead(text === undefined ? 404 : 200, { "content-type": "text/plain; charset=utf-8" });
    response.end(text ?? "not here\n");
    await once(response, "finish");
  });
}

export const server = createServer((request, response) => {
  // Every request is a task of its own.
  timer.time("request", { category: "net" }, () => handle(request, response)).catch((error) => {
    console.error(error);
    response.destroy();
  });
});

if (process.argv[1] === here("server.js").pathname) {
  server.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () => {
    console.log(`http://127.0.0.1:${server.address().port}/`);
  });
}
