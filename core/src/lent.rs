//! A timer in memory that its owner lends at run time: for front ends without `std` whose capacities
//! are chosen late, such as a web page's.

use core::ptr::NonNull;

use crate::clock::Clock;
use crate::config::Config;
use crate::error::Error;
use crate::layout::Layout;
use crate::region::Memory;
use crate::shape::{Line, Shape};
use crate::timer::Timer;

/// One cache line of memory, the unit in which a region is lent.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct MemoryLine([u64; 8]);

impl MemoryLine {
    /// All zero.
    pub const ZERO: Self = Self([0; 8]);
}

impl<C: Clock> Timer<Line, C> {
    /// How many lines a timer of these capacities needs.
    ///
    /// # Errors
    /// [`Error::Config`] names a capacity that can't work.
    pub fn lines(config: Config) -> Result<usize, Error> {
        Ok(Layout::new(config, Line::SLOT_BYTES as u32)?.bytes().div_ceil(size_of::<MemoryLine>()))
    }

    /// A timer in the caller's memory, which is zeroed first. Rules of the process do not hold in it.
    ///
    /// # Errors
    /// [`Error::Config`] names a capacity that can't work; [`Error::TooSmall`] where there are fewer
    /// lines than [`lines`](Self::lines) says.
    pub fn in_memory(
        lines: &'static mut [MemoryLine],
        config: Config,
        clock: C,
    ) -> Result<Self, Error> {
        let layout = Layout::new(config, Line::SLOT_BYTES as u32)?;
        if size_of_val(lines) < layout.bytes() {
            return Err(Error::TooSmall);
        }
        lines.fill(MemoryLine::ZERO);
        let base = NonNull::from(lines).cast();
        // SAFETY: zeroed and large enough, aligned to a line, ours alone for good by the borrow; the
        // layout is for lines.
        Ok(unsafe { Self::from_region(Memory::new(base), layout, clock) })
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::clock::ManualClock;

    #[test]
    fn a_timer_works_in_lent_memory_whatever_was_in_it() {
        let config = Config { sections: 4, ..Config::SMALL };
        let lines = Timer::<Line, ManualClock>::lines(config).unwrap();
        let lent = std::vec![MemoryLine([u64::MAX; 8]); lines].leak();
        let timer = Timer::in_memory(lent, config, ManualClock::new(64)).unwrap();
        let context = timer.context().unwrap();
        let token = context.enter("section", "category").unwrap();
        timer.clock().advance(5);
        context.exit(token).unwrap();
        assert_eq!(timer.snapshot().unwrap().category_total("category"), 5);
    }

    #[test]
    fn too_little_memory_and_bad_capacities_are_refused() {
        let small = std::vec![MemoryLine::ZERO; 1].leak();
        let refused = Timer::in_memory(small, Config::SMALL, ManualClock::new(64));
        assert_eq!(refused.map(|_| ()), Err(Error::TooSmall));
        let config = Config { depth: 0, ..Config::SMALL };
        assert_eq!(Timer::<Line, ManualClock>::lines(config), Err(Error::Config("depth")));
    }
}
