//! Categories and the nestings that rules forbid: two short tables. Categories only grow; rules are a
//! word each, which says whose they are, and are dropped as a whole.

use crate::layout::{Layout, header};
use crate::names::{self, Name};
use crate::region::Memory;
use crate::sync::{AcqRel, Acquire, CATEGORY_BITS, Relaxed, Release};
use crate::timer::flag;

/// The category of a section entered without one.
pub const DEFAULT_CATEGORY: &str = "default";
/// Where categories go that do not fit.
pub const OTHER_CATEGORY: &str = "(other)";

/// Index of [`DEFAULT_CATEGORY`].
pub(crate) const DEFAULT: u32 = 0;
/// Index of [`OTHER_CATEGORY`].
pub(crate) const OTHER: u32 = 1;
/// No category: the root's.
pub(crate) const NONE: u32 = (1 << CATEGORY_BITS) - 1;

/// Writes the two reserved categories; harmless when done twice.
pub(crate) fn reserve(region: Memory<'_>, layout: &Layout) {
    for name in [DEFAULT_CATEGORY, OTHER_CATEGORY] {
        intern(region, layout, name);
    }
}

/// The index of a category, adding it when it is new; `None` when it does not fit.
pub(crate) fn intern(region: Memory<'_>, layout: &Layout, category: &str) -> Option<u32> {
    // A category for which there is no place left would only take room for names.
    let last = layout.categories + 4 * (layout.config.categories as usize - 1);
    let name = if region.word(last).load(Acquire) == 0 {
        names::intern(region, layout, Name::plain(category))?
    } else {
        names::find(region, layout, Name::plain(category))?
    };
    if let Some(index) = names::category_hint(region, layout, name) {
        return Some(index);
    }
    // The first empty place that is won, or the place where the name stands already.
    for index in 0..layout.config.categories {
        let cell = region.word(layout.categories + 4 * index as usize);
        // Acquire and Release: who reads the name here also sees its record.
        let stands = match cell.compare_exchange(0, name, AcqRel, Acquire) {
            Ok(_) => name,
            Err(stands) => stands,
        };
        if stands == name {
            names::note_category(region, layout, name, index);
            return Some(index);
        }
    }
    None
}

/// The index of a category that exists.
pub(crate) fn find(region: Memory<'_>, layout: &Layout, category: &str) -> Option<u32> {
    let name = names::find(region, layout, Name::plain(category))?;
    (0..layout.config.categories)
        // Acquire pairs with the compare-and-swap in `intern`.
        .find(|&index| region.word(layout.categories + 4 * index as usize).load(Acquire) == name)
}

/// The index that interning would give, where that adds nothing: that of a category that exists, or
/// [`OTHER`] for one that does not fit.
#[cfg_attr(any(loom, not(feature = "std")), allow(dead_code))]
pub(crate) fn foresee(region: Memory<'_>, layout: &Layout, category: &str) -> Option<u32> {
    find(region, layout, category).or_else(|| {
        let last = layout.categories + 4 * (layout.config.categories as usize - 1);
        // Acquire: as in `intern`.
        let is_full = region.word(last).load(Acquire) != 0;
        let fits = names::fits(region, layout, Name::plain(category));
        (is_full || !fits).then_some(OTHER)
    })
}

/// The text of a category.
pub(crate) fn text<'m>(region: Memory<'m>, layout: &Layout, category: u32) -> &'m str {
    if category >= layout.config.categories {
        return "";
    }
    // Acquire pairs with the compare-and-swap in `intern`.
    let name = region.word(layout.categories + 4 * category as usize).load(Acquire);
    names::text(region, layout, name)
}

/// Whose a rule is: bits of its word, in which both may be set.
pub(crate) mod whose {
    /// The timer's own.
    pub(crate) const OWN: u32 = 1 << 28;
    /// The whole process's.
    #[cfg_attr(any(loom, not(feature = "std")), allow(dead_code))]
    pub(crate) const PROCESS: u32 = 1 << 29;
    pub(crate) const MASK: u32 = OWN | PROCESS;
}

