//! A parent for sections of other threads and tasks, in one line.

use crate::context::{Path, Site, Token};
use crate::error::Error;
use crate::host::default::{SectionGuard, ThreadContext, with_thread};

/// The path of this thread's innermost open section in the default timer: what to hand to a thread,
/// a pool or a task, whose sections then go beneath it. [`Path::ROOT`] where none is open.
///
/// ```
/// use xtimer_core::{here, section};
///
/// let _step = section!("step");
/// let parent = here();
/// std::thread::scope(|scope| {
///     for worker in 0..2 {
///         scope.spawn(move || {
///             let _worker = section!(beneath parent, "worker"[worker], "compute");
///         });
///     }
/// });
/// # drop(_step);
/// let snapshot = xtimer_core::default_timer().unwrap().snapshot().unwrap();
/// assert_eq!(snapshot.section(&["step", "worker[1]"]).unwrap().count(), 1);
/// ```
pub fn here() -> Path {
    with_thread(|context| if context.depth() == 0 { Path::ROOT } else { context.current_path() })
        .unwrap_or(Path::ROOT)
}

impl SectionGuard {
    /// Enters the section of a call site beneath a path, often of another thread, whose section may be
    /// closed by now. What `section!(beneath …)` makes.
    pub fn enter_beneath(parent: Path, site: &Site) -> Self {
        let enter = |context: &ThreadContext| context.enter_beneath_at(parent, site);
        Self::holding(entered(enter))
    }

    /// Enters the counted section `name[index]`, beneath the innermost open section or beneath
    /// `parent`. What `section!("name"[index])` makes.
    pub fn enter_counted(parent: Option<Path>, name: &str, index: i64, category: &str) -> Self {
        Self::holding(entered(|context| match parent {
            None => context.enter_counted(name, index, category),
            Some(parent) => context.enter_counted_beneath(parent, name, index, category),
        }))
    }
}

/// The token that `enter` gives on this thread; the null one where it is refused.
fn entered(enter: impl FnOnce(&ThreadContext) -> Result<Token, Error>) -> Token {
    with_thread(enter).and_then(Result::ok).unwrap_or(Token::NULL)
}

/// The index of a counted section, of any integer type; one that 64 bits can't hold shows as the
/// largest that they do.
#[doc(hidden)]
pub fn counter_index(index: impl TryInto<i64>) -> i64 {
    index.try_into().unwrap_or(i64::MAX)
}
