//! Profiles to test with, and the program run on them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use xtimer_core::profile::{Profile, Records, Source};

/// What a run came to.
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub bytes: Vec<u8>,
    pub err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().expect("it was killed"),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            bytes: output.stdout,
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ran {
    /// What it printed, where all went well.
    #[track_caller]
    pub fn done(self) -> String {
        assert_eq!(self.code, 0, "{}\n{}", self.out, self.err);
        self.out
    }

    /// Its one sentence, where it could not be done.
    #[track_caller]
    pub fn sentence(self) -> String {
        assert_eq!((self.code, &*self.out), (2, ""), "{}", self.err);
        assert_eq!(self.err.lines().count(), 1, "{}", self.err);
        let sentence = self.err.trim_end().strip_prefix("error: ");
        sentence.unwrap_or_else(|| panic!("{}", self.err)).to_owned()
    }
}

pub fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtimer"));
    command.stdin(Stdio::null());
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"] {
        command.env_remove(name);
    }
    command
}

/// A folder with files, in which the program runs.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn with(self, name: &str, profile: &Profile) -> Self {
        profile.save(self.path(name)).unwrap();
        self
    }

    /// Runs the program with a line of words.
    pub fn run(&self, line: &str) -> Ran {
        self.run_words(&line.split(' ').collect::<Vec<_>>())
    }

    pub fn run_words(&self, words: &[&str]) -> Ran {
        command().current_dir(self.0.path()).args(words).output().unwrap().into()
    }

    /// As `run`, with bytes on standard input.
    pub fn run_with(&self, line: &str, input: &[u8]) -> Ran {
        let mut child = command()
            .current_dir(self.0.path())
            .args(line.split(' '))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        child.wait_with_output().unwrap().into()
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub fn folder(&self) -> &Path {
        self.0.path()
    }
}

/// A step with three parts, entered four times; rank r takes r times 1 ms longer for each step.
pub fn rank(rank: u32) -> Profile {
    training(rank, 1_000_000 * u64::from(rank))
}

pub fn training(rank: u32, delay: u64) -> Profile {
    let step = 10_000_000 + delay;
    let starts: Vec<u64> = (0..4).map(|number| 1000 + number * 20_000_000).collect();
    let behind = |by: u64| -> Vec<u64> { starts.iter().map(|start| start + by).collect() };
    let jitter = |time: u64| -> Vec<u64> { (0..4).map(|number| time + number * 100).collect() };
    let (load, forward, reduce) = (behind(0), behind(2_500_000), behind(8_000_000));
    let row = |path, category, durations, starts| Records { path, category, durations, starts };
    let label = format!("worker {rank}");
    Profile::from_records(
        Source { rank, label: &label },
        &[
            row(&["step"], "default", &jitter(step), &starts),
            row(&["step", "load"], "io", &jitter(2_000_000), &load),
            row(&["step", "forward"], "gpu", &jitter(5_000_000), &forward),
            row(&["step", "all-reduce"], "comm", &jitter(1_000_000 + delay), &reduce),
        ],
    )
}

/// Two ranks in two files.
pub fn two() -> Folder {
    Folder::new().with("r0.xtp", &rank(0)).with("r1.xtp", &rank(1))
}
