//! `merge --reduce` of many ranks: memory that does not grow with them, time that grows no faster than
//! them, and the same bytes in any order.
//!
//! 300 ranks here; `XTIMER_MERGE_RANKS=10000` in the soak, where the figures are held to account.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use xtimer_core::profile::{Profile, Records, Source};

const SECTIONS: usize = 200;
/// The most memory that the program may take, in bytes.
const MEMORY: u64 = 256 << 20;

/// A rank of 200 sections in 20 groups, each entered ten times, with durations of its own.
fn rank(rank: u32) -> Profile {
    let groups: Vec<String> = (0..SECTIONS / 10).map(|number| format!("group {number}")).collect();
    let parts: Vec<String> = (0..9).map(|number| format!("part {number}")).collect();
    let mut paths: Vec<Vec<&str>> = Vec::new();
    for group in &groups {
        paths.push(vec![group]);
        paths.extend(parts.iter().map(|part| vec![group.as_str(), part]));
    }
    let mut state = u64::from(rank) << 1 | 1;
    let mut durations = || -> Vec<u64> {
        (0..10)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                1000 + (state >> 44)
            })
            .collect()
    };
    let all: Vec<Vec<u64>> = paths.iter().map(|_| durations()).collect();
    let records: Vec<Records<'_>> = paths
        .iter()
        .zip(&all)
        .map(|(path, durations)| Records { path, category: "c", durations, starts: &[] })
        .collect();
    Profile::from_records(Source { rank, label: "" }, &records)
}

fn reduce(folder: &Path, names: &[String]) -> (Vec<u8>, Duration) {
    let start = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_xtimer"))
        .current_dir(folder)
        .args(["merge", "--reduce", "-o", "all.xtp"])
        .args(names)
        .output()
        .unwrap();
    let spent = start.elapsed();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (std::fs::read(folder.join("all.xtp")).unwrap(), spent)
}

/// What all programs started from here took: processor time, and the most memory of one in bytes.
#[cfg(target_os = "linux")]
fn taken() -> (Duration, u64) {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the place is writable and as large as the call needs; zeroed bytes are a valid `rusage`.
    let usage = unsafe {
        assert_eq!(libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr()), 0);
        usage.assume_init()
    };
    let time = |time: libc::timeval| {
        Duration::from_secs(time.tv_sec as u64) + Duration::from_micros(time.tv_usec as u64)
    };
    (time(usage.ru_utime) + time(usage.ru_stime), usage.ru_maxrss as u64 * 1024)
}

#[cfg(not(target_os = "linux"))]
fn taken() -> (Duration, u64) {
    (Duration::ZERO, 0) // not told in one unit elsewhere
}

#[test]
fn many_ranks_are_reduced() {
    let ranks: u32 = std::env::var("XTIMER_MERGE_RANKS").map_or(300, |text| text.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..ranks).map(|number| format!("{number}.xtp")).collect();
    for (number, name) in (0..).zip(&names) {
        std::fs::write(folder.path().join(name), rank(number).to_bytes()).unwrap();
    }
    let mut spent = Vec::new();
    for part in [4, 2, 1] {
        let some = &names[..names.len() / part];
        let before = taken().0;
        let (_, time) = reduce(folder.path(), some);
        let processor = taken().0 - before;
        println!(
            "{:6} ranks reduced in {:.3} s, {:.3} s of a processor",
            some.len(),
            time.as_secs_f64(),
            processor.as_secs_f64()
        );
        spent.push(processor);
    }
    let memory = taken().1;
    println!("memory at most {:.1} MB", memory as f64 / 1e6);
    assert!(memory <= MEMORY, "{memory} bytes");
    if ranks >= 10_000 {
        // Four times the ranks: the slack is the machine's. Waiting for the disk is not counted.
        assert!(spent[2] <= spent[0] * 6, "{spent:?}");
    }

    let (all, _) = reduce(folder.path(), &names);
    let backwards: Vec<String> = names.iter().rev().cloned().collect();
    let (other, _) = reduce(folder.path(), &backwards);
    assert!(all == other, "another order gives other bytes");
    println!("{} bytes, in either order", all.len());
    // In groups: each half apart, then both.
    let (odd, even): (Vec<_>, Vec<_>) =
        names.iter().cloned().enumerate().partition(|name| name.0 % 2 == 1);
    for (group, half) in [("odd", odd), ("even", even)] {
        let half: Vec<String> = half.into_iter().map(|name| name.1).collect();
        std::fs::write(folder.path().join(group), reduce(folder.path(), &half).0).unwrap();
    }
    let (grouped, _) = reduce(folder.path(), &["odd", "even"].map(str::to_owned));
    assert!(all == grouped, "another grouping gives other bytes");
}
