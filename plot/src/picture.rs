//! SVG and PNG of a histogram.

use std::fmt;

use plotters::prelude::*;

use crate::draw::{Options, draw};
use crate::series::Series;

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureError(String);

impl PictureError {
    fn of(error: impl fmt::Display) -> Self {
        Self(error.to_string())
    }
}

impl fmt::Display for PictureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the picture could not be drawn: {}", self.0)
    }
}

impl std::error::Error for PictureError {}

/// The histogram as SVG, so many pixels wide and high.
///
/// # Errors
/// What the backend says.
pub fn svg(size: (u32, u32), series: &[Series], options: &Options) -> Result<String, PictureError> {
    let mut text = String::new();
    let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
    draw(&area, series, options).and_then(|()| area.present()).map_err(PictureError::of)?;
    drop(area);
    Ok(text)
}

/// The histogram as PNG, so many pixels wide and high.
///
/// # Errors
/// What the backend or the encoder says.
pub fn png(
    size: (u32, u32),
    series: &[Series],
    options: &Options,
) -> Result<Vec<u8>, PictureError> {
    let mut pixels = vec![0; size.0 as usize * size.1 as usize * 3];
    let area = BitMapBackend::with_buffer(&mut pixels, size).into_drawing_area();
    draw(&area, series, options).and_then(|()| area.present()).map_err(PictureError::of)?;
    drop(area);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, size.0, size.1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(PictureError::of)?;
    writer.write_image_data(&pixels).map_err(PictureError::of)?;
    writer.finish().map_err(PictureError::of)?;
    Ok(bytes)
}
