// Text and bytes to and from the module: copied at once, so that no view of its memory outlives a call.

import { core } from "./core.js";

const at = (address: number, length: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(core.memory.buffer as ArrayBuffer, address >>> 0, length);

/** Says texts for the next call. */
export function say(...texts: string[]): void {
  for (const text of texts) {
    const bytes = new TextEncoder().encode(text);
    at(core.say(bytes.length), bytes.length).set(bytes);
  }
}

/** The bytes that the last call had to say. */
export function answerBytes(): Uint8Array<ArrayBuffer> {
  const bytes = at(core.answer(), core.answer_length()).slice();
  core.forget_answer();
  return bytes;
}

/** What the last call had to say. */
export function answer(): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(answerBytes());
}
