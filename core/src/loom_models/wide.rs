//! 64 bits as two halves: additions carry, and a word that counts up is never read as a neighbour of
//! what it was.
//!
//! Fails when `Wide::add` loads and stores a half, or leaves the carry out; when `Wide::load_ordered`
//! takes the low half first.

use std::sync::Arc;

use super::{explore, race};
use crate::sync::{AcqRel, Acquire, Wide};

const BEFORE: u64 = 0x0000_0007_ffff_fff0;

/// Two threads add across the carry: no carry is lost and none is doubled. Unbounded.
#[test]
fn additions_carry_once() {
    explore(None, || {
        let word = Arc::new(Wide::new(BEFORE));
        let [one, two] = [0; 2].map(|_| Arc::clone(&word));
        race(
            move || {
                one.add(0x10, AcqRel);
                one.add(0x10, AcqRel);
            },
            move || two.add(0x1_0000_0010, AcqRel),
        );
        assert_eq!(word.load(), BEFORE + 0x1_0000_0030);
        word.subtract(0x30, AcqRel);
        assert_eq!(word.load(), BEFORE + 0x1_0000_0000);
    });
}

/// A reader while another thread adds across the carry, as clear does to STATE: it sees the word of
/// before, or that of after, or one whose low half has moved and whose high half not yet: the epoch
/// of no lane. Unbounded.
#[test]
fn a_counting_word_is_read_before_after_or_between() {
    const BETWEEN: u64 = BEFORE & !0xffff_ffff;
    explore(None, || {
        let word = Arc::new(Wide::new(BEFORE));
        let [one, two] = [0; 2].map(|_| Arc::clone(&word));
        let (_, seen) = race(move || one.add(0x10, AcqRel), move || two.load_ordered(Acquire));
        assert!([BEFORE, BEFORE + 0x10, BETWEEN].contains(&seen), "{seen:x}");
        assert_eq!(word.load_ordered(Acquire), BEFORE + 0x10);
    });
}
