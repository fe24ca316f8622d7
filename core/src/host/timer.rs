//! Timers whose capacities are chosen at run time: one zeroed allocation each.

use crate::clock::Clock;
use crate::config::Config;
use crate::error::Error;
use crate::host::clock::HostClock;
use crate::host::memory::Allocation;
use crate::layout::Layout;
use crate::shape::{Line, Shape};
use crate::timer::Timer;

/// A timer of a host: slots of a cache line, the machine's best clock.
///
/// ```
/// use xtimer_core::{Config, Error, HostClock, HostTimer};
///
/// let timer = HostTimer::with_clock(Config::HOST, HostClock::monotonic()).unwrap();
/// assert_eq!(timer.bytes(), HostTimer::new(Config::HOST).unwrap().bytes());
/// let refused = HostTimer::new(Config { depth: 0, ..Config::HOST }).unwrap_err();
/// assert_eq!(refused, Error::Config("depth"));
/// ```
pub type HostTimer = Timer<Line, HostClock>;

impl HostTimer {
    /// A timer with the machine's best clock. The rules of the process hold in it.
    ///
    /// # Errors
    /// [`Error::Config`] names a capacity that can't work; [`Error::NoMemory`];
    /// [`Error::RulesFull`] when the rules of the process don't fit; [`Error::Busy`] in a signal
    /// handler that interrupts a change of those rules.
    pub fn new(config: Config) -> Result<Self, Error> {
        Self::with_clock(config, HostClock::best())
    }
}

impl<C: Clock> Timer<Line, C> {
    /// A timer with a clock of the caller's.
    ///
    /// # Errors
    /// As [`HostTimer::new`].
    pub fn with_clock(config: Config, clock: C) -> Result<Self, Error> {
        let layout = Layout::new(config, Line::SLOT_BYTES as u32)?;
        let allocation = Allocation::zeroed(layout.bytes)?;
        // SAFETY: zeroed, large enough, aligned to a line; it lives in the timer, and contexts
        // borrow the timer.
        let mut timer = unsafe { Self::from_region(allocation.memory(), layout, clock) };
        timer.allocation = Some(allocation);
        timer.ready();
        #[cfg(not(loom))]
        {
            timer.membership = Some(super::rules::join(timer.region, timer.layout)?);
        }
        Ok(timer)
    }
}
