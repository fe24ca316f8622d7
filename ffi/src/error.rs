//! Statuses, and the last error of a thread as a sentence.
//!
//! What the hot path refuses is kept as numbers in the thread's lane; every other error is noted
//! here, and then the lane's is forgotten, so that the newer of the two is the one that stands.
//! Sentences that name sections are spelled out when they are asked for.

use std::cell::Cell;
use std::ffi::{c_char, c_int};
use std::fmt::{self, Write};

use xtimer_core::{Error, thread};

use crate::table;
use crate::timer::TimerHandle;

/// What a call came to. 0 is success; the numbers are never reused.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// Done.
    Ok = 0,
    /// The token's section is not open: ended before, or discarded. Nothing changed.
    NotOpen = 1,
    /// The token is of another thread or timer, or is none. Nothing changed.
    OtherContext = 2,
    /// The section was ended and recorded; sections inside it that were still open were discarded.
    Unclosed = 3,
    /// A rule forbids the category directly inside its parent's. Nothing was entered.
    Forbidden = 4,
    /// Sections are nested deeper than the timer's stack holds. Nothing was entered.
    TooDeep = 5,
    /// All lanes of the timer are taken.
    NoLane = 6,
    /// The rule does not fit into the timer's tables.
    RulesFull = 7,
    /// A duration is negative, not a number, or too long.
    BadDuration = 8,
    /// The path or detached section belongs to another timer.
    OtherTimer = 9,
    /// Taken just now by another snapshot, clear or change of rules, or by the call that a signal
    /// handler interrupted. Try again.
    Busy = 10,
    /// The buffer is too small; nothing was written to it.
    TooSmall = 11,
    /// A capacity cannot work.
    Config = 12,
    /// Memory could not be had.
    NoMemory = 13,
    /// Eight timers are enabled on this thread already.
    TooManyEnabled = 14,
    /// A snapshot was flattened, or is a window, where the numbers of one moment are needed.
    Flattened = 15,
    /// An argument is NULL or out of range.
    InvalidArgument = 32,
    /// A string is not UTF-8.
    InvalidText = 33,
    /// The handle's timer was destroyed, or never was one.
    NoTimer = 34,
    /// As many timers exist as there can be.
    TooManyTimers = 35,
    /// The thread is ending, all lanes are taken and there are no late contexts, or memory could not be
    /// had.
    NoContext = 36,
    /// No such section is recorded, or no such entry exists.
    NotFound = 37,
    /// A file or descriptor could not be written.
    Io = 38,
    /// The default timer was in use already; it stays as it is.
    AlreadyMade = 39,
    /// An error in the library itself.
    Internal = 40,
    /// The bytes are no profile, or were damaged.
    BadProfile = 41,
}

/// A status, as functions return it.
pub type Status = Code;

impl Code {
    /// The status of a number that the core's exit gave.
    #[inline(always)]
    pub(crate) fn of_exit(code: u32) -> Self {
        // SAFETY: exit gives 0 or `Error::code`, each of which is the number of a variant (a test
        // below goes through them); the enum has the size of a C int.
        unsafe { std::mem::transmute::<u32, Self>(code) }
    }

    pub(crate) const fn of(error: Error) -> Self {
        match error {
            Error::NotOpen => Self::NotOpen,
            Error::OtherContext => Self::OtherContext,
            Error::Unclosed { .. } => Self::Unclosed,
            Error::Forbidden { .. } => Self::Forbidden,
            Error::TooDeep { .. } => Self::TooDeep,
            Error::NoLane => Self::NoLane,
            Error::RulesFull => Self::RulesFull,
            Error::BadDuration => Self::BadDuration,
            Error::OtherTimer => Self::OtherTimer,
            Error::Busy => Self::Busy,
            Error::TooSmall => Self::TooSmall,
            Error::Config(_) => Self::Config,
            Error::NoMemory => Self::NoMemory,
            Error::TooManyEnabled => Self::TooManyEnabled,
            Error::NoContext => Self::NoContext,
            Error::Flattened => Self::Flattened,
            _ => Self::Internal,
        }
    }
}

