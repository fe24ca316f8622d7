//! What a host adds (feature `std`): its clock, timers made at run time, the default timer, and a
//! context for each thread.

pub(crate) mod clock;
#[cfg(not(loom))]
pub(crate) mod default;
#[cfg(not(loom))]
pub(crate) mod fork;
pub(crate) mod memory;
pub(crate) mod timer;
