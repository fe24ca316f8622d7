//! The command line: what `cargo xtask` understands.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

/// Builds, tests and ships xtimer.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
pub struct Line {
    #[command(subcommand)]
    pub action: Action,
}

#[derive(Subcommand)]
pub enum Action {
    /// Train the example model for under a minute, print its report and check its JSON
    Demo {
        /// Steps to train; without it the example's own number
        #[arg(long)]
        steps: Option<u64>,
        /// Text files to train on; without any the project's documents
        texts: Vec<PathBuf>,
    },
    /// Run the test stages, all or the named ones, in order
    ///
    /// Missing tools are installed where apt-get and the rights to use it are there. Elsewhere a
    /// stage that cannot run is skipped and says what it needs; with CI set it is a failure.
    Test {
        /// Stages to run; without any, all of them
        stages: Vec<String>,
        /// List the stages and stop
        #[arg(long)]
        list: bool,
    },
    /// Run what takes longer than the tests may: about half an hour
    Soak {
        /// Parts to run; without any, all of them
        parts: Vec<String>,
        /// List the parts and stop
        #[arg(long)]
        list: bool,
    },
    /// Write include/xtimer.h from the Rust sources
    Header {
        /// Compare instead of writing, and fail where the header is out of date
        #[arg(long)]
        check: bool,
    },
    /// Install the C and C++ library: headers, both libraries, pkg-config, the CMake package
    Install {
        /// The folder that gets include/, lib/ and share/
        #[arg(long, value_name = "DIR")]
        prefix: PathBuf,
    },
    /// Remove what install put into a folder
    Uninstall {
        /// The folder it was installed into
        #[arg(long, value_name = "DIR")]
        prefix: PathBuf,
    },
    /// Build the npm package of browsers and Node: wasm/dist
    Wasm,
    /// Write the C and C++ library as it is shipped: DIR/lib and DIR/include
    Dist {
        /// Where to write it
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
}

/// Whether `words`, behind `cargo xtask`, are a command; else why not.
pub fn understands(words: &[&str]) -> Result<(), String> {
    match Line::try_parse_from(std::iter::once("xtask").chain(words.iter().copied())) {
        Ok(Line { action: Action::Test { stages, .. } }) => crate::stages::known(&stages),
        Ok(Line { action: Action::Soak { parts, .. } }) => crate::soak::known(&parts),
        Ok(_) => Ok(()),
        Err(error) if !error.use_stderr() => Ok(()),
        Err(error) => Err(error.to_string().lines().next().unwrap_or_default().to_owned()),
    }
}
