//! The real core and the naive model side by side: every call goes to both, and must come to the same.
//!
//! Sections are entered by call site and by name in turn, so that the hot path, its misses and the
//! general path all take part.

use std::collections::HashMap;

use xtimer_core::{
    Config, Context, DEFAULT_CATEGORY, Detached, Error, Keep, Line, ManualClock, Path, Sample,
    Samples, Site, Snapshot, Timer, Token,
};

use super::calls::{Call, Limits, Outcome, Refusal};
use super::kept::{Keeping, Taken, buckets};
use super::operations::MOST_CONTEXTS;
use super::snapshot::{Snapshot as Expected, base_name};
use super::state::Model;

type Clock = &'static ManualClock;

/// The core under test, with everything the model numbers.
struct Real {
    timer: &'static Timer<Line, Clock>,
    clock: Clock,
    contexts: Vec<Option<Context<'static, Line, Clock>>>,
    tokens: Vec<Token>,
    paths: Vec<Path>,
    detached: Vec<Option<Detached>>,
    sites: HashMap<(&'static str, &'static str), &'static Site>,
    calls: usize,
}

impl Real {
    fn new(timer: &'static Timer<Line, Clock>, clock: Clock) -> Self {
        Self {
            timer,
            clock,
            contexts: Vec::new(),
            tokens: Vec::new(),
            paths: Vec::new(),
            detached: Vec::new(),
            sites: HashMap::new(),
            calls: 0,
        }
    }

