//! What can go wrong, as one small value; `Sentence` turns it into words with the culprit's name.

use crate::config;

/// Why a call was refused, or what it had to put right.
///
/// Sections and categories are named by index; [`Timer::sentence`](crate::Timer::sentence) spells
/// them out.
///
/// ```
/// # #[cfg(feature = "std")] {
/// use xtimer_core::{Config, Error, HostTimer};
///
/// let timer = HostTimer::new(Config::HOST).unwrap();
/// timer.forbid("gpu", "cpu").unwrap();
/// let context = timer.context().unwrap();
/// let kernel = context.enter("kernel", "gpu").unwrap();
/// let error = context.enter("sort", "cpu").unwrap_err();
/// assert_eq!(error.code(), 4); // what C sees
/// assert_eq!(
///     timer.sentence(error).to_string(), // with the names, which the timer knows
///     "Category 'cpu' is not allowed inside category 'gpu'."
/// );
/// context.exit(kernel).unwrap();
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The token's section is not open: it was exited before, or discarded. Nothing changed.
    NotOpen,
    /// The token is of another context (thread or timer), or is none. Nothing changed.
    OtherContext,
    /// `outer` was exited while `inner` was still active; `outer` is recorded, what was open inside
    /// it is discarded and counted as unclosed.
    Unclosed {
        /// The section that was exited.
        outer: u32,
        /// The innermost section that was still open.
        inner: u32,
    },
    /// A rule forbids `inner` directly inside `outer`. Nothing was entered.
    Forbidden {
        /// Category the parent was entered with.
        outer: u32,
        /// Category of the refused section.
        inner: u32,
    },
    /// The stack is full; the time stays in the deepest section, `top`.
    TooDeep {
        /// The deepest open section.
        top: u32,
    },
    /// No lane is free, and this timer has no late contexts.
    NoLane,
    /// The table of rules is full, or a rule's category does not fit. Nothing changed.
    RulesFull,
    /// A duration is negative, not a number, or too long for the clock (2^63 ticks).
    BadDuration,
    /// The path handle or detached section belongs to another timer.
    OtherTimer,
    /// Taken just now: scratch for snapshots, a clear in progress, or, in a signal handler, the very
    /// section that it interrupted a change of. Try again.
    Busy,
    /// The caller's memory is too small.
    TooSmall,
    /// This capacity can't work; the field is named, and displayed with what it must be.
    /// [`Config::refusal`](crate::Config::refusal) tells the value too.
    Config(&'static str),
    /// The memory for the region could not be had.
    NoMemory,
    /// As many timers are enabled here as can be: a ninth one.
    TooManyEnabled,
    /// The thread is ending, or the memory for its contexts could not be had.
    NoContext,
    /// A snapshot was flattened, or made a window, where the numbers of one moment are needed.
    Flattened,
}

impl Error {
    /// A number for each kind, never reused: what C sees.
    pub const fn code(self) -> u32 {
        match self {
            Self::NotOpen => 1,
            Self::OtherContext => 2,
            Self::Unclosed { .. } => 3,
            Self::Forbidden { .. } => 4,
            Self::TooDeep { .. } => 5,
            Self::NoLane => 6,
            Self::RulesFull => 7,
            Self::BadDuration => 8,
            Self::OtherTimer => 9,
            Self::Busy => 10,
            Self::TooSmall => 11,
            Self::Config(_) => 12,
            Self::NoMemory => 13,
            Self::TooManyEnabled => 14,
            Self::NoContext => 36,
            Self::Flattened => 15,
        }
    }

    /// The two details, as kept in a lane.
    pub(crate) const fn details(self) -> (u32, u32) {
        match self {
            Self::Unclosed { outer, inner } | Self::Forbidden { outer, inner } => (outer, inner),
            Self::TooDeep { top } => (top, 0),
            _ => (0, 0),
        }
    }

    /// The error that a lane's words tell of.
    pub(crate) const fn from_words(code: u32, first: u32, second: u32) -> Option<Self> {
        Some(match code {
            1 => Self::NotOpen,
            2 => Self::OtherContext,
            3 => Self::Unclosed { outer: first, inner: second },
            4 => Self::Forbidden { outer: first, inner: second },
            5 => Self::TooDeep { top: first },
            6 => Self::NoLane,
            7 => Self::RulesFull,
            8 => Self::BadDuration,
            9 => Self::OtherTimer,
            10 => Self::Busy,
            11 => Self::TooSmall,
            13 => Self::NoMemory,
            14 => Self::TooManyEnabled,
            36 => Self::NoContext,
            15 => Self::Flattened,
            _ => return None,
        })
    }
}

impl core::fmt::Display for Error {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::NotOpen => formatter.write_str(
                "The token's section is not open (it was ended before, or discarded when a section \
                 around it ended).",
            ),
            Self::OtherContext => formatter.write_str(
                "The token is of another thread or timer, or is none; exit it where it was entered.",
            ),
            Self::Unclosed { .. } => {
                formatter.write_str("A section was exited while one inside it was still active.")
            }
            Self::Forbidden { .. } => formatter
                .write_str("This category is not allowed directly inside its parent's category."),
            Self::TooDeep { .. } => {
                formatter.write_str("Sections are nested deeper than the timer's stack holds.")
            }
            Self::NoLane => {
                formatter.write_str("All lanes are taken, and this timer has no late contexts.")
            }
            Self::RulesFull => {
                formatter.write_str("The rule does not fit: the timer's table of rules, or that of categories, is full.")
            }
            Self::BadDuration => {
                formatter.write_str("The duration is negative, not a number, or too long.")
            }
            Self::OtherTimer => formatter.write_str("The handle belongs to another timer."),
            Self::Busy => {
                formatter.write_str("The timer is busy with another snapshot or clear, or a signal handler met the section in the \
                 middle of a change; try again.")
            }
            Self::TooSmall => formatter.write_str("The memory given is too small."),
            Self::Config(field) => config::write_rule(formatter, field),
            Self::NoMemory => formatter.write_str("The memory for the timer could not be had."),
            Self::TooManyEnabled => {
                formatter.write_str("Eight timers are enabled here already; there can be no more.")
            }
            Self::NoContext => formatter
                .write_str("The thread is ending, or the memory for its context could not be had."),
            Self::Flattened => formatter
                .write_str("A window is between two snapshots that are neither flattened nor windows."),
        }
    }
}

impl core::error::Error for Error {}
