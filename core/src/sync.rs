//! Atomics, loom and targets: the only file that names them.
//!
//! Everything a timer knows is made of two kinds of word. [`AtomicU32`] is the word of control: it
//! is published, compared and swapped. [`Wide`] holds 64 bits that one writer owns, or that a
//! sequence guards: one atomic where the target has 64-bit atomics, two halves elsewhere, under
//! loom, and where `--cfg xtimer_narrow` asks for it so that hosts can test that form.

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicU32, Ordering, fence};
#[cfg(not(loom))]
pub(crate) use portable_atomic::{AtomicU32, Ordering, fence};

pub(crate) use Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

#[cfg(all(feature = "std", loom))]
pub(crate) use std::sync::atomic::AtomicU64 as HostAtomicU64;
/// A 64-bit atomic for state of the process (not of a region) on hosts.
#[cfg(all(feature = "std", not(loom)))]
pub(crate) use std::sync::atomic::{AtomicPtr, AtomicU64 as HostAtomicU64};

/// Whether [`Wide`] is two 32-bit halves.
pub(crate) const NARROW: bool = cfg!(any(loom, xtimer_narrow, not(target_has_atomic = "64")));

/// Keeps the compiler from moving memory accesses across this point, for the sake of a signal or
/// interrupt handler that runs on the same thread.
#[inline(always)]
pub(crate) fn compiler_fence() {
    core::sync::atomic::compiler_fence(core::sync::atomic::Ordering::SeqCst);
}

/// How often a reader looks: `attempts` times, but once under loom, which tries every outcome of every
/// look.
pub(crate) const fn attempts(attempts: u32) -> u32 {
    if cfg!(loom) { 1 } else { attempts }
}

/// Lets another thread go on, where there is a system that can.
pub(crate) fn give_way() {
    #[cfg(all(feature = "std", not(loom)))]
    std::thread::yield_now();
}

/// A counter in a `static` that numbers the timers of the process.
#[cfg(not(loom))]
pub(crate) mod serial {
    use super::{AtomicU32, Relaxed};
    static NEXT: AtomicU32 = AtomicU32::new(1);
    /// The next number, from 1 on; 0 once `u32::MAX` numbers are used up.
    pub(crate) fn next() -> u32 {
        // Relaxed: only the value matters, nothing is published by it.
        NEXT.fetch_update(Relaxed, Relaxed, |serial| serial.checked_add(1)).unwrap_or(0)
    }
}
/// Under loom every model run starts alike, so the numbers do as well.
#[cfg(loom)]
pub(crate) mod serial {
    pub(crate) fn next() -> u32 {
        1
    }
}

#[cfg(not(any(loom, xtimer_narrow, not(target_has_atomic = "64"))))]
mod wide {
    use super::{Acquire, Ordering, Relaxed, Release, fence};
    use portable_atomic::AtomicU64;

    /// 64 bits at an address that is a multiple of 8.
    #[repr(transparent)]
    pub(crate) struct Wide(AtomicU64);

