//! Files, patterns and standard input to profiles, each of a rank of its own.
//!
//! Files are read one at a time, so who only adds profiles up needs memory for one of them.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use xtimer_core::profile::{DecodeError, Gathered, Profile, Reduced, View};

use crate::failure::{Failure, Result};
use crate::line::{Choice, Inputs};
use crate::output::STANDARD;

/// One profile as it is read.
pub enum Item<'b> {
    /// Of one rank; the number is the rank that it gets.
    Rank(View<'b>, u32),
    /// Of ranks that were reduced before.
    Reduced(Reduced),
}

/// All profiles that were read.
#[derive(Debug)]
pub enum Loaded {
    /// Each rank is known.
    Ranks(Gathered),
    /// What they came to is known.
    Reduced(Reduced),
}

/// Reads all profiles: reduced as soon as one of them is.
pub fn load(inputs: &Inputs) -> Result<Loaded> {
    let (mut profiles, mut reduced) = (Vec::new(), None::<Reduced>);
    for_each(inputs, |_, item| {
        match item {
            Item::Rank(view, rank) => profiles.push(owned(&view, rank)),
            Item::Reduced(other) => match &mut reduced {
                Some(sum) => sum.merge(&other),
                None => reduced = Some(other),
            },
        }
        Ok(())
    })?;
    match reduced {
        None => Ok(Loaded::Ranks(Gathered::from_profiles(profiles).map_err(Failure::of)?)),
        Some(mut sum) => {
            profiles.iter().for_each(|profile| sum.add(profile));
            Ok(Loaded::Reduced(sum))
        }
    }
}

/// Reads profiles of which each rank must be known, to do what `purpose` says.
pub fn load_ranks(inputs: &Inputs, purpose: &str) -> Result<Gathered> {
    let mut profiles = Vec::new();
    for_each(inputs, |file, item| match item {
        Item::Rank(view, rank) => {
            profiles.push(owned(&view, rank));
            Ok(())
        }
        Item::Reduced(_) => Err(Failure::Sentence(format!(
            "{} is a reduced profile, which knows no rank apart: {purpose} needs the profiles that it was made from",
            shown(file)
        ))),
    })?;
    Gathered::from_profiles(profiles).map_err(Failure::of)
}

impl Loaded {
    /// What was chosen by rank, flattened if wished.
    pub fn chosen(self, choice: &Choice) -> Result<Self> {
        match self {
            Self::Reduced(_) if choice.rank.is_some() || choice.flatten => {
                let option = if choice.flatten { "--flatten" } else { "--rank" };
                Err(Failure::Sentence(format!(
                    "a reduced profile knows no rank apart, so {option} needs the profiles that it was made from"
                )))
            }
            Self::Reduced(reduced) => Ok(Self::Reduced(reduced)),
            Self::Ranks(mut gathered) => {
                if let Some(ranks) = &choice.rank {
                    gathered = of_ranks(&gathered, ranks)?;
                }
                Ok(Self::Ranks(if choice.flatten { gathered.flatten() } else { gathered }))
            }
        }
    }
}

/// The chosen ranks, one at least.
pub fn of_ranks(gathered: &Gathered, ranks: &crate::line::Ranks) -> Result<Gathered> {
    let all = gathered.profiles().iter().map(Profile::rank);
    let chosen: Vec<u32> =
        all.filter(|rank| ranks.0.iter().any(|range| range.contains(rank))).collect();
    if chosen.is_empty() {
        return Err(Failure::of("none of the profiles is of a rank that --rank names"));
    }
    Ok(gathered.get_rank(&chosen))
}

fn owned(view: &View<'_>, rank: u32) -> Profile {
    let mut profile = Profile::from_view(view);
    profile.set_rank(rank);
    profile
}

/// Files above which reading them is shown on a terminal.
const MANY: usize = 32;

