//! Histograms of times: drawn into any area of plotters, as SVG, as PNG, or as text.
//!
//! ```
//! use xtimer_plot::{Options, Series, svg};
//!
//! let series = [
//!     Series::from_durations("rank 0", &[1_000_000, 1_200_000, 1_100_000]),
//!     Series::from_durations("rank 1", &[1_900_000, 2_000_000, 2_000_000]),
//! ];
//! let picture = svg((800, 500), &series, &Options::default()).unwrap();
//! assert!(picture.contains("Time Distribution"));
//! ```
//!
//! One series is all durations together; of several, each has its colour and a line in a legend.
//! [`draw`] takes the caller's own area. Times are nanoseconds.
//!
//! ```text
//! series    durations, and what they come to
//! bins      how many bars, and where they begin
//! axis      ticks and their labels, in the unit that suits
//! draw      into an area of plotters
//! picture   SVG and PNG
//! text      for a terminal
//! ```

mod axis;
mod bins;
mod draw;
mod picture;
mod series;
mod text;

pub use bins::{Bins, NoBins};
pub use draw::{Options, TITLE, draw};
pub use picture::{PictureError, png, svg};
pub use plotters;
pub use series::Series;
pub use text::text;
