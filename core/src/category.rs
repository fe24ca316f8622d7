//! Categories and the nestings that rules forbid: two short tables that only grow (rules may be
//! dropped as a whole).

use crate::layout::{Layout, header};
use crate::names::{self, Name};
use crate::region::Memory;
use crate::sync::{AcqRel, Acquire, CATEGORY_BITS, Relaxed, Release};

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
    let name = names::intern(region, layout, Name::plain(category))?;
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

/// The text of a category.
pub(crate) fn text<'m>(region: Memory<'m>, layout: &Layout, category: u32) -> &'m str {
    if category >= layout.config.categories {
        return "";
    }
    // Acquire pairs with the compare-and-swap in `intern`.
    let name = region.word(layout.categories + 4 * category as usize).load(Acquire);
    names::text(region, layout, name)
}

/// A rule's word: both categories and a bit that tells it from an empty place.
const fn rule(outer: u32, inner: u32) -> u32 {
    outer << 16 | inner << 1 | 1
}

/// Whether a rule forbids `inner` directly inside `outer`.
pub(crate) fn forbids(region: Memory<'_>, layout: &Layout, outer: u32, inner: u32) -> bool {
    let wanted = rule(outer, inner);
    // Relaxed: a rule is one word, and holds from when it is seen.
    let used = region.word(header::RULES_USED).load(Relaxed).min(layout.config.rules);
    (0..used).any(|index| region.word(layout.rules + 4 * index as usize).load(Relaxed) == wanted)
}

/// Adds a rule; one that stands already is no error. `None` when it does not fit.
pub(crate) fn forbid(region: Memory<'_>, layout: &Layout, outer: &str, inner: &str) -> Option<()> {
    let outer = intern(region, layout, outer)?;
    let inner = intern(region, layout, inner)?;
    let wanted = rule(outer, inner);
    for index in 0..layout.config.rules {
        let cell = region.word(layout.rules + 4 * index as usize);
        // Relaxed: a rule is one word.
        let stands = match cell.compare_exchange(0, wanted, Relaxed, Relaxed) {
            Ok(_) => wanted,
            Err(stands) => stands,
        };
        if stands == wanted {
            // Release: who sees the flag in STATE, set after this, sees the bound.
            region.word(header::RULES_USED).fetch_max(index + 1, Release);
            return Some(());
        }
    }
    None
}

/// Drops all rules.
pub(crate) fn drop_rules(region: Memory<'_>, layout: &Layout) {
    for index in 0..layout.config.rules {
        // Relaxed: a rule is one word; one added at the same time may go or stay.
        region.word(layout.rules + 4 * index as usize).store(0, Relaxed);
    }
}
