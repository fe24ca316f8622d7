//! Figures as numpy gives them on the same samples: `statistics.py` wrote the values.

use serde_json::Value;
use xtimer_core::profile::{GatheredTimes, Profile, Records, Source};

use crate::vectors::expected;

fn close(found: f64, expected: &Value, what: &str) {
    let Some(expected) = expected.as_f64() else {
        assert!(expected.is_null() && found.is_nan(), "{what}: {found}, not {expected}");
        return;
    };
    let most = expected.abs() * 1e-12;
    assert!((found - expected).abs() <= most, "{what}: {found}, not {expected}");
}

#[test]
fn numpys() {
    let file = expected("statistics.json");
    let percents: Vec<f64> =
        file["percents"].as_array().unwrap().iter().filter_map(Value::as_f64).collect();
    let cases = file["cases"].as_object().unwrap();
    assert_eq!(cases.len(), 8);
    for (name, case) in cases {
        let samples: Vec<u64> =
            case["samples"].as_array().unwrap().iter().filter_map(Value::as_u64).collect();
        let ranks: Vec<u32> = (0..samples.len() as u32).map(|index| index % 3).collect();
        let times = GatheredTimes::from_records(&samples, &ranks).unwrap();
        assert_eq!(times.count(), samples.len() as u64);
        assert_eq!(u64::try_from(times.sum()).ok(), case["sum"].as_u64(), "{name}");
        assert_eq!((times.min(), times.max()), (case["min"].as_u64(), case["max"].as_u64()));
        close(times.mean(), &case["mean"], name);
        close(times.std(), &case["std"], name);
        let expected = case["percentiles"].as_array().unwrap();
        let found = times.percentiles(&percents);
        assert_eq!(found.len(), expected.len());
        for ((percent, found), expected) in percents.iter().zip(found).zip(expected) {
            close(found, expected, &format!("{name}, percentile {percent}"));
            close(times.percentile(*percent), expected, name);
        }
    }
}

/// Samples dropped, or never kept: the histogram's percentiles are off by a 64th at most.
#[test]
fn percentiles_of_a_histogram() {
    let file = expected("statistics.json");
    for case in file["cases"].as_object().unwrap().values() {
        let samples: Vec<u64> =
            case["samples"].as_array().unwrap().iter().filter_map(Value::as_u64).collect();
        let times = GatheredTimes::from_records(&samples, &vec![0; samples.len()]).unwrap();
        let kept = crate::round_trips::with_histogram_only(&samples);
        assert_eq!((kept.len(), kept.count()), (0, times.count()));
        assert_eq!(kept.histogram(), times.histogram());
        assert_eq!(kept.std().to_bits(), times.std().to_bits());
        for percent in [0.0, 1.0, 25.0, 50.0, 75.0, 99.0, 100.0] {
            let (found, exact) = (kept.percentile(percent), times.percentile(percent));
            assert!((found - exact).abs() <= exact / 32.0, "{percent}: {found}, not {exact}");
        }
        assert_eq!(kept.percentile(0.0), times.percentile(0.0));
        assert_eq!(kept.percentile(100.0), times.percentile(100.0));
    }
}

#[test]
fn nothing_is_not_a_number() {
    let times = GatheredTimes::from_records(&[], &[]).unwrap();
    assert!(times.is_empty() && times.mean().is_nan() && times.std().is_nan());
    assert!(times.percentile(50.0).is_nan() && times.across().imbalance().is_nan());
    assert_eq!((times.min(), times.sum(), times.rank_count()), (None, 0, 0));
    let one = GatheredTimes::from_records(&[5], &[3]).unwrap();
    assert!(
        one.std().is_nan() && one.percentile(-0.1).is_nan() && one.percentile(f64::NAN).is_nan()
    );
    assert_eq!(one.percentile(70.0), 5.0);
    let error = GatheredTimes::from_records(&[5], &[]).unwrap_err();
    assert_eq!(error.to_string(), "There are 1 durations, but 0 ranks.");
    let never = Records { path: &["never"], category: "", durations: &[], starts: &[] };
    let profile = Profile::from_records(Source::default(), &[never]);
    assert_eq!(profile.sections()[0].numbers.min, None);
}
