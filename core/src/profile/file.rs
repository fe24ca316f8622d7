//! Profiles in files and open streams: saved, loaded, written and read, with errors that name the file.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::string::String;
use std::vec::Vec;

use crate::host::beside::save_beside;
use crate::profile::decode;
use crate::profile::error::DecodeError;
use crate::profile::format::HEADER;
use crate::profile::gathered::{GatherError, Gathered, SameRank};
use crate::profile::owned::Profile;
use crate::profile::reduce::Reduced;

/// Why a profile could not be saved, loaded, written or read. Displays as a sentence with the file's
/// path, where there is one, and the offset in it.
#[derive(Debug)]
#[non_exhaustive]
pub enum FileError {
    /// The system refused it.
    Io {
        /// What was being done.
        action: &'static str,
        /// The file; `None` for a stream.
        path: Option<PathBuf>,
        /// The system's reason.
        error: io::Error,
    },
    /// The bytes are no profile.
    Decode {
        /// The file; `None` for a stream.
        path: Option<PathBuf>,
        /// What is wrong, and at which byte.
        error: DecodeError,
    },
    /// Two profiles are of one rank.
    SameRank {
        /// The file; `None` for a stream.
        path: Option<PathBuf>,
        /// Which rank.
        error: SameRank,
    },
}

impl FileError {
    /// The file, where there is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Io { path, .. } | Self::Decode { path, .. } | Self::SameRank { path, .. } => {
                path.as_deref()
            }
        }
    }

    fn of(self, file: &Path) -> Self {
        let path = Some(file.to_path_buf());
        match self {
            Self::Io { action, error, .. } => Self::Io { action, path, error },
            Self::Decode { error, .. } => Self::Decode { path, error },
            Self::SameRank { error, .. } => Self::SameRank { path, error },
        }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.path().map_or_else(
            || String::from("the stream"),
            |path| std::format!("'{}'", path.display()),
        );
        match self {
            Self::Io { action, error, .. } => write!(formatter, "cannot {action} {name}: {error}"),
            Self::Decode { error, .. } => write!(formatter, "{name}, {error}"),
            Self::SameRank { error, .. } => write!(formatter, "{name}: {error}"),
        }
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } => Some(error),
            Self::Decode { error, .. } => Some(error),
            Self::SameRank { error, .. } => Some(error),
        }
    }
}

const fn failed(action: &'static str) -> impl Fn(io::Error) -> FileError {
    move |error| FileError::Io { action, path: None, error }
}

const fn damaged(error: DecodeError) -> FileError {
    FileError::Decode { path: None, error }
}

/// Saves, loads, writes and reads one type, by its bytes.
macro_rules! stored {
    ($type:ident, $read:expr, $decode:expr) => {
        impl $type {
            /// Writes it to an open stream, and flushes that.
            ///
            /// # Errors
            /// The stream's.
            pub fn write_to(&self, mut stream: impl Write) -> Result<(), FileError> {
                let written = stream.write_all(&self.to_bytes()).and_then(|()| stream.flush());
                written.map_err(failed("write to"))
            }

            /// Saves it as a file. It is written beside its place, synced and renamed, so at any
            /// moment the old file or the new one is there, whole. The file keeps its permissions, and
            /// a symbolic link its place; what is no file, such as a device, is written in place.
            ///
            /// # Errors
            /// The system's, with the path. The old file stays, and what was begun is removed.
            pub fn save(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
                let bytes = self.to_bytes();
                save_beside(path.as_ref(), |out| out.write_all(&bytes)).map_err(
                    |(action, error)| FileError::Io {
                        action,
                        path: Some(path.as_ref().into()),
                        error,
                    },
                )
            }

            /// Loads it from a file.
            ///
            /// # Errors
            /// The system's, and what is wrong with the bytes, with the path.
            pub fn load(path: impl AsRef<Path>) -> Result<Self, FileError> {
                let opened = File::open(path.as_ref()).map_err(failed("open"));
                let loaded = opened.and_then(|mut file| {
                    let bytes = read_all(&mut file)?;
                    ($decode)(&bytes)
                });
                loaded.map_err(|error| error.of(path.as_ref()))
            }

            /// Reads it from an open stream.
            ///
            /// # Errors
            /// The stream's, and what is wrong with the bytes.
            pub fn read_from(mut stream: impl Read) -> Result<Self, FileError> {
                let bytes = ($read)(&mut stream)?;
                ($decode)(&bytes)
            }
        }
    };
}

// One profile leaves the stream behind its last byte; gathered ones go on to its end.
stored!(Profile, read_one, |bytes: &[u8]| Profile::from_bytes(bytes).map_err(damaged));
stored!(Reduced, read_one, |bytes: &[u8]| Reduced::from_bytes(bytes).map_err(damaged));
stored!(Gathered, read_all, |bytes: &[u8]| {
    Gathered::from_bytes(bytes).map_err(|error| match error {
        GatherError::Transport(never) => match never {},
        GatherError::Decode(error) => damaged(error),
        GatherError::SameRank(error) => FileError::SameRank { path: None, error },
    })
});

fn read_all(stream: &mut impl Read) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).map_err(failed("read"))?;
    Ok(bytes)
}

/// The bytes of one profile: as many as the header tells, but memory only for those that come.
fn read_one(stream: &mut impl Read) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    let mut take = |bytes: &mut Vec<u8>, count: u64| {
        stream.by_ref().take(count).read_to_end(bytes).map_err(failed("read"))
    };
    take(&mut bytes, HEADER as u64)?;
    let header = decode::header(&bytes).map_err(damaged)?;
    take(&mut bytes, header.length.saturating_sub(HEADER as u64))?;
    Ok(bytes)
}
