// The module's functions, called as they are: numbers cross, and nothing else. See src/ for what each does.

/** What the module exports. A number that names something is below 2^31, so no sign needs to be undone. */
export interface Core {
  say(length: number): number;
  answer(): number;
  answer_length(): number;
  forget_answer(): void;
  timer_new(
    sections: number, depth: number, categories: number, rules: number, nameBytes: number,
    samples: number, isCustom: boolean,
  ): number;
  timer_free(timer: number): void;
  site_new(timer: number): number;
  site_rename(timer: number, site: number): number;
  clear(timer: number): number;
  set_enabled(timer: number, enabled: boolean): void;
  forbid(timer: number): number;
  clear_rules(timer: number): void;
  set_price(timer: number, pair: number, quantum: number): void;
  record(timer: number, site: number, parent: number, milliseconds: number): number;
  enter(timer: number, site: number, now: number): number;
  exit(timer: number, token: number, now: number): number;
  current(timer: number): number;
  nest(timer: number, milliseconds: number): void;
  task_enter(timer: number, site: number, parent: number, now: number): number;
  task_exit(
    timer: number, section: number, start: number, epoch: number, nested: number, now: number,
  ): number;
  task_unclosed(timer: number, outer: number, inner: number, count: number): number;
  total(timer: number, now: number): number;
  category_total(timer: number, now: number): number;
  json(timer: number, now: number, indent: number, flatten: boolean): number;
  report(timer: number, now: number, flatten: boolean): number;
  save(timer: number, rank: number, now: number): number;
  times(timer: number, now: number): number;
  memory: WebAssembly.Memory;
}

export let core: Core;

/** Says what the module exports. */
export function useCore(exports: WebAssembly.Exports): void {
  core = exports as unknown as Core;
}
