//! CSV: a row for each section of each rank, or for each sample.
//!
//! Times are seconds with nine decimals; what is not known is empty.

use std::io::Write;

use xtimer_core::profile::Gathered;

use crate::failure::Result;
use crate::units;

/// Sections of ranks.
pub fn write_sections(out: &mut dyn Write, gathered: &Gathered) -> Result {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record([
        "rank",
        "label",
        "path",
        "name",
        "depth",
        "category",
        "count",
        "time",
        "self_time",
        "min",
        "max",
        "open",
        "samples",
        "dropped",
    ])?;
    for profile in gathered.profiles() {
        let rank = profile.rank().to_string();
        for (index, section) in profile.sections().iter().enumerate() {
            let path = profile.path(index);
            let numbers = &section.numbers;
            let seconds = |time: Option<u64>| {
                time.map_or_else(String::new, |time| units::seconds(time.into()))
            };
            let (samples, dropped) = profile.samples(index);
            csv.write_record([
                &rank,
                profile.label(),
                &path.join("/"),
                &section.name,
                &(path.len() - 1).to_string(),
                profile.category_of(section),
                &numbers.count.to_string(),
                &seconds(Some(numbers.total)),
                &seconds(numbers.exclusive),
                &seconds(numbers.min),
                &seconds(numbers.max),
                &numbers.open.to_string(),
                &samples.len().to_string(),
                &dropped.to_string(),
            ])?;
        }
    }
    Ok(csv.flush()?)
}

/// Samples, by rank, section and lane.
pub fn write_samples(out: &mut dyn Write, gathered: &Gathered) -> Result {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(["rank", "lane", "path", "name", "category", "start", "time"])?;
    for profile in gathered.profiles() {
        let rank = profile.rank().to_string();
        for (index, section) in profile.sections().iter().enumerate() {
            let path = profile.path(index).join("/");
            for (lane, samples, _) in profile.lanes(index) {
                let lane = lane.to_string();
                for sample in samples {
                    csv.write_record([
                        &rank,
                        &lane,
                        &path,
                        &*section.name,
                        profile.category_of(section),
                        &units::seconds(sample.start.into()),
                        &units::seconds(sample.duration.into()),
                    ])?;
                }
            }
        }
    }
    Ok(csv.flush()?)
}
