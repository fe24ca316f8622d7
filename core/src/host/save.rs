//! A report to a path or to standard error, also from a signal handler: no allocation, no lock.

use core::ffi::{CStr, c_int};
use core::fmt::{self, Write};

use crate::host::timer::HostTimer;

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    Json,
}

/// Bytes of a path, its zero included: two of them lie on the stack of whichever thread a signal finds.
const PATH_BYTES: usize = 1024;

/// Where a report goes.
#[derive(Debug)]
pub(crate) enum Target {
    StandardError,
    /// A path, in which [`Target::PROCESS`] stands for the process's number.
    File {
        path: Box<[u8]>,
        form: Form,
    },
}

impl Target {
    /// No path holds this byte.
    pub(crate) const PROCESS: u8 = 0;

    /// A file; none where the path is too long for a process's number and an ending.
    pub(crate) fn file(path: Vec<u8>, form: Form) -> Option<Self> {
        let processes = path.iter().filter(|byte| **byte == Self::PROCESS).count();
        let longest = path.len() + 10 * processes + PART.len() + 1;
        (longest <= PATH_BYTES).then(|| Self::File { path: path.into(), form })
    }

    /// Whether each process has one of its own.
    pub(crate) fn is_of_one_process(&self) -> bool {
        matches!(self, Self::File { path, .. } if path.contains(&Self::PROCESS))
    }

    /// Writes the report of `timer`; what goes wrong is said on standard error. Async-signal-safe.
    pub(crate) fn write(&self, timer: &HostTimer) {
        match self {
            Self::StandardError => {
                let _ = exported(timer, Form::Text, &mut Descriptor::new(libc::STDERR_FILENO));
            }
            Self::File { path, form } => {
                if let Err(why) = save(&Name::of(path, b""), &Name::of(path, PART), *form, timer) {
                    let mut out = Descriptor::new(libc::STDERR_FILENO);
                    let _ = writeln!(
                        out,
                        "xtimer: the report could not be written to '{self}': {why}."
                    );
                    let _ = out.flush();
                }
            }
        }
    }
}

/// As it is shown: bytes that are no text as `?`.
impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::File { path, .. } = self else { return formatter.write_str("standard error") };
        let name = Name::of(path, b"");
        for chunk in name.text().to_bytes().utf8_chunks() {
            formatter.write_str(chunk.valid())?;
            if !chunk.invalid().is_empty() {
                formatter.write_char('?')?;
            }
        }
        Ok(())
    }
}

/// The ending of a file that is being written.
const PART: &[u8] = b".part";

/// A path with the process filled in, ended by a zero.
struct Name {
    bytes: [u8; PATH_BYTES],
}

impl Name {
    fn of(path: &[u8], ending: &[u8]) -> Self {
        let mut bytes = [0; PATH_BYTES];
        let mut free = bytes.iter_mut();
        let mut put = |byte| {
            if let Some(place) = free.next() {
                *place = byte;
            }
        };
        for &byte in path.iter().chain(ending) {
            if byte != Target::PROCESS {
                put(byte);
                continue;
            }
            let mut digits = [0; 10];
            let (mut rest, mut used) = (std::process::id(), 0);
            loop {
                digits[used] = b'0' + (rest % 10) as u8;
                (rest, used) = (rest / 10, used + 1);
                if rest == 0 {
                    break;
                }
            }
            digits[..used].iter().rev().for_each(|digit| put(*digit));
        }
        // `Target::file` left room for the zero.
        bytes[PATH_BYTES - 1] = 0;
        Self { bytes }
    }

    fn text(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.bytes).unwrap_or_default()
    }
}

/// Why a report was not written.
enum Why {
    System(c_int),
    Busy,
}

impl Why {
    fn last() -> Self {
        Self::System(std::io::Error::last_os_error().raw_os_error().unwrap_or(0))
    }
}

