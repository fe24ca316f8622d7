//! Whether a report and a JSON text are well-formed, told without allocation: a signal handler asks.

// A test program rarely uses all of it.
#![allow(dead_code)]

use std::fmt;

/// Text in memory of fixed size; what does not fit is an error.
pub struct Page<const BYTES: usize> {
    bytes: [u8; BYTES],
    used: usize,
}

impl<const BYTES: usize> Page<BYTES> {
    pub const fn new() -> Self {
        Self { bytes: [0; BYTES], used: 0 }
    }

    /// What `view` writes; `None` where it does not fit or fails.
    pub fn fill(&mut self, view: impl fmt::Display) -> Option<&str> {
        self.used = 0;
        fmt::write(self, format_args!("{view}")).ok()?;
        std::str::from_utf8(&self.bytes[..self.used]).ok()
    }
}

impl<const BYTES: usize> fmt::Write for Page<BYTES> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.used + text.len();
        self.bytes.get_mut(self.used..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.used = end;
        Ok(())
    }
}

/// The parts of a report in their order, no line out of place.
pub fn is_report(text: &str) -> bool {
    let mut lines = text.lines();
    if !lines.next().is_some_and(|line| line.starts_with("section ") && line.ends_with("category"))
    {
        return false;
    }
    let rows = lines.by_ref().take_while(|line| !line.is_empty());
    let (mut sections, mut is_sane) = (0, true);
    for row in rows {
        sections += 1;
        is_sane &= row.contains("% ") && row.contains("s  ") && !row.contains(char::is_control);
    }
    let mut rest = lines.skip_while(|line| !line.starts_with("category ")).skip(1);
    let total = rest.by_ref().take_while(|line| !line.is_empty()).last();
    let mut end = rest.skip_while(|line| !line.starts_with("price  "));
    is_sane
        && sections > 0
        && total.is_some_and(|line| line.starts_with("total ") && line.ends_with("100.0%"))
        && end.next().is_some()
        && end.next().is_some_and(|line| line.starts_with("clock  "))
}

/// One JSON object and nothing behind it, by the grammar of RFC 8259.
pub fn is_json(text: &str) -> bool {
    let mut parser = Parser { rest: text.as_bytes(), depth: 0 };
    text.starts_with('{') && parser.value().is_some() && parser.rest.is_empty()
}

struct Parser<'t> {
    rest: &'t [u8],
    depth: u32,
}

impl Parser<'_> {
    fn take(&mut self, byte: u8) -> Option<()> {
        self.rest = self.rest.strip_prefix(&[byte])?;
        Some(())
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        self.rest = self.rest.strip_prefix(word)?;
        Some(())
    }

    fn value(&mut self) -> Option<()> {
        self.depth += 1;
        if self.depth > 16 {
            return None;
        }
        match self.rest.first()? {
            b'{' => self.list(b'{', b'}', |parser| {
                parser.string()?;
                parser.take(b':')?;
                parser.value()
            }),
            b'[' => self.list(b'[', b']', Self::value),
            b'"' => self.string(),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' => self.word(b"null"),
            _ => self.number(),
        }?;
        self.depth -= 1;
        Some(())
    }

    fn list(&mut self, open: u8, close: u8, item: impl Fn(&mut Self) -> Option<()>) -> Option<()> {
        self.take(open)?;
        if self.take(close).is_some() {
            return Some(());
        }
        loop {
            item(self)?;
            if self.take(close).is_some() {
                return Some(());
            }
            self.take(b',')?;
        }
    }

    fn string(&mut self) -> Option<()> {
        self.take(b'"')?;
        loop {
            let (&byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            match byte {
                b'"' => return Some(()),
                b'\\' => {
                    let (escape, rest) = self.rest.split_first()?;
                    self.rest = rest;
                    if *escape == b'u' {
                        let digits = self.rest.get(..4)?;
                        self.rest = &self.rest[4..];
                        digits.iter().all(u8::is_ascii_hexdigit).then_some(())?;
                    } else if !b"\"\\/bfnrt".contains(escape) {
                        return None;
                    }
                }
                0..0x20 => return None,
                _ => {}
            }
        }
    }

    fn digits(&mut self) -> Option<()> {
        let count = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.rest = &self.rest[count..];
        (count > 0).then_some(())
    }

    fn number(&mut self) -> Option<()> {
        let _ = self.take(b'-');
        if self.take(b'0').is_none() {
            self.digits()?;
        }
        if self.take(b'.').is_some() {
            self.digits()?;
        }
        if self.word(b"e").or_else(|| self.word(b"E")).is_some() {
            let _ = self.take(b'-').or_else(|| self.take(b'+'));
            self.digits()?;
        }
        Some(())
    }
}
