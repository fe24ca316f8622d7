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

/// A block of zeroed memory, given back when dropped.
#[derive(Debug)]
pub(crate) struct Allocation {
    base: NonNull<AtomicU32>,
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
        let block = Block::from_size_align(cells.max(64), 64).map_err(|_| Error::NoMemory)?;
        // SAFETY: the size is not 0.
        let base = NonNull::new(unsafe { alloc_zeroed(block) }).ok_or(Error::NoMemory)?.cast();
        #[cfg(loom)]
        for index in 0..bytes.div_ceil(4) {
            // SAFETY: within the block; loom's atomics must be made, not zeroed.
            unsafe { base.add(index).write(AtomicU32::new(0)) };
        }
        Ok(Self { base, block })
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
        unsafe { dealloc(self.base.as_ptr().cast(), self.block) };
    }
}

impl<S: Shape, C: Clock> Timer<S, C> {
    /// The stack of a late context: a lane's header and frames.
    pub(crate) fn late_stack(&self) -> Result<Allocation, Error> {
        let frames = frame::BYTES * (1 + self.config().depth as usize);
        Allocation::zeroed(at::SLOTS + frames)
    }
}
