//! A place handed from thread to thread: the paths of a section in each timer that it went to.

use crate::context::Path;
use crate::host::default::ThreadContext;

/// The most timers that can be enabled at once.
pub const MOST_ENABLED: usize = 8;

/// Where sections of another thread or task go: beneath a section, in each of the timers that it went
/// to. A value: copy it, keep it; it stays good after its section ended.
///
/// It carries up to eight paths, one for each timer, so that what is enabled is inherited with it.
/// [`thread::here`](crate::thread::here) gives the one of the calling thread,
/// [`thread::enter_beneath`](crate::thread::enter_beneath) enters beneath it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Unused ones are all zero.
    paths: [Path; MOST_ENABLED],
}

impl Place {
    /// The top: of the timers that are enabled where it is used.
    pub const ROOT: Self = Self { paths: [Path::ROOT; MOST_ENABLED] };

    /// A place in one timer.
    pub const fn of(path: Path) -> Self {
        let mut place = Self::ROOT;
        place.paths[0] = path;
        place
    }

    /// A place in several; those beyond the eighth are left out.
    pub(crate) fn of_all(paths: impl Iterator<Item = Path>) -> Self {
        let mut place = Self::ROOT;
        for (kept, path) in place.paths.iter_mut().zip(paths) {
            *kept = path;
        }
        place
    }

    /// Whether it is the top, of no timer in particular.
    pub fn is_root(&self) -> bool {
        *self == Self::ROOT
    }

    /// Its paths, each of another timer.
    pub fn paths(&self) -> impl Iterator<Item = Path> {
        self.paths.into_iter().filter(|path| *path != Path::ROOT)
    }

    /// The path of the timer of this context; the top where the place is the top. Where the place has no
    /// path of that timer it is another's, which the context refuses.
    pub fn path_in(&self, context: &ThreadContext) -> Path {
        let serial = context.lane.timer.serial();
        let mine = self.paths().find(|path| path.owner == serial);
        mine.or_else(|| self.paths().next()).unwrap_or(Path::ROOT)
    }

    /// The numbers that C holds, one a path; 0 where there is none.
    pub fn to_bits(&self) -> [u64; MOST_ENABLED] {
        self.paths.map(Path::to_bits)
    }

    /// The place of such numbers. Any are safe: what is no path of a timer is refused or passed over
    /// where it is used.
    pub fn from_bits(bits: [u64; MOST_ENABLED]) -> Self {
        Self { paths: bits.map(Path::from_bits) }
    }
}

impl From<Path> for Place {
    fn from(path: Path) -> Self {
        Self::of(path)
    }
}
