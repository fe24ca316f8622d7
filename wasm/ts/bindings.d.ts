// The glue that wasm-bindgen writes: numbers in and out, strings copied. See src/ for what each does.

declare module "xtimer-bindings" {
  export function __wbg_set_wasm(exports: WebAssembly.Exports): void;
  export function say(length: number): number;
  export function answer(): number;
  export function answer_length(): number;
  export function forget_answer(): void;
  export function timer_new(
    sections: number, depth: number, categories: number, rules: number, nameBytes: number,
    isCustom: boolean,
  ): number;
  export function timer_free(timer: number): void;
  export function site_new(timer: number): number;
  export function site_rename(timer: number, site: number): number;
  export function clear(timer: number): number;
  export function set_enabled(timer: number, enabled: boolean): void;
  export function forbid(timer: number): number;
  export function clear_rules(timer: number): void;
  export function set_price(timer: number, pair: number, quantum: number): void;
  export function record(timer: number, site: number, parent: number, milliseconds: number): number;
  export function enter(timer: number, site: number, now: number): number;
  export function exit(timer: number, token: number, now: number): number;
  export function current(timer: number): number;
  export function nest(timer: number, milliseconds: number): void;
  export function task_enter(timer: number, site: number, parent: number, now: number): number;
  export function task_exit(
    timer: number, section: number, start: number, epoch: number, nested: number, now: number,
  ): number;
  export function task_unclosed(timer: number, outer: number, inner: number, count: number): number;
  export function total(timer: number, now: number): number;
  export function category_total(timer: number, now: number): number;
  export function json(timer: number, now: number, indent: number, flatten: boolean): number;
  export function report(timer: number, now: number, flatten: boolean): number;
}
