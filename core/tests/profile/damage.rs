//! Bytes that are no profile: an error each, which names what is wrong and where.

use proptest::prelude::*;
use xtimer_core::profile::{DecodeError, Fault, Profile, View};

use crate::bytes::{block, number, seal_again, sealed, vector};

const VECTORS: [&str; 3] = ["empty.xtp", "full.xtp", "further.xtp"];

fn refused(bytes: &[u8]) -> DecodeError {
    match View::new(bytes) {
        Ok(view) => panic!("taken for a profile: {view:?}"),
        Err(error) => error,
    }
}

/// Reads all that a view shows, and takes it through the owned form.
fn read_all(bytes: &[u8]) -> Result<(), DecodeError> {
    let view = View::new(bytes)?;
    let sections: Vec<_> = view.sections().collect();
    assert_eq!(sections.len(), view.section_count());
    assert_eq!(view.categories().count(), view.category_count());
    for section in &sections {
        let _ = (section.names_above().count(), section.category());
    }
    for histogram in view.histograms() {
        assert_eq!(histogram.counts().count(), histogram.buckets as usize);
    }
    for lane in view.samples() {
        assert_eq!(lane.samples().count(), lane.count as usize);
    }
    let profile = Profile::from_view(&view);
    assert_eq!(Profile::from_bytes(&profile.to_bytes()).as_ref(), Ok(&profile));
    Ok(())
}

#[test]
fn truncated_at_every_byte() {
    for name in VECTORS {
        let bytes = vector(name);
        assert_eq!(read_all(&bytes), Ok(()));
        for length in 0..bytes.len() {
            let error = refused(&bytes[..length]);
            let (fault, offset) = if length < 16 {
                (Fault::NoHeader, length)
            } else {
                (Fault::Length { told: bytes.len() as u64, there: length as u64 }, 8)
            };
            assert_eq!(error, DecodeError { fault, offset: offset as u64 }, "{name} at {length}");
        }
    }
}

