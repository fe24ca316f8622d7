//! Bytes made by hand: blocks, and the header and checksum around them.

use std::path::PathBuf;

/// A vector's bytes.
pub fn vector(name: &str) -> Vec<u8> {
    std::fs::read(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Where a file of the vectors lies.
pub fn path(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "vectors", name].iter().collect()
}

/// A number in LEB128.
pub fn number(mut value: u128) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 127 {
        bytes.push(value as u8 | 128);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// A block.
pub fn block(tag: u32, content: &[u8]) -> Vec<u8> {
    [number(tag.into()), number(content.len() as u128), content.to_vec()].concat()
}

/// Header, blocks and the right checksum.
pub fn sealed(kind: u16, blocks: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x89XTP\x01\x00".to_vec();
    bytes.extend(kind.to_le_bytes());
    bytes.extend((blocks.len() as u64 + 20).to_le_bytes());
    bytes.extend(blocks);
    bytes.extend(checksum(&bytes).to_le_bytes());
    bytes
}

/// Puts the right checksum at the end of bytes that were changed.
pub fn seal_again(bytes: &mut [u8]) {
    if let Some(end) = bytes.len().checked_sub(4) {
        let sum = checksum(&bytes[..end]);
        bytes[end..].copy_from_slice(&sum.to_le_bytes());
    }
}

/// CRC-32, bit by bit.
fn checksum(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for &byte in bytes {
        sum ^= u32::from(byte);
        for _ in 0..8 {
            sum = sum >> 1 ^ (0xedb8_8320 & (sum & 1).wrapping_neg());
        }
    }
    !sum
}
