// Assertions that work in Node and in a page.

export function equal(found, expected, what = "") {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what}: ${a} is not ${b}`);
}

export function ok(value, what) {
  if (!value) throw new Error(what);
}

/** That `body` throws an Error whose message `expected` matches; gives the error. */
export function throws(body, expected) {
  let thrown;
  try {
    body();
  } catch (error) {
    thrown = error;
  }
  ok(thrown instanceof Error, `nothing was thrown, expected ${expected}`);
  ok(expected.test(thrown.message), `'${thrown.message}' does not match ${expected}`);
  return thrown;
}

/** As `throws`, for a promise. */
export async function rejects(promise, expected) {
  const outcome = await promise.then(() => undefined, (error) => error);
  throws(() => {
    if (outcome) throw outcome;
  }, expected);
}

/** A clock that tests move, in milliseconds. */
export class ManualClock {
  time = 1000;
  now() {
    return this.time;
  }
  advance(ms) {
    this.time += ms;
  }
}

/** The rows of a snapshot as `path: count total self category`, in milliseconds. */
export function rows(timer, options) {
  return timer.snapshot(options).sections.map(
    (it) => `${it.path.join("/")}: ${it.count} ${it.totalMs} ${it.selfMs} ${it.category}`,
  );
}

/** A turn of the event loop: every task that waits for nothing else goes on. */
export const turn = () =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port2.onmessage = () => {
      port1.close();
      resolve();
    };
    port1.postMessage(0);
  });
