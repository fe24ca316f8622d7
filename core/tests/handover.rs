//! Sections beneath a parent that another thread holds: std threads, rayon, counted ones.

use rayon::prelude::*;
use xtimer_core::{HostTimer, Place, default_timer, here, section};

fn count(timer: &HostTimer, path: &[&str]) -> Option<u64> {
    timer.snapshot().unwrap().section(path).map(|section| section.count())
}

#[test]
fn threads_nest_in_the_section_that_spawned_them() {
    let timer = default_timer().unwrap();
    assert_eq!(here(), Place::ROOT);
    {
        let _outer = section!("spawning");
        let parent = here();
        let workers: Vec<_> = (0..4_u32)
            .map(|worker| {
                std::thread::spawn(move || {
                    let _worker = section!(beneath parent, "worker"[worker], "compute");
                    let _inner = section!("inner", "io");
                    assert_ne!(here(), parent);
                })
            })
            .collect();
        workers.into_iter().for_each(|worker| worker.join().unwrap());
    }
    for worker in 0..4 {
        let name = format!("worker[{worker}]");
        assert_eq!(count(timer, &["spawning", &name]), Some(1));
        assert_eq!(count(timer, &["spawning", &name, "inner"]), Some(1));
    }
    // The section may be closed by then; the top of any timer is a parent as well.
    let parent = {
        let _gone = section!("gone");
        here()
    };
    drop(section!(beneath parent, "late"));
    drop(section!(beneath Place::ROOT, "top"));
    assert_eq!(count(timer, &["gone", "late"]), Some(1));
    assert_eq!(count(timer, &["top"]), Some(1));
}

#[test]
fn rayon_jobs_nest_in_the_loop_that_made_them() {
    let timer = default_timer().unwrap();
    let sum: u64 = {
        let _loop = section!("loop");
        let parent = here();
        (0..1000_u64)
            .into_par_iter()
            .map(|number| {
                let _job = section!(beneath parent, "job", "compute");
                let _square = section!("square");
                number * number
            })
            .sum()
    };
    assert_eq!(sum, 332_833_500);
    assert_eq!(count(timer, &["loop", "job"]), Some(1000));
    assert_eq!(count(timer, &["loop", "job", "square"]), Some(1000));
    let snapshot = timer.snapshot().unwrap();
    assert_eq!(snapshot.section(&["loop", "job"]).unwrap().category(), "compute");
    assert_eq!(snapshot.losses().unclosed, 0);
}

#[test]
fn a_pool_that_steals_keeps_each_parent() {
    let timer = default_timer().unwrap();
    fn halve(parent: Place, depth: u32) {
        let _half = section!(beneath parent, "half"[depth]);
        if depth > 0 {
            let parent = here();
            rayon::join(|| halve(parent, depth - 1), || halve(parent, depth - 1));
        }
    }
    {
        let _tree = section!("tree");
        halve(here(), 3);
    }
    let mut path = vec!["tree"];
    for (depth, name) in [(3, "half[3]"), (2, "half[2]"), (1, "half[1]"), (0, "half[0]")] {
        path.push(name);
        assert_eq!(count(timer, &path), Some(1 << (3 - depth)), "{path:?}");
    }
}

#[test]
fn counted_sections_take_any_integer() {
    let timer = default_timer().unwrap();
    let _base = section!("counted");
    for index in [0_usize, 7] {
        drop(section!("step"[index], "compute"));
    }
    drop(section!("step"[-3]));
    drop(section!("step"[u64::MAX]));
    for name in ["step[0]", "step[7]", "step[-3]", "step[9223372036854775807]"] {
        assert_eq!(count(timer, &["counted", name]), Some(1), "{name}");
    }
}

#[test]
#[rustfmt::skip]
fn two_sections_share_a_line() {
    let timer = default_timer().unwrap();
    { let (_outer, _inner) = (section!("left"), section!("right", "io")); }
    { let _a = section!("left"); let _b = section!("right"); }
    assert_eq!(count(timer, &["left"]), Some(2));
    assert_eq!(count(timer, &["left", "right"]), Some(2));
}
