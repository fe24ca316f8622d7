//! To bytes: header, blocks, checksum, streamed to whatever takes them, without memory of its own.
//!
//! A block tells its length before its content, and the header that of the whole, so contents are
//! written twice or thrice: first to be counted, then for good. What is encoded must stand still.

use core::fmt;

use crate::profile::format::{CHECKSUM, HEADER, MAGIC, TRAILER, VERSION, block};
use crate::profile::wire::Out;

/// What can be encoded: blocks of a kind.
pub(crate) trait Content {
    /// The kind in the header.
    const KIND: u16;
    /// The blocks in their order. Optional ones without content are left out.
    const BLOCKS: &'static [u32];

    /// Writes the content of a block, the same each time.
    fn write(&self, tag: u32, out: &mut Out<'_>);
}

/// Takes the bytes of a profile as they come, in small pieces: a UART, a socket, a file.
///
/// Any `FnMut(&[u8]) -> Result<(), E>` is one.
pub trait Sink {
    /// What can go wrong.
    type Error;

    /// Takes all of `bytes`.
    ///
    /// # Errors
    /// The first one ends the encoding.
    fn put(&mut self, bytes: &[u8]) -> Result<(), Self::Error>;
}

impl<E, F: FnMut(&[u8]) -> Result<(), E>> Sink for F {
    type Error = E;

    fn put(&mut self, bytes: &[u8]) -> Result<(), E> {
        self(bytes)
    }
}

/// The caller's buffer is too small for the profile; nothing was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooSmall {
    /// How many bytes the profile needs.
    pub needed: usize,
}

impl fmt::Display for TooSmall {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "The buffer is too small: the profile needs {} bytes.", self.needed)
    }
}

impl core::error::Error for TooSmall {}

/// How many bytes the content comes to as a profile.
pub(crate) fn length(content: &impl Content) -> u64 {
    HEADER as u64 + counted(|out| body(content, out)) + TRAILER as u64
}

/// Encodes into a buffer and tells the length.
pub(crate) fn to_slice(content: &impl Content, buffer: &mut [u8]) -> Result<usize, TooSmall> {
    let length = length(content);
    let needed = usize::try_from(length).unwrap_or(usize::MAX);
    let buffer = buffer.get_mut(..needed).ok_or(TooSmall { needed })?;
    let mut at = 0;
    whole(content, length, &mut |bytes| {
        if let Some(place) = buffer.get_mut(at..at + bytes.len()) {
            place.copy_from_slice(bytes);
        }
        at += bytes.len();
    });
    Ok(needed)
}

/// Encodes into a sink and tells the length.
pub(crate) fn to_sink<S: Sink>(content: &impl Content, sink: &mut S) -> Result<u64, S::Error> {
    let length = length(content);
    let mut result = Ok(length);
    whole(content, length, &mut |bytes| {
        if result.is_ok()
            && let Err(error) = sink.put(bytes)
        {
            result = Err(error);
        }
    });
    result
}

fn whole(content: &impl Content, length: u64, put: &mut dyn FnMut(&[u8])) {
    let mut checksum = CHECKSUM.digest();
    let mut both = |bytes: &[u8]| {
        checksum.update(bytes);
        put(bytes);
    };
    let mut out = Out::new(&mut both);
    write_header(content, length, &mut out);
    body(content, &mut out);
    let sum = checksum.finalize();
    put(&sum.to_le_bytes());
}

fn write_header<C: Content>(_: &C, length: u64, out: &mut Out<'_>) {
    out.bytes(&MAGIC);
    out.bytes(&VERSION.to_le_bytes());
    out.bytes(&C::KIND.to_le_bytes());
    out.bytes(&length.to_le_bytes());
}

fn body<C: Content>(content: &C, out: &mut Out<'_>) {
    for &tag in C::BLOCKS {
        let length = counted(|out| content.write(tag, out));
        if length == 0 && tag >= block::OPTIONAL {
            continue;
        }
        out.number(tag);
        out.number(length);
        content.write(tag, out);
    }
}

fn counted(write: impl FnOnce(&mut Out<'_>)) -> u64 {
    let mut length = 0;
    write(&mut Out::new(&mut |bytes| length += bytes.len() as u64));
    length
}

/// Encodes into memory of its own.
#[cfg(feature = "alloc")]
pub(crate) fn to_vec(content: &impl Content) -> alloc::vec::Vec<u8> {
    let mut bytes = alloc::vec::Vec::new();
    whole(content, length(content), &mut |piece| bytes.extend_from_slice(piece));
    bytes
}
