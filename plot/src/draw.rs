//! A histogram drawn into an area of plotters: heading, axes, bars, and a legend beside them.
//!
//! Text is measured before it is placed: a heading that is too wide is made smaller and then cut, ticks
//! are left out until their labels have room, and a legend that is too long says how many it leaves out.

use std::sync::Once;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontStyle, register_font};

use crate::axis::{Axis, time};
use crate::bins::{Bins, Edges};
use crate::series::Series;

/// The title of a histogram that got none.
pub const TITLE: &str = "Time Distribution";

/// How a histogram is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The first line of the heading.
    pub title: String,
    /// What it is of, before n, mean and std in the second line; may be empty.
    pub subject: String,
    /// How bins are chosen, for all series together.
    pub bins: Bins,
    /// Whether the axis of time is logarithmic.
    pub is_log: bool,
    /// How opaque bars are, from 0 to 1.
    pub alpha: f64,
}

impl Default for Options {
    fn default() -> Self {
        let (title, subject) = (TITLE.into(), String::new());
        Self { title, subject, bins: Bins::default(), is_log: false, alpha: 0.7 }
    }
}

/// What can go wrong: the backend's own errors.
type Drawn<DB> = Result<(), DrawingAreaErrorKind<<DB as DrawingBackend>::ErrorType>>;
type Area<DB> = DrawingArea<DB, Shift>;

/// In an SVG the viewer chooses from these; a bitmap has the first.
const FAMILY: &str = "DejaVu Sans, Verdana, sans-serif";
/// Text is not made smaller than this.
const LEAST_SIZE: f64 = 9.0;
const MARGIN: i32 = 10;
const GREY: RGBColor = RGBColor(90, 90, 90);

fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // The font is whole; where it were not, text would be missing and the rest drawn.
        let _ = register_font(FAMILY, FontStyle::Normal, dejavu::sans::regular());
    });
}

fn style(size: f64, colour: RGBColor) -> TextStyle<'static> {
    (FAMILY, size).into_font().color(&colour)
}

fn width<DB: DrawingBackend>(area: &Area<DB>, text: &str, style: &TextStyle<'_>) -> i32 {
    area.estimate_text_size(text, style).map_or(0, |size| size.0 as i32)
}

/// Ten colours that stay apart, then hues.
fn colour(number: usize) -> RGBColor {
    const FIRST: [(u8, u8, u8); 10] = [
        (31, 119, 180),
        (255, 127, 14),
        (44, 160, 44),
        (214, 39, 40),
        (148, 103, 189),
        (140, 86, 75),
        (227, 119, 194),
        (127, 127, 127),
        (188, 189, 34),
        (23, 190, 207),
    ];
    match FIRST.get(number) {
        Some(&(red, green, blue)) => RGBColor(red, green, blue),
        None => {
            let hue = (number as f64 * 0.618_034).fract();
            let (red, green, blue) = HSLColor(hue, 0.6, 0.35 + 0.1 * (number % 3) as f64).rgb();
            RGBColor(red, green, blue)
        }
    }
}

/// Draws the histogram of `series` into `area`. One series is drawn alone; several lie over each other,
/// each with a line (name, n, mean, std) in a legend. Without durations the picture says so.
///
/// ```
/// use plotters::prelude::*;
/// use xtimer_plot::{Options, Series, draw, plotters};
///
/// let mut page = String::new();
/// let area = SVGBackend::with_string(&mut page, (900, 900)).into_drawing_area();
/// let (upper, lower) = area.split_vertically(450);
/// let series = [Series::from_durations("load", &[2000, 2100, 2600])];
/// draw(&upper, &series, &Options::default()).unwrap();
/// draw(&lower, &series, &Options { is_log: true, ..Options::default() }).unwrap();
/// ```
///
/// # Errors
/// The backend's.
pub fn draw<DB: DrawingBackend>(
    area: &Area<DB>,
    series: &[Series],
    options: &Options,
) -> Drawn<DB> {
    register();
    area.fill(&WHITE)?;
    let (total_width, total_height) = area.dim_in_pixel();
    let heading = heading(area, series, options, total_width as i32 - 2 * MARGIN)?;
    let (_, below) = area.split_vertically(heading);
    let below = below.margin(0, MARGIN, MARGIN, MARGIN);
    let (plot, legend_area) = if series.len() > 1 {
        let legend = Legend::measure(&below, series);
        let at = below.dim_in_pixel().0 as i32 - legend.width;
        let (left, right) = below.split_horizontally(at.max(below.dim_in_pixel().0 as i32 / 2));
        (left, Some((right, legend)))
    } else {
        (below, None)
    };
    if let Some((right, legend)) = legend_area {
        legend.draw(&right, series, options)?;
    }
    bars(&plot, series, options, f64::from(total_height))
}