impl fmt::Display for Why {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // strerror is not for signal handlers.
        let words = match self {
            Self::Busy => return formatter.write_str("other snapshots are being taken"),
            Self::System(libc::ENOENT) => "there is no such folder",
            Self::System(libc::EACCES | libc::EPERM) => "permission denied",
            Self::System(libc::EISDIR) => "it is a folder",
            Self::System(libc::ENOTDIR) => "a part of the path is no folder",
            Self::System(libc::ENOSPC | libc::EDQUOT) => "no space is left",
            Self::System(libc::EROFS) => "the file system is read-only",
            Self::System(libc::EPIPE) => "nobody reads it",
            Self::System(other) => return write!(formatter, "error {other} of the system"),
        };
        formatter.write_str(words)
    }
}

/// Writes beside the path, then renames: a reader finds the old file or the new one whole. What is no
/// plain file (a device, a pipe, a link) is written in place.
fn save(path: &Name, beside: &Name, form: Form, timer: &HostTimer) -> Result<(), Why> {
    // SAFETY: `stat` is plain numbers, for which all-zero bytes are a value.
    let mut there: libc::stat = unsafe { core::mem::zeroed() };
    // SAFETY: the path ends with a zero; `there` may be written.
    let known = unsafe { libc::lstat(path.text().as_ptr(), &raw mut there) } == 0;
    let in_place = known && there.st_mode & libc::S_IFMT != libc::S_IFREG;
    let name = if in_place { path.text() } else { beside.text() };
    let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC | libc::O_CLOEXEC | libc::O_NOCTTY;
    // SAFETY: the path ends with a zero; the mode goes with O_CREAT.
    let fd = unsafe { libc::open(name.as_ptr(), flags, 0o666) };
    if fd < 0 {
        return Err(Why::last());
    }
    let written = exported(timer, form, &mut Descriptor::new(fd));
    // SAFETY: the descriptor is ours.
    let closed = unsafe { libc::close(fd) };
    let renamed = || {
        // SAFETY: both paths end with a zero.
        in_place || unsafe { libc::rename(name.as_ptr(), path.text().as_ptr()) } == 0
    };
    let result = match written {
        Ok(()) if closed != 0 || !renamed() => Err(Why::last()),
        other => other,
    };
    if result.is_err() && !in_place {
        // SAFETY: the path ends with a zero. The first error is the one to tell of.
        unsafe { libc::unlink(name.as_ptr()) };
    }
    result
}

/// Writes the snapshot and a newline; of nothing recorded a text says so.
fn exported(timer: &HostTimer, form: Form, out: &mut Descriptor) -> Result<(), Why> {
    // Other snapshots last for as long as their holders keep them, and may never go.
    let mut taken = timer.snapshot();
    for _ in 0..1000 {
        if taken.is_ok() {
            break;
        }
        crate::sync::give_way();
        taken = timer.snapshot();
    }
    let mut snapshot = taken.map_err(|_| Why::Busy)?;
    snapshot.flatten();
    let written = match form {
        Form::Json => writeln!(out, "{}", snapshot.json().indent(2)),
        Form::Text if snapshot.is_empty() => writeln!(out, "xtimer: nothing was recorded"),
        Form::Text => writeln!(out, "{}", snapshot.report()),
    };
    written.and_then(|()| out.flush()).map_err(|_| Why::last())
}

/// A file descriptor behind a small buffer.
struct Descriptor {
    fd: c_int,
    piece: [u8; 512],
    used: usize,
}

impl Descriptor {
    const fn new(fd: c_int) -> Self {
        Self { fd, piece: [0; 512], used: 0 }
    }

    fn flush(&mut self) -> fmt::Result {
        let mut rest = self.piece.get(..self.used).unwrap_or_default();
        self.used = 0;
        while !rest.is_empty() {
            // SAFETY: the rest may be read; a descriptor that is none is an error of write's.
            let written = unsafe { libc::write(self.fd, rest.as_ptr().cast(), rest.len()) };
            match usize::try_from(written) {
                Ok(0) => return Err(fmt::Error),
                Ok(written) => rest = rest.get(written..).unwrap_or_default(),
                Err(_) if std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR) => {}
                Err(_) => return Err(fmt::Error),
            }
        }
        Ok(())
    }
}

impl Write for Descriptor {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for &byte in text.as_bytes() {
            if self.used == self.piece.len() {
                self.flush()?;
            }
            self.piece[self.used] = byte;
            self.used += 1;
        }
        Ok(())
    }
}
