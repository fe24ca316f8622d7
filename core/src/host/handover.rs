//! A parent for sections of other threads and tasks, in one line.

use crate::context::Path;
use crate::host::default::with_thread;

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