/// An error that was noted as the thread's last.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) Code);

/// What the thread's last error is, unless the lane has a newer one.
#[derive(Clone, Copy)]
enum Note {
    None,
    /// The sentence is in `SENTENCE`.
    Written(Code),
    /// To be spelled out with the names of this timer.
    Core(TimerHandle, Error),
}

const SENTENCE_BYTES: usize = 1024;

thread_local! {
    static NOTE: Cell<Note> = const { Cell::new(Note::None) };
    /// Ends with a zero whatever happens: the last byte is never written.
    static SENTENCE: [Cell<u8>; SENTENCE_BYTES] = const { [const { Cell::new(0) }; SENTENCE_BYTES] };
}

/// Writes the thread's sentence, cut at a character where it is too long.
struct Sentence<'s> {
    bytes: &'s [Cell<u8>; SENTENCE_BYTES],
    used: usize,
    full: bool,
}

impl Write for Sentence<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // One sentence stays one line, whatever the names in it.
        let mut rest = text;
        while let Some((at, control)) = rest.char_indices().find(|(_, one)| one.is_control()) {
            self.put(rest.get(..at).unwrap_or_default());
            for escaped in control.escape_default() {
                self.put(escaped.encode_utf8(&mut [0; 4]));
            }
            rest = rest.get(at + control.len_utf8()..).unwrap_or_default();
        }
        self.put(rest);
        Ok(())
    }
}

impl Sentence<'_> {
    fn put(&mut self, text: &str) {
        if self.full {
            return;
        }
        let mut length = text.len();
        if length > SENTENCE_BYTES - 1 - self.used {
            self.full = true;
            length = SENTENCE_BYTES - 1 - self.used;
            while !text.is_char_boundary(length) {
                length -= 1;
            }
        }
        for (cell, byte) in self.bytes.iter().skip(self.used).zip(text.bytes().take(length)) {
            cell.set(byte);
        }
        self.used += length;
    }
}

fn write_sentence(sentence: fmt::Arguments<'_>) {
    SENTENCE.with(|bytes| {
        let mut out = Sentence { bytes, used: 0, full: false };
        // It never refuses; a Display that does leaves a shorter sentence.
        let _ = out.write_fmt(sentence);
        if let Some(end) = bytes.get(out.used) {
            end.set(0);
        }
    });
}

/// Notes an error with its sentence.
#[cold]
pub(crate) fn refuse(code: Code, sentence: fmt::Arguments<'_>) -> Failure {
    xtimer_core::forget_thread_error();
    NOTE.set(Note::Written(code));
    write_sentence(sentence);
    Failure(code)
}

/// Notes an error of a timer.
#[cold]
pub(crate) fn refuse_core(timer: TimerHandle, error: Error) -> Failure {
    xtimer_core::forget_thread_error();
    NOTE.set(Note::Core(timer, error));
    Failure(Code::of(error))
}

/// Says why this thread's last call that failed did so.
///
/// One sentence without a line break, in UTF-8, "" if no call of this thread has failed. A success
/// does not change it. The text is the thread's and stands until the next call of this function or
/// the next failure of this thread. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_last_error() -> *const c_char {
    crate::guard::value(c"".as_ptr(), || {
        if let Some(error) = thread::last_error() {
            thread::sentence(error, write_sentence);
        } else {
            match NOTE.get() {
                Note::None => return Ok(c"".as_ptr()),
                Note::Written(_) => {}
                Note::Core(timer, error) => spell(timer, error),
            }
        }
        Ok(SENTENCE.with(|bytes| bytes.as_ptr().cast()))
    })
}

/// The status of what xtimer_last_error tells of: why a begin gave 0, a total 0 or not a number.
///
/// XTIMER_STATUS_OK if no call of this thread has failed; a success does not change it. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_last_status() -> Status {
    crate::guard::value(Code::Ok, || {
        Ok(match (thread::last_error(), NOTE.get()) {
            (Some(error), _) | (None, Note::Core(_, error)) => Code::of(error),
            (None, Note::Written(code)) => code,
            (None, Note::None) => Code::Ok,
        })
    })
}

