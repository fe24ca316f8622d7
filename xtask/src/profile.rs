//! Checks an exported JSON by the rules of the design: written from the text, not from the
//! library's code, and in whole nanoseconds read from the digits.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// What the checks read of a profile.
#[derive(Deserialize)]
struct Profile<'a> {
    #[serde(borrow)]
    total_time: &'a RawValue,
    #[serde(borrow)]
    total_category_time: Ordered<'a>,
    #[serde(borrow)]
    sections: Vec<Section<'a>>,
    lost: Lost,
}

/// Of the losses, what would make the totals more than the sections' own.
#[derive(Deserialize)]
struct Lost {
    no_slot: u64,
}

#[derive(Deserialize)]
struct Section<'a> {
    name: String,
    path: Vec<String>,
    #[serde(borrow)]
    time: &'a RawValue,
    category: String,
    count: u64,
    #[serde(borrow)]
    self_time: &'a RawValue,
    open: u64,
    #[serde(default)]
    exceeded: bool,
}

/// A JSON object whose order counts.
struct Ordered<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Ordered<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(entries)
            }
        }
        deserializer.deserialize_map(InOrder).map(Ordered)
    }
}

/// What was checked, for people.
pub struct Summary {
    /// Names and categories, in the order of the file.
    pub sections: Vec<(String, String)>,
    pub categories: usize,
}

/// Checks the text of an export. Sections named in `parallel` hold sections of other threads, which
/// may take longer than they do; for all others, what is nested adds up to no more.
///
/// # Errors
/// The first rule that it breaks.
pub fn check(text: &str, parallel: &[&str]) -> Result<Summary> {
    ensure!(text.ends_with('\n'), "the file does not end with a newline");
    let profile: Profile<'_> = serde_json::from_str(text).context("not the JSON of a profile")?;
    let sections = &profile.sections;
    ensure!(profile.lost.no_slot == 0, "sections were timed without a slot: totals hold more");
    let mut times = HashMap::new();
    for section in sections {
        let time = nanoseconds(section.time)?;
        ensure!(
            times.insert(section.path.as_slice(), (section, time)).is_none(),
            "{:?} is there twice",
            section.path
        );
    }
    depth_first(sections)?;

    let total: u64 = sections
        .iter()
        .filter(|section| !times.contains_key(parent(&section.path)))
        .map(|section| times[section.path.as_slice()].1)
        .sum();
    ensure!(
        total == nanoseconds(profile.total_time)?,
        "total_time is {}, the top-level sections add up to {total} ns",
        profile.total_time
    );

    let mut categories: BTreeMap<&str, u64> = BTreeMap::new();
    for section in sections {
        let inside = ancestors(&section.path).any(|path| {
            times.get(path).is_some_and(|(outer, _)| outer.category == section.category)
        });
        let sum = categories.entry(&section.category).or_default();
        if !inside {
            *sum += times[section.path.as_slice()].1;
        }
    }
    let stated = &profile.total_category_time.0;
    let names: Vec<_> = stated.iter().map(|(name, _)| name.as_str()).collect();
    let expected: Vec<_> = categories.keys().copied().collect();
    ensure!(names == expected, "total_category_time lists {names:?} instead of {expected:?}");
    for (name, time) in stated {
        let computed = categories[name.as_str()];
        ensure!(
            nanoseconds(time)? == computed,
            "category {name:?} is stated as {time}, its top-most sections add up to {computed} ns"
        );
    }

    nested(sections, parallel)?;
    let named = |section: &Section<'_>| (section.name.clone(), section.category.clone());
    Ok(Summary { sections: sections.iter().map(named).collect(), categories: categories.len() })
}

