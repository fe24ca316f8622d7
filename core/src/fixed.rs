//! A timer in a `static`: capacities chosen at compile time, memory in `.bss`, no constructor.

use crate::clock::Clock;
use crate::config::Config;
use crate::error::Error;
use crate::layout::Layout;
use crate::region::Memory;
use crate::shape::Kept;
use crate::sync::Words;
use crate::timer::Timer;

/// A timer whose capacities and statistics were chosen at compile time.
pub type FixedTimer<C, const BITS: u32> = Timer<Kept<BITS>, C>;

/// The layout of a `static` timer; a capacity that can't work stops the compiler.
#[doc(hidden)]
pub const fn layout(config: Config) -> Layout {
    match Layout::new(config, config.statistics.slot_bytes()) {
        Ok(layout) => layout,
        Err(Error::Config(field)) => refuse(field),
        Err(_) => panic!("these capacities cannot work"),
    }
}

/// One message a field: a panic at compile time can't format.
const fn refuse(field: &str) -> ! {
    match field.as_bytes() {
        b"sections" => panic!("the capacity `sections` cannot work on this target"),
        b"depth" => panic!("the capacity `depth` cannot work (1 to 65535)"),
        b"lanes" => panic!("the capacity `lanes` cannot work (1 to 4095)"),
        b"categories" => panic!("the capacity `categories` cannot work (2 at least)"),
        b"rules" => panic!("the capacity `rules` cannot work (65536 at most)"),
        b"name_bytes" => panic!("the capacity `name_bytes` cannot work (64 at least)"),
        b"scratch" => panic!("the capacity `scratch` cannot work (64 at most)"),
        b"samples_per_lane" => panic!("the capacity `samples_per_lane` cannot work on this target"),
        b"late" => panic!("the capacity `late` cannot work on this target"),
        _ => panic!("these capacities cannot work"),
    }
}

/// The bits of the statistics, for the type of a `static` timer.
#[doc(hidden)]
pub const fn bits(config: Config) -> u32 {
    config.statistics.bits()
}

/// A timer over the words of a `static`.
///
/// # Panics
/// At compile time, when the words are too few.
#[doc(hidden)]
pub const fn timer<C: Clock, const BITS: u32, const N: usize>(
    words: &'static Words<N>,
    layout: Layout,
    clock: C,
) -> FixedTimer<C, BITS> {
    assert!(layout.bytes <= 4 * N, "the static's memory is smaller than its layout");
    assert!(
        layout.slot_bytes == <Kept<BITS> as crate::shape::Shape>::SLOT_BYTES,
        "the layout is for other statistics"
    );
    // SAFETY: the words are a static's, zeroed, large enough, aligned to 8 at least; only the macro
    // calls this, with words that nothing else can name and a layout for this form of slots.
    unsafe { Timer::from_region(Memory::new(words.pointer()), layout, clock) }
}

/// Declares a timer as a `static`: all its memory is in `.bss`, and its first use needs no call.
///
/// ```
/// use xtimer_core::{Clock, Config, Scale, Statistics, static_timer};
///
/// struct Cycles;
/// impl Clock for Cycles {
///     fn now(&self) -> u64 { 0 /* a cycle counter's register */ }
///     fn width(&self) -> u32 { 32 }
///     fn scale(&self) -> Scale { Scale::from_hertz(48_000_000) }
///     fn name(&self) -> &'static str { "cycles" }
/// }
///
/// static_timer! {
///     /// Times the control loop.
///     pub static TIMER: Cycles = Cycles, Config { sections: 8, statistics: Statistics::MIN_MAX, ..Config::SMALL };
/// }
///
/// let context = TIMER.context().unwrap();
/// let token = context.enter("control", "loop").unwrap();
/// context.exit(token).unwrap();
/// assert_eq!(TIMER.snapshot().unwrap().section(&["control"]).unwrap().count(), 1);
/// const RAM: usize = xtimer_core::static_bytes(Config { sections: 8, statistics: Statistics::MIN_MAX, ..Config::SMALL });
/// assert_eq!(TIMER.bytes(), RAM);
/// ```
#[macro_export]
macro_rules! static_timer {
    ($(#[$meta:meta])* $visibility:vis static $name:ident: $clock_type:ty = $clock:expr, $config:expr;) => {
        $(#[$meta])*
        $visibility static $name: $crate::FixedTimer<$clock_type, { $crate::fixed::bits($config) }> = {
            const LAYOUT: $crate::Layout = $crate::fixed::layout($config);
            static WORDS: $crate::Words<{ LAYOUT.bytes().div_ceil(4) }> = $crate::Words::ZERO;
            $crate::fixed::timer(&WORDS, LAYOUT, $clock)
        };
    };
}

/// Bytes of RAM that a `static` timer of these capacities takes.
///
/// # Panics
/// When the capacities cannot work; at compile time, where it is a constant.
pub const fn static_bytes(config: Config) -> usize {
    layout(config).bytes().div_ceil(4) * 4
}
