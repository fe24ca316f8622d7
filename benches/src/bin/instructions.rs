//! Instructions a pair by each path, counted by callgrind, and their limits.
//!
//! ```text
//! instructions            prints what each path takes
//! instructions --check    and fails where one takes more than benches/instructions.toml allows
//! instructions --write    and writes those limits: what was counted and 3 %, for strings 20 %
//! ```
//!
//! The program runs itself under valgrind with 1,000 and with 2,000 pairs; the difference is what
//! 1,000 pairs take, start-up and shutdown cancel out. Exit status 77: valgrind is missing.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use xtimer_benches::paths;
use xtimer_benches::table::Table;
use xtimer_core::section;

const PAIRS: u32 = 1000;
/// What a limit allows above the count: compilers differ a little from version to version.
const MARGIN: f64 = 1.03;
/// More where the C library compares strings: it takes up to 40 instructions more where one happens
/// to lie at the end of a page.
const STRING_MARGIN: f64 = 1.2;
/// The exit status of a check that could not run.
const CANNOT_RUN: u8 = 77;

/// A loop that is counted.
struct Counted {
    name: &'static str,
    run: fn(u32),
    is_limited: bool,
}

const COMPILED_OUT: &str = "compiled out, C++";
const NEVER_THERE: &str = "never there, C++";

fn loops() -> Vec<Counted> {
    let limited = |name, run| Counted { name, run, is_limited: true };
    let shown = |name, run| Counted { name, run, is_limited: false };
    let mut loops = vec![shown("two bare clock reads", paths::bare as fn(u32))];
    loops.extend(paths::all().map(|path| limited(path.name, path.run)));
    loops.push(limited("switched off", paths::switched_off));
    loops.push(limited("a rule is registered", paths::with_rules));
    loops.push(shown(COMPILED_OUT, paths::native::cpp_disabled));
    loops.push(shown(NEVER_THERE, paths::native::cpp_bare));
    loops
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["run", name, pairs] => run(name, pairs),
        [] => count_all().map(|counts| print(&counts)),
        ["--check"] => count_all().and_then(|counts| {
            print(&counts);
            check(&counts, &read_limits()?)
        }),
        ["--write"] => count_all().and_then(|counts| {
            print(&counts);
            write_limits(&counts)
        }),
        _ => Err(Failure::new("usage: instructions [--check | --write]")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{}", failure.sentence);
            ExitCode::from(failure.status)
        }
    }
}

struct Failure {
    sentence: String,
    status: u8,
}

impl Failure {
    fn new(sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), status: 1 }
    }
}

/// What a path was counted to take.
struct Count {
    name: &'static str,
    instructions: f64,
    is_limited: bool,
}

/// The counted program: so many pairs by one path, nested in a parent.
fn run(name: &str, pairs: &str) -> Result<(), Failure> {
    let pairs = pairs.parse().map_err(|_| Failure::new(format!("'{pairs}' is no number")))?;
    let found = loops().into_iter().find(|counted| counted.name == name);
    let found = found.ok_or_else(|| Failure::new(format!("no path is called '{name}'")))?;
    let _parent = section!("parent");
    (found.run)(pairs);
    Ok(())
}

fn count_all() -> Result<Vec<Count>, Failure> {
    if cfg!(debug_assertions) {
        return Err(Failure::new("instructions are counted in release builds: add --release"));
    }
    if Command::new("valgrind").arg("--version").output().is_err() {
        let sentence = "valgrind is missing, so no instructions were counted: apt install valgrind";
        return Err(Failure { sentence: sentence.into(), status: CANNOT_RUN });
    }
    loops()
        .into_iter()
        .map(|Counted { name, is_limited, .. }| {
            let more = collected(name, 2 * PAIRS)?;
            let instructions = more.saturating_sub(collected(name, PAIRS)?);
            Ok(Count { name, instructions: instructions as f64 / f64::from(PAIRS), is_limited })
        })
        .collect()
}

/// Instructions of a whole run.
fn collected(name: &str, pairs: u32) -> Result<u64, Failure> {
    let own = std::env::current_exe().map_err(|error| Failure::new(error.to_string()))?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(own)
        .args(["run", name, &pairs.to_string()])
        .output()
        .map_err(|error| Failure::new(format!("valgrind did not run: {error}")))?;
    let text = String::from_utf8_lossy(&output.stderr);
    let count = text.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok());
    count
        .filter(|_| output.status.success())
        .ok_or_else(|| Failure::new(format!("callgrind counted nothing for '{name}':\n{text}")))
}

