//! Making a timer, claiming and releasing its lanes, switching, clearing, rules.

use core::marker::PhantomData;

use crate::category::{self, whose};
use crate::clock::Clock;
use crate::context::{Path, Token, site_owner};
use crate::error::Error;
use crate::general::kind;
use crate::lane::{self, ERA, is_founded};
use crate::late;
use crate::layout::{LAYOUT_VERSION, Layout, MAGIC, frame, header, journal, lane as at, loss};
use crate::region::Memory;
use crate::shape::Shape;
use crate::sync::{AcqRel, Acquire, INDEX_BITS, Relaxed, Release, SeqCst, give_way, serial};
use crate::timer::{EPOCH, Lane, Timer, flag};

impl<S: Shape, C: Clock> Timer<S, C> {
    /// A timer over a zeroed region.
    ///
    /// # Safety
    /// - `region` is as large and as aligned as `layout` and [`Memory::new`] ask for, all zero bytes
    ///   or in use by a timer of the same layout, and lives as long as the timer.
    /// - `layout` was made for `S::SLOT_BYTES`.
    pub(crate) const unsafe fn from_region(
        region: Memory<'static>,
        layout: Layout,
        clock: C,
    ) -> Self {
        Self {
            region,
            layout,
            clock,
            #[cfg(all(feature = "std", not(loom)))]
            membership: None,
            #[cfg(feature = "std")]
            allocation: None,
            shape: PhantomData,
        }
    }

    /// The clock that this timer reads.
    pub const fn clock(&self) -> &C {
        &self.clock
    }

    /// The capacities it was made with.
    pub const fn config(&self) -> &crate::config::Config {
        &self.layout.config
    }

    /// Bytes of its region.
    pub const fn bytes(&self) -> usize {
        self.layout.bytes
    }

