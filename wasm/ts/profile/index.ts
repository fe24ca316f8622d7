// The entry `xtimer-wasm/profile`: profiles read, united over ranks, and what they come to. Plain JavaScript:
// it needs no WebAssembly and no init.

export { ProfileError, type Whole } from "./bytes.js";
export type { Exact, ExactSection } from "./decode.js";
export type { Across, Bins } from "./figures.js";
export { Gathered } from "./gathered.js";
export { Profile, type ProfileSection } from "./profile.js";
export { Times, type RankSample, type RankTimes } from "./times.js";
