//! A [`tracing_subscriber::Layer`] that turns spans into sections of xtimer's default timer.
//!
//! ```
//! use tracing_subscriber::prelude::*;
//!
//! tracing_subscriber::registry().with(xtimer_tracing::layer()).init();
//!
//! {
//!     let _step = tracing::info_span!("step").entered();
//!     let _load = tracing::info_span!("load", category = "io").entered();
//! }
//! let snapshot = xtimer_core::default_timer().unwrap().snapshot().unwrap();
//! assert_eq!(snapshot.section(&["step", "load"]).unwrap().category(), "io");
//! ```
//!
//! The span's name is the section's. Its category is what the span's field `category` says, a string,
//! else `default` (or the span's target, see [`Layer::with_target_as_category`]).
//!
//! A span's section begins when the span is first entered, or a span within it is, and is recorded when the
//! span is closed, which is when its last handle is dropped and all spans within it are closed: its time is
//! the *elapsed* one. Its child `(active)` has an entry for each time that it was
//! entered and exited: how long it kept a thread. For an instrumented future these are its polls. Spans
//! entered within it, and sections of `section!`, nest in it, on whichever thread that is.
//! A span that is never entered leaves no trace; [`Layer::with_active`] leaves `(active)` out.

mod category;
mod entered;
mod layer;

pub use layer::{Layer, layer};
