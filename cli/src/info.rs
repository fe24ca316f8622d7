//! `xtimer info`: what files hold.

use std::io::{self, Write};

use xtimer_core::profile::{Reduced, View};

use crate::failure::Result;
use crate::input::{self, Item};
use crate::line::Info;
use crate::overview::losses_of;
use crate::table::printable;
use crate::units;

/// Tells of each profile of each file.
pub fn run(options: &Info) -> Result {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut last = None;
    input::for_each(&options.inputs, |file, item| {
        if last.as_deref() != Some(file) {
            writeln!(out, "{}", input::shown(file))?;
            last = Some(file.to_path_buf());
        }
        match item {
            Item::Rank(view, rank) => write_rank(&mut out, &view, rank)?,
            Item::Reduced(reduced) => write_reduced(&mut out, &reduced)?,
        }
        Ok(())
    })?;
    Ok(out.flush()?)
}

fn write_rank(out: &mut dyn Write, view: &View<'_>, rank: u32) -> io::Result<()> {
    let (clock, price) = (view.clock(), view.price());
    write!(out, "  rank {rank}")?;
    if !view.source().label.is_empty() {
        write!(out, " ({})", printable(view.source().label))?;
    }
    writeln!(out, ", format version {}", view.version())?;
    writeln!(
        out,
        "    {} sections, {} categories, {} in all",
        view.section_count(),
        view.category_count(),
        units::shown(view.total() as f64)
    )?;
    write!(out, "    clock {}, {} bits", printable(clock.name), clock.width)?;
    for (what, picoseconds) in [("a pair costs", price.pair), ("quantum", price.quantum)] {
        if picoseconds != 0 {
            write!(out, ", {what} {}", units::shown(f64::from(picoseconds) / 1000.0))?;
        }
    }
    writeln!(out)?;
    let histograms = view.histograms().count();
    let (mut kept, mut dropped) = (0_u64, 0_u64);
    for lane in view.samples() {
        kept += u64::from(lane.count);
        dropped = dropped.saturating_add(lane.dropped);
    }
    writeln!(out, "    {kept} samples ({dropped} dropped), {histograms} histograms")?;
    write_losses(out, view.losses())
}

fn write_reduced(out: &mut dyn Write, reduced: &Reduced) -> io::Result<()> {
    write!(out, "  reduced from {} ranks", reduced.rank_count())?;
    if let Some((lowest, highest)) = reduced.rank_range() {
        write!(out, ", {lowest} to {highest}")?;
    }
    writeln!(out)?;
    let (sections, categories) = (reduced.sections().count(), reduced.categories().count());
    writeln!(
        out,
        "    {sections} sections, {categories} categories, {} on a rank on average",
        units::shown(reduced.across().mean())
    )?;
    let whole = reduced.sections().filter(|(_, section)| section.has_whole_histogram()).count();
    writeln!(out, "    {whole} sections with a whole histogram")?;
    write_losses(out, reduced.losses())
}

fn write_losses(out: &mut dyn Write, losses: &xtimer_core::Losses) -> io::Result<()> {
    let lost: Vec<String> = losses_of(losses)
        .into_iter()
        .filter(|loss| loss.1 > 0)
        .map(|(name, count)| format!("{name} {count}"))
        .collect();
    writeln!(out, "    lost: {}", if lost.is_empty() { "nothing".into() } else { lost.join(", ") })
}
