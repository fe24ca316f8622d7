//! Zeroed memory from the allocator, for regions and late stacks: the only allocation there is, made
//! when a timer or a late context is made.

use std::alloc::{Layout as Block, alloc_zeroed, dealloc};
use std::ptr::NonNull;

use crate::clock::Clock;
use crate::error::Error;
use crate::layout::{frame, lane as at};
use crate::region::Memory;
use crate::shape::Shape;
use crate::sync::AtomicU32;
use crate::timer::Timer;

/// What regions are aligned to.
const LINE: usize = 64;

/// A block of zeroed memory, given back when dropped.
#[derive(Debug)]
pub(crate) struct Allocation {
    /// The first whole line of the block.
    base: NonNull<AtomicU32>,
    start: NonNull<u8>,
    block: Block,
}

// SAFETY: the block is reached through Memory alone, which is made of atomics.
unsafe impl Send for Allocation {}
// SAFETY: as above.
unsafe impl Sync for Allocation {}

impl Allocation {
    /// `bytes` of zeroed memory, aligned to a cache line. Untouched pages cost no physical memory.
    pub(crate) fn zeroed(bytes: usize) -> Result<Self, Error> {
        // Loom's cells are larger than the words they stand for.
        let cells = bytes.div_ceil(4) * size_of::<AtomicU32>();
        // Asked for a line's alignment, the system's allocator would write the zeros itself and so
        // touch every page; asked for its own, it hands on the system's pages, which are zero.
        let size = cells.checked_add(LINE).ok_or(Error::NoMemory)?;
        let block = Block::from_size_align(size, align_of::<u64>()).map_err(|_| Error::NoMemory)?;
        // SAFETY: the size is not 0.
        let start = NonNull::new(unsafe { alloc_zeroed(block) }).ok_or(Error::NoMemory)?;
        let address = start.addr().get();
        // SAFETY: less than a line, by which the block is longer than what is used of it.
        let base = unsafe { start.add(address.next_multiple_of(LINE) - address) }.cast();
        #[cfg(loom)]
        for index in 0..bytes.div_ceil(4) {
            // SAFETY: within the block; loom's atomics must be made, not zeroed.
            unsafe { base.add(index).write(AtomicU32::new(0)) };
        }
        Ok(Self { base, start, block })
    }

    /// The memory. Its holder keeps the allocation for as long as it uses it.
    pub(crate) fn memory<'m>(&self) -> Memory<'m> {
        // SAFETY: aligned and zeroed (or in use as a region); the callers below tie its use to the
        // allocation's life.
        unsafe { Memory::new(self.base) }
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // SAFETY: allocated with this very block.
        unsafe { dealloc(self.start.as_ptr(), self.block) };
    }
}

impl<S: Shape, C: Clock> Timer<S, C> {
    /// The stack of a late context: a lane's header and frames.
    pub(crate) fn late_stack(&self) -> Result<Allocation, Error> {
        let frames = frame::BYTES * (1 + self.config().depth as usize);
        Allocation::zeroed(at::SLOTS + frames)
    }
}

#[cfg(all(test, not(loom), target_os = "linux"))]
mod tests {
    use crate::config::Config;
    use crate::host::timer::HostTimer;

    #[test]
    #[cfg_attr(xtimer_thread_sanitizer, ignore = "each word has a shadow")]
    fn untouched_memory_costs_no_physical_memory() {
        const PAGE: usize = 4096;
        let timer = HostTimer::new(Config::HOST).unwrap();
        let context = timer.context().unwrap();
        let token = context.enter("section", "category").unwrap();
        context.exit(token).unwrap();
        let start = timer.region.pointer().as_ptr().addr().next_multiple_of(PAGE);
        let pages = timer.bytes() / PAGE - 1;
        let mut resident = vec![0_u8; pages];
        // SAFETY: looks at whole pages within the region, and writes a byte for each.
        let looked = unsafe {
            libc::mincore(
                core::ptr::without_provenance_mut(start),
                pages * PAGE,
                resident.as_mut_ptr(),
            )
        };
        assert_eq!(looked, 0);
        let touched = resident.iter().filter(|page| **page & 1 != 0).count();
        assert!(touched < pages / 4, "{touched} of {pages} pages");
    }
}
