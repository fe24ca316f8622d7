//! Where output goes: standard output, or a file that is written beside its place and renamed.

use std::fs;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};

/// What stands for standard output, and input.
pub const STANDARD: &str = "-";

/// Writes to the file at `path`, or to standard output where there is none.
pub fn write(path: Option<&Path>, body: impl FnOnce(&mut dyn Write) -> Result) -> Result {
    match path.filter(|path| path.as_os_str() != STANDARD) {
        None => {
            let mut out = BufWriter::new(io::stdout().lock());
            body(&mut out)?;
            Ok(out.flush()?)
        }
        Some(path) => {
            let mut begun = Begun::beside(path)?;
            body(&mut begun.file)?;
            begun.finish(path)
        }
    }
}

/// Writes bytes.
pub fn write_all(path: Option<&Path>, bytes: &[u8]) -> Result {
    write(path, |out| Ok(out.write_all(bytes)?))
}

/// Writes bytes that are not for people.
pub fn write_binary(path: Option<&Path>, bytes: &[u8]) -> Result {
    let is_standard = path.is_none_or(|path| path.as_os_str() == STANDARD);
    if is_standard && io::stdout().is_terminal() {
        return Err(Failure::of("these bytes are not for a terminal; name a file with -o"));
    }
    write_all(path, bytes)
}

/// A file on its way; removed unless it is finished.
struct Begun {
    place: PathBuf,
    file: BufWriter<fs::File>,
    is_finished: bool,
}

impl Begun {
    fn beside(path: &Path) -> Result<Self> {
        let failed = |error: io::Error| {
            Failure::Sentence(format!("cannot write '{}': {error}", path.display()))
        };
        // What is no file, such as a device, is written in place.
        let is_special = fs::metadata(path).is_ok_and(|there| !there.is_file());
        let place = if is_special {
            path.to_path_buf()
        } else {
            let mut name = path.as_os_str().to_owned();
            name.push(format!(".{}.part", std::process::id()));
            name.into()
        };
        let file = if is_special {
            fs::OpenOptions::new().write(true).open(&place)
        } else {
            fs::File::create(&place)
        };
        let file = file.map_err(failed)?;
        Ok(Self { place, file: BufWriter::new(file), is_finished: is_special })
    }

    fn finish(mut self, path: &Path) -> Result {
        let finished = self.file.flush().and_then(|()| {
            if self.place != path {
                self.file.get_ref().sync_all()?;
                fs::rename(&self.place, path)?;
            }
            Ok(())
        });
        finished.map_err(|error| {
            Failure::Sentence(format!("cannot write '{}': {error}", path.display()))
        })?;
        self.is_finished = true;
        Ok(())
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if !self.is_finished {
            let _ = fs::remove_file(&self.place);
        }
    }
}
