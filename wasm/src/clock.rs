//! The time of the call: a page's clock is read by JavaScript, once for each enter and exit, and handed
//! in. A tick is a nanosecond.

use xtimer_core::{Clock, Scale};

use crate::state::Single;

static NOW: Single<u64> = Single::new(0);

/// Nanoseconds of a page's milliseconds, to nearest; what is negative or not a number is 0.
#[inline(always)]
pub(crate) fn ticks(milliseconds: f64) -> u64 {
    (milliseconds * 1e6 + 0.5) as u64
}

/// Sets the time of this call, in milliseconds.
#[inline(always)]
pub(crate) fn set(now: f64) {
    NOW.with(|time| *time = ticks(now));
}

/// Reads what the call brought.
#[derive(Debug)]
pub(crate) struct PageClock {
    /// Whether the times are of another clock than the page's own.
    pub(crate) is_custom: bool,
}

impl Clock for PageClock {
    #[inline(always)]
    fn now(&self) -> u64 {
        NOW.with(|time| *time)
    }

    fn scale(&self) -> Scale {
        Scale::NANOSECONDS
    }

    #[inline(always)]
    fn stands_still(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        if self.is_custom { "custom" } else { "performance.now" }
    }
}
