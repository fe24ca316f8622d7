use xtimer_core::timed;

#[timed]
struct NoFunction;

#[timed]
const fn at_compile_time() -> u32 {
    1
}

trait Shape {
    #[timed]
    fn area(&self) -> u32;
}

struct Square;

#[timed]
impl Square {}

unsafe extern "C" {
    #[timed]
    fn foreign();
}

fn main() {
    // They are still there.
    let _ = (NoFunction, at_compile_time(), Square);
}
