//! Times named sections as they nest, and says how much each category really took.
//!
//! No allocation, no locks, fixed capacity: everything a timer knows is in one block of memory, its
//! *region*, and enter and exit cost little more than the two clock reads they cannot do without.
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use xtimer_core::{default_timer, section};
//!
//! for _ in 0..3 {
//!     let _step = section!("step");
//!     let _load = section!("load", "io");
//! }
//! let snapshot = default_timer().unwrap().snapshot().unwrap();
//! assert_eq!(snapshot.section(&["step", "load"]).unwrap().count(), 3);
//! println!("{}", snapshot.report());
//! # }
//! ```
//!
//! # How it is built
//!
//! ```text
//! enter ── clock ─ path of (parent, name) ─ push frame ─────────► token       timer, paths, names
//! exit(token) ── clock ─ pop frame ─ the lane's statistics                    timer, lane
//! snapshot ── lanes added up, consistent per slot ─ category totals           snapshot, category
//! view ── text, JSON                                                          export
//! profile ── bytes ─► decode ─► ranks gathered, or reduced                     profile
//! ```
//!
//! `timer.rs` holds the hot path on one page; what it leaves out is `general.rs`. `layout.rs` says
//! where everything lies, `region.rs` reaches it word by word, and `sync.rs` alone knows the atomics
//! of the target. `host/` is what the feature `std` adds. `docs/design.md` draws the memory.

#![cfg_attr(not(any(feature = "std", test)), no_std)]

#[cfg(feature = "alloc")]
extern crate alloc;

mod category;
mod clock;
mod config;
mod context;
mod counter;
mod epoch;
mod error;
mod export;
#[doc(hidden)]
pub mod fixed;
mod flatten;
mod gather;
mod general;
mod handle;
pub mod histogram;
#[cfg(feature = "std")]
mod host;
mod keeping;
mod lane;
mod lanes;
mod late;
mod layout;
#[cfg(not(loom))]
mod lent;
#[cfg(all(test, loom, feature = "std"))]
mod loom_models;
mod lost;
mod names;
mod nested;
mod opening;
mod paths;
mod percentile;
mod price;
pub mod profile;
mod region;
mod samples;
mod section;
mod sentence;
mod shape;
mod snapshot;
#[cfg(feature = "alloc")]
mod steps;
mod switch;
mod sync;
mod task;
mod timer;
mod totals;
mod tree;
mod window;

pub use category::{DEFAULT_CATEGORY, OTHER_CATEGORY};
pub use clock::{Clock, Elapsed, ManualClock, Scale, elapsed, quantum};
pub use config::{Config, Keep, Refusal, Statistics};
pub use context::{Detached, Path, Site, SiteWords, Token};
pub use error::Error;
pub use export::{Json, Report};
pub use fixed::{FixedTimer, static_bytes};
pub use handle::Context;
#[cfg(all(feature = "std", not(loom)))]
#[doc(hidden)] // for front ends
pub use host::beside::save_beside;
#[cfg(feature = "std")]
pub use host::clock::{Custom, HostClock, Kind, cycle_counter};
#[cfg(all(feature = "std", not(loom)))]
pub use host::default::{
    ThreadContext, default_timer, enter_at, enter_words, exit, forget_thread_error,
    set_default_timer, thread_error, with_thread,
};
#[cfg(all(feature = "std", not(loom)))]
pub use host::enabled::{
    Enabled, begin_scope, enable_default, end_scope, share, shared_context, sweep_contexts,
};
#[cfg(all(feature = "std", not(loom)))]
pub use host::guard::{SectionGuard, counter_index};
#[cfg(all(feature = "std", not(loom)))]
pub use host::handover::here;
#[cfg(all(feature = "std", not(loom)))]
#[doc(hidden)] // for front ends
pub use host::lock::Lock;
#[cfg(all(feature = "std", not(loom)))]
pub use host::phase::{switch_at, switch_words};
#[cfg(all(feature = "std", not(loom)))]
pub use host::place::{MOST_ENABLED, Place};
#[cfg(all(feature = "std", not(loom)))]
pub use host::rules::{clear_rules, forbid};
#[cfg(all(feature = "std", not(loom)))]
pub use host::shared::SharedContext;
#[cfg(all(feature = "std", not(loom)))]
pub use host::thread;
#[cfg(all(feature = "std", not(loom)))]
pub use host::timed::{Timed, TimedExt};
#[cfg(feature = "std")]
pub use host::timer::HostTimer;
pub use layout::Layout;
#[cfg(not(loom))]
pub use lent::MemoryLine;
pub use percentile::Histogram;
pub use price::Price;
pub use samples::{Sample, Samples};
pub use sentence::Sentence;
pub use shape::{Kept, Line, Shape};
pub use snapshot::{Losses, Row, Section, Snapshot};
#[cfg(feature = "alloc")]
pub use steps::Steps;
pub use sync::Words;
pub use task::Task;
pub use timer::Timer;
#[cfg(all(feature = "macros", not(loom)))]
pub use xtimer_macros::timed;
