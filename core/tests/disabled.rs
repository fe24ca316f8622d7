//! With the feature `disable` every way to time compiles, and times nothing.

use xtimer_core::{TimedExt, default_timer, here, phase, section, timed};

#[timed(category = "io")]
fn function(number: u32) -> u32 {
    let _step = section!("step");
    let _counted = section!("counted"[number], "io");
    let parent = here();
    let _beneath = section!(beneath parent, "beneath", "io");
    let mut phase = section!("first");
    phase!(phase, "second", "io");
    phase!(phase, "third"[number]);
    let _both = section!(beneath parent, "both"[number]);
    number
}

#[timed]
async fn waits() -> u32 {
    tokio::task::yield_now().await;
    async { 2 }.timed("inner", "io").await
}

#[test]
fn nothing_is_timed() {
    assert_eq!(function(1), 1);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    assert_eq!(runtime.block_on(waits()), 2);
    assert!(default_timer().unwrap().snapshot().unwrap().is_empty());
}
