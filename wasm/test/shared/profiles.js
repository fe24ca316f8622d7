// Profiles: saved, read back, damaged, united over ranks; figures as numpy has them. Each test is handed
// both entries and the vectors.

import { equal, ManualClock, ok, throws } from "./check.js";

const bytesOf = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** Values in one order of keys, integers from 2^53 on as texts: as the vectors have them. */
const plain = (value) => {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, it]) => [key, plain(it)]));
};

function close(found, expected, what, most = 1e-12) {
  if (expected === null) return ok(Number.isNaN(found), `${what}: ${found} is a number`);
  const wanted = expected / 1e6;
  ok(Math.abs(found - wanted) <= Math.abs(wanted) * most, `${what}: ${found} is not ${wanted}`);
}

/** A timer with two kept sections, the time of which is known. */
function sampled(Timer, options = {}) {
  const clock = new ManualClock();
  const timer = new Timer({ clock, samples: 10, ...options });
  const spend = (name, ms, category) => {
    const section = timer.section(name, category);
    clock.advance(ms);
    section.end();
  };
  return { clock, timer, spend };
}

export const profiles = {
  "a timer's profile is saved and read": ({ Timer }, { Profile }) => {
    const { clock, timer } = sampled(Timer);
    for (const ms of [1, 4]) {
      const step = timer.section("step \u2603");
      timer.section("load", "io").end();
      clock.advance(ms);
      step.end();
    }
    timer.section("open");
    const bytes = timer.save({ rank: 3, label: "worker 3" });
    ok(bytes instanceof Uint8Array && bytes.byteLength === bytes.buffer.byteLength, "bytes of their own");
    const profile = Profile.load(bytes);
    equal([profile.rank, profile.label, profile.totalMs, profile.clock.name], [3, "worker 3", 5, "custom"]);
    equal(profile.categoryTotalsMs, { default: 5, io: 0 });
    equal(profile.lost, { ...profile.lost, unclosed: 0, no_slot: 0 });
    equal(profile.section("step \u2603"), {
      name: "step \u2603", path: ["step \u2603"], category: "default", count: 2, totalMs: 5, selfMs: 5, minMs: 1,
      maxMs: 4, meanMs: 2.5, stdMs: profile.section("step \u2603").stdMs, open: 0, openMs: 0, busy: false,
      late: false, exceeded: false,
    });
    ok(Math.abs(profile.section("step \u2603").stdMs - Math.sqrt(4.5)) < 1e-12, "the deviation");
    equal([profile.section("open").open, profile.section("nowhere")], [1, undefined]);
    const snapshot = timer.snapshot();
    equal(profile.sections.map((it) => [it.path, it.count, it.totalMs, it.selfMs]),
      snapshot.sections.map((it) => [it.path, it.count, it.totalMs, it.selfMs]));
    const times = profile.times("step \u2603");
    equal([times.durationsMs, times.count, times.dropped], [[1, 4], 2, 0]);
    equal([...times].map((it) => it.startMs), [1000, 1001]);
  },

  "samples are kept, by name and in order": ({ Timer }, { Profile, Times }) => {
    const { timer, spend } = sampled(Timer);
    spend("a", 3);
    timer.time("outer", () => spend("a", 1));
    spend("b", 7);
    timer.record("a", 2.5);
    ok(timer.times("a") instanceof Float64Array, "a typed array");
    equal([...timer.times("a")].sort(), [1, 2.5, 3]);
    equal([[...timer.times("b")], [...timer.times("none")]], [[7], []]);
    equal(Times.of(timer.times("a")).meanMs, 6.5 / 3);
    for (let i = 0; i < 20; i++) spend("c", i);
    equal([...timer.times("c")], [10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
    const times = Profile.load(timer.save()).times("c");
    equal([times.count, times.length, times.dropped, times.sumMs, times.minMs], [20, 10, 10, 190, 0]);
    timer.clear();
    equal([timer.times("c").length, Profile.load(timer.save()).sections], [0, []]);
    equal(new Timer({ clock: new ManualClock() }).times("a").length, 0);
  },

  "many samples of many sections": ({ Timer }, { Profile }) => {
    const { timer, spend } = sampled(Timer, { samples: 5000 });
    for (let i = 0; i < 5000; i++) spend(`s${i % 7}`, (i % 97) / 8);
    const profile = Profile.load(timer.save());
    for (let section = 0; section < 7; section++) {
      const expected = Array.from({ length: 5000 }, (_, i) => i).filter((i) => i % 7 === section).map((i) => (i % 97) / 8);
      equal([...timer.times(`s${section}`)], expected);
      equal(profile.times(`s${section}`).durationsMs, expected);
    }
  },

  "bad options say so": ({ Timer }) => {
    throws(() => new Timer({ samples: -1 }), /^samples is -1; it must be a whole number\.$/);
    throws(() => new Timer({ samples: 2 ** 31 }), /^samples_per_lane is 2147483648; it must be 0 to /);
    const timer = new Timer({ clock: new ManualClock() });
    throws(() => timer.save({ rank: 1.5 }), /^rank is 1\.5/);
    throws(() => timer.save({ label: "\ud800" }), /^A label has a lone surrogate/);
    throws(() => timer.times(5), /^A name must be a string/);
    timer.free();
    throws(() => timer.save(), /freed/);
  },

  "the vectors mean what they mean in Rust": (_, { Profile, Gathered }, vectors) => {
    equal(Object.keys(vectors.profiles).length, 4);
    for (const [name, { bytes, meaning }] of Object.entries(vectors.profiles)) {
      const all = Profile.loadAll(bytesOf(bytes));
      equal(plain(all.map((it) => it.exact)), plain(meaning), name);
      equal(Gathered.load(bytesOf(bytes)).ranks.length, meaning.length);
    }
    const full = Profile.load(bytesOf(vectors.profiles.full.bytes).buffer);
    equal(full.sections[7].path, ["epoch", "step[3]", "left over", "inner"]);
    equal([full.times("train").durationsMs, full.times("train", "forward/backward").buckets()], [[0.003, 0.001], [[7, 3]]]);
    equal([full.categoryTotalsMs.gpu, full.section("train", "forward/backward").meanMs], [0.000021, 0.000007]);
  },

  "damaged bytes are told, each of them": (_, { Profile, ProfileError }, vectors) => {
    const good = bytesOf(vectors.profiles.full.bytes);
    const told = (bytes) => {
      const error = throws(() => Profile.load(bytes), /^at byte \d+: ./);
      ok(error instanceof ProfileError && error.message.startsWith(`at byte ${error.offset}: `), error.message);
      ok(error.offset <= bytes.length, error.message);
      return error.message;
    };
    for (let at = 0; at < good.length; at++) {
      told(good.slice(0, at));
      const changed = good.slice();
      changed[at] ^= 1 + (at % 255);
      told(changed);
    }
    equal(told(new Uint8Array()), "at byte 0: it ends before the 16 bytes of a profile's header");
    equal(told(new TextEncoder().encode("{\"sections\": []}")), "at byte 0: this is not a profile");
    const last = good.slice();
    last[last.length - 1] ^= 255;
    ok(/^at byte 422: the checksum is [\da-f]{8}, but the bytes come to [\da-f]{8}: some were changed$/.test(told(last)), told(last));
    equal(told(bytesOf(vectors.reduced)), "at byte 6: kind 2 is a reduced profile; a profile of one rank is wanted here");
    throws(() => Profile.load("text"), /^A profile is loaded from a Uint8Array or an ArrayBuffer\.$/);
    equal(Profile.load(good).rank, 4294967295); // everything works afterwards
  },

  "damage behind a right checksum is told as well": (_, { Profile }, vectors) => {
    const crc = (bytes) => {
      let sum = -1;
      for (const byte of bytes) {
        sum ^= byte;
        for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
      }
      return ~sum >>> 0;
    };
    const good = bytesOf(vectors.profiles.full.bytes);
    let refused = 0;
    for (let at = 16; at < good.length - 4; at++) {
      for (const value of [0, 1, 127, 128, 255]) {
        const changed = good.slice();
        changed[at] = value;
        new DataView(changed.buffer).setUint32(good.length - 4, crc(changed.subarray(0, -4)), true);
        try {
          Profile.load(changed); // another number may be as right
        } catch (error) {
          refused++;
          ok(/^at byte \d+: ./.test(error.message) && error.offset >= 16 && error.offset <= good.length - 4, error.stack);
        }
      }
    }
    ok(refused > 300, `${refused} were refused`);
  },

  "ranks are united by path and by name": (_, { Gathered, Profile }, vectors) => {
    const bytes = bytesOf(vectors.profiles.ranks.bytes);
    const all = Gathered.load(bytes);
    equal(all.ranks, [0, 1, 2, 7]);
    equal(all.paths.map((it) => it.join("/")), ["step", "step/load", "step/save", "load"]);
    equal([all.names, all.categories], [["step", "load", "save"], ["compute", "disk", "io"]]);
    const step = all.get("step");
    equal([step.count, step.sumMs, step.minMs, step.maxMs], [5, 0.00037, 0.00001, 0.0002]);
    equal(step.durationsMs, [0.00001, 0.00002, 0.00004, 0.0001, 0.0002]);
    equal(step.byRank().map((it) => [it.rank, it.count, it.totalMs]), [[0, 3, 0.00007], [1, 2, 0.0003]]);
    equal([step.across().slowest, step.across().fastest], [{ rank: 1, ms: 0.0003 }, { rank: 0, ms: 0.00007 }]);
    ok(Math.abs(step.across().imbalance - 300 / 185) < 1e-15, "the imbalance");
    equal([step.at(-1), step.at(5)], [{ rank: 1, startMs: 0.000205, ms: 0.0002 }, undefined]);
    equal(step.ofRanks(1, 9).durationsMs, [0.0001, 0.0002]);
    const load = all.byName("load");
    equal([load.count, load.categories, load.byRank().map((it) => it.rank)], [7, ["disk", "io"], [0, 1, 7]]);
    equal([all.get("load").count, all.get("step", "none"), all.byName("none")], [4, undefined, undefined]);
    equal([all.across().slowest, all.across().fastest.rank, all.across().rankCount], [{ rank: 1, ms: 0.0003 }, 2, 4]);
    equal([all.acrossCategory("disk").rankCount, all.acrossCategory("none").slowest], [1, null]);
    equal([...all].map(([path, times]) => [path.length, times.count]), [[1, 5], [2, 3], [2, 1], [1, 4]]);
    equal(all.ofRanks(7).paths, [["load"]]);
    throws(() => Gathered.of([...all.profiles, all.profiles[0]]),
      /^Two profiles are of rank 0 \('fast' and 'fast'\); give each a rank of its own\.$/);
    throws(() => Profile.load(bytes), /4 profiles, not one/);
    const [second] = Profile.loadAll(bytes).slice(1);
    equal(Gathered.of([second]).get("step", "save").maxMs, 0.00005);
  },

  "a name in itself counts at each place": ({ Timer }, { Gathered }) => {
    const { clock, timer } = sampled(Timer);
    const outer = timer.section("a");
    clock.advance(1);
    const inner = timer.section("a", "io");
    clock.advance(2);
    inner.end();
    outer.end();
    const times = Gathered.of([timer.save()]).byName("a");
    equal([times.count, times.sumMs, times.minMs, times.maxMs, times.durationsMs], [2, 5, 2, 3, [3, 2]]);
    ok(Math.abs(times.stdMs - Math.SQRT1_2) < 1e-12, `${times.stdMs}`);
  },

  "figures are numpy's": (_, { Times }, { statistics }) => {
    equal(Object.keys(statistics.cases).length, 8);
    for (const [name, it] of Object.entries(statistics.cases)) {
      const times = Times.of(it.samples.map((sample) => sample / 1e6), it.samples.map((_, index) => index % 3));
      equal([times.count, times.sumMs, times.minMs, times.maxMs], [it.samples.length, it.sum / 1e6, it.min / 1e6, it.max / 1e6], name);
      close(times.meanMs, it.mean, name);
      close(times.stdMs, it.std, name);
      const found = times.percentilesMs(statistics.percents);
      statistics.percents.forEach((percent, index) => {
        close(found[index], it.percentiles[index], `${name}, percentile ${percent}`);
        equal(times.percentileMs(percent), found[index]);
      });
    }
    const none = Times.of([]);
    ok([none.meanMs, none.stdMs, none.percentileMs(50), none.across().imbalance].every(Number.isNaN), "not a number");
    equal([none.minMs, none.count, none.length], [null, 0, 0]);
    ok(Number.isNaN(Times.of([5]).percentileMs(101)) && Number.isNaN(Times.of([5]).stdMs), "not a number");
    throws(() => Times.of([5], []), /^There are 1 durations, but 0 ranks\.$/);
  },

  "histograms stand in where samples were dropped": (_, { Profile, Times }, vectors) => {
    const profile = Profile.load(bytesOf(vectors.profiles.full.bytes));
    const times = profile.times("train", "forward/backward");
    equal([times.length, times.count, times.percentileMs(50)], [2, 3, 0.000007]);
    equal(times.hist(2, [0, 0.00001]).counts, [0, 3]);
    const buckets = Times.of([0, 63e-6, 64e-6, 65e-6, 1e-3]).buckets();
    equal(buckets, [[0, 1], [63, 1], [64, 2], [190, 1]]);
  },

  "bins and counts, as numpy.histogram": (_, { Times }, { statistics }) => {
    // numpy.histogram([1, 2, 2, 3, 5, 10], bins=3)
    const times = Times.of([1, 2, 2, 3, 5, 10]);
    equal(times.hist(3), { counts: [4, 1, 1], edgesMs: [1, 4, 7, 10] });
    // numpy.histogram([i / 10 for i in range(11)]): the edges are no decimals.
    equal(Times.of(Array.from({ length: 11 }, (_, i) => i / 10)).hist().counts, [1, 1, 2, 0, 1, 2, 1, 0, 1, 2]);
    // numpy.histogram of the vector's samples in milliseconds, whole and with range=(0.2, 1.1).
    const spread = Times.of(statistics.cases.lognormal.samples.map((it) => it / 1e6));
    equal(spread.hist().counts, [372, 88, 23, 5, 5, 1, 3, 1, 0, 2]);
    equal(spread.hist(7, [0.2, 1.1]).counts, [82, 74, 41, 38, 25, 24, 13]);
    equal(times.hist(2, [2, 4]), { counts: [2, 1], edgesMs: [2, 3, 4] });
    equal(Times.of([3, 3]).hist(2), { counts: [0, 2], edgesMs: [2.5, 3, 3.5] });
    equal(Times.of([]).hist(1), { counts: [0], edgesMs: [0, 1] });
    throws(() => times.hist(0), /^bins is 0; it must be 1 or more\.$/);
  },
};
