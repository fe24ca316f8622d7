//! What a lane keeps of a duration besides its statistics: a count in the section's histogram, and a
//! sample.
//!
//! A timer that keeps neither pays nothing: the hot path looks whether an add was interrupted, by the
//! journal's word, and that word alone sends the exits of a keeping lane here.

use crate::clock::Clock;
use crate::context::INDEX_MASK;
use crate::histogram;
use crate::lane::{self, slot_of};
use crate::layout::{HISTOGRAM_BYTES, Layout, frame, journal, lane as at, slot};
use crate::region::Memory;
use crate::samples;
use crate::shape::Shape;
use crate::sync::{CATEGORY_BITS, Relaxed};
use crate::timer::{Lane, Timer};

/// The histogram of a section in a lane.
#[inline(always)]
pub(crate) fn histogram_of<'m>(lane: Memory<'m>, layout: &Layout, section: u32) -> Memory<'m> {
    lane.at(layout.histograms + (section as usize - 1) * HISTOGRAM_BYTES)
}

/// One more of a duration. Owner only.
#[inline(always)]
fn count(histogram: Memory<'_>, elapsed: u64) {
    let bucket = histogram.wide(8 * histogram::index_of(elapsed));
    bucket.store(bucket.load() + 1);
}

/// Zeroes a histogram for a slot that begins anew. Reads before it writes, so that pages that were
/// never touched stay so. Owner only.
pub(crate) fn forget(histogram: Memory<'_>) {
    for index in 0..histogram::BUCKETS {
        let bucket = histogram.wide(8 * index);
        if bucket.load() != 0 {
            bucket.store(0);
        }
    }
}

/// Adds one duration with all that is kept of it; false where a handler interrupted a change of that
/// very slot. Owner only; `start` is that of the sample.
#[inline(always)]
pub(crate) fn add<S: Shape>(
    lane: Memory<'_>,
    layout: &Layout,
    index: u32,
    (elapsed, children): (u64, u64),
    start: u64,
) -> bool {
    // Relaxed: the owner's own write.
    match lane.word(at::JOURNAL + journal::SECTION).load(Relaxed) {
        0 => lane::write::<S>(lane, index, elapsed, children, 0, || ()),
        journal::KEEPING => {
            lane::write::<S>(lane, index, elapsed, children, journal::KEEPING, || {
                if !is_kept::<S>(lane, layout, index) {
                    return;
                }
                if layout.config.histograms {
                    count(histogram_of(lane, layout, index), elapsed);
                }
                if layout.places != 0 {
                    samples::push(lane.at(layout.ring), layout, index, start, elapsed);
                }
            });
        }
        interrupted if lane::may_change(index, interrupted) => {
            add_within::<S>(lane, layout, index, elapsed, children, interrupted);
        }
        _ => return false,
    }
    true
}

/// Whether the section has a path, and was entered since the clear that the lane has caught up with.
#[inline(always)]
fn is_kept<S: Shape>(lane: Memory<'_>, layout: &Layout, index: u32) -> bool {
    // Relaxed: own, both.
    let stamp = slot_of::<S>(lane, index).word(slot::STAMP).load(Relaxed);
    let era = lane.word(at::ERA).load(Relaxed);
    index <= layout.config.sections && stamp >> CATEGORY_BITS == era >> CATEGORY_BITS
}

/// Adds in a handler that interrupted an add of the same lane. Its sample is dropped: the ring may be
/// half written.
#[cold]
#[inline(never)]
fn add_within<S: Shape>(
    lane: Memory<'_>,
    layout: &Layout,
    index: u32,
    elapsed: u64,
    children: u64,
    interrupted: u32,
) {
    lane::write_within::<S>(lane, index, elapsed, children, interrupted, || {
        if layout.config.histograms && is_kept::<S>(lane, layout, index) {
            count(histogram_of(lane, layout, index), elapsed);
        }
    });
}

/// The rest of an exit by the hot path, where the lane keeps more than statistics or a handler
/// interrupted an add. It takes what registers hold.
#[inline(never)]
pub(crate) fn exit_keeping<S: Shape, C: Clock>(
    timer: &Timer<S, C>,
    lane: Memory<'_>,
    top: u32,
    elapsed: u64,
    children: u64,
) -> u32 {
    let frame = lane.at(top as usize);
    let index = frame.word(frame::NODE).load(Relaxed) & INDEX_MASK; // Relaxed: own
    let start = frame.wide(frame::START).load();
    let is_added = add::<S>(lane, &timer.layout, index, (elapsed, children), start);
    let lane = Lane { timer, region: timer.region, lane };
    lane.pop(top, elapsed);
    if is_added { 0 } else { lane.refuse_interrupting() }
}
