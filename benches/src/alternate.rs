//! A loop against bare clock reads: batches in turn, one ratio a round, the median of the rounds.
//!
//! Times drift with the machine's frequency and its other work; what holds is the ratio of two
//! batches that ran one after the other. Every other round runs them in the other order.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Rounds of one batch of each.
    pub rounds: u32,
    /// Pairs in a batch.
    pub pairs: u32,
}

/// The outcome of a row.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Nanoseconds a pair.
    pub nanoseconds: f64,
    /// Nanoseconds of what it was measured against.
    pub bare: f64,
    /// Median of the rounds' ratios.
    pub ratio: f64,
    /// Their first and third quartile.
    pub quartiles: (f64, f64),
    /// Median of the rounds' differences, in nanoseconds a pair.
    pub above: f64,
}

#[derive(Default)]
struct Rounds {
    subject: Vec<f64>,
    bare: Vec<f64>,
    ratio: Vec<f64>,
    above: Vec<f64>,
}

impl Rounds {
    fn add(&mut self, bare: f64, subject: f64) {
        self.bare.push(bare);
        self.subject.push(subject);
        self.ratio.push(subject / bare);
        self.above.push(subject - bare);
    }

    fn outcome(mut self) -> Outcome {
        Outcome {
            nanoseconds: quantile(&mut self.subject, 0.5),
            bare: quantile(&mut self.bare, 0.5),
            ratio: quantile(&mut self.ratio, 0.5),
            quartiles: (quantile(&mut self.ratio, 0.25), quantile(&mut self.ratio, 0.75)),
            above: quantile(&mut self.above, 0.5),
        }
    }
}

/// The value below which a share of the values lies.
pub fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let last = values.len().saturating_sub(1);
    values.get((last as f64 * share).round() as usize).copied().unwrap_or(f64::NAN)
}

/// Nanoseconds a pair of one batch.
fn batch(pairs: u32, run: &mut impl FnMut(u32)) -> f64 {
    let start = Instant::now();
    run(pairs);
    start.elapsed().as_nanos() as f64 / f64::from(pairs)
}

/// Measures `subject` against `bare`, both called with the number of pairs to run.
pub fn alternate(
    effort: Effort,
    mut bare: impl FnMut(u32),
    mut subject: impl FnMut(u32),
) -> Outcome {
    let mut rounds = Rounds::default();
    for _ in 0..3 {
        bare(effort.pairs);
        subject(effort.pairs);
    }
    for round in 0..effort.rounds {
        if round % 2 == 0 {
            let before = batch(effort.pairs, &mut bare);
            rounds.add(before, batch(effort.pairs, &mut subject));
        } else {
            let before = batch(effort.pairs, &mut subject);
            rounds.add(batch(effort.pairs, &mut bare), before);
        }
    }
    rounds.outcome()
}

/// The same on several threads at once: all run bare reads at the same time, then all the subject.
/// Each thread's rounds count.
pub fn alternate_together(
    effort: Effort,
    threads: u32,
    bare: impl Fn(u32) + Sync,
    subject: impl Fn(u32) + Sync,
) -> Outcome {
    let arrived = AtomicU32::new(0);
    let together = |stage: u32| {
        arrived.fetch_add(1, Ordering::SeqCst);
        let mut spins = 0_u32;
        while arrived.load(Ordering::SeqCst) < threads * stage {
            spins += 1;
            // Where there are fewer cores than threads the others must get one.
            if spins.is_multiple_of(1024) {
                std::thread::yield_now()
            } else {
                std::hint::spin_loop()
            }
        }
    };
    let measured: Vec<Vec<(f64, f64)>> = std::thread::scope(|scope| {
        let work = || {
            let mut pairs = Vec::new();
            let mut stage = 0;
            bare(effort.pairs);
            subject(effort.pairs);
            for _ in 0..effort.rounds {
                stage += 1;
                together(stage);
                let before = batch(effort.pairs, &mut |pairs| bare(pairs));
                stage += 1;
                together(stage);
                pairs.push((before, batch(effort.pairs, &mut |pairs| subject(pairs))));
            }
            pairs
        };
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        handles.into_iter().map(|handle| handle.join().expect("a measuring thread")).collect()
    });
    let mut rounds = Rounds::default();
    for (bare, subject) in measured.into_iter().flatten() {
        rounds.add(bare, subject);
    }
    rounds.outcome()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_that_was_interrupted_moves_neither_ratio_nor_difference() {
        let mut rounds = Rounds::default();
        for (bare, subject) in
            [(20.0, 25.0), (10.0, 12.5), (20.0, 900.0), (40.0, 50.0), (700.0, 25.0)]
        {
            rounds.add(bare, subject);
        }
        let outcome = rounds.outcome();
        assert_eq!(outcome.ratio, 1.25);
        assert_eq!(outcome.quartiles, (1.25, 1.25));
        assert_eq!((outcome.bare, outcome.nanoseconds, outcome.above), (20.0, 25.0, 5.0));
    }

    #[test]
    fn both_loops_run_as_often_with_and_without_company() {
        use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
        let (bare, subject) = (AtomicU32::new(0), AtomicU32::new(0));
        let effort = Effort { rounds: 5, pairs: 7 };
        let count = |counter: &AtomicU32, pairs| {
            counter.fetch_add(pairs, Relaxed);
        };
        alternate(effort, |pairs| count(&bare, pairs), |pairs| count(&subject, pairs));
        assert_eq!((bare.load(Relaxed), subject.load(Relaxed)), (8 * 7, 8 * 7));
        alternate_together(effort, 3, |pairs| count(&bare, pairs), |pairs| count(&subject, pairs));
        assert_eq!((bare.load(Relaxed), subject.load(Relaxed)), (26 * 7, 26 * 7));
    }

    #[test]
    fn quantiles_are_values() {
        let mut values = vec![3.0, 1.0, 2.0, 5.0, 4.0];
        assert_eq!(quantile(&mut values, 0.5), 3.0);
        assert_eq!(quantile(&mut values, 0.0), 1.0);
        assert_eq!(quantile(&mut values, 1.0), 5.0);
        assert!(quantile(&mut [], 0.5).is_nan());
    }
}
