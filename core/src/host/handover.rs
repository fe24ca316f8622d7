//! A parent for sections of other threads and tasks, in one line.

use crate::host::place::Place;
use crate::host::thread;

/// The place of this thread's innermost open section: what to hand to a thread, a pool or a task, whose
/// sections then go beneath it, in each timer that is enabled here. [`Place::ROOT`] where none is open.
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
pub fn here() -> Place {
    thread::here().unwrap_or(Place::ROOT)
}
