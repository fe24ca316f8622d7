//! Access to the block of memory, word by word.
//!
//! A [`Memory`] is a place in a region: a base from which offsets count. Whoever makes one (unsafe)
//! promises that the region is as large as its [`Layout`] says; every offset used afterwards comes
//! from that layout, or from an index that was checked against its capacities, so the accessors
//! themselves are safe to call within the crate.

use core::marker::PhantomData;
use core::ptr::NonNull;

use crate::sync::{AtomicU32, Wide};

/// Bytes that a 32-bit cell takes in memory: 4, but more under loom, whose atomics are larger.
const CELL: usize = size_of::<AtomicU32>();

/// Bytes from the base to the cell at a region's offset.
#[inline(always)]
const fn cell(offset: usize) -> usize {
    if CELL == 4 { offset } else { offset / 4 * CELL }
}

/// A place in a region.
#[derive(Clone, Copy)]
pub(crate) struct Memory<'m> {
    base: NonNull<AtomicU32>,
    region: PhantomData<&'m AtomicU32>,
}

// SAFETY: a Memory gives access to atomics only, and those may be shared among threads.
unsafe impl Send for Memory<'_> {}
// SAFETY: as above.
unsafe impl Sync for Memory<'_> {}

impl<'m> Memory<'m> {
    /// # Safety
    /// - `base` points to the cells of a region, aligned to 64 bytes where slots are whole lines and
    ///   to 8 otherwise, zeroed or in use as a region, for as long as `'m`.
    /// - Nothing but [`Memory`] touches them in that time.
    pub(crate) const unsafe fn new(base: NonNull<AtomicU32>) -> Self {
        Self { base, region: PhantomData }
    }

    /// The place `offset` bytes further on (a multiple of 8).
    #[inline(always)]
    pub(crate) fn at(self, offset: usize) -> Self {
        // SAFETY: the offset comes from the region's layout, so the result lies within the region.
        Self { base: unsafe { self.base.byte_add(cell(offset)) }, region: PhantomData }
    }

    /// The 32-bit word at `offset` bytes (a multiple of 4).
    #[inline(always)]
    pub(crate) fn word(self, offset: usize) -> &'m AtomicU32 {
        // SAFETY: as in `at`; the cell is an atomic, alive for 'm.
        unsafe { self.base.byte_add(cell(offset)).as_ref() }
    }

    /// The 64-bit word at `offset` bytes (a multiple of 8).
    #[inline(always)]
    pub(crate) fn wide(self, offset: usize) -> &'m Wide {
        // SAFETY: as in `at`; two adjoining cells have the size and alignment of a Wide.
        unsafe { self.base.byte_add(cell(offset)).cast::<Wide>().as_ref() }
    }

    /// The bytes from `offset` on, once they are published and so never change again.
    #[cfg(not(loom))]
    pub(crate) fn bytes(self, offset: usize, length: usize) -> &'m [u8] {
        // SAFETY: as in `at`; published names are never written again.
        unsafe { core::slice::from_raw_parts(self.base.as_ptr().cast::<u8>().add(offset), length) }
    }
    /// Loom's cells are no bytes; names are compared word by word there.
    #[cfg(loom)]
    pub(crate) fn bytes(self, _offset: usize, _length: usize) -> &'m [u8] {
        &[]
    }

    /// The address, for scratch that its claimer uses as rows.
    pub(crate) fn pointer(self) -> NonNull<u8> {
        self.base.cast()
    }
}

impl core::fmt::Debug for Memory<'_> {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "Memory({:?})", self.base)
    }
}