    /// The region, its header written: what can't be zero is put there by the first use.
    pub(crate) fn ready(&self) -> Memory<'_> {
        let region = self.region;
        // Acquire pairs with the Release below.
        if region.word(header::MAGIC).load(Acquire) == MAGIC {
            return region;
        }
        let owner = region.word(header::OWNER);
        // Relaxed: MAGIC publishes. Who loses this race wastes a number and writes the same words.
        if owner.load(Relaxed) == 0 {
            let _ = owner.compare_exchange(0, serial::next(), Relaxed, Relaxed);
        }
        let config = &self.layout.config;
        for (offset, value) in [
            (header::VERSION, LAYOUT_VERSION),
            (header::SLOT_BYTES, self.layout.slot_bytes as u32),
            (header::SECTIONS, config.sections),
            (header::DEPTH, config.depth),
            (header::LANES, config.lanes),
            (header::CATEGORIES, config.categories),
            (header::RULES, config.rules),
            (header::NAME_BYTES, config.name_bytes),
            (header::SCRATCH, config.scratch),
            (header::LATE, config.late),
            (header::STATISTICS, config.statistics.bits()),
            (header::CLOCK_WIDTH, self.clock.width()),
            (header::HISTOGRAM_BYTES, self.layout.histogram_bytes()),
            (header::SAMPLES, config.samples_per_lane),
            (header::KEEPS_OLDEST, u32::from(self.layout.keeps_oldest())),
            (header::FORM, 0),
        ] {
            region.word(offset).store(value, Relaxed); // Relaxed: MAGIC publishes
        }
        category::reserve(region, &self.layout);
        // Release pairs with the Acquire above.
        region.word(header::MAGIC).store(MAGIC, Release);
        region
    }

    /// The timer's serial number in this process.
    pub(crate) fn serial(&self) -> u32 {
        self.region.word(header::OWNER).load(Relaxed) // Relaxed: written once, before any lane
    }

    /// The next ticket of first entries and category changes.
    pub(crate) fn ticket(&self) -> u64 {
        self.region.wide(header::TICKET).add(1, Relaxed) // Relaxed: only the order of tickets counts
    }

    /// Claims a free lane.
    pub(crate) fn claim(&self) -> Option<Lane<'_, S, C>> {
        let region = self.ready();
        for index in 0..self.layout.config.lanes {
            let lane = self.lane_memory(index);
            let owner = lane.word(at::OWNER);
            // Acquire pairs with the Release in `release`: the former owner's words are in place.
            // Relaxed on the first look and on failure: nothing is read of a lane that is taken.
            if owner.load(Relaxed) != 0 || owner.compare_exchange(0, 1, Acquire, Relaxed).is_err() {
                continue;
            }
            let generation = lane.word(at::GENERATION);
            generation.store(generation.load(Relaxed).wrapping_add(1), Relaxed); // Relaxed: own
            lane.word(at::ERROR_CODE).store(0, Relaxed); // Relaxed: own; the former owner's error
            if is_founded(lane) {
                lane::mend::<S>(lane, &self.layout);
            } else {
                self.found(lane, self.layout.frames, index);
            }
            // Release: who counts on this many lanes sees what was just written.
            region.word(header::LANES_USED).fetch_max(index + 1, Release);
            return Some(Lane { timer: self, region, lane });
        }
        None
    }

    /// Turns zeroed memory of a stack (192 bytes, then frames) into a late context's.
    #[cfg_attr(not(feature = "std"), allow(dead_code))]
    pub(crate) fn claim_late<'t>(&'t self, memory: Memory<'t>) -> Lane<'t, S, C> {
        let region = self.ready();
        // Relaxed: a counter.
        let number = region.word(header::LATE_CONTEXTS).fetch_add(1, Relaxed);
        memory.word(at::KIND).store(kind::LATE, Relaxed); // Relaxed: own
        self.found(memory, at::SLOTS, 0xfff);
        // They share a lane's number, so each begins its generations elsewhere (the multiplier spreads
        // them: the golden ratio's fraction).
        let generation = number.wrapping_add(1).wrapping_mul(0x9e37_79b9);
        memory.wide(at::NEXT).store(memory.wide(at::NEXT).load() ^ u64::from(generation) << 32);
        Lane { timer: self, region, lane: memory }
    }

    /// Writes the words of a lane that is used for the first time. All Relaxed: its owner's own.
    fn found(&self, lane: Memory<'_>, frames: usize, index: u32) {
        let last = frames + frame::BYTES * self.layout.config.depth as usize;
        let root = lane.at(frames);
        root.wide(frame::TOKEN).store(Token::MARK); // no token has this value
        root.word(frame::NODE).store(site_owner(self.serial()) << INDEX_BITS, Relaxed);
        root.word(frame::CATEGORY).store(category::NONE, Relaxed);
        lane.wide(at::NEXT).store(Token::first(self.serial(), index));
        lane.word(at::ERA).store(ERA, Relaxed);
        lane.word(at::LIMIT).store(last as u32, Relaxed);
        lane.word(at::FRAMES).store(frames as u32, Relaxed);
        lane.word(at::JOURNAL + journal::SECTION).store(self.layout.idle(), Relaxed);
        // No STATE that could be current: the first enter catches up.
        lane.wide(at::STATE).store(u64::from(flag::GENERAL));
        lane.word(at::TOP).store(frames as u32, Release); // readers look at frames up to TOP
    }

    /// The memory of a lane.
    pub(crate) fn lane_memory(&self, index: u32) -> Memory<'_> {
        self.region.at(self.layout.lanes + index as usize * self.layout.lane_bytes)
    }

    /// Switches the timer off or on: while it is off, enter costs a load and a branch and nothing is
    /// recorded; sections open by then are recorded when they exit.
    pub fn set_enabled(&self, enabled: bool) {
        let state = self.ready().wide(header::STATE);
        // Relaxed: it takes effect when it is seen.
        if enabled {
            state.clear_bits(flag::OFF, Relaxed);
        } else {
            state.set_bits(flag::OFF, Relaxed);
        }
    }

    /// Whether the timer records.
    pub fn is_enabled(&self) -> bool {
        self.region.wide(header::STATE).load() as u32 & flag::OFF == 0
    }

    /// Drops all timings. Names, rules and open sections stay; sections open now are not recorded.
    ///
    /// One step for writers. Wait-free, but for zeroing the shared slots where late contexts used
    /// them.
    ///
    /// # Errors
    /// [`Error::Busy`] while another clear is at work, or while a late context has been stopped in the
    /// middle of an exit since before the last clear. Nothing was cleared.
    pub fn clear(&self) -> Result<(), Error> {
        let region = self.ready();
        let state = region.wide(header::STATE);
        if self.layout.config.late == 0 {
            state.add(EPOCH, AcqRel);
            return Ok(());
        }
        let clearing = region.word(header::CLEARING);
        // Acquire and Release: one clear at a time, or two could use up a bank between them.
        let mut attempts = 0;
        while clearing.compare_exchange(0, 1, Acquire, Relaxed).is_err() {
            attempts += 1;
            if attempts == 1000 {
                return Err(Error::Busy);
            }
            give_way();
        }
        let epoch = state.load_ordered(SeqCst) / EPOCH; // SeqCst: see `late::add`
        // Relaxed: a late context that this clear does not see enters after it.
        let zeroed = if region.word(header::LATE_CONTEXTS).load(Relaxed) == 0 {
            Ok(())
        } else {
            late::zero_next(region, &self.layout, epoch)
        };
        if zeroed.is_ok() {
            for counter in 0..loss::COUNT {
                region.wide(header::LATE_LOSSES + 8 * counter).store(0);
            }
            state.add(EPOCH, SeqCst);
        }
        clearing.store(0, Release);
        zeroed
    }

    /// Forbids sections of category `inner` directly inside ones of category `outer`, in this timer
    /// (`forbid` without a timer: in all of the process). A rule that stands already is no error.
    /// Rules survive clear. Lock-free.
    ///
    /// # Errors
    /// [`Error::RulesFull`] when the rule or one of its categories does not fit.
    pub fn forbid(&self, outer: &str, inner: &str) -> Result<(), Error> {
        let region = self.ready();
        category::forbid(region, &self.layout, outer, inner, whose::OWN).ok_or(Error::RulesFull)
    }

    /// Drops this timer's own rules; those of the process stay. A rule that another thread adds
    /// meanwhile goes, or holds when this returns. Lock-free.
    pub fn clear_rules(&self) {
        category::drop_rules(self.ready(), &self.layout, whose::OWN);
    }
}

