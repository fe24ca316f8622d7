//! Shared slots for contexts that found no lane: read-modify-write instead of one writer.
//!
//! Two banks, one for even and one for odd epochs. A writer opens a slot (`count`), and only then
//! makes sure that its epoch still is the timer's: if so, the clear that zeroes this bank, one epoch
//! later, must see the slot open. If not, the section was open at a clear and is not recorded.
//! The smallest duration is kept as its complement, so that zero is "none yet". No squares.

use crate::clock::Clock;
use crate::config::Statistics;
use crate::error::Error;
use crate::histogram;
use crate::keeping;
use crate::lane::{self, Reading};
use crate::layout::{BIRTH_BYTES, HISTOGRAM_BYTES, Layout, header, slot};
use crate::region::Memory;
use crate::shape::Shape;
use crate::sync::{Acquire, Relaxed, Release, SeqCst, fence};
use crate::timer::{EPOCH, Lane};

/// Of a category's three slots for sections without a path: inside a recorded section of the same
/// category, so in nobody's total.
pub(crate) const LOST_INNER: u32 = 0;
/// Inside recorded sections of other categories: in its category's total.
pub(crate) const LOST_OUTER: u32 = 1;
/// Without a recorded parent: in its category's total and in the whole.
pub(crate) const LOST_TOP: u32 = 2;

/// Slot and birth of a section in an epoch's bank.
fn place<'m>(
    region: Memory<'m>,
    layout: &Layout,
    epoch: u64,
    index: usize,
) -> (Memory<'m>, Memory<'m>) {
    let bank = region.at(layout.late + (epoch & 1) as usize * layout.bank_bytes);
    let births = layout.config.slots() as usize * layout.slot_bytes;
    (bank.at(index * layout.slot_bytes), bank.at(births + index * BIRTH_BYTES))
}

/// The histogram that late contexts share of a section, in an epoch's bank.
fn histogram_in<'m>(
    region: Memory<'m>,
    layout: &Layout,
    epoch: u64,
    section: u32,
) -> Option<Memory<'m>> {
    if !layout.config.histograms || section == 0 || section > layout.config.sections {
        return None;
    }
    let bank = region.at(layout.late + (epoch & 1) as usize * layout.bank_bytes);
    let slots = layout.config.slots() as usize * (layout.slot_bytes + BIRTH_BYTES);
    Some(bank.at(slots + (section as usize - 1) * HISTOGRAM_BYTES))
}

/// The histogram that late contexts share of a section, where they recorded it in this epoch.
pub(crate) fn histogram<'m>(
    region: Memory<'m>,
    layout: &Layout,
    epoch: u64,
    section: u32,
) -> Option<Memory<'m>> {
    if layout.config.late == 0 {
        return None;
    }
    let (slot, _) = place(region, layout, epoch, section as usize);
    // Acquire: so that the counts are of this epoch.
    let is_current = slot.word(slot::STAMP).load(Acquire) == stamp(epoch);
    histogram_in(region, layout, epoch, section).filter(|_| is_current)
}

/// The stamp of slots entered in an epoch, never 0. The two epochs that share one use different banks.
const fn stamp(epoch: u64) -> u32 {
    if epoch as u32 == 0 { u32::MAX } else { epoch as u32 }
}

/// Marks the section as recorded in this epoch.
pub(crate) fn ready<S: Shape, C: Clock>(lane: Lane<'_, S, C>, index: u32, epoch: u64) {
    let (slot, birth) = place(lane.region, &lane.timer.layout, epoch, index as usize);
    let cell = slot.word(slot::STAMP);
    // Relaxed: one word; the ticket behind it only orders rows.
    let mut old = cell.load(Relaxed);
    // Only ever forwards: an enter that began before a clear must not hide what was recorded since.
    while old == 0 || (stamp(epoch).wrapping_sub(old) as i32) > 0 {
        match cell.compare_exchange(old, stamp(epoch), Relaxed, Relaxed) {
            Ok(_) => {
                birth.wide(8).store(lane.timer.ticket());
                break;
            }
            Err(newer) => old = newer,
        }
    }
}

/// Whether the section is recorded in this epoch, as far as late contexts know.
pub(crate) fn is_current<S: Shape, C: Clock>(lane: Lane<'_, S, C>, index: u32, epoch: u64) -> bool {
    let (slot, _) = place(lane.region, &lane.timer.layout, epoch, index as usize);
    slot.word(slot::STAMP).load(Relaxed) == stamp(epoch) // Relaxed: one word
}

/// What late contexts added to a section in an epoch so far, in ticks.
pub(crate) fn total<S: Shape, C: Clock>(lane: Lane<'_, S, C>, index: u32, epoch: u64) -> u64 {
    let (slot, _) = place(lane.region, &lane.timer.layout, epoch, index as usize);
    slot.wide(slot::TOTAL).load()
}