    fn context(&self, number: usize) -> &Context<'static, Line, Clock> {
        self.contexts[number].as_ref().expect("the model uses live contexts only")
    }

    fn token(&mut self, result: Result<Token, Error>) -> Outcome {
        match result {
            Ok(Token::NULL) => Outcome::Off,
            Ok(token) => {
                self.tokens.push(token);
                Outcome::Token(self.tokens.len() - 1)
            }
            Err(error) => refused(error),
        }
    }

    fn apply(&mut self, call: &Call, expected: &Outcome) -> Outcome {
        self.calls += 1;
        let by_site = !self.calls.is_multiple_of(3);
        match *call {
            Call::Advance { ticks } => {
                self.clock.advance(ticks);
                Outcome::Done
            }
            Call::OpenContext => {
                self.contexts.push(Some(self.timer.context().expect("lanes suffice")));
                Outcome::Context(self.contexts.len() - 1)
            }
            Call::Release { context } => {
                self.contexts[context] = None;
                Outcome::Done
            }
            Call::Enter { context, name, category } => {
                let category = category.unwrap_or(DEFAULT_CATEGORY);
                let result = if by_site {
                    let site = self.site(name, category);
                    self.context(context).enter_at(site)
                } else {
                    self.context(context).enter(name, category)
                };
                self.token(result)
            }
            Call::EnterCounted { context, name, index, category } => {
                let category = category.unwrap_or(DEFAULT_CATEGORY);
                let result = self.context(context).enter_counted(name, index, category);
                self.token(result)
            }
            Call::EnterBeneath { context, path, name, category } => {
                let category = category.unwrap_or(DEFAULT_CATEGORY);
                let parent = self.paths[path];
                let result = self.context(context).enter_beneath(parent, name, category);
                self.token(result)
            }
            Call::TakePath { context } => {
                self.paths.push(self.context(context).current_path());
                Outcome::Path(self.paths.len() - 1)
            }
            Call::Exit { context, token } => {
                let token = token.map_or(Token::NULL, |number| self.tokens[number]);
                match self.context(context).exit(token) {
                    Ok(()) => Outcome::Done,
                    Err(error @ Error::Unclosed { .. }) => self.unclosed(error, expected),
                    Err(error) => refused(error),
                }
            }
            Call::Switch { context, token, name, category } => {
                let mut phase = token.map_or(Token::NULL, |number| self.tokens[number]);
                let was_open = !phase.is_null();
                let category = category.unwrap_or(DEFAULT_CATEGORY);
                let result = if by_site {
                    let site = self.site(name, category);
                    self.context(context).switch_at(&mut phase, site)
                } else {
                    self.context(context).switch(&mut phase, name, category)
                };
                self.switched(was_open, phase, result, expected)
            }
            Call::Record { context, name, category, ticks } => {
                let category = category.unwrap_or(DEFAULT_CATEGORY);
                match self.context(context).record(name, category, ticks) {
                    Ok(()) if self.timer.is_enabled() => Outcome::Done,
                    Ok(()) => Outcome::Off,
                    Err(error) => refused(error),
                }
            }
            Call::BeginDetached { context, name, category } => {
                let category = category.unwrap_or(DEFAULT_CATEGORY);
                match self.context(context).detach(None, name, category) {
                    Ok(Detached::NULL) => Outcome::Off,
                    Ok(detached) => {
                        self.detached.push(Some(detached));
                        Outcome::Detached(self.detached.len() - 1)
                    }
                    Err(error) => refused(error),
                }
            }
            Call::EndDetached { context, detached } => {
                let detached = self.detached[detached].take().expect("ended once");
                self.context(context).finish(detached).map_or_else(refused, |()| Outcome::Done)
            }
            Call::Clear => self.timer.clear().map_or_else(refused, |()| Outcome::Done),
            Call::Forbid { outer, inner } => {
                self.timer.forbid(outer, inner).map_or_else(refused, |()| Outcome::Done)
            }
            Call::ClearRules => {
                self.timer.clear_rules();
                Outcome::Done
            }
            Call::Disable => {
                self.timer.set_enabled(false);
                Outcome::Done
            }
            Call::Enable => {
                self.timer.set_enabled(true);
                Outcome::Done
            }
        }
    }

    fn site(&mut self, name: &'static str, category: &'static str) -> &'static Site {
        let make = || &*Box::leak(Box::new(Site::new(name, category)));
        self.sites.entry((name, category)).or_insert_with(make)
    }

    fn switched(
        &mut self,
        was_open: bool,
        phase: Token,
        result: Result<(), Error>,
        expected: &Outcome,
    ) -> Outcome {
        if !was_open {
            return self.token(result.map(|()| phase));
        }
        let (closed, error) = match (result, expected) {
            (Err(error @ (Error::NotOpen | Error::OtherContext)), _) => return refused(error),
            (Err(error @ Error::Unclosed { .. }), Outcome::Switched(both)) => {
                (self.unclosed(error, &both.0), None)
            }
            // What refused the next one is told, not what was unclosed.
            (Err(error), Outcome::Switched(both)) => (both.0.clone(), Some(error)),
            (_, _) => (Outcome::Done, None),
        };
        let next = self.token(error.map_or(Ok(phase), Err));
        Outcome::Switched(Box::new((closed, next)))
    }

    /// The sentence names both sections; where one has no slot its name is not known any more.
    fn unclosed(&self, error: Error, expected: &Outcome) -> Outcome {
        let sentence = self.timer.sentence(error).to_string();
        if let Outcome::Unclosed { outer, inner } = expected {
            let unknown = "(a section without a slot)";
            let last = inner.last().expect("something was open");
            let names = [outer.as_str(), base_or(outer), unknown];
            let lasts = [last.as_str(), base_or(last), unknown];
            let fits = names.iter().any(|outer| {
                lasts.iter().any(|inner| {
                    sentence == format!("'{outer}' exited while '{inner}' was still active.")
                })
            });
            assert!(fits, "{sentence} {expected:?}");
        }
        expected.clone()
    }
}

/// A counted section that did not fit is known by its base name.
fn base_or(name: &str) -> &str {
    base_name(name)
}

/// A refusal as the model says it.
pub fn refused(error: Error) -> Outcome {
    Outcome::Refused(match error {
        Error::Forbidden { .. } => Refusal::Forbidden,
        Error::TooDeep { .. } => Refusal::TooDeep,
        Error::NotOpen => Refusal::NotOpen,
        Error::OtherContext => Refusal::OtherContext,
        Error::RulesFull => Refusal::RulesFull,
        other => panic!("{other:?} is no answer to any of these calls"),
    })
}