impl<S: Shape, C: Clock> Lane<'_, S, C> {
    /// The path of the innermost open section.
    pub(crate) fn current_path(self) -> Path {
        let top = self.lane.word(at::TOP).load(Relaxed) as usize; // Relaxed: own
        let node = self.lane.at(top).word(frame::NODE).load(Relaxed); // Relaxed: own
        Path { owner: self.timer.serial(), section: node & crate::context::INDEX_MASK }
    }

    /// The path of an open section of this lane.
    pub(crate) fn path_of(self, token: Token) -> Result<Path, Error> {
        if let Some(found) = self.frame_of_token(token) {
            let node = self.lane.at(found as usize).word(frame::NODE).load(Relaxed); // Relaxed: own
            let section = node & crate::context::INDEX_MASK;
            return Ok(Path { owner: self.timer.serial(), section });
        }
        let foreign = (self.lane.wide(at::NEXT).load() ^ token.0) & Token::PLACE != 0;
        Err(if foreign && !token.is_null() { Error::OtherContext } else { Error::NotOpen })
    }

    /// How many sections are open.
    pub(crate) fn depth(self) -> usize {
        let word = |offset| self.lane.word(offset).load(Relaxed); // Relaxed: own
        (word(at::TOP) - word(at::FRAMES)) as usize / frame::BYTES
    }

    /// Gives the lane back: what is still open is counted as unclosed, the numbers stay.
    pub(crate) fn release(self) {
        if self.depth() > 0 {
            self.catch_up(self.region.wide(header::STATE).load());
            self.discard_to(self.lane.word(at::FRAMES).load(Relaxed)); // Relaxed: own
        }
        if !self.is_late() {
            // Release pairs with the Acquire in `claim`.
            self.lane.word(at::OWNER).store(0, Release);
        }
    }
}
