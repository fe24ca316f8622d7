//! Zeroed memory for regions and late stacks: the only memory there is, asked for when a timer or a
//! late context is made.
//!
//! It comes from the system's pages, which are zero without being touched. The allocator would hand on
//! what another timer gave back, and write the zeros into all of it.

use std::ptr::NonNull;

use crate::clock::Clock;
use crate::error::Error;
use crate::layout::{frame, lane as at};
use crate::region::Memory;
use crate::shape::Shape;
use crate::sync::AtomicU32;
use crate::timer::Timer;

#[cfg(all(unix, not(loom)))]
mod pages {
    use std::ptr::{self, NonNull};

    /// Pages of zeros, at the start of one; none where there is no memory.
    pub(super) fn take(bytes: usize) -> Option<NonNull<u8>> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        const LAZY: libc::c_int = libc::MAP_NORESERVE;
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        const LAZY: libc::c_int = 0;
        let (access, flags) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANON | LAZY);
        // SAFETY: asks for new memory, at a place of the system's choice.
        let start = unsafe { libc::mmap(ptr::null_mut(), bytes, access, flags, -1, 0) };
        if start == libc::MAP_FAILED { None } else { NonNull::new(start.cast()) }
    }

    /// # Safety
    /// `start` is what `take` gave for so many bytes, and nothing uses it.
    pub(super) unsafe fn give_back(start: NonNull<u8>, bytes: usize) {
        // SAFETY: as the caller says.
        unsafe { libc::munmap(start.as_ptr().cast(), bytes) };
    }
}

#[cfg(not(all(unix, not(loom))))]
mod pages {
    use std::alloc::{Layout, alloc_zeroed, dealloc};
    use std::ptr::NonNull;

    fn block(bytes: usize) -> Option<Layout> {
        Layout::from_size_align(bytes, super::LINE).ok()
    }

    /// Zeroed memory, at the start of a line; none where there is no memory.
    pub(super) fn take(bytes: usize) -> Option<NonNull<u8>> {
        // SAFETY: the size is not 0.
        NonNull::new(unsafe { alloc_zeroed(block(bytes)?) })
    }

    /// # Safety
    /// `start` is what `take` gave for so many bytes, and nothing uses it.
    pub(super) unsafe fn give_back(start: NonNull<u8>, bytes: usize) {
        if let Some(block) = block(bytes) {
            // SAFETY: as the caller says.
            unsafe { dealloc(start.as_ptr(), block) };
        }
    }
}

/// What regions are aligned to: less than a page.
#[cfg_attr(all(unix, not(loom)), allow(dead_code))]
const LINE: usize = 64;

/// A block of zeroed memory, given back when dropped.
#[derive(Debug)]
pub(crate) struct Allocation {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the block is reached through Memory alone, which is made of atomics.
unsafe impl Send for Allocation {}
// SAFETY: as above.
unsafe impl Sync for Allocation {}

impl Allocation {
    /// `bytes` of zeroed memory, aligned to a cache line. Untouched pages cost no physical memory.
    pub(crate) fn zeroed(bytes: usize) -> Result<Self, Error> {
        // Loom's cells are larger than the words they stand for.
        let cells = bytes.div_ceil(4).checked_mul(size_of::<AtomicU32>()).ok_or(Error::NoMemory)?;
        let bytes = cells.max(LINE);
        let start = pages::take(bytes).ok_or(Error::NoMemory)?;
        #[cfg(loom)]
        for index in 0..bytes / size_of::<AtomicU32>() {
            // SAFETY: within the block; loom's atomics must be made, not zeroed.
            unsafe { start.cast::<AtomicU32>().add(index).write(AtomicU32::new(0)) };
        }
        Ok(Self { start, bytes })
    }

    /// The memory. Its holder keeps the allocation for as long as it uses it.
    pub(crate) fn memory<'m>(&self) -> Memory<'m> {
        // SAFETY: aligned and zeroed (or in use as a region); the callers below tie its use to the
        // allocation's life.
        unsafe { Memory::new(self.start.cast()) }
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // SAFETY: taken with so many bytes; its holder's life ends here.
        unsafe { pages::give_back(self.start, self.bytes) };
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
        // Of what another timer gave back as well.
        drop(HostTimer::new(Config::HOST).unwrap());
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
