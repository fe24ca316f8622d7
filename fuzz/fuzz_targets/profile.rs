//! Any bytes are profiles, or an error: as they come, and with header and checksum put right, so that
//! the fuzzer gets behind them. What was decoded is encoded, decoded and compared.

#![no_main]

use libfuzzer_sys::fuzz_target;
use xtimer_core::profile::{Gathered, Profile, Reduced, View};

/// CRC-32, bit by bit.
fn checksum(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for &byte in bytes {
        sum ^= u32::from(byte);
        for _ in 0..8 {
            sum = (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg());
        }
    }
    !sum
}

/// The bytes behind a header, with the right length and checksum.
fn sealed(bytes: &[u8], kind: u8) -> Vec<u8> {
    let blocks = bytes.get(16..bytes.len().saturating_sub(4)).unwrap_or_default();
    let mut sealed = vec![0x89, b'X', b'T', b'P', 1, 0, kind, 0];
    sealed.extend((blocks.len() as u64 + 20).to_le_bytes());
    sealed.extend(blocks);
    sealed.extend(checksum(&sealed).to_le_bytes());
    sealed
}

fn read(bytes: &[u8]) {
    if let Ok(view) = View::new(bytes) {
        let profile = Profile::from_view(&view);
        assert_eq!(Profile::from_bytes(&profile.to_bytes()).as_ref(), Ok(&profile));
        assert_eq!(view.sections().count(), profile.sections().len());
        let mut reduced = Reduced::new();
        reduced.add_view(&view);
        let mut again = Reduced::new();
        again.add(&profile);
        assert_eq!(reduced.to_bytes(), again.to_bytes());
    }
    if let Ok(gathered) = Gathered::from_bytes(bytes) {
        for (path, times) in gathered.iter() {
            assert!(!path.is_empty() && times.rank_count() > 0);
            let _ =
                (times.std(), times.percentiles(&[0.0, 50.0, 100.0]), times.across().imbalance());
        }
    }
    if let Ok(reduced) = Reduced::from_bytes(bytes) {
        let again = Reduced::from_bytes(&reduced.to_bytes()).unwrap();
        assert_eq!(again.to_bytes(), reduced.to_bytes());
    }
}

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    read(&sealed(bytes, 1));
    read(&sealed(bytes, 2));
});
