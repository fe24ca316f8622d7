//! What is wrong with bytes that should be a profile, and at which of them.

use core::fmt;

use crate::profile::format::{KIND_PROFILE, KIND_REDUCED, VERSION};

/// Why bytes are no profile: what is wrong, and the offset from their beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// What is wrong.
    pub fault: Fault,
    /// The offset of the byte where it begins.
    pub offset: u64,
}

/// What can be wrong with the bytes of a profile. `field` names what was being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// They end before the header does.
    NoHeader,
    /// They don't begin as a profile does.
    NotAProfile,
    /// They begin as a profile does, written by a machine of the other byte order.
    ForeignByteOrder,
    /// A version that this reader doesn't know.
    Version(u16),
    /// A kind that this reader doesn't know, or not the one that was asked for.
    Kind {
        /// The kind in the header.
        found: u16,
        /// The kind that was asked for.
        wanted: u16,
    },
    /// The header tells a length that can't be.
    Length {
        /// The length in the header.
        told: u64,
        /// How many bytes there are.
        there: u64,
    },
    /// The checksum is another one: bytes were changed.
    Checksum {
        /// The checksum at the end.
        told: u32,
        /// The checksum of the bytes before it.
        computed: u32,
    },
    /// The bytes of a block end inside a field.
    Ends {
        /// The field.
        field: &'static str,
    },
    /// An integer is longer than its type, or not in its shortest form.
    Integer {
        /// The field.
        field: &'static str,
    },
    /// A text is not UTF-8.
    Text {
        /// The field.
        field: &'static str,
    },
    /// A value that the field can't have.
    Value {
        /// The field.
        field: &'static str,
    },
    /// More items than the rest of the bytes could hold.
    Count {
        /// The field.
        field: &'static str,
    },
    /// A block that must be understood is unknown here, or not in its place.
    Block {
        /// The block's tag.
        tag: u32,
    },
    /// A block is missing.
    Missing {
        /// The block's name.
        block: &'static str,
    },
    /// A block has bytes behind its last field.
    Rest {
        /// The block's name.
        block: &'static str,
    },
}

impl DecodeError {
    pub(crate) const fn new(fault: Fault, offset: usize) -> Self {
        Self { fault, offset: offset as u64 }
    }

    /// The error as seen from the beginning of a longer run of bytes.
    #[cfg_attr(not(feature = "alloc"), allow(dead_code))]
    pub(crate) const fn behind(self, bytes: u64) -> Self {
        Self { fault: self.fault, offset: self.offset.saturating_add(bytes) }
    }
}

fn kind_name(kind: u16) -> &'static str {
    match kind {
        KIND_PROFILE => "a profile of one rank",
        KIND_REDUCED => "a reduced profile",
        _ => "something unknown",
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "at byte {}: ", self.offset)?;
        match self.fault {
            Fault::NoHeader => {
                formatter.write_str("it ends before the 16 bytes of a profile's header")
            }
            Fault::NotAProfile => formatter.write_str("this is not a profile"),
            Fault::ForeignByteOrder => {
                formatter.write_str("the profile was written in the wrong byte order")
            }
            Fault::Version(version) => {
                write!(
                    formatter,
                    "the profile has version {version}; this reader knows up to {VERSION}"
                )
            }
            Fault::Kind { found, wanted } => write!(
                formatter,
                "kind {found} is {}; {} is wanted here",
                kind_name(found),
                kind_name(wanted)
            ),
            Fault::Length { told, there } => {
                write!(formatter, "the header tells {told} bytes, but there are {there}")
            }
            Fault::Checksum { told, computed } => write!(
                formatter,
                "the checksum is {told:08x}, but the bytes come to {computed:08x}: some were changed"
            ),
            Fault::Ends { field } => write!(formatter, "the bytes end inside {field}"),
            Fault::Integer { field } => {
                write!(formatter, "{field} is no integer of its size in shortest form")
            }
            Fault::Text { field } => write!(formatter, "{field} is not UTF-8"),
            Fault::Value { field } => write!(formatter, "{field} has a value that it can't have"),
            Fault::Count { field } => {
                write!(formatter, "{field} is more than the remaining bytes can hold")
            }
            Fault::Block { tag } => {
                write!(formatter, "block {tag} is not known to this reader, or not in its place")
            }
            Fault::Missing { block } => write!(formatter, "the block '{block}' is missing"),
            Fault::Rest { block } => {
                write!(formatter, "the block '{block}' goes on behind its last field")
            }
        }
    }
}

impl core::error::Error for DecodeError {}
