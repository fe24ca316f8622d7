//! Writes include/xtimer.h from the Rust sources with cbindgen, or compares it.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::places;

fn file() -> PathBuf {
    places::root().join("include/xtimer.h")
}

/// The header as the sources say it now.
fn generated() -> Result<Vec<u8>> {
    let package = places::root().join("ffi");
    let settings = package.join("cbindgen.toml");
    let config = cbindgen::Config::from_file(&settings)
        .map_err(|error| anyhow::anyhow!("{}: {error}", places::shown(&settings)))?;
    let bindings = cbindgen::Builder::new()
        .with_crate(&package)
        .with_config(config)
        .generate()
        .context("cbindgen cannot read ffi/")?;
    let mut bytes = Vec::new();
    bindings.write(&mut bytes);
    let text = String::from_utf8(bytes).context("cbindgen writes no UTF-8")?;
    if let Some(foreign) = foreign(&text) {
        bail!("include/xtimer.h would declare what is not ours: `{foreign}`");
    }
    // What Rust heads so is what C asks of the caller.
    Ok(text.replace("// # Safety\n", "// Requires:\n").into_bytes())
}

/// The first function or variable whose name does not begin with `xtimer_`.
fn foreign(text: &str) -> Option<&str> {
    text.lines()
        .filter(|line| !line.starts_with([' ', '/', '#', '}']) && *line != "extern \"C\" {")
        .filter(|line| line.contains('(') || line.starts_with("extern"))
        .find(|line| !line.contains(" xtimer_") && !line.contains("*xtimer_"))
}

/// Writes the header.
pub fn write() -> Result<()> {
    let bytes = generated()?;
    std::fs::create_dir_all(places::root().join("include"))?;
    std::fs::write(file(), bytes).context("cannot write include/xtimer.h")
}

/// Compares the header.
///
/// # Errors
/// The first line that differs.
pub fn check() -> Result<()> {
    let committed = std::fs::read(file()).context("cannot read include/xtimer.h")?;
    let current = generated()?;
    if committed == current {
        println!("include/xtimer.h is what the sources say");
        return Ok(());
    }
    let (committed, current) =
        (String::from_utf8_lossy(&committed), String::from_utf8_lossy(&current));
    let (mut old, mut new) = (committed.lines(), current.lines());
    for number in 1.. {
        match (old.next(), new.next()) {
            (None, None) => break,
            (old, new) if old == new => {}
            (old, new) => bail!(
                "include/xtimer.h is out of date, `cargo xtask header` rewrites it; line {number} \
                 is `{}` and should be `{}`",
                old.unwrap_or("(missing)"),
                new.unwrap_or("(missing)")
            ),
        }
    }
    bail!("include/xtimer.h is out of date in its line ends, `cargo xtask header` rewrites it")
}

#[cfg(test)]
mod tests {
    use super::foreign;

    #[test]
    fn what_is_not_ours_is_found() {
        let ours = "#include <stdint.h>\n// text (x)\nextern \"C\" {\nvoid xtimer_end(int a,\n  \
                    int b);\nconst char *xtimer_text(void);\n}\n";
        assert_eq!(foreign(ours), None);
        let other = "extern int pthread_setcancelstate(int state, int *before);";
        assert_eq!(foreign(&format!("{ours}{other}\n")), Some(other));
    }
}
