//! A table for a terminal: columns as wide as what is in them, colours that are no part of the width.

use std::io::{self, Write};

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

/// One cell.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    text: String,
    style: Style,
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self { text, style: Style::new() }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl Cell {
    /// The cell in a style.
    pub fn styled(mut self, style: Style) -> Self {
        self.style = style;
        self
    }
}

/// On which side of a column its cells stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Left,
    Right,
}

/// A table on its way.
#[derive(Debug)]
pub struct Table {
    columns: Vec<(&'static str, Side)>,
    rows: Vec<Vec<Cell>>,
}

/// Between columns.
const GAP: usize = 2;

impl Table {
    /// A table with these columns.
    pub fn new(columns: &[(&'static str, Side)]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Adds a row: a cell for each column.
    pub fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    /// Writes it, with its head.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let head: Vec<Cell> = self
            .columns
            .iter()
            .map(|column| Cell::from(column.0).styled(Style::new().bold()))
            .collect();
        let mut widths = vec![0; self.columns.len()];
        for row in self.rows.iter().chain([&head]) {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.text.width());
            }
        }
        for row in std::iter::once(&head).chain(&self.rows) {
            self.line(out, row, &widths)?;
        }
        Ok(())
    }

    fn line(&self, out: &mut dyn Write, row: &[Cell], widths: &[usize]) -> io::Result<()> {
        let mut spaces = 0; // before the next text, so that no line ends with some
        for ((cell, width), column) in row.iter().zip(widths).zip(&self.columns) {
            let padding = width - cell.text.width();
            let (before, behind) =
                if column.1 == Side::Right { (padding, 0) } else { (0, padding) };
            spaces += before;
            if !cell.text.is_empty() {
                let Cell { text, style } = cell;
                write!(out, "{:spaces$}{style}{text}{style:#}", "")?;
                spaces = 0;
            } else {
                spaces += cell.text.width();
            }
            spaces += behind + GAP;
        }
        writeln!(out)
    }
}

/// A name as a terminal may see it: control characters are written out.
pub fn printable(name: &str) -> String {
    name.chars()
        .flat_map(|c| -> Box<dyn Iterator<Item = char>> {
            if c.is_control() { Box::new(c.escape_default()) } else { Box::new(std::iter::once(c)) }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_lines_end_with_text() {
        let mut table =
            Table::new(&[("section", Side::Left), ("time", Side::Right), ("note", Side::Left)]);
        table.row(vec!["a".into(), "1.000 s".into(), "".into()]);
        table.row(vec!["日本".into(), "12.000 ms".into(), "late".into()]);
        let mut out = Vec::new();
        table.write(&mut anstream::StripStream::new(&mut out)).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(
            text,
            "section       time  note\na          1.000 s\n日本     12.000 ms  late\n"
        );
    }

    #[test]
    fn control_characters_are_written_out() {
        assert_eq!(printable("a\u{1b}[31m\n"), "a\\u{1b}[31m\\n");
    }
}
