//! Steps: windows one after the other, closed by whoever runs the loop, the last few kept.
//!
//! A step copies the rows of what is recorded; a window is the difference of two such copies. Timing goes
//! on meanwhile, and allocates nothing: the copies are the caller's.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use crate::clock::Clock;
use crate::error::Error;
use crate::shape::Shape;
use crate::snapshot::{Losses, Row, Snapshot};
use crate::timer::Timer;

/// What was recorded up to one moment.
#[derive(Clone, Debug)]
struct Moment {
    epoch: u64,
    /// Those of recorded sections, by section.
    rows: Vec<Row>,
    losses: Losses,
}

impl Moment {
    fn row(&self, section: usize) -> Option<&Row> {
        let found = self.rows.binary_search_by_key(&section, |row| row.section as usize);
        found.ok().map(|at| &self.rows[at])
    }
}

/// The last windows of a timer: each step closes one. See [`Timer::steps`].
#[derive(Debug)]
pub struct Steps {
    timer: u32,
    /// The end of each window that is kept, and before them the beginning of the first.
    moments: VecDeque<Moment>,
    most: usize,
    warm: Moment,
    count: u64,
    /// Where a snapshot is taken, and a window is made.
    rows: Vec<Row>,
}

impl<S: Shape, C: Clock> Timer<S, C> {
    /// Begins to keep the last `windows` windows (at least one) between steps: the first begins here.
    /// Memory: 144 bytes a recorded section and window, and as much for each section that the timer can
    /// hold.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use xtimer_core::{Config, ManualClock, Timer};
    ///
    /// let clock = ManualClock::new(64);
    /// let timer = Timer::with_clock(Config::HOST, &clock).unwrap();
    /// let context = timer.context().unwrap();
    /// let mut steps = timer.steps(10).unwrap();
    /// for step in 0..5 {
    ///     let load = context.enter("load", "io").unwrap();
    ///     clock.advance(if step == 0 { 100 } else { step });
    ///     context.exit(load).unwrap();
    ///     steps.step(&timer).unwrap();
    ///     if step == 0 {
    ///         steps.warm_up(); // the first step does not count
    ///     }
    /// }
    /// assert_eq!(steps.last(&timer, 1).unwrap().total(), 4);
    /// assert_eq!(steps.last(&timer, 2).unwrap().total(), 3 + 4);
    /// let since = steps.since_warm_up(&timer).unwrap();
    /// assert_eq!((since.total(), since.section(&["load"]).unwrap().count()), (10, 4));
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Busy`] when the timer is being cleared again and again.
    pub fn steps(&self, windows: usize) -> Result<Steps, Error> {
        let mut rows = vec![Row::default(); self.snapshot_rows()];
        let begin = self.moment(&mut rows)?;
        let moments = VecDeque::from([begin.clone()]);
        Ok(Steps {
            timer: self.serial(),
            moments,
            most: windows.max(1),
            warm: begin,
            count: 0,
            rows,
        })
    }

    fn moment(&self, rows: &mut [Row]) -> Result<Moment, Error> {
        let snapshot = self.snapshot_in(rows)?;
        let rows = snapshot.rows.iter().filter(|row| row.is_recorded()).copied().collect();
        Ok(Moment { epoch: snapshot.epoch, rows, losses: *snapshot.losses() })
    }
}

impl Steps {
    /// The same, but the first window begins where the timings do: with the timer, or its last clear.
    #[must_use]
    pub fn from_beginning(mut self) -> Self {
        for moment in self.moments.iter_mut().take(1).chain([&mut self.warm]) {
            moment.rows.clear();
            moment.losses = Losses::default();
        }
        self
    }

    /// Closes a window and begins the next. Nothing is stopped; it allocates.
    ///
    /// # Errors
    /// [`Error::OtherTimer`]; [`Error::Busy`] when the timer is being cleared again and again. The window
    /// goes on.
    pub fn step<S: Shape, C: Clock>(&mut self, timer: &Timer<S, C>) -> Result<(), Error> {
        self.check(timer)?;
        let moment = timer.moment(&mut self.rows)?;
        if self.moments.len() > self.most {
            self.moments.pop_front();
        }
        self.moments.push_back(moment);
        self.count += 1;
        Ok(())
    }

    /// The warm-up is over: [`since_warm_up`](Self::since_warm_up) counts from the last step on.
    pub fn warm_up(&mut self) {
        if let Some(moment) = self.moments.back() {
            self.warm.clone_from(moment);
        }
    }

    /// How many windows were closed.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The last `windows` closed windows as one, or as many as are kept: as
    /// [`delta`](Snapshot::delta) gives it. Empty before the first step.
    ///
    /// # Errors
    /// [`Error::OtherTimer`].
    pub fn last<'s, S: Shape, C: Clock>(
        &'s mut self,
        timer: &'s Timer<S, C>,
        windows: usize,
    ) -> Result<Snapshot<'s>, Error> {
        self.check(timer)?;
        let kept = self.moments.len() - 1;
        let earlier = &self.moments[kept - windows.min(kept)];
        Ok(window(timer, &mut self.rows, &self.moments[kept], earlier))
    }

    /// All windows that were closed since [`warm_up`](Self::warm_up), or since the beginning.
    ///
    /// # Errors
    /// [`Error::OtherTimer`].
    pub fn since_warm_up<'s, S: Shape, C: Clock>(
        &'s mut self,
        timer: &'s Timer<S, C>,
    ) -> Result<Snapshot<'s>, Error> {
        self.check(timer)?;
        let last = &self.moments[self.moments.len() - 1];
        Ok(window(timer, &mut self.rows, last, &self.warm))
    }

    fn check<S: Shape, C: Clock>(&self, timer: &Timer<S, C>) -> Result<(), Error> {
        let is_same = self.timer == timer.serial() && self.rows.len() == timer.snapshot_rows();
        if is_same { Ok(()) } else { Err(Error::OtherTimer) }
    }
}

/// What was recorded between two moments.
fn window<'s, S: Shape, C: Clock>(
    timer: &'s Timer<S, C>,
    rows: &'s mut [Row],
    later: &Moment,
    earlier: &Moment,
) -> Snapshot<'s> {
    for (row, section) in rows.iter_mut().zip(0..) {
        *row = Row { section, ..Row::default() };
    }
    for row in &later.rows {
        rows[row.section as usize] = *row;
    }
    let mut snapshot = timer.unlinked(timer.ready(), rows, later.epoch, None);
    snapshot.losses = later.losses;
    let same_epoch = later.epoch == earlier.epoch;
    snapshot.take_off(|section| earlier.row(section), &earlier.losses, same_epoch);
    snapshot
}