    impl Wide {
        #[allow(dead_code)] // the manual clock without std
        pub(crate) const fn new(value: u64) -> Self {
            Self(AtomicU64::new(value))
        }
        /// The low 32 bits decide alone whether two values of a word that only counts up differ.
        #[inline(always)]
        pub(crate) fn load(&self) -> u64 {
            // Relaxed: the owner reads its own writes; readers check a sequence.
            self.0.load(Relaxed)
        }
        #[inline(always)]
        pub(crate) fn load_ordered(&self, order: Ordering) -> u64 {
            self.0.load(order)
        }
        #[inline(always)]
        pub(crate) fn store(&self, value: u64) {
            // Relaxed: the sequence or frame protocol around it publishes.
            self.0.store(value, Relaxed);
        }
        #[inline(always)]
        pub(crate) fn store_ordered(&self, value: u64, order: Ordering) {
            self.0.store(value, order);
        }
        /// Stores, then a Release fence, which pairs with that of `look_behind`: who sees any of what
        /// is stored after this sees this.
        #[inline(always)]
        pub(crate) fn open(&self, value: u64) {
            self.0.store(value, Release); // who sees it sees what was stored before
            fence(Release);
        }
        /// An Acquire fence, then a load: what was read before this is not newer than it.
        pub(crate) fn look_behind(&self) -> u64 {
            fence(Acquire); // pairs with the fence in `open`
            self.load()
        }
        /// Adds; in the form of halves each half is exact, but another thread may see them apart.
        pub(crate) fn add(&self, value: u64, order: Ordering) -> u64 {
            self.0.fetch_add(value, order)
        }
        pub(crate) fn subtract(&self, value: u64, order: Ordering) -> u64 {
            self.0.fetch_sub(value, order)
        }
        /// Sets bits of the low half.
        pub(crate) fn set_bits(&self, bits: u32, order: Ordering) {
            self.0.fetch_or(u64::from(bits), order);
        }
        /// Clears bits of the low half.
        pub(crate) fn clear_bits(&self, bits: u32, order: Ordering) {
            self.0.fetch_and(!u64::from(bits), order);
        }
        pub(crate) fn raise_to(&self, value: u64) {
            // Relaxed: an extreme publishes nothing.
            self.0.fetch_max(value, Relaxed);
        }
    }

    /// What a call site remembers, in one word: 12 bits owner, 20 parent, 20 child, 12 category.
    pub(crate) type SiteBits = u64;
    pub(crate) type SiteCell = AtomicU64;
    pub(crate) const INDEX_BITS: u32 = 20;
    pub(crate) const CATEGORY_BITS: u32 = 12;
}

#[cfg(any(loom, xtimer_narrow, not(target_has_atomic = "64")))]
mod wide {
    use super::{Acquire, AtomicU32, Ordering, Relaxed, Release, fence};

    /// 64 bits as a low and a high half. Loads and stores may be seen in part: whoever can't bear
    /// that checks a sequence around them.
    #[repr(C, align(8))]
    pub(crate) struct Wide([AtomicU32; 2]);

