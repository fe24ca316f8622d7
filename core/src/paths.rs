//! (Parent, name) to section: an insert-only table, lock-free to add to, wait-free to look up.
//!
//! A section's index counts up from 1; 0 is the root, the path of no names. The index is reserved
//! and its record filled before a bucket publishes it. Who loses the race for the same path keeps
//! the reserved index in its lane as a spare, for its next new path, so that no race eats capacity.

use crate::layout::{Layout, header, lane, record};
use crate::names::NameId;
use crate::region::Memory;
use crate::sync::{Acquire, CATEGORY_BITS, Relaxed, Release};

const fn hash(parent: u32, name: NameId) -> u32 {
    let key = (parent as u64) << 32 | name as u64;
    let product = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (product >> 32) as u32 ^ (product >> 13) as u32
}

fn place(layout: &Layout, section: u32) -> usize {
    layout.records + record::BYTES * section as usize
}

fn is(region: Memory<'_>, layout: &Layout, section: u32, parent: u32, name: NameId) -> bool {
    let at = place(layout, section);
    // Relaxed: the record was published before its index was.
    region.word(at + record::PARENT).load(Relaxed) == parent
        && region.word(at + record::NAME).load(Relaxed) == name
}

/// Finds the section `name` beneath `parent`.
pub(crate) fn find(region: Memory<'_>, layout: &Layout, parent: u32, name: NameId) -> Option<u32> {
    let mut bucket = hash(parent, name) & layout.path_mask;
    for _ in 0..=layout.path_mask {
        // Acquire pairs with the publishing compare-and-swap in `intern`.
        let section = region.word(layout.paths + 4 * bucket as usize).load(Acquire);
        if section == 0 {
            return None;
        }
        if is(region, layout, section, parent, name) {
            return Some(section);
        }
        bucket = (bucket + 1) & layout.path_mask;
    }
    None
}

/// Finds the section or adds it; `None` when the table is full. `owner` is the lane of the caller.
pub(crate) fn intern(
    region: Memory<'_>,
    layout: &Layout,
    owner: Memory<'_>,
    parent: u32,
    name: NameId,
) -> Option<u32> {
    let mut bucket = hash(parent, name) & layout.path_mask;
    let mut mine = None;
    for _ in 0..=layout.path_mask {
        let cell = region.word(layout.paths + 4 * bucket as usize);
        // Acquire pairs with the compare-and-swap below.
        let mut section = cell.load(Acquire);
        if section == 0 {
            let reserved = match mine {
                Some(reserved) => reserved,
                None => {
                    let reserved = reserve(region, layout, owner)?;
                    let at = place(layout, reserved);
                    // Relaxed: published by the bucket's compare-and-swap.
                    region.word(at + record::PARENT).store(parent, Relaxed);
                    region.word(at + record::NAME).store(name, Relaxed);
                    reserved
                }
            };
            mine = Some(reserved);
            // Release publishes the record to `find`; Acquire shows a rival's.
            match cell.compare_exchange(0, reserved, Release, Acquire) {
                Ok(_) => return Some(reserved),
                Err(rival) => section = rival,
            }
        }
        if is(region, layout, section, parent, name) {
            keep_spare(owner, mine);
            return Some(section);
        }
        bucket = (bucket + 1) & layout.path_mask;
    }
    keep_spare(owner, mine);
    None
}

fn keep_spare(owner: Memory<'_>, reserved: Option<u32>) {
    if let Some(section) = reserved {
        // Relaxed: only the lane's owner reads and writes its spare.
        owner.word(lane::SPARE).store(section, Relaxed);
    }
}

fn reserve(region: Memory<'_>, layout: &Layout, owner: Memory<'_>) -> Option<u32> {
    let spare = owner.word(lane::SPARE);
    // One step, so that a handler in between can't take the same one. Relaxed: only the lane's owner
    // reads and writes its spare.
    let section = spare.swap(0, Relaxed);
    if section != 0 {
        return Some(section);
    }
    // Relaxed: the index becomes known by the bucket's compare-and-swap; readers that count up to
    // `used` may meet a reserved record without slots, and pass it over.
    region
        .word(header::SECTIONS_USED)
        .fetch_update(Relaxed, Relaxed, |used| (used < layout.config.sections).then_some(used + 1))
        .ok()
        .map(|used| used + 1)
}

/// Whether a bucket names this section (an index up to [`used`]).
pub(crate) fn is_published(region: Memory<'_>, layout: &Layout, section: u32) -> bool {
    let at = place(layout, section);
    // Relaxed: `find` acquires the record of the index that it gives; another's words only miss.
    let parent = region.word(at + record::PARENT).load(Relaxed);
    let name = region.word(at + record::NAME).load(Relaxed);
    name != 0 && find(region, layout, parent, name) == Some(section)
}

/// Whether no new section would find an index. `owner` is the lane of the caller.
pub(crate) fn is_full(region: Memory<'_>, layout: &Layout, owner: Memory<'_>) -> bool {
    // Relaxed: a bound that only grows, and the owner's own spare.
    region.word(header::SECTIONS_USED).load(Relaxed) >= layout.config.sections
        && owner.word(lane::SPARE).load(Relaxed) == 0
}

/// Sections reserved so far: indices 1 to this one.
pub(crate) fn used(region: Memory<'_>, layout: &Layout) -> u32 {
    // Acquire: no pairing needed for what slots publish themselves; keeps the bound fresh.
    region.word(header::SECTIONS_USED).load(Acquire).min(layout.config.sections)
}

/// The parent of a section, 0 for the root.
pub(crate) fn parent(region: Memory<'_>, layout: &Layout, section: u32) -> u32 {
    // Relaxed: whoever knows the index got it after the record was published.
    region.word(place(layout, section) + record::PARENT).load(Relaxed)
}

/// The last name of a section's path.
pub(crate) fn name(region: Memory<'_>, layout: &Layout, section: u32) -> NameId {
    // Relaxed: as above.
    region.word(place(layout, section) + record::NAME).load(Relaxed)
}

/// The section's category and the ticket of its last change.
pub(crate) fn change(region: Memory<'_>, layout: &Layout, section: u32) -> (u32, u64) {
    // Acquire pairs with the Release in `set_change`: the category has its name.
    let word = region.wide(place(layout, section) + record::CHANGE).load_ordered(Acquire);
    ((word as u32) & ((1 << CATEGORY_BITS) - 1), word >> CATEGORY_BITS)
}

/// Sets the section's category; among threads the last store wins.
pub(crate) fn set_change(
    region: Memory<'_>,
    layout: &Layout,
    section: u32,
    category: u32,
    ticket: u64,
) {
    let word = ticket << CATEGORY_BITS | u64::from(category);
    region.wide(place(layout, section) + record::CHANGE).store_ordered(word, Release); // see `change`
}

/// The epoch (plus 1) in which the section was last recorded by anyone.
pub(crate) fn seen(region: Memory<'_>, layout: &Layout, section: u32) -> u64 {
    region.wide(place(layout, section) + record::SEEN).load()
}

/// Notes that the section is recorded in this epoch (plus 1).
pub(crate) fn set_seen(region: Memory<'_>, layout: &Layout, section: u32, epoch: u64) {
    // Only ever forwards: an enter that began before a clear must not undo a later one's note.
    region.wide(place(layout, section) + record::SEEN).raise_to(epoch);
}
