//! What the environment asks of the default timer, so that a program needs no code for it.
//!
//! | variable | |
//! |---|---|
//! | `XTIMER_REPORT=path` | writes the report there when the process ends: JSON where it ends with `.json`, else text; `-` is standard error; `%p` in it is the process, `%r` the rank, `%%` a `%` |
//! | `XTIMER_REPORT_EVERY=seconds` | writes it so often as well |
//! | `XTIMER_DISABLE=1` | the timer begins switched off |
//!
//! They are read when the default timer is made. A wrong value is named once on standard error, and timing
//! goes on without it.

use std::ffi::{OsStr, OsString};
use std::time::Duration;

use crate::host::save::{Form, Target};

/// Where the launchers of ranks say which one this is, the nearest first.
const RANKS: &[&str] = &["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "RANK", "SLURM_PROCID"];

/// What was asked for.
#[derive(Debug, Default)]
pub(crate) struct Wishes {
    pub(crate) disabled: bool,
    pub(crate) report: Option<Target>,
    pub(crate) every: Option<Duration>,
}

impl Wishes {
    /// Those of this process. What is wrong is said on standard error.
    pub(crate) fn read() -> Self {
        Self::of(|name| std::env::var_os(name), |sentence| eprintln!("xtimer: {sentence}"))
    }

    /// Those that `variable` tells of; `say` hears of each wrong one.
    fn of(variable: impl Fn(&str) -> Option<OsString>, mut say: impl FnMut(String)) -> Self {
        // Set to nothing is as good as not set.
        let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
        let mut wishes = Self::default();
        if let Some(value) = variable("XTIMER_DISABLE") {
            match value.to_str() {
                Some("1") => wishes.disabled = true,
                Some("0") => {}
                _ => say(format!("XTIMER_DISABLE is {value:?}, where it may be 0 or 1; ignored.")),
            }
        }
        if let Some(value) = variable("XTIMER_REPORT") {
            let rank = || RANKS.iter().find_map(|name| variable(name)).unwrap_or("0".into());
            match target(&value, rank) {
                Ok(target) => wishes.report = Some(target),
                Err(why) => {
                    say(format!("XTIMER_REPORT is {value:?}: {why}; no report is written."))
                }
            }
        }
        if let Some(value) = variable("XTIMER_REPORT_EVERY") {
            match (seconds(&value), &wishes.report) {
                (None, _) => say(format!(
                    "XTIMER_REPORT_EVERY is {value:?}, where it may be seconds, 0.1 or more; ignored."
                )),
                (Some(_), None) => {
                    say("XTIMER_REPORT_EVERY needs a path in XTIMER_REPORT; ignored.".to_owned());
                }
                (every, Some(_)) => wishes.every = every,
            }
        }
        wishes
    }
}

fn seconds(value: &OsStr) -> Option<Duration> {
    let seconds: f64 = value.to_str()?.trim().parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok().filter(|every| every.as_millis() >= 100)
}

/// Where a report goes, with all but the process filled in.
fn target(value: &OsStr, rank: impl Fn() -> OsString) -> Result<Target, String> {
    let bytes = value.as_encoded_bytes();
    if bytes == b"-" {
        return Ok(Target::StandardError);
    }
    let mut path = Vec::new();
    if !std::path::Path::new(value).is_absolute() {
        // The program may go elsewhere before it ends.
        let here =
            std::env::current_dir().map_err(|error| format!("no current folder ({error})"))?;
        path.extend_from_slice(here.as_os_str().as_encoded_bytes());
        path.push(b'/');
    }
    let mut rest = bytes.iter();
    while let Some(&byte) = rest.next() {
        match (byte, if byte == b'%' { rest.next() } else { None }) {
            (b'%', Some(b'p')) => path.push(Target::PROCESS),
            (b'%', Some(b'r')) => path.extend_from_slice(rank().as_encoded_bytes()),
            (b'%', Some(b'%')) => path.push(b'%'),
            (b'%', Some(other)) => {
                let other = char::from(*other);
                return Err(format!("'%{other}' stands for nothing, there are %p, %r and %%"));
            }
            (b'%', None) => return Err("it ends in the middle of a '%'".to_owned()),
            (other, _) => path.push(other),
        }
    }
    let form = if path.ends_with(b".json") { Form::Json } else { Form::Text };
    Target::file(path, form).ok_or_else(|| "it is longer than 1,000 bytes".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wishes(variables: &[(&str, &str)]) -> (Wishes, Vec<String>) {
        let mut said = Vec::new();
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| OsString::from(value))
        };
        let wishes = Wishes::of(variable, |sentence| said.push(sentence));
        (wishes, said)
    }

    fn path(variables: &[(&str, &str)]) -> String {
        let (wishes, said) = wishes(variables);
        assert_eq!(said, Vec::<String>::new());
        format!("{}", wishes.report.unwrap())
    }

    #[test]
    fn nothing_is_asked_for_unless_it_is_set() {
        let (wishes, said) = wishes(&[("XTIMER_DISABLE", ""), ("XTIMER_REPORT", "")]);
        assert!(!wishes.disabled && wishes.report.is_none() && wishes.every.is_none());
        assert!(said.is_empty());
    }

    #[test]
    fn process_and_rank_are_filled_in() {
        let process = std::process::id();
        assert_eq!(path(&[("XTIMER_REPORT", "-")]), "standard error");
        assert_eq!(path(&[("XTIMER_REPORT", "/a/%r-%p.json")]), format!("/a/0-{process}.json"));
        let slurm = ("SLURM_PROCID", "7");
        assert_eq!(path(&[("XTIMER_REPORT", "/a/%r"), slurm]), "/a/7");
        // torchrun within Slurm: its own rank counts.
        assert_eq!(path(&[("XTIMER_REPORT", "/a/%r%%"), slurm, ("RANK", "12")]), "/a/12%");
        let here = std::env::current_dir().unwrap();
        assert_eq!(path(&[("XTIMER_REPORT", "b.txt")]), here.join("b.txt").display().to_string());
    }

    #[test]
    fn each_wrong_value_is_named() {
        let long = "/a".repeat(4000);
        for (variables, culprit) in [
            (&[("XTIMER_DISABLE", "yes")][..], "\"yes\""),
            (&[("XTIMER_REPORT", "/a/%x")], "'%x'"),
            (&[("XTIMER_REPORT", "/a/50%")], "middle"),
            (&[("XTIMER_REPORT", &long)], "longer than"),
            (&[("XTIMER_REPORT", "-"), ("XTIMER_REPORT_EVERY", "often")], "\"often\""),
            (&[("XTIMER_REPORT", "-"), ("XTIMER_REPORT_EVERY", "-1")], "\"-1\""),
            (&[("XTIMER_REPORT", "-"), ("XTIMER_REPORT_EVERY", "0.01")], "\"0.01\""),
            (&[("XTIMER_REPORT_EVERY", "1")], "XTIMER_REPORT"),
        ] {
            let (wishes, said) = wishes(variables);
            assert!(!wishes.disabled && wishes.every.is_none());
            assert!(said.len() == 1 && said[0].contains(culprit), "{said:?}");
        }
        let right = [("XTIMER_REPORT", "-"), ("XTIMER_REPORT_EVERY", "1.5")];
        assert_eq!(wishes(&right).0.every, Some(Duration::from_millis(1500)));
    }
}
