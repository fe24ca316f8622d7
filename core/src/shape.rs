//! What the compiler knows of a timer's slots: their size and the statistics in them.

use crate::config::Statistics;

/// The form of a slot. One hot path serves every shape.
pub trait Shape: 'static {
    /// Bytes of a slot.
    const SLOT_BYTES: usize;
    /// The statistics that enter and exit write.
    const STATISTICS: Statistics;
}

/// One cache line a slot, all statistics: what hosts use.
#[derive(Clone, Copy, Debug)]
pub struct Line;

impl Shape for Line {
    const SLOT_BYTES: usize = 64;
    const STATISTICS: Statistics = Statistics::FULL;
}

/// Slots that hold the statistics of `BITS` ([`Statistics`]) and nothing more: for `static` timers.
#[derive(Clone, Copy, Debug)]
pub struct Kept<const BITS: u32>;

impl<const BITS: u32> Shape for Kept<BITS> {
    const SLOT_BYTES: usize = Self::STATISTICS.slot_bytes() as usize;
    const STATISTICS: Statistics = Statistics::from_bits(BITS);
}
