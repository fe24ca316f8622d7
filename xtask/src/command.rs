//! Runs a program: printed as one could type it, from the repository's root, with a time limit.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};

use crate::places;

/// Nothing that the tests start takes longer, compilation included.
const LIMIT: Duration = Duration::from_secs(20 * 60);

/// A program with its arguments, environment and time limit.
pub struct Run {
    command: Command,
    limit: Duration,
}

/// How a captured program ended, and what it printed: standard output, then standard error.
pub struct Captured {
    pub status: ExitStatus,
    pub text: String,
}

/// `cargo` with `arguments`.
pub fn cargo<I: IntoIterator<Item: AsRef<OsStr>>>(arguments: I) -> Run {
    Run::new("cargo").args(arguments)
}

/// The core's tests as users build it, without whole-program optimisation: with it, each of the many
/// test programs takes longer to link than to run.
pub fn optimised_tests() -> Run {
    cargo(["test", "-p", "xtimer-core", "--release"])
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
}

impl Run {
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        let mut command = Command::new(program);
        command.current_dir(places::root()).stdin(Stdio::null());
        // `cargo run` puts target/debug on this path: a program under test would load from there.
        if let Some(path) = std::env::var_os("LD_LIBRARY_PATH") {
            let kept = std::env::split_paths(&path).filter(|entry| !is_cargos(entry));
            match std::env::join_paths(kept) {
                Ok(kept) if !kept.is_empty() => command.env("LD_LIBRARY_PATH", kept),
                _ => command.env_remove("LD_LIBRARY_PATH"),
            };
        }
        Self { command, limit: LIMIT }
    }

    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    pub fn args<I: IntoIterator<Item: AsRef<OsStr>>>(mut self, arguments: I) -> Self {
        self.command.args(arguments);
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// The folder to run in, instead of the root.
    pub fn within(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// How long it may take before it is stopped and fails.
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// The command as one could type it.
    pub fn line(&self) -> String {
        let mut line = String::new();
        for (name, value) in self.command.get_envs() {
            if let Some(value) = value.filter(|_| name != "LD_LIBRARY_PATH") {
                let _ = write!(line, "{}={} ", name.to_string_lossy(), quoted(value));
            }
        }
        line.push_str(&quoted(self.command.get_program()));
        for argument in self.command.get_args() {
            line.push(' ');
            line.push_str(&quoted(argument));
        }
        line
    }

    /// Runs it with its output passed on; anything but exit status 0 is an error.
    pub fn run(mut self) -> Result<()> {
        let line = self.line();
        println!("$ {line}");
        let child = self.command.spawn().with_context(|| format!("cannot start `{line}`"))?;
        let status = wait(child, self.limit, &line)?;
        if !status.success() {
            bail!("`{line}`: {status}");
        }
        Ok(())
    }

    /// Runs it with its output passed on, line by line, and returns its standard output as well.
    pub fn shown(mut self) -> Result<String> {
        let line = self.line();
        println!("$ {line}");
        self.command.stdout(Stdio::piped());
        let mut child = self.command.spawn().with_context(|| format!("cannot start `{line}`"))?;
        let reader = child.stdout.take().map(|stdout| {
            thread::spawn(move || {
                let mut text = String::new();
                for line in BufReader::new(stdout).lines() {
                    let line = line?;
                    println!("{line}");
                    text.push_str(&line);
                    text.push('\n');
                }
                Ok(text.into_bytes())
            })
        });
        let status = wait(child, self.limit, &line)?;
        let text = String::from_utf8(collected(reader)?)?;
        if !status.success() {
            bail!("`{line}`: {status}");
        }
        Ok(text)
    }

    /// Runs it as `run`; no test having passed is an error too: a filter that matches nothing
    /// exits with 0.
    pub fn tests(self) -> Result<()> {
        let line = self.line();
        let printed = self.shown()?;
        let results = printed.lines().filter_map(|line| line.strip_prefix("test result: ok. "));
        let passed = results.filter_map(|rest| rest.split_once(' ')?.0.parse::<u64>().ok());
        if passed.sum::<u64>() == 0 {
            bail!("`{line}` ran no test");
        }
        Ok(())
    }

    /// Runs it and returns what it printed to standard output; what it printed to standard error
    /// is shown only where it fails.
    pub fn output(mut self) -> Result<String> {
        let line = self.line();
        self.command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().with_context(|| format!("cannot start `{line}`"))?;
        let stdout = child.stdout.take().map(collect);
        let stderr = child.stderr.take().map(collect);
        let status = wait(child, self.limit, &line)?;
        let errors = collected(stderr)?;
        if !status.success() {
            bail!("`{line}`: {status}\n{}", String::from_utf8_lossy(&errors).trim_end());
        }
        String::from_utf8(collected(stdout)?)
            .with_context(|| format!("`{line}` printed bytes beyond UTF-8"))
    }

    /// Runs it with both streams kept, whatever its exit status. Failing to start, and running
    /// past the limit, are errors.
    pub fn captured(mut self) -> Result<Captured> {
        let line = self.line();
        self.command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().with_context(|| format!("cannot start `{line}`"))?;
        let stdout = child.stdout.take().map(collect);
        let stderr = child.stderr.take().map(collect);
        let ended = wait(child, self.limit, &line);
        let mut text = String::from_utf8_lossy(&collected(stdout)?).into_owned();
        text.push_str(&String::from_utf8_lossy(&collected(stderr)?));
        match ended {
            Ok(status) => Ok(Captured { status, text }),
            Err(error) => Err(anyhow!("{error:#}\n{}", text.trim_end())),
        }
    }

    /// Runs it in silence; where it fails, the error holds all that it printed.
    pub fn quietly(self) -> Result<()> {
        let line = self.line();
        let end = self.captured()?;
        if !end.status.success() {
            bail!("`{line}`: {}\n{}", end.status, end.text.trim_end());
        }
        Ok(())
    }

    /// Runs it in silence; whether it exited with 0. A program that cannot start did not.
    pub fn succeeds(self) -> bool {
        self.captured().is_ok_and(|end| end.status.success())
    }
}

/// Whether `entry` of a library path was put there by `cargo run` or rustup.
fn is_cargos(entry: &Path) -> bool {
    let named = |name: &str| entry.components().any(|part| part.as_os_str() == name);
    named("rustlib") || named("toolchains") || named("debug") || named("release")
}

/// `text` in quotes where a shell would split it.
fn quoted(text: &OsStr) -> String {
    let text = text.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./:,@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

type Collector = thread::JoinHandle<std::io::Result<Vec<u8>>>;

/// Reads a stream to its end beside the waiting, so that a full pipe stops nobody.
fn collect(mut stream: impl Read + Send + 'static) -> Collector {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).map(|_| bytes)
    })
}