/// Draws title, subject and numbers; how high they are.
fn heading<DB: DrawingBackend>(
    area: &Area<DB>,
    series: &[Series],
    options: &Options,
    room: i32,
) -> Result<i32, DrawingAreaErrorKind<DB::ErrorType>> {
    let height = f64::from(area.dim_in_pixel().1);
    let all = match series {
        [one] => one.clone(),
        many => Series::united(many),
    };
    let numbers =
        format!("n = {}   mean = {}   std = {}", all.count, time(all.mean), time(all.std));
    let subject = if options.subject.is_empty() {
        numbers
    } else {
        format!("{}   {numbers}", options.subject)
    };
    let mut top = MARGIN;
    for (text, size, least, colour) in
        [(&options.title, height * 0.042, 15.0, BLACK), (&subject, height * 0.026, 11.0, GREY)]
    {
        let size = size.clamp(least, 28.0);
        let (text, size) = fitted(area, text, size, room);
        let style = style(size, colour).pos(Pos::new(HPos::Center, VPos::Top));
        area.draw_text(&text, &style, (MARGIN + room / 2, top))?;
        top += (size * 1.4) as i32;
    }
    Ok(top + 4)
}

/// A text and its size, so that it has room: smaller, and then cut.
fn fitted<DB: DrawingBackend>(area: &Area<DB>, text: &str, size: f64, room: i32) -> (String, f64) {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let wide = width(area, &line, &style(size, BLACK));
    if wide <= room {
        return (line, size);
    }
    let smaller = (size * f64::from(room) / f64::from(wide.max(1))).max(LEAST_SIZE);
    (cut(area, &line, smaller, room), smaller)
}

/// A text with its middle left out, so that it has room.
fn cut<DB: DrawingBackend>(area: &Area<DB>, text: &str, size: f64, room: i32) -> String {
    let style = style(size, BLACK);
    if width(area, text, &style) <= room {
        return text.to_owned();
    }
    let letters: Vec<char> = text.chars().collect();
    let with = |kept: usize| -> String {
        let (front, back) = (kept.div_ceil(2), kept / 2);
        letters[..front]
            .iter()
            .chain(['…'].iter())
            .chain(&letters[letters.len() - back..])
            .collect()
    };
    // The most letters that have room.
    let (mut low, mut high) = (0, letters.len().saturating_sub(1));
    while low < high {
        let middle = (low + high).div_ceil(2);
        if width(area, &with(middle), &style) <= room { low = middle } else { high = middle - 1 }
    }
    with(low)
}

fn bars<DB: DrawingBackend>(
    area: &Area<DB>,
    series: &[Series],
    options: &Options,
    height: f64,
) -> Drawn<DB> {
    let size = (height * 0.024).clamp(LEAST_SIZE, 16.0);
    let label = style(size, GREY);
    let (wide, high) = area.dim_in_pixel();
    let Some(edges) = Edges::of(series, options.bins, options.is_log, (wide / 3) as usize) else {
        let text = style(size * 1.3, GREY).pos(Pos::new(HPos::Center, VPos::Center));
        return area.draw_text("no durations to show", &text, (wide as i32 / 2, high as i32 / 2));
    };
    let counts: Vec<Vec<u64>> = series.iter().map(|series| edges.counts(series)).collect();
    let most = counts.iter().flatten().copied().max().unwrap_or(0);
    let count_axis = Axis::counts(most);
    let labels = count_axis.ticks.iter().map(|tick| width(area, &tick.1, &label));
    let left = labels.max().unwrap_or(0) + (size * 2.6) as i32;
    let bottom = (size * 3.4) as i32;

    let inner = wide as i32 - left - MARGIN;
    // One bar alone is no wall.
    let padding = (edges.to - edges.from) * if edges.count == 1 { 1.0 } else { 0.02 };
    let range = edges.from - padding..edges.to + padding;
    // A duration is never below 0.
    let range =
        if edges.is_log || edges.from < 0.0 { range } else { range.start.max(0.0)..range.end };
    let fits = |ticks: &[(f64, String)]| {
        let gap = size as i32;
        let place = |value: f64| {
            ((value - range.start) / (range.end - range.start) * f64::from(inner)) as i32
        };
        let spans: Vec<(i32, i32)> = ticks
            .iter()
            .map(|(value, text)| (place(*value), width(area, text, &label)))
            .map(|(middle, wide)| (middle - wide / 2, middle + wide / 2))
            .collect();
        spans.windows(2).all(|pair| pair[0].1 + gap < pair[1].0)
            && spans.last().is_none_or(|last| last.1 <= inner + MARGIN)
    };
    let (time_axis, unit) = Axis::times(range.clone(), edges.is_log, fits);
    let mut chart = ChartBuilder::on(area)
        .margin_top(size as u32 / 2)
        .margin_right(MARGIN)
        .set_label_area_size(LabelAreaPosition::Left, left)
        .set_label_area_size(LabelAreaPosition::Bottom, bottom)
        .build_cartesian_2d(time_axis, count_axis)?;
    let description = if unit.is_empty() { "time".to_owned() } else { format!("time / {unit}") };
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(225, 225, 225))
        .axis_style(GREY)
        .label_style(label.clone())
        .axis_desc_style(label)
        .x_desc(description)
        .y_desc("count")
        .draw()?;
    for (number, counts) in counts.iter().enumerate() {
        let fill = colour(number).mix(options.alpha.clamp(0.0, 1.0)).filled();
        let bars = counts.iter().enumerate().filter(|bar| *bar.1 > 0);
        chart.draw_series(bars.map(|(bin, &count)| {
            Rectangle::new([(edges.edge(bin), 0.0), (edges.edge(bin + 1), count as f64)], fill)
        }))?;
    }
    Ok(())
}