/// A rule's word without whose it is: both categories and a bit that tells it from an empty place.
const fn rule(outer: u32, inner: u32) -> u32 {
    outer << 16 | inner << 1 | 1
}

const _: () = assert!(CATEGORY_BITS <= 12, "a rule's word holds two categories and four bits");

/// Whether a rule forbids `inner` directly inside `outer`.
pub(crate) fn forbids(region: Memory<'_>, layout: &Layout, outer: u32, inner: u32) -> bool {
    let wanted = rule(outer, inner);
    // Relaxed: a rule is one word, and holds from when it is seen.
    let used = region.word(header::RULES_USED).load(Relaxed).min(layout.config.rules);
    let stands = |index| region.word(layout.rules + 4 * index as usize).load(Relaxed);
    (0..used).any(|index| stands(index) & !whose::MASK == wanted)
}

/// Whether a rule and its categories seem to fit, so that one that does not takes no place for a
/// category either.
fn has_room(region: Memory<'_>, layout: &Layout, outer: &str, inner: &str) -> bool {
    let empty = |table: usize, count: u32| {
        // Relaxed: a look; who adds something at the same time may take the place that was seen.
        let is_empty = |index| region.word(table + 4 * index as usize).load(Relaxed) == 0;
        (0..count).filter(move |&index| is_empty(index)).count()
    };
    let known = [find(region, layout, outer), find(region, layout, inner)];
    let places = match known {
        [Some(outer), Some(inner)] if forbids(region, layout, outer, inner) => return true,
        [None, None] if outer != inner => 2,
        [Some(_), Some(_)] => 0,
        _ => 1,
    };
    places <= empty(layout.categories, layout.config.categories)
        && empty(layout.rules, layout.config.rules) > 0
}

/// Adds a rule of `whose`; one that stands already is no error. `None` when it does not fit.
pub(crate) fn forbid(
    region: Memory<'_>,
    layout: &Layout,
    outer: &str,
    inner: &str,
    whose: u32,
) -> Option<()> {
    if !has_room(region, layout, outer, inner) {
        return None;
    }
    let wanted = rule(intern(region, layout, outer)?, intern(region, layout, inner)?);
    // Where it stands, else the first empty place: dropping rules leaves some between others.
    let is_added = |to_empty: bool| {
        (0..layout.config.rules).any(|index| {
            let cell = region.word(layout.rules + 4 * index as usize);
            let added = |word: u32| match word {
                0 => to_empty.then_some(wanted | whose),
                _ => (word & !whose::MASK == wanted).then_some(word | whose),
            };
            // Relaxed: a rule is one word.
            let is_added = cell.fetch_update(Relaxed, Relaxed, added).is_ok();
            if is_added {
                // Release: who sees the flag in STATE, set after this, sees the bound.
                region.word(header::RULES_USED).fetch_max(index + 1, Release);
            }
            is_added
        })
    };
    if !is_added(false) && !is_added(true) {
        return None;
    }
    // Release: who sees the flag sees the rule.
    region.wide(header::STATE).set_bits(flag::RULES, Release);
    Some(())
}

/// Drops the rules of `whose`; what is someone else's as well stays. One that is added at the same
/// time goes, or holds when this returns.
pub(crate) fn drop_rules(region: Memory<'_>, layout: &Layout, whose: u32) {
    let cells =
        || (0..layout.config.rules).map(|index| region.word(layout.rules + 4 * index as usize));
    for cell in cells() {
        // Relaxed: a rule is one word. Its place is free with the last whose it was.
        let _ = cell.fetch_update(Relaxed, Relaxed, |word| {
            let rest = word & !whose;
            Some(if rest & whose::MASK == 0 { 0 } else { rest })
        });
    }
    let is_empty = || cells().all(|cell| cell.load(Relaxed) == 0); // Relaxed: see below
    if is_empty() {
        let state = region.wide(header::STATE);
        // Acquire pairs with the Release in `forbid`: a rule whose flag this clears is seen below.
        state.clear_bits(flag::RULES, AcqRel);
        if !is_empty() {
            state.set_bits(flag::RULES, Release); // as in `forbid`
        }
    }
}
