// The bytes of profiles to what they mean, by docs/format.md.

import { checksum, ProfileError, Reader, type Whole } from "./bytes.js";

/** A profile exactly as its bytes tell it: times are nanoseconds. */
export interface Exact {
  rank: number;
  label: string;
  clock: { name: string; multiplier: Whole; shift: number; width: number; pair: number; quantum: number };
  /** In the order of {@link LOSSES}. */
  losses: Whole[];
  total: Whole;
  categories: { name: string; total: Whole; lost_count: Whole; lost_time: Whole }[];
  sections: ExactSection[];
  histograms: { section: number; buckets: [number, Whole][] }[];
  samples: { section: number; lane: number; dropped: Whole; samples: [Whole, Whole][] }[];
}

/** A section exactly as the bytes tell it; what was not kept is missing. */
export interface ExactSection {
  depth: number;
  name: string;
  category: string;
  names_above?: string[];
  busy?: true;
  late?: true;
  exceeded?: true;
  count: Whole;
  total: Whole;
  exclusive?: Whole;
  min?: Whole;
  max?: Whole;
  squares?: Whole;
  open?: number;
  open_time?: Whole;
}

/** What the counts of losses count. */
export const LOSSES = [
  "unclosed", "too_deep", "refused", "not_open", "steps_back", "base_name", "no_slot", "categories",
  "late_contexts", "interrupted",
] as const;

const VERSION = 1;
const MAGIC = [0x89, 0x58, 0x54, 0x50];
const KINDS = ["", "a profile of one rank", "a reduced profile"];

/** @internal The profiles that stand one behind another. */
export function decodeAll(bytes: Uint8Array): Exact[] {
  const all: Exact[] = [];
  let at = 0;
  do {
    const end = envelope(bytes, at);
    all.push(profile(new Reader(bytes, at + 16, end - 4)));
    at = end;
  } while (at < bytes.length);
  return all;
}

/** Checks the header and the checksum of the profile at `from`; gives where it ends. */
function envelope(bytes: Uint8Array, from: number): number {
  const there = bytes.length - from;
  const begins = (magic: number[]): boolean => magic.every((byte, index) => bytes[from + index] === byte);
  const foreign = "the profile was written in the wrong byte order";
  if (there < 16) {
    if (begins(MAGIC.slice(0, there))) {
      throw new ProfileError("it ends before the 16 bytes of a profile's header", bytes.length);
    }
    throw new ProfileError("this is not a profile", from);
  }
  if (begins([...MAGIC].reverse())) throw new ProfileError(foreign, from);
  if (!begins(MAGIC)) throw new ProfileError("this is not a profile", from);
  const view = new DataView(bytes.buffer, bytes.byteOffset + from, there);
  const version = view.getUint16(4, true);
  const kind = view.getUint16(6, true);
  if (version === 0 || version > VERSION) {
    const swapped = view.getUint16(4);
    const other = view.getUint16(6);
    const isForeign = swapped > 0 && swapped <= VERSION && other > 0 && other < 3;
    throw new ProfileError(
      isForeign ? foreign : `the profile has version ${version}; this reader knows up to ${VERSION}`, from + 4,
    );
  }
  if (kind !== 1) {
    throw new ProfileError(
      `kind ${kind} is ${KINDS[kind] || "something unknown"}; ${KINDS[1]} is wanted here`, from + 6,
    );
  }
  const told = view.getBigUint64(8, true);
  if (told < 20 || told > there) {
    throw new ProfileError(`the header tells ${told} bytes, but there are ${there}`, from + 8);
  }
  const end = from + Number(told);
  const sum = view.getUint32(Number(told) - 4, true);
  const computed = checksum(bytes.subarray(from, end - 4));
  if (sum !== computed) {
    const hex = (value: number): string => value.toString(16).padStart(8, "0");
    throw new ProfileError(
      `the checksum is ${hex(sum)}, but the bytes come to ${hex(computed)}: some were changed`, end - 4,
    );
  }
  return end;
}

const REQUIRED = ["source", "clock", "losses", "totals", "sections"];
const OPTIONAL = 64;

/** The contents of the blocks by tag. Those below 64 must be there and known, others are passed over. */
function blocks(input: Reader): Map<number, Reader> {
  const found = new Map<number, Reader>();
  let least = 1;
  while (input._left > 0) {
    const at = input._at;
    const tag = input._index("a block's tag");
    const lengthAt = input._at;
    const length = Number(input._number("a block's length"));
    if (length > input._left) {
      throw new ProfileError("a block's length is more than the remaining bytes can hold", lengthAt);
    }
    const next = REQUIRED[least - 1];
    if (next !== undefined && tag >= OPTIONAL) throw new ProfileError(`the block '${next}' is missing`, at);
    if (tag < OPTIONAL ? next === undefined || tag !== least : tag < least) {
      throw new ProfileError(`block ${tag} is not known to this reader, or not in its place`, at);
    }
    found.set(tag, input._part(length));
    least = tag + 1;
  }
  const next = REQUIRED[least - 1];
  if (next !== undefined) throw new ProfileError(`the block '${next}' is missing`, input._at);
  return found;
}

/** As many of something as a count says. */
const each = <T>(count: number, read: (index: number) => T): T[] => {
  const all: T[] = [];
  for (let index = 0; index < count; index++) all.push(read(index));
  return all;
};

