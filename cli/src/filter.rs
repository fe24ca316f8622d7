//! Which sections are meant: by path, name and category.

use glob::Pattern;

use crate::failure::{Failure, Result};

/// Patterns, compiled; a section must match one of each kind that is given.
#[derive(Debug, Default)]
pub struct Filter {
    paths: Vec<Pattern>,
    names: Vec<Pattern>,
    categories: Vec<Pattern>,
}

fn compiled(patterns: &[String]) -> Result<Vec<Pattern>> {
    let compile = |text: &String| {
        Pattern::new(text)
            .map_err(|error| Failure::Sentence(format!("'{text}' is no pattern: {error}")))
    };
    patterns.iter().map(compile).collect()
}

impl Filter {
    /// Compiles patterns.
    pub fn new(paths: &[String], names: &[String], categories: &[String]) -> Result<Self> {
        Ok(Self {
            paths: compiled(paths)?,
            names: compiled(names)?,
            categories: compiled(categories)?,
        })
    }

    /// Whether it lets everything through.
    pub fn is_open(&self) -> bool {
        self.paths.is_empty() && self.names.is_empty() && self.categories.is_empty()
    }

    /// Whether a section is meant. A path is meant with all that is nested in it.
    pub fn admits<'n>(&self, path: &[&str], categories: impl IntoIterator<Item = &'n str>) -> bool {
        let any = |patterns: &[Pattern], text: &str| {
            patterns.is_empty() || patterns.iter().any(|pattern| is_match(pattern, text))
        };
        let is_beneath = self.paths.is_empty()
            || (1..=path.len()).any(|names| any(&self.paths, &path[..names].join("/")));
        is_beneath
            && any(&self.names, path.last().unwrap_or(&""))
            && (self.categories.is_empty()
                || categories.into_iter().any(|category| any(&self.categories, category)))
    }
}

/// Whether a pattern is the text, letter by letter (`step[3]` is a name as well), or matches it.
pub fn is_match(pattern: &Pattern, text: &str) -> bool {
    pattern.as_str() == text || pattern.matches(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_must_match() {
        let all = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let filter = Filter::new(&all(&["train/s*"]), &all(&["load"]), &all(&["io"])).unwrap();
        assert!(filter.admits(&["train", "step", "load"], ["io"]));
        assert!(!filter.admits(&["train", "step", "load"], ["gpu"]));
        assert!(!filter.admits(&["train", "step"], ["io"]));
        assert!(!filter.admits(&["test", "step", "load"], ["io"]));
        assert!(Filter::default().admits(&["x"], []));
        let counted = Filter::new(&all(&["step[3]"]), &[], &[]).unwrap();
        assert!(counted.admits(&["step[3]"], []));
    }
}
