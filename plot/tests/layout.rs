//! Text neither overlaps nor leaves the picture: the ink of each is remembered, and compared.

use std::convert::Infallible;

use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendTextStyle, DrawingBackend, DrawingErrorKind,
};
use xtimer_plot::plotters::prelude::IntoDrawingArea;
use xtimer_plot::{Options, Series, draw};

/// A text and the least rectangle around its ink: left, top, right, bottom.
type Inked = (String, [i32; 4]);

/// Draws nothing, and remembers where text would be.
struct Recorder<'r> {
    size: (u32, u32),
    texts: &'r mut Vec<Inked>,
}

impl DrawingBackend for Recorder<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Result<(), DrawingErrorKind<Infallible>> {
        Ok(())
    }

    fn present(&mut self) -> Result<(), DrawingErrorKind<Infallible>> {
        Ok(())
    }

    fn draw_pixel(
        &mut self,
        _: BackendCoord,
        _: BackendColor,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        Ok(())
    }

    /// As the bitmap's, which is the trait's own.
    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        at: BackendCoord,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        let failed = |error: S::FontError| DrawingErrorKind::FontError(Box::new(error));
        let ((left, top), (right, bottom)) = style.layout_box(text).map_err(failed)?;
        let (width, height) = (right - left, bottom - top);
        let by_x = match style.anchor().h_pos {
            HPos::Left => 0,
            HPos::Right => -width,
            HPos::Center => -width / 2,
        };
        let by_y = match style.anchor().v_pos {
            VPos::Top => 0,
            VPos::Center => -height / 2,
            VPos::Bottom => -height,
        };
        let mut ink = [i32::MAX, i32::MAX, i32::MIN, i32::MIN];
        let drawn = style.draw(text, (0, 0), |x, y, colour| {
            if colour.alpha > 0.2 {
                let (x, y) = style.transform().transform(x + by_x - left, y + by_y - top);
                let (x, y) = (at.0 + x, at.1 + y);
                ink = [ink[0].min(x), ink[1].min(y), ink[2].max(x), ink[3].max(y)];
            }
            Ok::<(), Infallible>(())
        });
        let Ok(()) = drawn.map_err(failed)?;
        self.texts.push((text.to_owned(), ink));
        Ok(())
    }
}

fn texts(size: (u32, u32), series: &[Series], options: &Options) -> Vec<Inked> {
    let mut texts = Vec::new();
    let area = Recorder { size, texts: &mut texts }.into_drawing_area();
    draw(&area, series, options).unwrap();
    drop(area);
    texts.retain(|(text, _)| !text.trim().is_empty());
    texts
}

#[track_caller]
fn check(what: &str, size: (u32, u32), series: &[Series], options: &Options) {
    let texts = texts(size, series, options);
    assert!(texts.len() >= 3, "{what}: {texts:?}");
    for (place, (text, [left, top, right, bottom])) in texts.iter().enumerate() {
        let is_inside =
            *left >= 0 && *top >= 0 && *right < size.0 as i32 && *bottom < size.1 as i32;
        assert!(is_inside, "{what} {size:?}: '{text}' leaves the picture");
        for (other, ink) in &texts[..place] {
            let apart = *left > ink[2] || ink[0] > *right || *top > ink[3] || ink[1] > *bottom;
            assert!(apart, "{what} {size:?}: '{text}' and '{other}' overlap");
        }
    }
}

/// Durations around a mean, the same on every run.
fn rank(number: u64, count: u64, mean: f64) -> Series {
    let mut state = number << 1 | 1;
    let durations: Vec<u64> = (0..count)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (mean * (0.5 + (state >> 40) as f64 / (1_u64 << 24) as f64)) as u64
        })
        .collect();
    Series::from_durations(number.to_string(), &durations)
}

#[test]
fn text_does_not_overlap() {
    let ranks = |count: u64, mean: f64| -> Vec<Series> {
        (0..count).map(|number| rank(number, 100, mean)).collect()
    };
    let alone = |durations: &[u64]| vec![Series::from_durations("0", durations)];
    let spread: Vec<u64> = (0..900).map(|n| 10_u64.pow(n % 9) * u64::from(n + 1)).collect();
    let near: Vec<u64> = (0..50).map(|n| 1_000_000_000 + n).collect();
    let cases = [
        ("1 rank", ranks(1, 1.5e6)),
        ("2 ranks", ranks(2, 999.0)),
        ("16 ranks", ranks(16, 2.4e9)),
        ("60 ranks", ranks(60, 7e4)),
        ("1 sample", alone(&[1_234_567])),
        ("equal samples", alone(&[250; 40])),
        ("none", alone(&[])),
        (
            "none of 2",
            ranks(2, 0.0).into_iter().map(|_| Series::from_durations("0", &[])).collect(),
        ),
        ("spread", alone(&spread)),
        ("near", alone(&near)),
        ("0", alone(&[0, 0, 1])),
        ("long", alone(&[u64::MAX, u64::MAX / 2, 1])),
    ];
    let long = Options {
        title: "A title that is longer than anybody asks for, ".repeat(4),
        subject: "train/".repeat(60),
        ..Options::default()
    };
    for (what, series) in &cases {
        for size in [(960, 600), (420, 260), (200, 150)] {
            for is_log in [false, true] {
                check(what, size, series, &Options { is_log, ..Options::default() });
                check(what, size, series, &Options { is_log, ..long.clone() });
            }
        }
    }
}