    impl Wide {
        #[cfg(not(loom))]
        #[allow(dead_code)] // the manual clock without std
        pub(crate) const fn new(value: u64) -> Self {
            Self([AtomicU32::new(value as u32), AtomicU32::new((value >> 32) as u32)])
        }
        #[cfg(loom)]
        #[allow(dead_code)]
        pub(crate) fn new(value: u64) -> Self {
            Self([AtomicU32::new(value as u32), AtomicU32::new((value >> 32) as u32)])
        }
        #[inline(always)]
        pub(crate) fn load(&self) -> u64 {
            // Relaxed: the owner reads its own writes; readers check a sequence.
            u64::from(self.0[0].load(Relaxed)) | u64::from(self.0[1].load(Relaxed)) << 32
        }
        /// A word that only counts up is read whole: the halves are read until the high one stands
        /// still, at most a few times; the low half alone tells neighbours apart.
        pub(crate) fn load_ordered(&self, order: Ordering) -> u64 {
            let mut high = self.0[1].load(order);
            for _ in 0..3 {
                let low = self.0[0].load(order);
                fence(Acquire); // orders the second look at the high half behind the low one
                let again = self.0[1].load(order);
                if again == high {
                    return u64::from(low) | u64::from(high) << 32;
                }
                high = again;
            }
            u64::from(self.0[0].load(order)) | u64::from(high) << 32
        }
        #[inline(always)]
        pub(crate) fn store(&self, value: u64) {
            // Relaxed: the sequence or frame protocol around it publishes.
            self.0[0].store(value as u32, Relaxed);
            self.0[1].store((value >> 32) as u32, Relaxed);
        }
        #[inline(always)]
        pub(crate) fn store_ordered(&self, value: u64, order: Ordering) {
            self.0[0].store(value as u32, order);
            self.0[1].store((value >> 32) as u32, order);
        }
        /// Stores the low half, then a Release fence, which pairs with that of `look_behind`: who sees
        /// any of what is stored after this, the high half included, sees the low half.
        #[inline(always)]
        pub(crate) fn open(&self, value: u64) {
            self.0[0].store(value as u32, Release); // who sees it sees what was stored before
            fence(Release);
            self.0[1].store((value >> 32) as u32, Relaxed); // Relaxed: as what follows this call
        }
        /// The high half, an Acquire fence, then the low half: what was read before this, the high half
        /// included, is not newer than the low half.
        pub(crate) fn look_behind(&self) -> u64 {
            let high = self.0[1].load(Relaxed); // Relaxed: as what precedes this call
            fence(Acquire); // pairs with the fence in `open`
            u64::from(self.0[0].load(Relaxed)) | u64::from(high) << 32 // Relaxed: behind the fence
        }
        /// Adds; each half is exact, but another thread may see them apart.
        pub(crate) fn add(&self, value: u64, order: Ordering) -> u64 {
            let low = self.0[0].fetch_add(value as u32, order);
            let carry = u32::from(low.checked_add(value as u32).is_none());
            let step = ((value >> 32) as u32).wrapping_add(carry);
            let high =
                if step == 0 { self.0[1].load(Relaxed) } else { self.0[1].fetch_add(step, order) };
            u64::from(low) | u64::from(high) << 32
        }
        pub(crate) fn subtract(&self, value: u64, order: Ordering) -> u64 {
            self.add(value.wrapping_neg(), order)
        }
        /// Sets bits of the low half.
        pub(crate) fn set_bits(&self, bits: u32, order: Ordering) {
            self.0[0].fetch_or(bits, order);
        }
        /// Clears bits of the low half.
        pub(crate) fn clear_bits(&self, bits: u32, order: Ordering) {
            self.0[0].fetch_and(!bits, order);
        }
        pub(crate) fn raise_to(&self, value: u64) {
            if value > self.load() {
                self.store(value);
            }
        }
    }

    /// What a call site remembers, in one word: 4 bits owner, 10 parent, 10 child, 8 category.
    pub(crate) type SiteBits = u32;
    pub(crate) type SiteCell = AtomicU32;
    pub(crate) const INDEX_BITS: u32 = 10;
    pub(crate) const CATEGORY_BITS: u32 = 8;
}

pub(crate) use wide::{CATEGORY_BITS, INDEX_BITS, SiteBits, SiteCell, Wide};

/// Bits that are left for the owner in a site's word.
pub(crate) const OWNER_BITS: u32 = SiteBits::BITS - 2 * INDEX_BITS - CATEGORY_BITS;

/// Zeroed memory of `N` words for a region in a `static` or on the stack. On 64-bit targets it is
/// aligned to a cache line.
#[cfg_attr(target_pointer_width = "64", repr(C, align(64)))]
#[cfg_attr(not(target_pointer_width = "64"), repr(C, align(16)))]
#[derive(Debug)]
pub struct Words<const N: usize>([AtomicU32; N]);

impl<const N: usize> Words<N> {
    /// All zero.
    #[cfg(not(loom))]
    #[allow(clippy::declare_interior_mutable_const)] // a value to begin with, not a place
    pub const ZERO: Self = Self([const { AtomicU32::new(0) }; N]);

    /// All zero: for memory that is no `static`.
    pub(crate) fn zeroed() -> Self {
        #[cfg(not(loom))]
        return Self::ZERO;
        #[cfg(loom)]
        return Self(core::array::from_fn(|_| AtomicU32::new(0)));
    }

    /// Where the words lie.
    pub(crate) const fn pointer(&self) -> core::ptr::NonNull<AtomicU32> {
        // SAFETY: a reference is never null; the cells are atomics, so writing through it is fine.
        unsafe { core::ptr::NonNull::new_unchecked(self.0.as_ptr().cast_mut()) }
    }
}