fn spell(timer: TimerHandle, error: Error) {
    match table::find(timer) {
        Some(timer) => write_sentence(format_args!("{}", timer.sentence(error))),
        None => write_sentence(format_args!("{error}")),
    }
}

/// A status in words, in general: `xtimer_last_error` names the culprit. Never NULL; static. Any
/// number, any thread.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_status_text(status: c_int) -> *const c_char {
    const CODES: [(Code, &std::ffi::CStr); 26] = [
        (Code::Ok, c"Done."),
        (Code::NotOpen, c"The token's section is not open."),
        (
            Code::OtherContext,
            c"The token is of another thread or timer, or is none; end it where it was begun.",
        ),
        (Code::Unclosed, c"A section was ended while one inside it was still active."),
        (Code::Forbidden, c"This category is not allowed directly inside its parent's category."),
        (Code::TooDeep, c"Sections are nested deeper than the timer's stack holds."),
        (Code::NoLane, c"All lanes of the timer are taken."),
        (
            Code::RulesFull,
            c"The rule does not fit: the timer's table of rules, or that of categories, is full.",
        ),
        (Code::BadDuration, c"The duration is negative, not a number, or too long."),
        (Code::OtherTimer, c"The path or detached section belongs to another timer."),
        (Code::Busy, c"The timer is busy with another snapshot, clear or rule; try again."),
        (Code::TooSmall, c"The buffer is too small."),
        (Code::Config, c"A capacity cannot work."),
        (Code::NoMemory, c"The memory could not be had."),
        (Code::TooManyEnabled, c"Eight timers are enabled on this thread already."),
        (Code::Flattened, c"The snapshot was flattened, or is a window."),
        (Code::InvalidArgument, c"An argument is NULL or out of range."),
        (Code::InvalidText, c"A string is not UTF-8."),
        (Code::NoTimer, c"The handle's timer was destroyed, or never was one."),
        (Code::TooManyTimers, c"As many timers exist as there can be."),
        (
            Code::NoContext,
            c"The thread is ending, all lanes are taken, or memory could not be had.",
        ),
        (Code::NotFound, c"There is no such section or entry."),
        (Code::Io, c"A file or descriptor could not be written."),
        (Code::AlreadyMade, c"The default timer was in use already."),
        (Code::Internal, c"An error in xtimer itself; please report it."),
        (Code::BadProfile, c"The bytes are no profile, or were damaged."),
    ];
    CODES
        .iter()
        .find(|(code, _)| *code as c_int == status)
        .map_or(c"There is no such status.", |(_, text)| text)
        .as_ptr()
}

/// The library's version, such as "0.1.0". Static. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_of_the_core_has_its_status() {
        let errors = [
            Error::NotOpen,
            Error::OtherContext,
            Error::Unclosed { outer: 1, inner: 2 },
            Error::Forbidden { outer: 1, inner: 2 },
            Error::TooDeep { top: 1 },
            Error::NoLane,
            Error::RulesFull,
            Error::BadDuration,
            Error::OtherTimer,
            Error::Busy,
            Error::TooSmall,
            Error::Config("lanes"),
            Error::NoMemory,
            Error::TooManyEnabled,
            Error::NoContext,
            Error::Flattened,
        ];
        for error in errors {
            assert_eq!(Code::of(error) as u32, error.code(), "{error:?}");
            assert_eq!(Code::of_exit(error.code()), Code::of(error));
        }
        assert_eq!(size_of::<Code>(), size_of::<c_int>());
    }

    #[test]
    fn a_sentence_is_cut_at_a_character() {
        refuse(Code::Internal, format_args!("{}", "é".repeat(SENTENCE_BYTES)));
        // SAFETY: the text ends with a zero and stands until the next call.
        let text = unsafe { std::ffi::CStr::from_ptr(xtimer_last_error()) };
        assert_eq!(text.to_str().unwrap(), "é".repeat((SENTENCE_BYTES - 1) / 2));
    }
}
