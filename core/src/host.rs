//! What a host adds (feature `std`): its clock, timers made at run time, the default timer, a context
//! for each thread, timers enabled for a scope, and rules that hold in every timer.

pub(crate) mod beside;
pub(crate) mod clock;
#[cfg(not(loom))]
pub(crate) mod default;
#[cfg(not(loom))]
pub(crate) mod enabled;
#[cfg(all(unix, not(loom)))]
pub(crate) mod ending;
#[cfg(all(unix, not(loom)))]
pub(crate) mod environment;
#[cfg(not(loom))]
pub(crate) mod fan;
#[cfg(not(loom))]
pub(crate) mod fork;
#[cfg(not(loom))]
pub(crate) mod guard;
#[cfg(not(loom))]
pub(crate) mod handover;
#[cfg(not(loom))]
pub(crate) mod lock;
#[cfg(not(loom))]
mod member;
pub(crate) mod memory;
#[cfg(not(loom))]
pub(crate) mod phase;
#[cfg(not(loom))]
pub(crate) mod place;
#[cfg(not(loom))]
pub(crate) mod rules;
#[cfg(all(unix, not(loom)))]
pub(crate) mod save;
#[cfg(not(loom))]
pub(crate) mod set;
#[cfg(not(loom))]
pub(crate) mod shared;
#[cfg(not(loom))]
mod slots;
#[cfg(not(loom))]
pub mod thread;
#[cfg(not(loom))]
pub(crate) mod timed;
pub(crate) mod timer;
#[cfg(not(loom))]
pub(crate) mod undisturbed;