/// Reads each profile of each file and hands it on.
pub fn for_each(inputs: &Inputs, mut take: impl FnMut(&Path, Item<'_>) -> Result) -> Result {
    let files = expanded(&inputs.files)?;
    let mut numbering = Numbering { renumber: inputs.renumber, ..Numbering::default() };
    let progress = progress(files.len());
    let mut bytes = Vec::new();
    for (place, file) in files.iter().enumerate() {
        bytes.clear();
        read(file, &mut bytes)?;
        let damaged = |error: DecodeError, at: usize| {
            let offset = error.offset.saturating_add(at as u64);
            Failure::Sentence(format!("{}, {}", shown(file), DecodeError { offset, ..error }))
        };
        let mut at = 0;
        // An empty file is no profile either.
        while at == 0 || at < bytes.len() {
            let rest = &bytes[at..];
            if is_reduced(rest) {
                let length = told_length(rest);
                let reduced =
                    Reduced::from_bytes(&rest[..length]).map_err(|error| damaged(error, at))?;
                take(file, Item::Reduced(reduced))?;
                at += length;
            } else {
                let (view, behind) = View::first(rest).map_err(|error| damaged(error, at))?;
                let rank = numbering.rank(view.source().rank, place, &files)?;
                take(file, Item::Rank(view, rank))?;
                at = bytes.len() - behind.len();
            }
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    Ok(())
}

/// By the header of `docs/format.md`: kind 2.
fn is_reduced(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x89XTP") && bytes.get(6..8) == Some(&[2, 0])
}

/// The length in the header, as far as there are bytes.
fn told_length(bytes: &[u8]) -> usize {
    let told = bytes.get(8..16).and_then(|bytes| bytes.try_into().ok()).map(u64::from_le_bytes);
    let told = told.and_then(|told| usize::try_from(told).ok()).unwrap_or(usize::MAX);
    // Too short a length is told of by whoever decodes it.
    told.clamp(16.min(bytes.len()), bytes.len())
}

/// A file as sentences name it.
pub fn shown(file: &Path) -> String {
    if file.as_os_str() == STANDARD {
        "standard input".into()
    } else {
        format!("'{}'", file.display())
    }
}

fn read(file: &Path, bytes: &mut Vec<u8>) -> Result {
    let result = if file.as_os_str() == STANDARD {
        if io::stdin().is_terminal() {
            return Err(Failure::of(
                "standard input is a terminal; profiles come from a file or a pipe",
            ));
        }
        io::stdin().lock().read_to_end(bytes)
    } else {
        fs::File::open(file).and_then(|mut file| file.read_to_end(bytes))
    };
    match result {
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::Sentence(format!("cannot read {}: {error}", shown(file)))),
    }
}

/// Patterns that the shell left become the files they match. A file of that very name goes first.
fn expanded(files: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for file in files {
        let text = file.to_string_lossy();
        if !text.contains(['*', '?', '[']) || file.exists() {
            all.push(file.clone());
            continue;
        }
        let failed =
            |error: &dyn std::fmt::Display| Failure::Sentence(format!("'{text}': {error}"));
        let before = all.len();
        for found in glob::glob(&text).map_err(|error| failed(&error))? {
            all.push(found.map_err(|error| failed(&error))?);
        }
        if all.len() == before {
            return Err(Failure::Sentence(format!("no file matches '{text}'")));
        }
        all[before..].sort_by_cached_key(|file| natural(&file.to_string_lossy()));
    }
    if all.iter().filter(|file| file.as_os_str() == STANDARD).count() > 1 {
        return Err(Failure::of("standard input (-) can be read once only"));
    }
    Ok(all)
}

/// A key by which `rank2` comes before `rank10`.
fn natural(text: &str) -> Vec<(String, usize, String)> {
    let mut key = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (letters, behind) = rest.split_at(digits);
        let end = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
        let number = behind[..end].trim_start_matches('0');
        key.push((letters.to_owned(), number.len(), number.to_owned()));
        rest = &behind[end..];
    }
    key
}

/// Gives each profile a rank of its own.
///
/// A program that knows no ranks saves rank 0. So where more than one profile comes and all are of rank
/// 0, they are numbered in their order.
#[derive(Debug, Default)]
struct Numbering {
    renumber: bool,
    /// Each rank that was told, and the place of its file.
    seen: BTreeMap<u32, usize>,
    count: u32,
    unranked: bool,
}

impl Numbering {
    fn rank(&mut self, told: u32, place: usize, files: &[PathBuf]) -> Result<u32> {
        let next = self.count;
        self.count += 1;
        if self.renumber {
            return Ok(next);
        }
        self.unranked |= told == 0 && next == 1 && self.seen.contains_key(&0);
        if self.unranked && told == 0 {
            return Ok(next);
        }
        match self.seen.get(&told) {
            _ if self.unranked => Err(Failure::Sentence(format!(
                "{} is of rank {told}, but those before it have no rank; --renumber numbers them all",
                shown(&files[place])
            ))),
            Some(&first) => Err(Failure::Sentence(format!(
                "{} and {} are both of rank {told}; --renumber numbers all profiles in order",
                shown(&files[first]),
                shown(&files[place])
            ))),
            None => {
                self.seen.insert(told, place);
                Ok(told)
            }
        }
    }
}

fn progress(files: usize) -> ProgressBar {
    let target =
        if files > MANY { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(files as u64), target);
    match ProgressStyle::with_template("{bar:40} {pos} of {len} files, {eta} left") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_are_numbers() {
        let mut files = ["r10", "r9", "r", "r09b", "q11", "r010"];
        files.sort_by_cached_key(|file| natural(file));
        assert_eq!(files, ["q11", "r", "r9", "r09b", "r10", "r010"]);
    }

    #[test]
    fn profiles_without_ranks_are_numbered() {
        let files: Vec<PathBuf> = ["a", "b", "c"].map(PathBuf::from).to_vec();
        let numbered = |ranks: &[u32]| {
            let mut numbering = Numbering::default();
            ranks
                .iter()
                .enumerate()
                .map(|(place, &rank)| numbering.rank(rank, place, &files).ok())
                .collect::<Vec<_>>()
        };
        assert_eq!(numbered(&[0, 0, 0]), [Some(0), Some(1), Some(2)]);
        assert_eq!(numbered(&[2, 0, 1]), [Some(2), Some(0), Some(1)]);
        assert_eq!(numbered(&[1, 0, 0]), [Some(1), Some(0), None]);
        assert_eq!(numbered(&[0, 0, 3]), [Some(0), Some(1), None]);
    }
}
