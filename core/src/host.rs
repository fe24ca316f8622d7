//! What a host adds (feature `std`): its clock, timers made at run time, the default timer, a context
//! for each thread, and rules that hold in every timer.

pub(crate) mod clock;
#[cfg(not(loom))]
pub(crate) mod default;
#[cfg(all(unix, not(loom)))]
pub(crate) mod ending;
#[cfg(all(unix, not(loom)))]
pub(crate) mod environment;
#[cfg(not(loom))]
pub(crate) mod fork;
#[cfg(not(loom))]
pub(crate) mod guard;
#[cfg(not(loom))]
pub(crate) mod handover;
#[cfg(not(loom))]
pub(crate) mod lock;
pub(crate) mod memory;
#[cfg(not(loom))]
pub(crate) mod phase;
#[cfg(not(loom))]
pub(crate) mod rules;
#[cfg(all(unix, not(loom)))]
pub(crate) mod save;
#[cfg(not(loom))]
pub(crate) mod timed;
pub(crate) mod timer;
#[cfg(not(loom))]
pub(crate) mod undisturbed;
