//! Profiles: a snapshot as compact bytes, read back, united over ranks, or reduced.
//!
//! ```text
//! Snapshot ── encode ─► bytes ── decode ─► View ── owned ─► Profile ─┬─ gathered ─► GatheredTimes
//!                                                                   └─ reduce ───► Reduced
//! ```
//!
//! Encoding and the borrowed [`View`] need no memory of their own. What owns memory needs the feature
//! `alloc`; files need `std`. `docs/format.md` fixes the bytes. Times are whole nanoseconds.

#[cfg(feature = "alloc")]
mod across;
mod decode;
mod encode;
mod error;
#[cfg(feature = "std")]
mod file;
mod format;
#[cfg(feature = "alloc")]
mod gathered;
#[cfg_attr(not(feature = "alloc"), allow(dead_code, reason = "what owns memory writes by it"))]
mod kept;
#[cfg(feature = "alloc")]
mod moments;
#[cfg(feature = "alloc")]
mod owned;
#[cfg(feature = "alloc")]
mod records;
#[cfg(feature = "alloc")]
mod reduce;
#[cfg(feature = "alloc")]
mod reduced_bytes;
mod snapshot;
mod squares;
#[cfg(feature = "alloc")]
mod timer;
#[cfg(feature = "alloc")]
mod times;
#[cfg(feature = "alloc")]
mod tree;
mod view;
mod wire;

#[cfg(feature = "alloc")]
pub use across::Across;
pub use encode::{Sink, TooSmall};
pub use error::{DecodeError, Fault};
#[cfg(feature = "std")]
pub use file::FileError;
pub use format::VERSION;
#[cfg(feature = "alloc")]
pub use gathered::{GatherError, Gathered, SameRank};
#[cfg(feature = "alloc")]
pub use owned::{Buckets, Profile, ProfileCategory, ProfileSection};
#[cfg(feature = "alloc")]
pub use records::Records;
#[cfg(feature = "alloc")]
pub use reduce::{Reduced, ReducedCategory, ReducedSection};
#[cfg(feature = "alloc")]
pub use times::{GatheredTimes, LengthMismatch, RankSample, RankTimes};
pub use view::{
    CategoryTotal, ClockInfo, Histogram, LaneSamples, Marks, Numbers, Sample, Section, Source, View,
};
