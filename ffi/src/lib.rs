//! libxtimer: the C interface of `xtimer-core`.
//!
//! It translates and decides little: C strings to text, handles to timers, errors to a status and a
//! sentence. `cargo xtask header` writes `include/xtimer.h` from the documentation here.
//!
//! ```text
//! site, section, detached, record     what times            -> context of the calling thread
//! category, control                   rules, totals, clear  -> timer
//! snapshot, info, export, file        what is read          -> snapshot
//! samples                             each duration, percentiles -> timer, snapshot
//! profile, gathered                   bytes, ranks          -> snapshot, profiles
//! timer, config, enable               timers and handles    -> table (timers), held (contexts)
//! error, guard, text                  what every call needs
//! ```
//!
//! `xtimer_begin_at`, `xtimer_begin` and `xtimer_end` contain the core's hot path and nothing that
//! can panic; every other body runs under `guard`. Nothing unwinds into C.

// The order of these groups is that of the header.
mod error;

mod section;
mod site;

mod detached;
mod phase;
mod record;

mod category;
mod control;

mod export;
mod file;

mod info;
mod samples;
mod snapshot;
mod step;

mod gathered;
mod profile;

mod config;
mod timer;

mod enable;

mod cache;
mod fork;
mod guard;
mod held;
mod sync;
mod table;
mod text;

pub use category::*;
pub use config::*;
pub use control::*;
pub use detached::*;
pub use enable::*;
pub use error::{Code, Status, xtimer_last_error, xtimer_status_text, xtimer_version};
pub use export::*;
pub use file::*;
pub use gathered::*;
pub use info::*;
pub use phase::*;
pub use profile::*;
pub use record::*;
pub use samples::*;
pub use section::*;
pub use site::*;
pub use snapshot::*;
pub use step::*;
pub use timer::*;