/// Sections come depth-first: a section follows right behind its nearest recorded ancestor and
/// that one's other descendants.
fn depth_first(sections: &[Section<'_>]) -> Result<()> {
    let all: BTreeSet<_> = sections.iter().map(|section| section.path.as_slice()).collect();
    let mut open: Vec<&[String]> = Vec::new();
    for section in sections {
        ensure!(section.path.last() == Some(&section.name), "{:?} is not named so", section.path);
        while open.last().is_some_and(|outer| !section.path.starts_with(outer)) {
            open.pop();
        }
        let nearest = ancestors(&section.path).find(|path| all.contains(path));
        ensure!(
            nearest == open.last().copied(),
            "{:?} does not stand among its parent's sections",
            section.path
        );
        open.push(&section.path);
    }
    Ok(())
}

/// What a section took is its own time and that of the sections nested in it, to the nanosecond
/// that each rounds by: so nested sections never take longer than the one around them.
fn nested(sections: &[Section<'_>], parallel: &[&str]) -> Result<()> {
    let mut children: HashMap<&[String], Vec<u64>> = HashMap::new();
    for section in sections {
        let siblings = children.entry(parent(&section.path)).or_default();
        siblings.push(nanoseconds(section.time)?);
    }
    for outer in sections {
        let (path, time) = (&outer.path, nanoseconds(outer.time)?);
        let own = nanoseconds(outer.self_time)?;
        let inner = children.remove(path.as_slice()).unwrap_or_default();
        let (sum, rounding) = (inner.iter().sum::<u64>(), ROUNDING * (inner.len() as u64 + 1));
        ensure!(outer.count > 0 || time == 0, "{path:?} has time and no count");
        ensure!(own <= time, "{path:?} has more time of its own, {own} ns, than in all, {time} ns");
        if outer.open > 0 {
            // Its time is that of earlier entries, while what is nested in the open one counts.
            continue;
        }
        if parallel.contains(&outer.name.as_str()) {
            ensure!(
                outer.exceeded || sum <= time + rounding,
                "{path:?} is exceeded and does not say so"
            );
            ensure!(
                own + sum + rounding >= time,
                "{path:?} misses time: {own} and {sum} of {time}"
            );
            continue;
        }
        ensure!(
            (own + sum).abs_diff(time) <= rounding,
            "{path:?} took {time} ns: {own} ns of its own and {sum} ns in the sections nested in it"
        );
        ensure!(!outer.exceeded, "{path:?} is exceeded by the sections nested in it");
    }
    Ok(())
}

/// Nanoseconds that a row may be off by: one for each row that flattening joined to it.
const ROUNDING: u64 = 16;

/// The path around `path`; empty for a top-level one, which is no section's.
fn parent(path: &[String]) -> &[String] {
    path.split_last().map_or(&[], |(_, outer)| outer)
}

/// The paths around `path`, nearest first.
fn ancestors(path: &[String]) -> impl Iterator<Item = &[String]> {
    (1..path.len()).rev().map(|length| &path[..length])
}

/// Seconds with at most nine decimals, as whole nanoseconds.
fn nanoseconds(number: &RawValue) -> Result<u64> {
    let text = number.get();
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_digits(whole) || !is_digits(decimals) || decimals.len() > 9 {
        bail!("{text} is not seconds with at most nine decimals");
    }
    format!("{whole}{decimals:0<9}").parse().with_context(|| format!("{text} s are too many"))
}

#[cfg(test)]
mod tests {
    use super::check;

    /// `train` with `step` in it, which holds two workers and so is exceeded; `load` in `train`.
    const GOOD: &str = r#"{"total_time":0.000010000,
        "total_category_time":{"compute":0.000012000,"default":0.000010000,"io":0.000001500},
        "sections":[
        {"name":"train","path":["train"],"time":0.000010000,"category":"default","count":1,
         "self_time":0.000001500,"open":0},
        {"name":"step","path":["train","step"],"time":0.000007000,"category":"default","count":2,
         "self_time":0.000007000,"open":0,"exceeded":true},
        {"name":"worker","path":["train","step","worker"],"time":0.000012000,"category":"compute",
         "count":4,"self_time":0.000011000,"open":0},
        {"name":"add","path":["train","step","worker","add"],"time":0.000001000,
         "category":"compute","count":4,"self_time":0.000001000,"open":0},
        {"name":"load","path":["train","load"],"time":0.000001500,"category":"io","count":1,
         "self_time":0.000001500,"open":0}],
        "lost":{"no_slot":0}}
"#;

    fn reason(text: &str) -> String {
        check(text, &["step"]).err().map_or_else(String::new, |error| format!("{error:#}"))
    }

    /// The good profile with one thing changed, which has to be found.
    fn broken(from: &str, to: &str) -> String {
        assert!(GOOD.contains(from), "{from} is not in the example");
        reason(&GOOD.replacen(from, to, 1))
    }

    #[test]
    fn a_right_profile_passes() {
        assert_eq!(reason(GOOD), "");
    }

    #[test]
    fn a_wrong_total_is_found() {
        let why = broken(r#""total_time":0.000010000"#, r#""total_time":0.000010001"#);
        assert!(why.contains("add up to 10000 ns"), "{why}");
    }

    #[test]
    fn a_category_counted_twice_is_found() {
        let why = broken(r#""compute":0.000012000"#, r#""compute":0.000013000"#);
        assert!(why.contains("add up to 12000 ns"), "{why}");
    }

    #[test]
    fn a_category_out_of_order_or_missing_is_found() {
        let why = broken(r#","io":0.000001500"#, "");
        assert!(why.contains("instead of"), "{why}");
        let why = broken(
            r#""default":0.000010000,"io":0.000001500"#,
            r#""io":0.000001500,"default":0.000010000"#,
        );
        assert!(why.contains("instead of"), "{why}");
    }

    #[test]
    fn nested_sections_beyond_their_parent_are_found() {
        let why = broken(r#""time":0.000001000,"#, r#""time":0.000001100,"#);
        assert!(why.contains("nested in it"), "{why}");
    }

    #[test]
    fn a_parallel_section_has_to_say_that_it_is_exceeded() {
        let why = broken(r#","exceeded":true"#, "");
        assert!(why.contains("does not say so"), "{why}");
    }

    #[test]
    fn an_order_that_is_not_depth_first_is_found() {
        let why = broken(r#"["train","step","worker","add"]"#, r#"["add"]"#);
        assert!(why.contains("does not stand among"), "{why}");
    }

    #[test]
    fn a_section_that_is_there_twice_is_found() {
        let why = broken(
            r#""name":"step","path":["train","step"]"#,
            r#""name":"train","path":["train"]"#,
        );
        assert!(why.contains("there twice"), "{why}");
    }

    #[test]
    fn seconds_have_nine_decimals_at_most_and_no_exponent() {
        for wrong in ["0.0000100000", "1e-5", "-0.00001"] {
            let why = broken(r#""total_time":0.000010000"#, &format!(r#""total_time":{wrong}"#));
            assert!(why.contains("nine decimals"), "{wrong}: {why}");
        }
    }

    #[test]
    fn a_file_without_its_last_newline_is_found() {
        assert!(reason(GOOD.trim_end()).contains("newline"));
    }
}
