//! `section!`: a guard that enters a section of the default timer and exits it at its end.

use std::marker::PhantomData;

use crate::context::{Site, Token};
use crate::error::Error;
use crate::host::default::{enter_at, exit};
use crate::host::place::Place;
use crate::host::thread;

/// A section of the default timer that ends with its scope. Made by
/// [`section!`](crate::section).
///
/// ```
/// use xtimer_core::{Path, SectionGuard, Site};
///
/// static LOAD: Site = Site::new("load", "io");
/// {
///     let _load = SectionGuard::enter(&LOAD); // what section! makes of its call site
///     let _part = SectionGuard::enter_counted("part", 7, "io");
///     let _apart = SectionGuard::enter_beneath(Path::ROOT, &LOAD);
/// }
/// assert!(!SectionGuard::none().is_entered());
/// let snapshot = xtimer_core::default_timer().unwrap().snapshot().unwrap();
/// assert_eq!(snapshot.section(&["load"]).unwrap().count(), 2);
/// assert_eq!(snapshot.section(&["load", "part[7]"]).unwrap().count(), 1);
/// ```
#[derive(Debug)]
#[must_use = "bind it: let _section = section!(…); the section ends where its guard is dropped"]
pub struct SectionGuard {
    pub(crate) token: Token,
    /// It ends on the thread where it began.
    not_send: PhantomData<*const ()>,
}

impl SectionGuard {
    /// Enters the section of a call site.
    #[inline(always)]
    pub fn enter(site: &Site) -> Self {
        Self { token: enter_at(site), not_send: PhantomData }
    }

    /// Enters the section of a call site beneath a place, often of another thread, whose section may be
    /// closed by now. What `section!(beneath …)` makes.
    pub fn enter_beneath(parent: impl Into<Place>, site: &Site) -> Self {
        Self::holding(thread::enter_beneath_at(&parent.into(), site))
    }

    /// Enters the counted section `name[index]` beneath the innermost open section. What
    /// `section!("name"[index])` makes.
    pub fn enter_counted(name: &str, index: i64, category: &str) -> Self {
        Self::holding(thread::enter_counted(name, index, category))
    }

    /// As [`enter_counted`](Self::enter_counted), beneath a place.
    pub fn enter_counted_beneath(
        parent: impl Into<Place>,
        name: &str,
        index: i64,
        category: &str,
    ) -> Self {
        Self::holding(thread::enter_counted_beneath(&parent.into(), name, index, category))
    }

    /// The guard of what this thread entered; of nothing where that was refused.
    fn holding(entered: Option<Result<Token, Error>>) -> Self {
        let token = entered.and_then(Result::ok).unwrap_or(Token::NULL);
        Self { token, not_send: PhantomData }
    }

    /// A guard of nothing: what `section!` gives when it is compiled out.
    #[inline(always)]
    pub const fn none() -> Self {
        Self { token: Token::NULL, not_send: PhantomData }
    }

    /// Whether the section was entered: not refused by a rule, the timer not switched off.
    pub const fn is_entered(&self) -> bool {
        !self.token.is_null()
    }
}

impl Drop for SectionGuard {
    #[inline(always)]
    fn drop(&mut self) {
        if !cfg!(feature = "disable") {
            exit(self.token);
        }
    }
}

/// The index of a counted section, of any integer type; one that 64 bits can't hold shows as the
/// largest that they do.
#[doc(hidden)]
pub fn counter_index(index: impl TryInto<i64>) -> i64 {
    index.try_into().unwrap_or(i64::MAX)
}

/// Times a section of the default timer until the end of the scope.
///
/// ```
/// fn forward() {
///     let _forward = xtimer_core::section!("forward", "gpu");
///     let _attention = xtimer_core::section!("attention"); // category: default
/// }
/// forward();
/// let snapshot = xtimer_core::default_timer().unwrap().snapshot().unwrap();
/// assert_eq!(snapshot.section(&["forward", "attention"]).unwrap().count(), 1);
/// ```
///
/// Name and category are constants: the call site remembers what they came to. A *counted* section has
/// an index behind its name, which need not be constant, and `beneath` gives it another parent than the
/// thread's innermost open section (see [`here`](crate::here)):
///
/// ```
/// use xtimer_core::{here, section};
///
/// let _fit = section!("fit");
/// for fold in 0..3 {
///     let _fold = section!("fold"[fold]); // fold[0], fold[1], fold[2]
/// }
/// let parent = here();
/// std::thread::spawn(move || {
///     let _worker = section!(beneath parent, "worker", "compute");
///     let _log = section!(beneath parent, "log"[7], "io");
/// })
/// .join()
/// .unwrap();
/// let snapshot = xtimer_core::default_timer().unwrap().snapshot().unwrap();
/// for name in ["fold[2]", "worker", "log[7]"] {
///     assert_eq!(snapshot.section(&["fit", name]).unwrap().count(), 1);
/// }
/// ```
#[cfg(not(feature = "disable"))]
#[macro_export]
macro_rules! section {
    (beneath $parent:expr, $name:literal [$index:expr]) => {
        $crate::section!(beneath $parent, $name[$index], $crate::DEFAULT_CATEGORY)
    };
    (beneath $parent:expr, $name:literal [$index:expr], $category:expr) => {
        $crate::SectionGuard::enter_counted_beneath(
            $parent,
            $name,
            $crate::counter_index($index),
            $category,
        )
    };
    (beneath $parent:expr, $name:expr) => {
        $crate::section!(beneath $parent, $name, $crate::DEFAULT_CATEGORY)
    };
    (beneath $parent:expr, $name:expr, $category:expr) => {{
        static SITE: $crate::Site = $crate::Site::new($name, $category);
        $crate::SectionGuard::enter_beneath($parent, &SITE)
    }};
    ($name:literal [$index:expr]) => {
        $crate::section!($name[$index], $crate::DEFAULT_CATEGORY)
    };
    ($name:literal [$index:expr], $category:expr) => {
        $crate::SectionGuard::enter_counted(
            $name,
            $crate::counter_index($index),
            $category,
        )
    };
    ($name:expr) => {
        $crate::section!($name, $crate::DEFAULT_CATEGORY)
    };
    ($name:expr, $category:expr) => {{
        static SITE: $crate::Site = $crate::Site::new($name, $category);
        $crate::SectionGuard::enter(&SITE)
    }};
}
/// Times nothing: the feature `disable` is on.
#[cfg(feature = "disable")]
#[macro_export]
macro_rules! section {
    (beneath $parent:expr, $($rest:tt)*) => {{
        let _ = &$parent;
        $crate::section!($($rest)*)
    }};
    ($name:literal [$index:expr] $($rest:tt)*) => {{
        let _ = &$index;
        $crate::SectionGuard::none()
    }};
    ($($anything:tt)*) => {
        $crate::SectionGuard::none()
    };
}
