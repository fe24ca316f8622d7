//! Folded stacks: `rank 0;train;forward 1234`, the own time of each section in nanoseconds.
//!
//! What a format made for lines can't hold, `;` and line breaks in names, is written as `:` and a space.

use std::io::Write;

use xtimer_core::profile::{Gathered, Profile};

use crate::failure::Result;

/// Writes the stacks of all ranks, beneath their rank where there is more than one.
pub fn write(out: &mut dyn Write, gathered: &Gathered) -> Result {
    for profile in gathered.profiles() {
        let own = own_times(profile);
        for (index, time) in own.into_iter().enumerate().filter(|entry| entry.1 > 0) {
            if gathered.rank_count() > 1 {
                write!(out, "rank {};", profile.rank())?;
            }
            let names: Vec<String> = profile.path(index).into_iter().map(stack_name).collect();
            writeln!(out, "{} {time}", names.join(";"))?;
        }
    }
    Ok(())
}

fn stack_name(name: &str) -> String {
    name.chars()
        .map(|c| match c {
            ';' => ':',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect()
}

/// The own time of each section in nanoseconds: as it was kept, else its time less that of the sections
/// directly beneath it.
pub fn own_times(profile: &Profile) -> Vec<u64> {
    let sections = profile.sections();
    let mut beneath = vec![0_u64; sections.len()];
    for section in sections {
        if let Some(sum) = section.parent.and_then(|parent| beneath.get_mut(parent as usize)) {
            *sum = sum.saturating_add(section.numbers.total);
        }
    }
    let pairs = sections.iter().zip(beneath);
    pairs
        .map(|(section, beneath)| {
            let numbers = &section.numbers;
            numbers.exclusive.unwrap_or_else(|| numbers.total.saturating_sub(beneath))
        })
        .collect()
}
