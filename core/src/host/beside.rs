//! A file written beside its place, synced and renamed: after a crash or on a full disk the old one or
//! the new one is there, whole.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::sync::{HostAtomicU64, Relaxed};

/// What was being done when the system refused.
type Refused = (&'static str, io::Error);

const fn during(action: &'static str) -> impl Fn(io::Error) -> Refused {
    move |error| (action, error)
}

/// Replaces the file at `path` by what `write` writes.
///
/// The file keeps its permissions, and a symbolic link its place. What is no file, such as a device or
/// a FIFO that is read from, is written in place.
///
/// # Errors
/// What was being done (`write`, …) when the system, or `write`, refused, and why.
pub fn save_beside(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
) -> Result<(), Refused> {
    let write_to = |file: &File| {
        let mut out = BufWriter::new(file);
        write(&mut out)?;
        out.flush()
    };
    let path = target_of(path);
    let old = match fs::metadata(&path) {
        Ok(old) => Some(old),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(("write", error)),
    };
    if let Some(old) = &old {
        // A file that may not be written is not replaced either.
        let there = open_old(&path).map_err(during("write"))?;
        if !old.is_file() {
            return write_to(&there).map_err(during("write"));
        }
    }
    let (begun, file) =
        create_beside(&path, old.as_ref()).map_err(during("create a file beside"))?;
    write_to(&file).and_then(|()| file.sync_all()).map_err(during("write"))?;
    drop(file);
    begun.rename(&path).map_err(during("put a new file in the place of"))
}

/// A file that is removed unless it is renamed.
struct Begun {
    path: PathBuf,
    is_renamed: bool,
}

impl Begun {
    fn rename(mut self, path: &Path) -> io::Result<()> {
        fs::rename(&self.path, path)?;
        self.is_renamed = true;
        // A crash may undo the rename until the folder is synced. Not every file system can.
        #[cfg(unix)]
        if let Some(folder) = path.parent() {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            let _ = File::open(folder).and_then(|folder| folder.sync_all());
        }
        Ok(())
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if !self.is_renamed {
            // The first error is the one to tell of.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Where a path's symbolic links end, at something or nothing.
fn target_of(path: &Path) -> PathBuf {
    let mut target = path.to_path_buf();
    for _ in 0..40 {
        // A link of /proc to what is no file reads as no path.
        match fs::read_link(&target) {
            Ok(next) => {
                let next = target.parent().unwrap_or(Path::new("")).join(next);
                if fs::metadata(&target).is_ok() && fs::metadata(&next).is_err() {
                    break;
                }
                target = next;
            }
            Err(_) => break,
        }
    }
    target
}

/// Opens what exists, as it is; a FIFO that nobody reads from is an error rather than a wait.
fn open_old(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        libc::O_NONBLOCK | libc::O_NOCTTY,
    );
    let file = options.open(path)?;
    #[cfg(unix)]
    {
        use std::os::fd::AsRawFd;
        // SAFETY: the file is open; the flags are its own but for the one that was added.
        unsafe {
            let flags = libc::fcntl(file.as_raw_fd(), libc::F_GETFL);
            libc::fcntl(file.as_raw_fd(), libc::F_SETFL, flags & !libc::O_NONBLOCK);
        }
    }
    Ok(file)
}

/// Creates a file beside a path, with a name that nobody has and the permissions of the old one there.
fn create_beside(path: &Path, old: Option<&Metadata>) -> io::Result<(Begun, File)> {
    static NEXT: HostAtomicU64 = HostAtomicU64::new(0);
    const NAME_MAX: usize = 255;
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if let Some(old) = old {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        options.mode(old.permissions().mode() & 0o777);
    }
    let mut tries = 100;
    loop {
        // Relaxed: only distinct numbers are wanted.
        let number = NEXT.fetch_add(1, Relaxed);
        let ending = std::format!(".{}-{number}.part", std::process::id());
        let is_short = name.len() + ending.len() <= NAME_MAX;
        let mut beside = if is_short { name.to_owned() } else { OsString::from("xtimer") };
        beside.push(ending);
        let beside = path.with_file_name(beside);
        tries -= 1;
        match options.open(&beside) {
            // Left by a process of the same number that was killed.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries > 0 => {}
            Err(error) => return Err(error),
            Ok(file) => {
                // What the umask took; a file system without permissions refuses.
                if let Some(old) = old {
                    let _ = file.set_permissions(old.permissions());
                }
                return Ok((Begun { path: beside, is_renamed: false }, file));
            }
        }
    }
}