fn print(counts: &[Count]) {
    let mut table = Table::new(&["instructions a pair, loop included", "count"]);
    for count in counts {
        table.add([count.name.to_owned(), format!("{:.0}", count.instructions)]);
    }
    table.print();
}

fn check(counts: &[Count], limits: &[(String, f64)]) -> Result<(), Failure> {
    let mut sentences = String::new();
    for count in counts.iter().filter(|count| count.is_limited) {
        let counted = count.instructions.round();
        match limits.iter().find(|(name, _)| name == count.name) {
            Some(&(_, limit)) if counted > limit => {
                let name = count.name;
                _ = writeln!(sentences, "{name}: {counted} instructions a pair, {limit} allowed");
            }
            Some(_) => {}
            None => _ = writeln!(sentences, "{}: no limit, run with --write", count.name),
        }
    }
    let of = |name| counts.iter().find(|count| count.name == name).map(|count| count.instructions);
    if let (Some(with), Some(without)) = (of(COMPILED_OUT), of(NEVER_THERE))
        && with.round() != without.round()
    {
        _ = writeln!(sentences, "XTIMER_DISABLE leaves {:.0} instructions", with - without);
    }
    if sentences.is_empty() { Ok(()) } else { Err(Failure::new(sentences.trim_end())) }
}

fn limits_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("instructions.toml")
}

/// The limits of this architecture: lines `"path" = number` beneath its name in brackets.
fn read_limits() -> Result<Vec<(String, f64)>, Failure> {
    let file = limits_file();
    let text = std::fs::read_to_string(&file)
        .map_err(|error| Failure::new(format!("{}: {error}", file.display())))?;
    let limits = parse_limits(&text, std::env::consts::ARCH);
    if limits.is_empty() {
        let sentence = format!("no limits are known for {}", std::env::consts::ARCH);
        return Err(Failure { sentence, status: CANNOT_RUN });
    }
    Ok(limits)
}

fn parse_limits(text: &str, architecture: &str) -> Vec<(String, f64)> {
    let head = format!("[{architecture}]");
    text.lines()
        .skip_while(|line| line.trim() != head)
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| {
            let (name, limit) = line.split_once('=')?;
            Some((name.trim().trim_matches('"').to_owned(), limit.trim().parse().ok()?))
        })
        .collect()
}

fn write_limits(counts: &[Count]) -> Result<(), Failure> {
    let mut text = format!(
        "# The most instructions that a pair may take: `instructions --write` counted these and added 3 %, 20 % to strings.\n\
         # By {}.\n\n[{}]\n",
        env!("XTIMER_RUSTC"),
        std::env::consts::ARCH
    );
    for count in counts.iter().filter(|count| count.is_limited) {
        let margin = if count.name == "C string" { STRING_MARGIN } else { MARGIN };
        let limit = (count.instructions * margin).ceil();
        _ = writeln!(text, "\"{}\" = {limit}", count.name);
    }
    let file = limits_file();
    std::fs::write(&file, text)
        .map_err(|error| Failure::new(format!("{}: {error}", file.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(name: &'static str, instructions: f64) -> Count {
        Count { name, instructions, is_limited: true }
    }

    #[test]
    fn limits_are_read_for_one_architecture() {
        let text = "# of\n[aarch64]\n\"Rust handle\" = 70\n\n[x86_64]\n\"Rust handle\" = 102\n";
        assert_eq!(parse_limits(text, "x86_64"), [("Rust handle".to_owned(), 102.0)]);
        assert_eq!(parse_limits(text, "aarch64"), [("Rust handle".to_owned(), 70.0)]);
        assert!(parse_limits(text, "riscv64").is_empty());
    }

    #[test]
    fn a_path_above_its_limit_is_named_with_both_numbers() {
        let limits = [("Rust handle".to_owned(), 102.0)];
        assert!(check(&[counted("Rust handle", 102.2)], &limits).is_ok());
        let failure = check(&[counted("Rust handle", 120.0)], &limits).err().unwrap();
        assert_eq!(failure.sentence, "Rust handle: 120 instructions a pair, 102 allowed");
        assert!(check(&[counted("C handle", 1.0)], &limits).is_err(), "no limit");
    }
}
