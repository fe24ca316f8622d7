//! Strings to numbers: an insert-only table, lock-free to add to, wait-free to look up.
//!
//! A name's bytes are written into a stretch of the arena that only its writer knows, then published
//! by one compare-and-swap of an empty bucket. Who loses that race to the same name leaves its
//! stretch unused; a writer that dies in the middle leaves nothing that others could wait for.

use crate::layout::{Layout, header};
use crate::region::Memory;
use crate::sync::{Acquire, Relaxed, Release};

/// A name in the arena: its offset in words, plus 1.
pub(crate) type NameId = u32;

/// Offsets within a name's record.
const HASH: usize = 0;
const LENGTH: usize = 4;
/// Category index + 1 that bears this name; 0: none, or not known yet.
const CATEGORY: usize = 8;
const BYTES: usize = 12;

/// A name as it is asked for: a base and, for a counted section, `[index]` behind it.
#[derive(Clone, Copy)]
pub(crate) struct Name<'n> {
    pub(crate) base: &'n [u8],
    pub(crate) suffix: &'n [u8],
}

impl<'n> Name<'n> {
    pub(crate) const fn plain(base: &'n str) -> Self {
        Self { base: base.as_bytes(), suffix: &[] }
    }

    fn length(self) -> usize {
        self.base.len() + self.suffix.len()
    }

    fn byte(self, index: usize) -> u8 {
        if index < self.base.len() {
            self.base[index]
        } else {
            self.suffix.get(index - self.base.len()).copied().unwrap_or(0)
        }
    }

    /// Up to four bytes from `index` on, zeros behind the end.
    fn word(self, index: usize) -> u32 {
        u32::from_le_bytes([
            self.byte(index),
            self.byte(index + 1),
            self.byte(index + 2),
            self.byte(index + 3),
        ])
    }

    pub(crate) fn hash(self) -> u32 {
        let mut state = self.length() as u64;
        if self.suffix.is_empty() {
            let (chunks, rest) = self.base.as_chunks::<8>();
            for chunk in chunks {
                state = mix(state, u64::from_le_bytes(*chunk));
            }
            if !rest.is_empty() {
                let mut last = [0; 8];
                last[..rest.len()].copy_from_slice(rest);
                state = mix(state, u64::from_le_bytes(last));
            }
        } else {
            for index in (0..self.length()).step_by(8) {
                let chunk = u64::from(self.word(index)) | u64::from(self.word(index + 4)) << 32;
                state = mix(state, chunk);
            }
        }
        (state ^ state >> 32) as u32
    }
}

/// One step of a multiplicative hash (the multiplier is the golden ratio's fraction, as in
/// Knuth's Fibonacci hashing); the shift lets high bits reach the low ones.
const fn mix(state: u64, chunk: u64) -> u64 {
    let product = (state ^ chunk).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product >> 29
}

/// Finds a name.
pub(crate) fn find(region: Memory<'_>, layout: &Layout, name: Name<'_>) -> Option<NameId> {
    let hash = name.hash();
    let mut bucket = hash & layout.name_mask;
    for _ in 0..=layout.name_mask {
        // Acquire pairs with the publishing compare-and-swap in `intern`.
        let id = region.word(layout.names + 4 * bucket as usize).load(Acquire);
        if id == 0 {
            return None;
        }
        if is(region, layout, id, hash, name) {
            return Some(id);
        }
        bucket = (bucket + 1) & layout.name_mask;
    }
    None
}

/// Finds a name or adds it; `None` when it does not fit.
pub(crate) fn intern(region: Memory<'_>, layout: &Layout, name: Name<'_>) -> Option<NameId> {
    let hash = name.hash();
    let mut bucket = hash & layout.name_mask;
    let mut mine = None;
    for _ in 0..=layout.name_mask {
        let cell = region.word(layout.names + 4 * bucket as usize);
        // Acquire pairs with the compare-and-swap below.
        let mut id = cell.load(Acquire);
        if id == 0 {
            let written = match mine {
                Some(written) => written,
                None => write(region, layout, hash, name)?,
            };
            mine = Some(written);
            // Release publishes the record to `find`; Acquire shows a rival's.
            match cell.compare_exchange(0, written, Release, Acquire) {
                Ok(_) => return Some(written),
                Err(rival) => id = rival,
            }
        }
        if is(region, layout, id, hash, name) {
            return Some(id);
        }
        bucket = (bucket + 1) & layout.name_mask;
    }
    None
}

/// Whether a name is there or would fit.
#[cfg_attr(any(loom, not(feature = "std")), allow(dead_code))]
pub(crate) fn fits(region: Memory<'_>, layout: &Layout, name: Name<'_>) -> bool {
    let need = BYTES + name.length().div_ceil(4) * 4;
    let used = region.word(header::NAME_BYTES_USED).load(Relaxed) as usize; // Relaxed: a look
    used + need <= layout.config.name_bytes as usize || find(region, layout, name).is_some()
}

