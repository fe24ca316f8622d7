//! 64 bits as two halves: additions carry, and a word that counts up is never read as a neighbour of
//! what it was.
//!
//! Fails when `Wide::add` reads and stores a half, or leaves the carry out; when `Wide::load_ordered`
//! takes the halves as they come.

use loom::thread;
use std::sync::Arc;

use super::explore;
use crate::sync::{AcqRel, Acquire, Wide};

const BEFORE: u64 = 0x0000_0007_ffff_fff0;

/// Two threads add across the carry: no carry is lost and none is doubled. Unbounded.
#[test]
fn additions_carry_once() {
    explore(None, || {
        let word = Arc::new(Wide::new(BEFORE));
        let other = Arc::clone(&word);
        let thread = thread::spawn(move || {
            other.add(0x10, AcqRel);
            other.add(0x10, AcqRel);
        });
        word.add(0x1_0000_0010, AcqRel);
        thread.join().unwrap();
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
    explore(None, || {
        let word = Arc::new(Wide::new(BEFORE));
        let other = Arc::clone(&word);
        let thread = thread::spawn(move || {
            other.add(0x10, AcqRel);
        });
        let seen = word.load_ordered(Acquire);
        let between = BEFORE & !0xffff_ffff;
        assert!([BEFORE, BEFORE + 0x10, between].contains(&seen), "{seen:x}");
        thread.join().unwrap();
        assert_eq!(word.load_ordered(Acquire), BEFORE + 0x10);
    });
}