#[test]
fn each_bit_flipped() {
    for name in VECTORS {
        let mut bytes = vector(name);
        for bit in 0..bytes.len() * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            let fault = refused(&bytes).fault;
            let is_right = match bit / 8 {
                0..4 => fault == Fault::NotAProfile,
                4..6 => matches!(fault, Fault::Version(_)),
                6..8 => matches!(fault, Fault::Kind { wanted: 1, .. }),
                8..16 => matches!(fault, Fault::Length { .. } | Fault::Checksum { .. }),
                _ => matches!(fault, Fault::Checksum { .. }),
            };
            assert!(is_right, "{name}, bit {bit}: {fault:?}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

/// With the checksum put right, a flipped bit may give another profile, never a panic.
#[test]
fn each_bit_flipped_on_purpose() {
    for name in VECTORS {
        let bytes = vector(name);
        for bit in 16 * 8..(bytes.len() - 4) * 8 {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            seal_again(&mut changed);
            if let Err(error) = read_all(&changed) {
                assert!(error.offset >= 16 && error.offset < bytes.len() as u64, "{error}");
                assert!(!matches!(error.fault, Fault::Checksum { .. }), "{error}");
            }
        }
    }
}

#[test]
fn versions_byte_orders_and_lengths() {
    let bytes = vector("full.xtp");
    let changed = |at: usize, with: &[u8]| {
        let mut changed = bytes.clone();
        changed[at..at + with.len()].copy_from_slice(with);
        seal_again(&mut changed);
        refused(&changed).to_string()
    };
    assert_eq!(
        changed(4, &[2, 0]),
        "at byte 4: the profile has version 2; this reader knows up to 1"
    );
    assert_eq!(
        changed(4, &[0, 0]),
        "at byte 4: the profile has version 0; this reader knows up to 1"
    );
    assert_eq!(
        changed(0, b"PTX\x89"),
        "at byte 0: the profile was written in the wrong byte order"
    );
    assert_eq!(
        changed(4, &[0, 1, 0, 1]),
        "at byte 4: the profile was written in the wrong byte order"
    );
    assert_eq!(
        changed(6, &[2, 0]),
        "at byte 6: kind 2 is a reduced profile; a profile of one rank is wanted here"
    );
    assert_eq!(
        changed(8, &(1_u64 << 32).to_le_bytes()),
        format!("at byte 8: the header tells 4294967296 bytes, but there are {}", bytes.len())
    );
    assert_eq!(
        changed(8, &u64::MAX.to_le_bytes()),
        format!("at byte 8: the header tells {} bytes, but there are {}", u64::MAX, bytes.len())
    );
    assert_eq!(
        changed(8, &19_u64.to_le_bytes()),
        format!("at byte 8: the header tells 19 bytes, but there are {}", bytes.len())
    );
    assert_eq!(
        refused(b"").to_string(),
        "at byte 0: it ends before the 16 bytes of a profile's header"
    );
    assert_eq!(refused(b"{\"total_time\": 0.5}").to_string(), "at byte 0: this is not a profile");
    let twice = [bytes.clone(), bytes.clone()].concat();
    assert_eq!(
        refused(&twice).fault,
        Fault::Length { told: bytes.len() as u64, there: twice.len() as u64 }
    );
}

/// Blocks of a small profile; each test breaks one.
struct Blocks {
    source: Vec<u8>,
    clock: Vec<u8>,
    losses: Vec<u8>,
    totals: Vec<u8>,
    sections: Vec<u8>,
    further: Vec<u8>,
}

impl Blocks {
    /// Two categories, `a` and `b`, and one section `s` with nothing kept.
    fn new() -> Self {
        Self {
            source: vec![0, 0],
            clock: vec![0, 1, 0, 64, 0, 0],
            losses: vec![0],
            totals: vec![0, 2, 1, b'a', 0, 0, 0, 1, b'b', 0, 0, 0],
            sections: vec![1, 0, 0, 1, b's', 0, 0, 0, 0],
            further: vec![],
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let blocks = [&self.source, &self.clock, &self.losses, &self.totals, &self.sections];
        let mut all: Vec<u8> =
            (1..).zip(blocks).flat_map(|(tag, content)| block(tag, content)).collect();
        all.extend(&self.further);
        sealed(1, &all)
    }

    fn sentence(change: impl FnOnce(&mut Self)) -> String {
        let mut blocks = Self::new();
        change(&mut blocks);
        let sentence = refused(&blocks.bytes()).to_string();
        sentence.split_once(": ").unwrap().1.to_owned()
    }
}

#[test]
fn each_field_is_checked() {
    assert_eq!(read_all(&Blocks::new().bytes()), Ok(()));
    let long = |tag| [number(tag), number(u64::MAX.into())].concat();
    let cases = [
        (Blocks::sentence(|b| b.source = vec![]), "the bytes end inside the rank"),
        (
            Blocks::sentence(|b| b.source = vec![0, 2, b'x']),
            "the bytes end inside the source's label",
        ),
        (Blocks::sentence(|b| b.source = vec![0, 1, 0xff]), "the source's label is not UTF-8"),
        (
            Blocks::sentence(|b| b.source = vec![128, 0, 0]),
            "the rank is no integer of its size in shortest form",
        ),
        (
            Blocks::sentence(|b| b.source = [number(1 << 32), vec![0]].concat()),
            "the rank is no integer of its size in shortest form",
        ),
        (
            Blocks::sentence(|b| b.source = vec![0, 0, 0]),
            "the block 'source' goes on behind its last field",
        ),
        (
            Blocks::sentence(|b| b.clock[2..4].copy_from_slice(&[127, 65])),
            "the clock's width has a value that it can't have",
        ),
        (
            Blocks::sentence(|b| b.clock = [vec![0], number(1 << 64), vec![0, 64, 0, 0]].concat()),
            "the clock's multiplier is no integer of its size in shortest form",
        ),
        (
            Blocks::sentence(|b| b.losses = [number(u32::MAX.into()), vec![0; 20]].concat()),
            "the number of losses is more than the remaining bytes can hold",
        ),
        (
            Blocks::sentence(|b| b.totals[3] = b'b'),
            "the order of categories has a value that it can't have",
        ),
        (
            Blocks::sentence(|b| b.totals = [vec![0], number(1 << 62)].concat()),
            "the number of categories is more than the remaining bytes can hold",
        ),
        (
            Blocks::sentence(|b| b.sections[1] = 1),
            "a section's depth has a value that it can't have",
        ),
        (
            Blocks::sentence(|b| b.sections[0] = 2),
            "the number of sections is more than the remaining bytes can hold",
        ),
        (
            Blocks::sentence(|b| b.sections = [number(1 << 40), vec![0; 64]].concat()),
            "the number of sections is more than the remaining bytes can hold",
        ),
        (
            Blocks::sentence(|b| b.sections[5] = 2),
            "a section's category has a value that it can't have",
        ),
        (
            Blocks::sentence(|b| b.sections = vec![1, 0, 128, 1, 1, b's', 0, 0, 0, 0]),
            "a section's marks has a value that it can't have",
        ),
        (
            Blocks::sentence(|b| b.sections = vec![1, 0, 32, 1, b's', 0, 0, 0, 1, 2, 0]),
            "a section's shortest duration has a value that it can't have",
        ),
        (
            Blocks::sentence(|b| b.sections = vec![1, 0, 32, 1, b's', 0, 1, 0, 3, 2, 0]),
            "a section's shortest duration has a value that it can't have",
        ),
        (
            Blocks::sentence(|b| {
                let squares = [vec![0xff; 18], vec![4]].concat(); // 2^128 and more
                b.sections = [vec![1, 0, 64, 1, b's', 0, 0, 0], squares, vec![0]].concat();
            }),
            "a section's squares is no integer of its size in shortest form",
        ),
        (
            Blocks::sentence(|b| b.further = block(63, b"")),
            "block 63 is not known to this reader, or not in its place",
        ),
        (
            Blocks::sentence(|b| b.further = [block(70, b""), block(64, b"")].concat()),
            "block 64 is not known to this reader, or not in its place",
        ),
        (
            Blocks::sentence(|b| b.further = [block(70, b""), block(70, b"")].concat()),
            "block 70 is not known to this reader, or not in its place",
        ),
        (
            Blocks::sentence(|b| b.further = long(70)),
            "a block's length is more than the remaining bytes can hold",
        ),
        (
            Blocks::sentence(|b| b.further = block(64, &[1, 1, 1, 0, 1])),
            "a histogram's section has a value that it can't have",
        ),
        (
            Blocks::sentence(|b| {
                b.further = block(64, &[vec![1, 0, 1], number(1920), vec![1]].concat())
            }),
            "a histogram's bucket has a value that it can't have",
        ),
        (
            Blocks::sentence(|b| b.further = block(64, &[1, 0, 1, 0, 0])),
            "a bucket's count has a value that it can't have",
        ),
        (
            Blocks::sentence(|b| b.further = block(64, &[1, 0, 2, 0, 1])),
            "the number of buckets is more than the remaining bytes can hold",
        ),
        (
            Blocks::sentence(|b| b.further = block(65, &[2, 0, 5, 0, 0, 0, 5, 0, 0])),
            "the lane of samples has a value that it can't have",
        ),
        (
            Blocks::sentence(|b| b.further = block(65, &[1, 0, 0, 0, 2, 1, 1])),
            "the number of samples is more than the remaining bytes can hold",
        ),
    ];
    for (sentence, expected) in cases {
        assert_eq!(sentence, expected);
    }
}

#[test]
fn blocks_that_are_missing_are_named() {
    let blocks =
        [block(1, &[0, 0]), block(2, &[0, 1, 0, 64, 0, 0]), block(3, &[0]), block(4, &[0, 0])];
    let names = ["source", "clock", "losses", "totals", "sections"];
    for (there, name) in names.iter().enumerate() {
        let begun = blocks[..there].concat();
        let expected = Fault::Missing { block: name };
        assert_eq!(refused(&sealed(1, &begun)).fault, expected);
        let followed = [begun.clone(), block(99, b"x")].concat();
        assert_eq!(refused(&sealed(1, &followed)).fault, expected);
        if there + 1 < blocks.len() {
            let passed_over = [begun, block(there as u32 + 2, b"")].concat();
            assert_eq!(
                refused(&sealed(1, &passed_over)).fault,
                Fault::Block { tag: there as u32 + 2 }
            );
        }
    }
}

#[test]
fn the_offset_is_that_of_the_field() {
    let mut blocks = Blocks::new();
    blocks.sections[5] = 2;
    let bytes = blocks.bytes();
    // The section's record ends 3 numbers behind its category, the whole with the checksum.
    assert_eq!(refused(&bytes).offset as usize, bytes.len() - 4 - 4);
    let mut text = Blocks::new();
    text.source = vec![0, 3, b'a', b'b', 0xc0];
    assert_eq!(refused(&text.bytes()).offset, 16 + 2 + 2 + 2);
}

proptest! {
    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read_all(&bytes);
        let _ = read_all(&sealed(1, &bytes));
    }

    #[test]
    fn a_vector_with_bytes_changed(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in any::<prop::sample::Index>(),
    ) {
        let whole = vector("full.xtp");
        let mut blocks = whole[16..whole.len() - 4].to_vec();
        for (at, byte) in changes {
            let at = at.index(blocks.len());
            blocks[at] = byte;
        }
        let _ = read_all(&sealed(1, &blocks));
        blocks.remove(cut.index(blocks.len()));
        let _ = read_all(&sealed(1, &blocks));
    }
}