fn same_rows(real: &Snapshot<'_>, expected: &Expected) {
    let mut sections = real.sections();
    for row in &expected.rows {
        let section = sections.next().unwrap_or_else(|| panic!("no row for {:?}", row.path));
        assert_eq!(section.path().collect::<Vec<_>>(), row.path, "order of first entry");
        let at = &row.path;
        assert_eq!(section.name(), row.path.last().unwrap());
        assert_eq!(section.category(), row.category, "category of {at:?}");
        assert_eq!(section.count(), row.section.count, "count of {at:?}");
        assert_eq!(section.total(), row.section.total, "total of {at:?}");
        assert_eq!(section.exclusive(), Some(row.section.exclusive), "exclusive of {at:?}");
        assert_eq!(section.squares_ticks(), row.section.squares, "squares of {at:?}");
        let extremes = (row.section.count > 0).then_some((row.section.min, row.section.max));
        assert_eq!(section.min().zip(section.max()), extremes, "extremes of {at:?}");
        assert_eq!(u64::from(section.open()), row.open, "open {at:?}");
        assert!(!section.is_busy() && !section.is_late());
    }
    assert!(sections.next().is_none(), "a row too many");
    assert_eq!(real.total(), expected.total);
    // The core lists a category from the first section that found no slot, the model from the first
    // that was closed.
    let listed = |at: &str| expected.categories.contains_key(at);
    let categories: Vec<_> = real.categories().filter(|&(at, sum)| sum > 0 || listed(at)).collect();
    let wanted: Vec<_> = expected.categories.iter().map(|(at, &sum)| (at.as_str(), sum)).collect();
    assert_eq!(categories, wanted, "sorted by code point");
    for (category, sum) in wanted {
        assert_eq!(real.category_total(category), sum);
    }
    assert_eq!(real.category_total("never entered"), 0);
}

/// The samples of each section, and of all of them.
fn same_samples<C: xtimer_core::Clock>(timer: &Timer<Line, C>, model: &Model, keeping: Keeping) {
    let mut memory = vec![Sample::default(); timer.samples_bound()];
    let check = |samples: &Samples<'_>, (kept, dropped): (Vec<Taken>, u64), at: &str| {
        let times = |sample: &Sample| (sample.start, sample.duration, sample.lane as usize);
        let expected: Vec<_> =
            kept.iter().map(|taken| (taken.start, taken.duration, taken.lane)).collect();
        assert_eq!(samples.kept.iter().map(times).collect::<Vec<_>>(), expected, "{at}");
        assert_eq!(samples.dropped, dropped, "{at}");
    };
    let history = model.history();
    for row in &model.snapshot().rows {
        let path: Vec<_> = row.path.iter().map(String::as_str).collect();
        let samples = timer.samples(&path, &mut memory).expect("they fit");
        let expected = match keeping.samples {
            0 => (Vec::new(), 0),
            _ => history.samples(keeping, Some(&row.path)),
        };
        check(&samples, expected, &format!("samples of {path:?}"));
    }
    let samples = timer.all_samples(&mut memory).expect("they fit");
    let expected = match keeping.samples {
        0 => (Vec::new(), 0),
        _ => history.samples(keeping, None),
    };
    check(&samples, expected, "all samples");
    assert_eq!(timer.samples(&["never entered"], &mut memory), Ok(Samples::default()));
}

/// The histogram of each row, and what it says of percentiles.
fn same_histograms(real: &Snapshot<'_>, model: &Model, keeping: Keeping, flattened: bool) {
    const SHARES: [u32; 5] = [0, 250_000, 500_000, 990_000, 1_000_000];
    for section in real.sections() {
        let path: Vec<_> = section.path().map(str::to_owned).collect();
        let Some(histogram) = section.histogram() else {
            assert!(!keeping.histograms && section.percentile(500_000).is_none());
            continue;
        };
        assert!(keeping.histograms);
        let durations = model.history().durations(&path, flattened);
        let mut found = std::collections::BTreeMap::new();
        histogram.for_each(|index, count| _ = found.insert(index, count)).expect("not cleared");
        assert_eq!(found, buckets(&durations), "histogram of {path:?}");
        let Some(percentiles) = section.percentiles(SHARES) else {
            assert!(durations.is_empty(), "percentiles of {path:?}");
            continue;
        };
        for (share, percentile) in SHARES.into_iter().zip(percentiles) {
            let rank = (durations.len() as u64 * u64::from(share)).div_ceil(1_000_000).max(1);
            let exact = durations[rank as usize - 1];
            let error = percentile.abs_diff(exact);
            assert!(error <= exact / 32, "{share} of {path:?}: {percentile} for {exact}");
        }
    }
}