/// Writes a record into a stretch of the arena of its own.
fn write(region: Memory<'_>, layout: &Layout, hash: u32, name: Name<'_>) -> Option<NameId> {
    let length = name.length();
    if length > layout.config.name_bytes as usize {
        return None;
    }
    let need = (BYTES + length.div_ceil(4) * 4) as u32;
    let used = region.word(header::NAME_BYTES_USED);
    // Relaxed: the stretch becomes known by the bucket's compare-and-swap, not by this.
    let start = used
        .fetch_update(Relaxed, Relaxed, |used| {
            used.checked_add(need).filter(|&end| end <= layout.config.name_bytes)
        })
        .ok()?;
    let at = layout.arena + start as usize;
    // Relaxed: published by the bucket's compare-and-swap.
    region.word(at + HASH).store(hash, Relaxed);
    region.word(at + LENGTH).store(length as u32, Relaxed);
    for index in (0..length).step_by(4) {
        region.word(at + BYTES + index).store(name.word(index), Relaxed);
    }
    Some(start / 4 + 1)
}

fn place(layout: &Layout, id: NameId) -> usize {
    layout.arena + (id as usize - 1) * 4
}

fn is(region: Memory<'_>, layout: &Layout, id: NameId, hash: u32, name: Name<'_>) -> bool {
    let at = place(layout, id);
    // Relaxed: the record was published before its id was (see `find`).
    if region.word(at + HASH).load(Relaxed) != hash
        || region.word(at + LENGTH).load(Relaxed) as usize != name.length()
    {
        return false;
    }
    if cfg!(loom) {
        let mut indices = (0..name.length()).step_by(4);
        return indices
            .all(|index| region.word(at + BYTES + index).load(Relaxed) == name.word(index));
    }
    let stored = region.bytes(at + BYTES, name.length());
    let (base, suffix) = stored.split_at(name.base.len());
    // Empty slices are not compared: their addresses are made up, and some memcmps read there under a
    // mask, which costs a hundred nanoseconds.
    base == name.base && (suffix.is_empty() || suffix == name.suffix)
}

/// The bytes of a name.
pub(crate) fn bytes<'m>(region: Memory<'m>, layout: &Layout, id: NameId) -> &'m [u8] {
    if id == 0 {
        return &[];
    }
    let at = place(layout, id);
    // Relaxed: published before its id was.
    region.bytes(at + BYTES, region.word(at + LENGTH).load(Relaxed) as usize)
}

/// The text of a name; bytes that are no UTF-8 (of a damaged region) end it.
pub(crate) fn text<'m>(region: Memory<'m>, layout: &Layout, id: NameId) -> &'m str {
    let bytes = bytes(region, layout, id);
    match core::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => core::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    }
}

/// The category that bears this name, if that was noted.
pub(crate) fn category_hint(region: Memory<'_>, layout: &Layout, id: NameId) -> Option<u32> {
    // Acquire pairs with the Release in `note_category`: the category's place bears this name.
    region.word(place(layout, id) + CATEGORY).load(Acquire).checked_sub(1)
}

/// Notes the category that bears this name.
pub(crate) fn note_category(region: Memory<'_>, layout: &Layout, id: NameId, category: u32) {
    // Release: see `category_hint`. Every writer stores the same value.
    region.word(place(layout, id) + CATEGORY).store(category + 1, Release);
}

/// The name before a trailing integer in brackets: `step[3]` gives `step`. ASCII digits, a leading
/// `-` allowed, `+` not.
pub(crate) fn base_of(name: &[u8]) -> Option<&[u8]> {
    let inner = name.strip_suffix(b"]")?;
    let open = inner.iter().rposition(|&byte| byte == b'[')?;
    let digits = &inner[open + 1..];
    let digits = digits.strip_prefix(b"-").unwrap_or(digits);
    (!digits.is_empty() && digits.iter().all(u8::is_ascii_digit)).then(|| &name[..open])
}

/// A name without its counter, if it has one.
#[cfg(feature = "alloc")]
pub(crate) fn base_of_text(name: &str) -> &str {
    // The base ends before an ASCII bracket, so it is whole text.
    base_of(name.as_bytes()).and_then(|base| name.get(..base.len())).unwrap_or(name)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_counted_name_hashes_like_the_same_text_in_one_piece() {
        for base in ["", "a", "step", "eight_by", "a longer name than eight bytes"] {
            for suffix in ["", "[0]", "[-12]", "[9223372036854775807]"] {
                let whole = format!("{base}{suffix}");
                let parts = Name { base: base.as_bytes(), suffix: suffix.as_bytes() };
                assert_eq!(parts.hash(), Name::plain(&whole).hash(), "{whole}");
            }
        }
    }

    #[test]
    fn only_a_trailing_integer_in_brackets_is_a_counter() {
        for (name, base) in [
            ("step[3]", Some("step")),
            ("step[-3]", Some("step")),
            ("[7]", Some("")),
            ("a[1][2]", Some("a[1]")),
            ("step[+3]", None),
            ("step[]", None),
            ("step[-]", None),
            ("step[3] ", None),
            ("step[3", None),
            ("step3]", None),
            ("step[x]", None),
            ("step[٣]", None),
        ] {
            assert_eq!(base_of(name.as_bytes()), base.map(str::as_bytes), "{name}");
        }
    }
}