/// The table of the series.
struct Legend {
    size: f64,
    /// The widths of its columns; those at the end that have no room are left out.
    columns: Vec<i32>,
    width: i32,
}

const HEAD: [&str; 4] = ["rank", "n", "mean", "std"];
/// Between columns, and before a line's square of colour.
const GAP: i32 = 12;

fn cells(series: &Series) -> [String; 4] {
    [series.name.clone(), series.count.to_string(), time(series.mean), time(series.std)]
}

impl Legend {
    fn measure<DB: DrawingBackend>(area: &Area<DB>, series: &[Series]) -> Self {
        let (wide, high) = area.dim_in_pixel();
        let lines = series.len() as f64 + 1.0;
        let fitting = f64::from(high) / lines / 1.45;
        let mut legend = Self::of_size(area, series, fitting.clamp(LEAST_SIZE, 13.0));
        // Half of the picture is for the bars.
        while legend.width > wide as i32 / 2 && legend.size > LEAST_SIZE {
            legend = Self::of_size(area, series, legend.size - 0.5);
        }
        while legend.width > wide as i32 / 2 && legend.columns.len() > 1 {
            legend.width -= legend.columns.pop().map_or(0, |column| column + GAP);
        }
        let excess = (legend.width - wide as i32 / 2).max(0);
        legend.columns[0] = (legend.columns[0] - excess).max(legend.size as i32 * 3);
        legend.width -= excess;
        legend
    }

    fn of_size<DB: DrawingBackend>(area: &Area<DB>, series: &[Series], size: f64) -> Self {
        let text = style(size, BLACK);
        let mut columns = HEAD.map(|head| width(area, head, &text)).to_vec();
        for series in series {
            for (column, cell) in columns.iter_mut().zip(cells(series)) {
                *column = (*column).max(width(area, &cell, &text));
            }
        }
        let all: i32 = columns.iter().map(|column| column + GAP).sum();
        Self { size, columns, width: all + size as i32 + GAP + 4 }
    }

    fn draw<DB: DrawingBackend>(
        &self,
        area: &Area<DB>,
        series: &[Series],
        options: &Options,
    ) -> Drawn<DB> {
        let line = (self.size * 1.45) as i32;
        let room = (area.dim_in_pixel().1 as i32 / line).max(2) as usize - 1;
        let shown = if series.len() <= room { series.len() } else { room - 1 };
        self.line(area, 0, &HEAD.map(str::to_owned), GREY)?;
        for (number, series) in series.iter().take(shown).enumerate() {
            let top = (number as i32 + 1) * line;
            let square = self.size as i32 * 3 / 4;
            let fill = colour(number).mix(options.alpha.clamp(0.0, 1.0)).filled();
            area.draw(&Rectangle::new([(GAP, top + 2), (GAP + square, top + 2 + square)], fill))?;
            self.line(area, top, &cells(series), BLACK)?;
        }
        if shown < series.len() {
            let text = format!("and {} more", series.len() - shown);
            let top = (shown as i32 + 1) * line;
            area.draw_text(&text, &style(self.size, GREY), (GAP, top))?;
        }
        Ok(())
    }

    /// The first cell from the left, numbers to the right of their columns.
    fn line<DB: DrawingBackend>(
        &self,
        area: &Area<DB>,
        top: i32,
        cells: &[String; 4],
        colour: RGBColor,
    ) -> Drawn<DB> {
        let left = GAP + self.size as i32 + 2;
        let name = cut(area, &cells[0], self.size, self.columns[0]);
        area.draw_text(&name, &style(self.size, colour), (left, top))?;
        let mut right = left + self.columns[0];
        for (cell, column) in cells.iter().zip(&self.columns).skip(1) {
            right += column + GAP;
            let text = style(self.size, colour).pos(Pos::new(HPos::Right, VPos::Top));
            area.draw_text(cell, &text, (right, top))?;
        }
        Ok(())
    }
}
