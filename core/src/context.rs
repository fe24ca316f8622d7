//! What travels between calls: tokens, call sites, paths handed to others, detached sections.

use crate::category::DEFAULT_CATEGORY;
use crate::sync::{
    Acquire, CATEGORY_BITS, INDEX_BITS, OWNER_BITS, Relaxed, Release, SiteBits, SiteCell,
};

/// What enter returns and exit takes back.
///
/// generation (32 bits) | owner (18) | lane (12) | mark (1) | 1. The mark is set only in frames.
///
/// ```
/// # #[cfg(feature = "std")] {
/// use xtimer_core::{Config, Error, HostTimer, Token};
///
/// let timer = HostTimer::new(Config::HOST).unwrap();
/// let context = timer.context().unwrap();
/// let token = context.enter("load", "io").unwrap();
/// let kept: u64 = token.to_bits(); // what C and JavaScript hold
/// context.exit(Token::from_bits(kept)).unwrap();
/// assert_eq!(context.exit(token), Err(Error::NotOpen)); // it is closed by now
/// assert!(Token::NULL.is_null());
/// context.exit(Token::NULL).unwrap(); // what was not entered need not be exited
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Token(pub(crate) u64);

impl Token {
    /// The token of a section that was not entered; exit accepts and ignores it.
    pub const NULL: Self = Self(0);
    /// In a frame: its exit takes the general path.
    pub(crate) const MARK: u64 = 2;
    /// The next generation.
    pub(crate) const STEP: u64 = 1 << 32;
    /// What tells the lane and the timer: all but generation and mark.
    pub(crate) const PLACE: u64 = 0xffff_fffd;

    /// The first token of a lane.
    pub(crate) const fn first(owner: u32, lane: u32) -> u64 {
        Self::STEP | ((owner as u64 & 0x3_ffff) << 14) | ((lane as u64 & 0xfff) << 2) | 1
    }

    /// The token of a section that went to several timers at once: bit 0 is 0, so it is no lane's.
    ///
    /// generation (32 bits) | thread (26) | how many timers (4) | 0 | 0
    #[cfg_attr(any(loom, not(feature = "std")), allow(dead_code))]
    pub(crate) const fn of_set(generation: u32, thread: u32, timers: u32) -> Self {
        let place = (thread & Self::MOST_THREADS) << 6 | (timers & 0xf) << 2;
        Self((generation as u64) << 32 | place as u64)
    }
    /// The largest number of a thread in such a token.
    pub(crate) const MOST_THREADS: u32 = (1 << 26) - 1;

    /// Whether it is such a token.
    #[cfg_attr(any(loom, not(feature = "std")), allow(dead_code))]
    pub(crate) const fn is_of_set(self) -> bool {
        self.0 & 1 == 0 && self.0 != 0
    }

    /// Whether this is the null token.
    pub const fn is_null(self) -> bool {
        self.0 == 0
    }
    /// The number that C and JavaScript hold.
    pub const fn to_bits(self) -> u64 {
        self.0
    }
    /// The token of a number; any number is safe, one that is no open token is refused by exit.
    ///
    /// The mark is for frames alone, and exit relies on it: a number that has it is no token, and
    /// becomes one that no lane ever gives.
    #[inline(always)]
    pub const fn from_bits(bits: u64) -> Self {
        if bits & Self::MARK == 0 { Self(bits) } else { Self(1) }
    }
}

/// Frames and sites name a section by owner and index.
pub(crate) const INDEX_MASK: u32 = (1 << INDEX_BITS) - 1;
/// Bits of a site's word behind the parent.
pub(crate) const PARENT_SHIFT: u32 = INDEX_BITS + CATEGORY_BITS;

/// The part of a timer's serial number that sites can hold; 0 where it has too many bits, and then
/// call sites remember nothing.
pub(crate) const fn site_owner(serial: u32) -> u32 {
    if serial >> OWNER_BITS == 0 { serial } else { 0 }
}

/// A call site's memory: the last two parents it was entered under, and what that came to.
///
/// Zero is empty. One word says all, so it cannot be torn, and it belongs to one timer.
#[derive(Debug)]
#[repr(C)]
pub struct SiteWords {
    words: [SiteCell; 2],
}

impl SiteWords {
    /// Remembers nothing yet.
    #[cfg(not(loom))]
    pub const fn new() -> Self {
        Self { words: [SiteCell::new(0), SiteCell::new(0)] }
    }
    /// Remembers nothing yet.
    #[cfg(loom)]
    pub fn new() -> Self {
        Self { words: [SiteCell::new(0), SiteCell::new(0)] }
    }

    /// The first word, for the fast path.
    #[inline(always)]
    pub(crate) fn first(&self) -> SiteBits {
        // Relaxed: the word is whole in itself, and the section's stamp says whether this lane has
        // entered it before, by the general path, which acquired what the word names.
        self.words[0].load(Relaxed)
    }

    /// The section and category remembered for a parent node.
    pub(crate) fn lookup(&self, parent: u32) -> Option<(u32, u32)> {
        self.words.iter().find_map(|word| {
            // Acquire pairs with the Release in `remember`: who enters by this word, and later by
            // `first`, hands on to readers the path and the category that it names.
            let bits = word.load(Acquire);
            (bits >> PARENT_SHIFT == SiteBits::from(parent)).then_some(Self::split(bits))
        })
    }

    /// Section and category of a word.
    #[inline(always)]
    pub(crate) fn split(bits: SiteBits) -> (u32, u32) {
        let section = (bits >> CATEGORY_BITS) as u32 & INDEX_MASK;
        (section, bits as u32 & ((1 << CATEGORY_BITS) - 1))
    }

