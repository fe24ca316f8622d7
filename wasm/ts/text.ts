// Text to and from the module: copied at once, so that no view of its memory outlives a call.

import * as core from "xtimer-bindings";

let memory: WebAssembly.Memory;

/** Says where the module's memory is. */
export function useMemory(of: WebAssembly.Memory): void {
  memory = of;
}

/** Says texts for the next call. */
export function say(...texts: string[]): void {
  for (const text of texts) {
    const bytes = new TextEncoder().encode(text);
    const at = core.say(bytes.length);
    new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
  }
}

/** What the last call had to say. */
export function answer(): string {
  const [at, length] = [core.answer(), core.answer_length()];
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(new Uint8Array(memory.buffer, at, length));
  core.forget_answer();
  return text;
}
