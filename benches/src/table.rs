//! Tables in markdown, columns aligned so that they also read as text.

use crate::alternate::Outcome;

/// Rows of cells under a head.
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these column heads.
    pub fn new(head: &[&str]) -> Self {
        Self { rows: vec![head.iter().map(|&cell| cell.to_owned()).collect()] }
    }

    /// Adds a row.
    pub fn add(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// A table of outcomes: what, nanoseconds, ratio, its quartiles, nanoseconds above bare, aim.
    pub fn of_outcomes() -> Self {
        Self::new(&["a pair", "ns", "bare, ns", "ratio", "quartiles", "above bare, ns", "aim"])
    }

    /// Adds an outcome.
    pub fn add_outcome(&mut self, name: &str, outcome: &Outcome, aim: Option<Aim>) {
        self.add([
            name.to_owned(),
            format!("{:.1}", outcome.nanoseconds),
            format!("{:.1}", outcome.bare),
            format!("{:.3}", outcome.ratio),
            format!("{:.3}-{:.3}", outcome.quartiles.0, outcome.quartiles.1),
            format!("{:.1}", outcome.above),
            aim.map_or_else(String::new, |aim| aim.verdict(outcome)),
        ]);
    }

    /// Prints it, if it has rows.
    pub fn print(&self) {
        if self.rows.len() > 1 {
            println!("{}", self.text());
        }
    }

    /// Its text.
    pub fn text(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut text = String::new();
        for (number, row) in self.rows.iter().enumerate() {
            let cells = row.iter().enumerate().map(|(column, cell)| match column {
                0 => format!("{cell:<0$}", widths[column]),
                _ => format!("{cell:>0$}", widths[column]),
            });
            text += &format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "));
            if number == 0 {
                let rule = widths.iter().enumerate().map(|(column, &width)| match column {
                    0 => "-".repeat(width),
                    _ => "-".repeat(width.saturating_sub(1)) + ":",
                });
                text += &format!("| {} |\n", rule.collect::<Vec<_>>().join(" | "));
            }
        }
        text
    }
}

/// What a row should not exceed.
#[derive(Clone, Copy, Debug)]
pub enum Aim {
    /// A ratio to bare reads.
    Ratio(f64),
    /// Nanoseconds above bare reads.
    Above(f64),
}

impl Aim {
    /// Whether the outcome reaches it.
    pub fn is_reached(self, outcome: &Outcome) -> bool {
        match self {
            Self::Ratio(most) => outcome.ratio <= most,
            Self::Above(most) => outcome.above <= most,
        }
    }

    fn verdict(self, outcome: &Outcome) -> String {
        let reached = if self.is_reached(outcome) { "" } else { ", missed" };
        match self {
            Self::Ratio(most) => format!("{most:.2}{reached}"),
            Self::Above(most) => format!("{most} ns above{reached}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_aligned_markdown() {
        let mut table = Table::new(&["a pair", "ns"]);
        table.add(["Rust".to_owned(), "20.0".to_owned()]);
        assert_eq!(table.text(), "| a pair |   ns |\n| ------ | ---: |\n| Rust   | 20.0 |\n");
    }

    #[test]
    fn an_aim_missed_is_said() {
        let outcome = Outcome {
            nanoseconds: 30.0,
            bare: 20.0,
            ratio: 1.5,
            quartiles: (1.4, 1.6),
            above: 10.0,
        };
        assert_eq!(Aim::Ratio(1.5).verdict(&outcome), "1.50");
        assert_eq!(Aim::Ratio(1.25).verdict(&outcome), "1.25, missed");
        assert_eq!(Aim::Above(6.0).verdict(&outcome), "6 ns above, missed");
    }
}
