//! Integers and texts to bytes and back: what all blocks are made of.
//!
//! An integer is LEB128 in its shortest form, a text its length in bytes and its UTF-8.

use unsigned_varint::{decode, encode};

use crate::profile::error::{DecodeError, Fault};

/// Where bytes go, a piece at a time.
pub(crate) struct Out<'o> {
    put: &'o mut dyn FnMut(&[u8]),
}

impl<'o> Out<'o> {
    pub(crate) fn new(put: &'o mut dyn FnMut(&[u8])) -> Self {
        Self { put }
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        (self.put)(bytes);
    }

    pub(crate) fn number(&mut self, value: impl Into<u64>) {
        (self.put)(encode::u64(value.into(), &mut encode::u64_buffer()));
    }

    pub(crate) fn count(&mut self, value: usize) {
        self.number(value as u64);
    }

    pub(crate) fn wide(&mut self, value: u128) {
        (self.put)(encode::u128(value, &mut encode::u128_buffer()));
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.count(text.len());
        (self.put)(text.as_bytes());
    }

    /// A difference that may be negative: 0, -1, 1, -2, 2 become 0, 1, 2, 3, 4.
    pub(crate) fn difference(&mut self, from: u64, to: u64) {
        let difference = to.wrapping_sub(from) as i64;
        self.number((difference << 1 ^ difference >> 63) as u64);
    }
}

/// A run of bytes being read. Offsets count from the beginning of the profile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'b> {
    bytes: &'b [u8],
    at: usize,
    end: usize,
}

impl<'b> Input<'b> {
    /// Reads `bytes` from `at` up to `end`; an end behind the last byte is that.
    pub(crate) fn new(bytes: &'b [u8], at: usize, end: usize) -> Self {
        let end = end.min(bytes.len());
        Self { bytes, at: at.min(end), end }
    }

    pub(crate) const fn offset(&self) -> usize {
        self.at
    }

    pub(crate) const fn remaining(&self) -> usize {
        self.end - self.at
    }

    fn rest(&self) -> &'b [u8] {
        self.bytes.get(self.at..self.end).unwrap_or_default()
    }

    pub(crate) fn fault(&self, fault: Fault) -> DecodeError {
        DecodeError::new(fault, self.at)
    }

    /// Takes the value of an integer which may have at most so many bytes, the last of which is at
    /// most `last`: the decoder lets bits beyond the type fall off.
    fn integer<T>(
        &mut self,
        decoded: Result<(T, &'b [u8]), decode::Error>,
        most: usize,
        last: u8,
        field: &'static str,
    ) -> Result<T, DecodeError> {
        let (value, rest) = decoded.map_err(|error| {
            self.fault(match error {
                decode::Error::Insufficient => Fault::Ends { field },
                _ => Fault::Integer { field },
            })
        })?;
        let after = self.end - rest.len();
        if after - self.at == most && self.bytes.get(after - 1).is_none_or(|&byte| byte > last) {
            return Err(self.fault(Fault::Integer { field }));
        }
        self.at = after;
        Ok(value)
    }

    pub(crate) fn number(&mut self, field: &'static str) -> Result<u64, DecodeError> {
        self.integer(decode::u64(self.rest()), 10, 1, field)
    }

    pub(crate) fn wide(&mut self, field: &'static str) -> Result<u128, DecodeError> {
        self.integer(decode::u128(self.rest()), 19, 3, field)
    }

    pub(crate) fn narrow(&mut self, field: &'static str) -> Result<u32, DecodeError> {
        self.integer(decode::u32(self.rest()), 5, 15, field)
    }

    /// A number below `limit`.
    pub(crate) fn index(&mut self, limit: u32, field: &'static str) -> Result<u32, DecodeError> {
        let start = *self;
        let value = self.narrow(field)?;
        if value < limit { Ok(value) } else { Err(start.fault(Fault::Value { field })) }
    }

    /// A number of items that take at least so many bytes each: never more than there can be.
    pub(crate) fn count(
        &mut self,
        least: usize,
        field: &'static str,
    ) -> Result<usize, DecodeError> {
        let start = *self;
        let value = self.number(field)?;
        match usize::try_from(value) {
            Ok(count) if count <= self.remaining() / least && u32::try_from(count).is_ok() => {
                Ok(count)
            }
            _ => Err(start.fault(Fault::Count { field })),
        }
    }

    pub(crate) fn text(&mut self, field: &'static str) -> Result<&'b str, DecodeError> {
        let start = *self;
        let length = self.number(field)?;
        let length = usize::try_from(length).ok().filter(|&length| length <= self.remaining());
        let Some(length) = length else {
            return Err(start.fault(Fault::Ends { field }));
        };
        let text = self.bytes.get(self.at..self.at + length).unwrap_or_default();
        let text = core::str::from_utf8(text).map_err(|error| {
            DecodeError::new(Fault::Text { field }, self.at + error.valid_up_to())
        })?;
        self.at += length;
        Ok(text)
    }

    /// The other end of a difference that may be negative.
    pub(crate) fn difference(
        &mut self,
        from: u64,
        field: &'static str,
    ) -> Result<u64, DecodeError> {
        let folded = self.number(field)?;
        let difference = folded >> 1 ^ (folded & 1).wrapping_neg();
        Ok(from.wrapping_add(difference))
    }

    /// The next bytes as an input of their own.
    pub(crate) fn part(&mut self, length: usize) -> Self {
        let end = self.at + length.min(self.remaining());
        let part = Self { bytes: self.bytes, at: self.at, end };
        self.at = end;
        part
    }

    /// Nothing may be left.
    pub(crate) fn done(&self, block: &'static str) -> Result<(), DecodeError> {
        if self.remaining() == 0 { Ok(()) } else { Err(self.fault(Fault::Rest { block })) }
    }
}
