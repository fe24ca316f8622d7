//! Draws the histograms that are hard to lay out, to be looked at: `cargo run -p xtimer-plot --example
//! gallery FOLDER`.

use std::error::Error;
use std::path::Path;

use xtimer_plot::{Options, Series, png, svg};

/// Durations around a mean, the same on every run.
fn durations(seed: u64, count: u64, mean: f64, spread: f64) -> Vec<u64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut uniform = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut normal = || (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
    (0..count).map(|_| (mean + spread * normal()).max(1.0) as u64).collect()
}

fn ranks(count: u64, mean: f64) -> Vec<Series> {
    let of = |rank: u64| {
        let mean = mean * (1.0 + 0.03 * (rank % 7) as f64);
        Series::from_durations(rank.to_string(), &durations(rank + 1, 2000, mean, mean / 20.0))
    };
    (0..count).map(of).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("name a folder for the pictures")?;
    let folder = Path::new(&folder);
    let subject = "train/step/forward".to_owned();
    let plain = Options { subject, ..Options::default() };
    let log = Options { is_log: true, ..plain.clone() };
    let long = Options {
        title: "A title that is much longer than anybody would ask for, ".repeat(3),
        subject: "train/".repeat(40),
        ..plain.clone()
    };
    let wide = vec![Series::from_durations(
        "0",
        &(0..3000).map(|n| 10_u64.pow(n % 9) * u64::from(n + 1)).collect::<Vec<_>>(),
    )];
    let near = vec![Series::from_durations("0", &durations(9, 500, 1e9, 8.0))];
    let pictures = [
        ("1 rank", ranks(1, 1.5e6), &plain),
        ("2 ranks", ranks(2, 1.5e6), &plain),
        ("16 ranks", ranks(16, 2.4e9), &plain),
        ("100 ranks", ranks(100, 7e4), &plain),
        ("1 sample", vec![Series::from_durations("0", &[1_234_567])], &plain),
        ("equal samples", vec![Series::from_durations("0", &[250; 40])], &plain),
        ("equal samples log", vec![Series::from_durations("0", &[250; 40])], &log),
        ("none", vec![Series::from_durations("0", &[])], &plain),
        (
            "none of 2",
            vec![Series::from_durations("0", &[]), Series::from_durations("1", &[])],
            &plain,
        ),
        ("log", wide, &log),
        ("log 2 ranks", ranks(2, 1.5e6), &log),
        ("near", near, &plain),
        ("long", ranks(2, 1.5e6), &long),
    ];
    std::fs::create_dir_all(folder)?;
    for (name, series, options) in pictures {
        for (size, shape) in [((960, 600), ""), ((420, 260), " small")] {
            let file = folder.join(format!("{name}{shape}").replace(' ', "-"));
            std::fs::write(file.with_extension("png"), png(size, &series, options)?)?;
            std::fs::write(file.with_extension("svg"), svg(size, &series, options)?)?;
        }
    }
    Ok(())
}