fn collected(collector: Option<Collector>) -> Result<Vec<u8>> {
    match collector.map(Collector::join) {
        Some(Ok(bytes)) => Ok(bytes?),
        _ => bail!("the reader of the output failed"),
    }
}

/// Waits for the end of `child`; past the limit it and its descendants are ended.
fn wait(mut child: Child, limit: Duration, line: &str) -> Result<ExitStatus> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        let spent = start.elapsed();
        if spent > limit {
            end_with_descendants(child.id());
            child.wait()?;
            bail!("`{line}` ran past its limit of {} s and was ended", limit.as_secs());
        }
        thread::sleep((spent / 20).clamp(Duration::from_millis(1), Duration::from_millis(50)));
    }
}

/// Kills a process and all that it started: cargo alone would leave the hanging test behind.
fn end_with_descendants(process: u32) {
    let mut doomed = vec![process];
    let mut next = 0;
    while next < doomed.len() {
        doomed.extend(children(doomed[next]));
        next += 1;
    }
    let ids = doomed.iter().map(u32::to_string);
    let _ = Command::new("kill").arg("-KILL").args(ids).status();
}

/// The processes that `parent` started, as /proc tells; none where there is no /proc.
fn children(parent: u32) -> Vec<u32> {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let is_child = |id: &u32| {
        // "id (name) state parent ...", where the name may hold anything.
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let behind_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        behind_name.split_whitespace().nth(1) == Some(parent.to_string().as_str())
    };
    processes
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(is_child)
        .collect()
}
