//! `phase!`: phases that follow each other in the default timer, with one clock reading between two.

use crate::context::{Site, SiteWords, Token};
use crate::error::Error;
use crate::host::default::{NO_CONTEXT, enter_at, enter_words, exit, lane, with_thread};
use crate::host::guard::SectionGuard;
use crate::host::{set, thread};
use crate::names::Name;

/// Whether the section of a token went to several timers, or its sibling would.
fn is_of_several(token: Token) -> bool {
    token.is_of_set() || set::fanning().is_some()
}

/// In several timers: an exit and an enter, each with a reading of its own in each timer.
#[cold]
fn switch_in_several(token: Token, enter: impl FnOnce() -> Token) -> (Token, u32) {
    let code = exit(token);
    if code == Error::OtherContext.code() {
        return (token, code);
    }
    if code == Error::NotOpen.code() {
        return (Token::NULL, code);
    }
    (enter(), code)
}

/// Exits the section of `token` and enters its sibling, that of a call site, in the default timer: see
/// [`Context::switch_at`](crate::Context::switch_at). 0, or an error's code as [`exit`](crate::exit)
/// gives it; 36 where the thread can't have a context, and then nothing changed.
///
/// ```
/// use xtimer_core::{Site, Token, default_timer, exit, switch_at};
///
/// static LOAD: Site = Site::new("load", "io");
/// static COMPUTE: Site = Site::new("compute", "cpu");
/// let mut phase = Token::NULL;
/// for site in [&LOAD, &COMPUTE, &LOAD] {
///     assert_eq!(switch_at(&mut phase, site), 0);
/// }
/// assert_eq!(exit(phase), 0);
/// let snapshot = default_timer().unwrap().snapshot().unwrap();
/// assert_eq!(snapshot.section(&["load"]).unwrap().count(), 2);
/// ```
#[inline(always)]
pub fn switch_at(token: &mut Token, site: &Site) -> u32 {
    if is_of_several(*token) {
        let (next, code) = switch_in_several(*token, || enter_at(site));
        *token = next;
        return code;
    }
    let Some(lane) = lane() else { return NO_CONTEXT };
    let names = move || Some((Name::plain(site.name), site.category));
    let (next, code) = lane.switch_words(*token, &site.words, names);
    *token = next;
    code
}

/// As [`enter_words`](crate::enter_words): `None` where the thread can't have a context.
#[doc(hidden)]
#[inline(always)]
pub fn switch_words<'n>(
    token: Token,
    words: &SiteWords,
    names: impl FnOnce() -> Option<(&'n str, &'n str)>,
) -> Option<(Token, u32)> {
    if is_of_several(token) {
        return Some(switch_in_several(token, || enter_words(words, names, || {})));
    }
    let names = move || names().map(|(name, category)| (Name::plain(name), category));
    Some(lane()?.switch_words(token, words, names))
}

impl SectionGuard {
    /// Ends the guard's section and begins its sibling, which the guard holds from here on. What
    /// [`phase!`](crate::phase) makes of its call site.
    #[inline(always)]
    pub fn switch(&mut self, site: &Site) {
        switch_at(&mut self.token, site);
    }

    /// As [`switch`](Self::switch), to the counted section `name[index]`.
    pub fn switch_counted(&mut self, name: &str, index: i64, category: &str) {
        if is_of_several(self.token) {
            let enter = || thread::enter_counted(name, index, category);
            let entered = || enter().and_then(Result::ok).unwrap_or(Token::NULL);
            (self.token, _) = switch_in_several(self.token, entered);
            return;
        }
        with_thread(|context| context.switch_counted(&mut self.token, name, index, category));
    }
}

/// Ends the section of a guard and begins the next phase, its sibling, at one reading of the clock: no
/// time passes between them.
///
/// ```
/// use xtimer_core::{phase, section};
///
/// let _step = section!("step");
/// let mut phase = section!("load", "io");
/// phase!(phase, "forward", "gpu");
/// phase!(phase, "layer"[3], "gpu"); // a counted section
/// phase!(phase, "log"); // category: default
/// drop(phase);
/// let snapshot = xtimer_core::default_timer().unwrap().snapshot().unwrap();
/// let names: Vec<_> = snapshot.sections().map(|section| section.name()).collect();
/// assert_eq!(names, ["step", "load", "forward", "layer[3]", "log"]);
/// ```
///
/// What is still open inside the phase that ends is discarded, and counted as unclosed. A phase that a rule
/// refuses is not timed; the one before ends all the same. A guard of
/// [nothing](crate::SectionGuard::none) begins the first phase.
#[cfg(not(feature = "disable"))]
#[macro_export]
macro_rules! phase {
    ($guard:expr, $name:literal [$index:expr]) => {
        $crate::phase!($guard, $name[$index], $crate::DEFAULT_CATEGORY)
    };
    ($guard:expr, $name:literal [$index:expr], $category:expr) => {
        $crate::SectionGuard::switch_counted(
            &mut $guard,
            $name,
            $crate::counter_index($index),
            $category,
        )
    };
    ($guard:expr, $name:expr) => {
        $crate::phase!($guard, $name, $crate::DEFAULT_CATEGORY)
    };
    ($guard:expr, $name:expr, $category:expr) => {{
        static SITE: $crate::Site = $crate::Site::new($name, $category);
        $crate::SectionGuard::switch(&mut $guard, &SITE)
    }};
}
/// Times nothing: the feature `disable` is on.
#[cfg(feature = "disable")]
#[macro_export]
macro_rules! phase {
    ($guard:expr, $name:literal [$index:expr] $($rest:tt)*) => {{
        let _: (&mut $crate::SectionGuard, _) = (&mut $guard, &$index);
    }};
    ($guard:expr, $($rest:tt)*) => {{
        let _: &mut $crate::SectionGuard = &mut $guard;
    }};
}