    /// Remembers what entering under a parent came to; the older of two memories goes.
    pub(crate) fn remember(&self, parent: u32, section: u32, category: u32) {
        let bits = SiteBits::from(parent) << PARENT_SHIFT
            | SiteBits::from(section) << CATEGORY_BITS
            | SiteBits::from(category);
        // Acquire and Release: as in `lookup`, also for the word that another thread remembered.
        let previous = self.words[0].load(Acquire);
        self.words[0].store(bits, Release);
        self.words[1].store(previous, Release);
    }
}

impl Default for SiteWords {
    fn default() -> Self {
        Self::new()
    }
}

/// A call site: a name and a category, and what was remembered of earlier calls.
///
/// ```
/// # #[cfg(feature = "std")] {
/// use xtimer_core::{Config, HostTimer, Site};
///
/// static LOAD: Site = Site::new("load", "io");
/// static STEP: Site = Site::uncategorised("step");
/// let timer = HostTimer::new(Config::HOST).unwrap();
/// let context = timer.context().unwrap();
/// for _ in 0..2 {
///     let step = context.enter_at(&STEP).unwrap();
///     let load = context.enter_at(&LOAD).unwrap();
///     context.exit(load).unwrap();
///     context.exit(step).unwrap();
/// }
/// assert_eq!(timer.snapshot().unwrap().section(&["step", "load"]).unwrap().count(), 2);
/// # }
/// ```
#[derive(Debug)]
pub struct Site {
    pub(crate) words: SiteWords,
    pub(crate) name: &'static str,
    pub(crate) category: &'static str,
}

impl Site {
    /// A site that enters `name` with a category.
    #[cfg(not(loom))]
    pub const fn new(name: &'static str, category: &'static str) -> Self {
        Self { words: SiteWords::new(), name, category }
    }
    /// A site that enters `name` with a category.
    #[cfg(loom)]
    pub fn new(name: &'static str, category: &'static str) -> Self {
        Self { words: SiteWords::new(), name, category }
    }
    /// A site that enters `name` with the category `default`.
    #[cfg(not(loom))]
    pub const fn uncategorised(name: &'static str) -> Self {
        Self::new(name, DEFAULT_CATEGORY)
    }
    /// A site that enters `name` with the category `default`.
    #[cfg(loom)]
    pub fn uncategorised(name: &'static str) -> Self {
        Self::new(name, DEFAULT_CATEGORY)
    }
}

/// A path of a timer, to enter sections beneath it from another context.
///
/// ```
/// # #[cfg(feature = "std")] {
/// use xtimer_core::{Config, HostTimer, Path};
///
/// let timer = HostTimer::new(Config::HOST).unwrap();
/// let (main, worker) = (timer.context().unwrap(), timer.context().unwrap());
/// let step = main.enter("step", "default").unwrap();
/// let kept: u64 = main.current_path().to_bits(); // what C holds
/// let part = worker.enter_beneath(Path::from_bits(kept), "part", "compute").unwrap();
/// worker.exit(part).unwrap();
/// main.exit(step).unwrap();
/// assert!(timer.snapshot().unwrap().section(&["step", "part"]).is_some());
/// assert_eq!(Path::ROOT.to_bits(), 0);
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Path {
    pub(crate) owner: u32,
    pub(crate) section: u32,
}

impl Path {
    /// The top of any timer.
    pub const ROOT: Self = Self { owner: 0, section: 0 };

    /// The number that C holds; 0 for [`Path::ROOT`].
    pub const fn to_bits(self) -> u64 {
        (self.owner as u64) << 32 | self.section as u64
    }
    /// The path of a number; one that is no path of a timer is refused where it is used.
    pub const fn from_bits(bits: u64) -> Self {
        Self { owner: (bits >> 32) as u32, section: bits as u32 }
    }
}

/// A section held by value: for work that is not on any stack.
///
/// It is recorded by `finish`, from any context of its timer; never finished, it counts as entered
/// and took no time.
///
/// ```
/// # #[cfg(feature = "std")] {
/// use xtimer_core::{Config, HostTimer};
///
/// let timer = HostTimer::new(Config::HOST).unwrap();
/// let (begins, ends) = (timer.context().unwrap(), timer.context().unwrap());
/// let copy = begins.detach(None, "copy", "gpu").unwrap();
/// ends.record_beneath(copy.path(), "kernel", "gpu", 1_000).unwrap();
/// ends.finish(copy).unwrap();
/// assert_eq!(timer.snapshot().unwrap().section(&["copy"]).unwrap().count(), 1);
/// # }
/// ```
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a detached section is recorded only when it is finished"]
#[repr(C)]
pub struct Detached {
    pub(crate) start: u64,
    pub(crate) epoch: u64,
    pub(crate) owner: u32,
    pub(crate) section: u32,
}

impl Detached {
    /// A detached section that was not entered; finishing it does nothing.
    pub const NULL: Self = Self { start: 0, epoch: 0, owner: 0, section: 0 };

    /// The section's path, to enter sections beneath it.
    pub const fn path(&self) -> Path {
        Path { owner: self.owner, section: self.section }
    }

    /// Start and epoch: with the path, all that a front end keeps of it.
    #[doc(hidden)]
    pub const fn parts(&self) -> (u64, u64) {
        (self.start, self.epoch)
    }

    /// The section of such parts. Any are safe: what is no section of a timer is refused.
    #[doc(hidden)]
    pub const fn from_parts(start: u64, epoch: u64, path: Path) -> Self {
        Self { start, epoch, owner: path.owner, section: path.section }
    }
}