/// The numbers of a timer and of its model.
pub fn compare<C: xtimer_core::Clock>(timer: &Timer<Line, C>, model: &Model, keeping: Keeping) {
    same_samples(timer, model, keeping);
    let expected = model.snapshot();
    let mut real = timer.snapshot().expect("nobody else takes snapshots");
    same_rows(&real, &expected);
    same_histograms(&real, model, keeping, false);
    let (losses, wanted) = (*real.losses(), &expected.losses);
    assert_eq!(losses.unclosed, wanted.unclosed, "unclosed");
    assert_eq!(losses.too_deep, wanted.too_deep, "too deep");
    assert_eq!(losses.refused, wanted.forbidden, "refused");
    assert_eq!(losses.not_open, wanted.not_open, "not open");
    assert_eq!(losses.no_slot, wanted.no_slot, "no slot");
    // A call site remembers where its name went, and does not count it again.
    assert!(losses.base_name <= wanted.base_name, "base name");
    assert_eq!(losses.base_name == 0, wanted.base_name == 0 || losses.base_name == 0);
    assert_eq!(losses.steps_back, 0);
    real.flatten();
    same_rows(&real, &expected.flatten());
    same_histograms(&real, model, keeping, true);
}

/// Both of them.
pub struct Both {
    model: Model,
    real: Real,
    keeping: Keeping,
    /// A section was entered beneath a path without a slot. What lay around it, and whether that was
    /// before a clear, the core does not know any more; the model does, so they may part there.
    parted: bool,
}

impl Both {
    /// With samples and histograms.
    pub fn new(limits: Limits) -> Self {
        Self::keeping(limits, Keeping { samples: 64, oldest: false, histograms: true })
    }

    pub fn keeping(limits: Limits, keeping: Keeping) -> Self {
        let most = Config::MOST_SECTIONS as usize;
        let limits = Limits { sections: limits.sections.min(most * 2 / 3), ..limits };
        let clock: Clock = Box::leak(Box::new(ManualClock::new(64)));
        let config = Config {
            sections: limits.sections as u32,
            depth: limits.depth as u32,
            lanes: MOST_CONTEXTS as u32,
            categories: limits.categories as u32,
            rules: limits.rules as u32,
            name_bytes: 8192,
            scratch: 1,
            late: 0,
            samples_per_lane: keeping.samples as u32,
            keep: if keeping.oldest { Keep::Oldest } else { Keep::Newest },
            histograms: keeping.histograms,
            ..Config::HOST
        };
        let timer = Timer::with_clock(config, clock).expect("these capacities work");
        let timer = Box::leak(Box::new(timer));
        Self { model: Model::new(limits), real: Real::new(timer, clock), keeping, parted: false }
    }

    /// The model, to ask what means something.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Does a call in both.
    pub fn apply(&mut self, call: &Call) -> Outcome {
        self.parted |=
            matches!(*call, Call::EnterBeneath { path, .. } if self.model.path_is_lost(path));
        let expected = self.model.apply(call);
        let got = self.real.apply(call, &expected);
        assert_eq!(got, expected, "answer to {call:?}");
        expected
    }

    /// Their snapshot.
    pub fn snapshot(&self) -> Expected {
        if !self.parted {
            compare(self.real.timer, &self.model, self.keeping);
        }
        self.model.snapshot()
    }
}

impl Drop for Both {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.snapshot();
        }
        self.real.contexts.clear();
        // SAFETY: both were leaked in `new`; contexts, which borrow them, are gone.
        unsafe {
            drop(Box::from_raw(std::ptr::from_ref(self.real.timer).cast_mut()));
            drop(Box::from_raw(std::ptr::from_ref(self.real.clock).cast_mut()));
        }
    }
}
