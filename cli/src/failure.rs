//! Why something was not done: one sentence, or a reader that went away.

use std::fmt::Display;
use std::io;

/// Why a subcommand ended early.
#[derive(Debug)]
pub enum Failure {
    /// Who read the output has closed it: nothing is left to do, and nothing is wrong.
    Closed,
    /// A sentence that names the culprit.
    Sentence(String),
}

/// What can fail so.
pub type Result<T = ()> = std::result::Result<T, Failure>;

impl Failure {
    /// From what displays as a sentence.
    pub fn of(error: impl Display) -> Self {
        Self::Sentence(error.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Sentence(format!("cannot write the output: {error}")),
        }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        io::Error::from(error).into()
    }
}

impl From<csv::Error> for Failure {
    fn from(error: csv::Error) -> Self {
        match error.into_kind() {
            csv::ErrorKind::Io(error) => error.into(),
            other => Self::Sentence(format!("cannot write the output: {other:?}")),
        }
    }
}