/// Adds one duration, entered in `epoch`.
pub(crate) fn add<S: Shape, C: Clock>(
    lane: Lane<'_, S, C>,
    index: u32,
    elapsed: u64,
    children: u64,
    epoch: u64,
) {
    let (slot, _) = place(lane.region, &lane.timer.layout, epoch, index as usize);
    // SeqCst here and on STATE, in one order with `zero_next`: either it sees this slot open, or we
    // see that the epoch has moved.
    slot.wide(slot::COUNT).add(1, SeqCst);
    if lane.region.wide(header::STATE).load_ordered(SeqCst) / EPOCH != epoch {
        slot.wide(slot::COUNT).subtract(1, SeqCst);
        return;
    }
    // Release pairs with the reader's fence in `lane::read`.
    fence(Release);
    // Stops at the largest number, as `lane::add` does, but for writers that get there together.
    let elapsed = elapsed.min(u64::MAX - slot.wide(slot::TOTAL).load());
    slot.wide(slot::TOTAL).add(elapsed, Relaxed); // Relaxed: SEQUENCE publishes, as below
    slot.wide(slot::MIN).raise_to(!elapsed);
    slot.wide(slot::MAX).raise_to(elapsed);
    slot.wide(slot::EXCLUSIVE).add(elapsed.saturating_sub(children), Relaxed);
    if let Some(histogram) = histogram_in(lane.region, &lane.timer.layout, epoch, index) {
        histogram.wide(8 * histogram::index_of(elapsed)).add(1, Relaxed);
    }
    // Release pairs with the Acquire in `lane::read`.
    slot.word(slot::SEQUENCE).fetch_add(1, Release);
}

/// Reads what late contexts recorded of a section in this epoch.
pub(crate) fn read(
    region: Memory<'_>,
    layout: &Layout,
    epoch: u64,
    index: u32,
    pause: impl FnMut(u32),
) -> Option<Reading> {
    let (slot, birth) = place(region, layout, epoch, index as usize);
    // Acquire: so that the reading is of this epoch.
    if slot.word(slot::STAMP).load(Acquire) != stamp(epoch) {
        return None;
    }
    let mut reading = lane::read(slot, birth, Statistics::EXCLUSIVE, None, pause);
    reading.min = !reading.min;
    (reading.stamp == stamp(epoch)).then_some(reading)
}

/// Zeroes the bank that the next epoch will use.
///
/// # Errors
/// `Busy` when a writer has been stuck in that bank since two clears.
pub(crate) fn zero_next(region: Memory<'_>, layout: &Layout, epoch: u64) -> Result<(), Error> {
    for index in 0..layout.config.slots() as usize {
        let (slot, birth) = place(region, layout, epoch + 1, index);
        if slot.word(slot::STAMP).load(Relaxed) == 0 {
            continue; // Relaxed: never entered, as each writer's `ready` came before
        }
        let mut attempts = 0;
        let count = loop {
            let count = slot.wide(slot::COUNT).load_ordered(SeqCst); // see `add`
            if count as u32 == slot.word(slot::SEQUENCE).load(Acquire) {
                break count;
            }
            attempts += 1;
            if attempts == 1000 {
                return Err(Error::Busy);
            }
            core::hint::spin_loop();
        };
        for at in [slot::TOTAL, slot::MIN, slot::MAX, slot::EXCLUSIVE] {
            slot.wide(at).store(0);
        }
        if let Some(histogram) = histogram_in(region, layout, epoch + 1, index as u32) {
            keeping::forget(histogram);
        }
        birth.wide(8).store(0);
        slot.word(slot::STAMP).store(0, Relaxed); // Relaxed: the epoch's move publishes
        slot.word(slot::SEQUENCE).fetch_sub(count as u32, Relaxed);
        slot.wide(slot::COUNT).subtract(count, SeqCst);
    }
    Ok(())
}

/// Zeroes both banks, where no writer can be at work.
#[cfg(feature = "std")]
#[allow(dead_code)] // only a fork asks for it, and not everything is built with one
pub(crate) fn zero_all(region: Memory<'_>, layout: &Layout) {
    for offset in (0..2 * layout.bank_bytes).step_by(8) {
        let word = region.wide(layout.late + offset);
        // Pages that were never touched stay so.
        if word.load() != 0 {
            word.store(0);
        }
    }
}

#[cfg(all(test, not(loom), not(xtimer_narrow), target_has_atomic = "64", feature = "std"))]
mod tests {
    use super::*;
    use crate::clock::ManualClock;
    use crate::config::Config;
    use crate::timer::Timer;

    /// Stamps have 32 bits, epochs 60: what late contexts record is seen after any number of clears.
    #[test]
    fn late_sections_are_recorded_in_every_epoch() {
        let timer =
            Timer::with_clock(Config { lanes: 1, ..Config::HOST }, ManualClock::new(64)).unwrap();
        let (_only, late) = (timer.context().unwrap(), timer.context().unwrap());
        assert!(late.is_late());
        for epoch in [0, 1, 1 << 31, (1 << 31) + 1, u64::from(u32::MAX), 1 << 32, (1 << 32) + 1] {
            timer.region.wide(header::STATE).store(epoch * EPOCH);
            // Twice: the clear that follows finds the bank as it was left.
            for _ in 0..2 {
                late.record("work", "io", 5).unwrap();
                let snapshot = timer.snapshot().unwrap();
                let work = snapshot.section(&["work"]).map(|work| (work.count(), work.total()));
                assert_eq!(work, Some((1, 5)), "epoch {epoch}");
                drop(snapshot);
                timer.clear().unwrap();
                assert!(timer.snapshot().unwrap().is_empty(), "epoch {epoch}");
            }
            // Each jump begins with clean banks, as the clears in between would have left them.
            zero_all(timer.region, &timer.layout);
        }
    }
}