function profile(input: Reader): Exact {
  const found = blocks(input);
  /** Reads a block, of which nothing may be left. */
  const block = <T>(tag: number, name: string, read: (input: Reader) => T): T => {
    const content = found.get(tag)!;
    const value = read(content);
    content._done(name);
    return value;
  };
  const source = block(1, "source", (it) => ({ rank: it._index("the rank"), label: it._text("the source's label") }));
  const clock = block(2, "clock", (it) => ({
    name: it._text("the clock's name"),
    multiplier: it._number("the clock's multiplier"),
    shift: it._index("the clock's shift", 128),
    width: it._index("the clock's width", 65),
    pair: it._index("the price of a pair"),
    quantum: it._index("the clock's quantum"),
  }));
  const told = block(3, "losses", (it) =>
    each(it._count("the number of losses", 1), () => it._number("a count of losses")));
  const losses = LOSSES.map((_, index) => told[index] ?? 0);
  const { total, categories } = block(4, "totals", totals);
  const sections = block(5, "sections", (it) => {
    let deepest = 0;
    return each(it._count("the number of sections", 7), () => {
      const one = section(it, deepest, categories);
      deepest = one.depth + 1;
      return one;
    });
  });
  const optional = <T>(tag: number, name: string, read: (input: Reader) => T[]): T[] =>
    (found.get(tag)?._left ?? 0) === 0 ? [] : block(tag, name, read);
  const histograms = optional(64, "histograms", (it) => readHistograms(it, sections.length));
  const samples = optional(65, "samples", (it) => readSamples(it, sections.length));
  return { ...source, clock, losses, total, categories, sections, histograms, samples };
}

function totals(input: Reader): Pick<Exact, "total" | "categories"> {
  const total = input._number("the total");
  let last: Uint8Array | undefined;
  const categories = each(input._count("the number of categories", 4), () => {
    const at = input._at;
    const name = input._text("a category's name");
    const category = {
      name,
      total: input._number("a category's total"),
      lost_count: input._number("a category's lost exits"),
      lost_time: input._number("a category's lost time"),
    };
    const bytes = new TextEncoder().encode(name);
    if (last !== undefined && !isBefore(last, bytes)) input._wrongValue("the order of categories", at);
    last = bytes;
    return category;
  });
  return { total, categories };
}

function isBefore(one: Uint8Array, two: Uint8Array): boolean {
  const differs = one.findIndex((byte, index) => byte !== two[index]);
  return differs < 0 ? one.length < two.length : differs < two.length && one[differs]! < two[differs]!;
}

function section(input: Reader, deepest: number, categories: Exact["categories"]): ExactSection {
  const depth = input._index("a section's depth", deepest + 1);
  const marksAt = input._at;
  const marks = input._index("a section's marks", 128);
  const has = (mark: number): boolean => (marks & mark) !== 0;
  let above: string[] = [];
  if (has(8)) {
    if (depth !== 0) input._wrongValue("a section's marks", marksAt);
    above = each(input._count("the number of names above a section", 1), () => input._text("a name above a section"));
  }
  const read: ExactSection = {
    depth,
    name: input._text("a section's name"),
    category: categories[input._index("a section's category", categories.length)]!.name,
    count: input._number("a section's count"),
    total: input._number("a section's total"),
  };
  if (above.length > 0) read.names_above = above;
  if (has(1)) read.busy = true;
  if (has(2)) read.late = true;
  if (has(4)) read.exceeded = true;
  if (has(16)) read.exclusive = input._number("a section's exclusive time");
  if (has(32)) {
    const at = input._at;
    read.min = input._number("a section's shortest duration");
    read.max = input._number("a section's longest duration");
    if (read.min > read.max || read.count === 0) input._wrongValue("a section's shortest duration", at);
  }
  if (has(64)) read.squares = input._number("a section's squares", 128);
  const open = input._index("a section's open entries");
  if (open > 0) {
    read.open = open;
    read.open_time = input._number("a section's open time");
  }
  return read;
}

function readHistograms(input: Reader, sections: number): Exact["histograms"] {
  let next = 0;
  return each(input._count("the number of histograms", 2), () => {
    const section = next + input._index("a histogram's section", sections - next);
    next = section + 1;
    let least = 0;
    const buckets = each(input._count("the number of buckets", 2), (): [number, Whole] => {
      const bucket = least + input._index("a histogram's bucket", 1920 - least);
      const at = input._at;
      const count = input._number("a bucket's count");
      if (count === 0) input._wrongValue("a bucket's count", at);
      least = bucket + 1;
      return [bucket, count];
    });
    return { section, buckets };
  });
}

function readSamples(input: Reader, sections: number): Exact["samples"] {
  let last = { section: 0, lane: -1 };
  return each(input._count("the number of lanes with samples", 4), () => {
    const section = last.section + input._index("the section of samples", sections - last.section);
    const at = input._at;
    const lane = input._index("the lane of samples");
    if (section === last.section && lane <= last.lane) input._wrongValue("the lane of samples", at);
    last = { section, lane };
    const dropped = input._number("the number of dropped samples");
    let start: Whole = 0;
    const samples = each(input._count("the number of samples", 2), (): [Whole, Whole] => {
      start = input._difference(start, "a sample's start");
      return [start, input._number("a sample's duration")];
    });
    return { section, lane, dropped, samples };
  });
}
