//! The constants of the byte form: header, kinds, blocks, marks. `docs/format.md` says what they mean.

use crc::{CRC_32_ISO_HDLC, Crc};

/// The first four bytes. The first is no ASCII, so no text begins like this.
pub(crate) const MAGIC: [u8; 4] = [0x89, b'X', b'T', b'P'];
/// The version that is written. All from 1 on are read.
pub const VERSION: u16 = 1;

/// Offset of the version, two bytes.
pub(crate) const AT_VERSION: usize = 4;
/// Offset of the kind, two bytes.
pub(crate) const AT_KIND: usize = 6;
/// Offset of the whole length, eight bytes.
pub(crate) const AT_LENGTH: usize = 8;
/// Bytes of the header.
pub(crate) const HEADER: usize = 16;
/// Bytes of the checksum behind the last block.
pub(crate) const TRAILER: usize = 4;

/// A profile of one rank.
pub(crate) const KIND_PROFILE: u16 = 1;
/// What many ranks came to.
pub(crate) const KIND_REDUCED: u16 = 2;

/// The blocks. Below [`OPTIONAL`](block::OPTIONAL) all must be there and understood, in this order.
pub(crate) mod block {
    pub(crate) const SOURCE: u32 = 1;
    pub(crate) const CLOCK: u32 = 2;
    pub(crate) const LOSSES: u32 = 3;
    pub(crate) const TOTALS: u32 = 4;
    pub(crate) const SECTIONS: u32 = 5;
    /// The first tag that a reader may pass over.
    pub(crate) const OPTIONAL: u32 = 64;
    pub(crate) const HISTOGRAMS: u32 = 64;
    pub(crate) const SAMPLES: u32 = 65;
}

/// What a section's marks say.
pub(crate) mod mark {
    /// Its numbers may be one entry apart.
    pub(crate) const BUSY: u32 = 1;
    /// Contexts without a lane added to it.
    pub(crate) const LATE: u32 = 2;
    /// What is directly beneath adds up to more than it.
    pub(crate) const EXCEEDED: u32 = 4;
    /// Names that have no section themselves stand between it and the section above.
    pub(crate) const ABOVE: u32 = 8;
    /// Exclusive time is kept.
    pub(crate) const EXCLUSIVE: u32 = 16;
    /// The shortest and longest are known.
    pub(crate) const EXTREMES: u32 = 32;
    /// The sum of squares is known.
    pub(crate) const SQUARES: u32 = 64;
    pub(crate) const ALL: u32 = 127;
}

/// The fewest bytes of a section's record.
pub(crate) const SECTION_LEAST: usize = 7;

/// A small table where flash is scarce, none where pages fetch each byte, a fast one on hosts.
#[cfg(feature = "std")]
type Checksum = Crc<u32, crc::Table<16>>;
#[cfg(all(not(feature = "std"), not(target_arch = "wasm32")))]
type Checksum = Crc<u32, crc::Table<1>>;
#[cfg(all(not(feature = "std"), target_arch = "wasm32"))]
type Checksum = Crc<u32, crc::NoTable>;

/// CRC-32 as zlib, PNG and Ethernet have it.
pub(crate) static CHECKSUM: Checksum = Checksum::new(&CRC_32_ISO_HDLC);
