//! The firmware's work, timed as one would: a boot in phases, a control loop, an interrupt.

use cortex_m::asm::delay;
use xtimer_core::{Error, Site, Token};

use crate::Sections;

/// Steps of the control loop.
pub const STEPS: u64 = 500;
/// Every so many steps, the filter wrongly wants to log.
pub const LOGS_EVERY: u64 = 100;
/// Sensors calibrated at boot.
const SENSORS: i64 = 3;

/// Turns of a busy loop of two instructions: what each task takes, where nothing interrupts it.
pub const SAMPLE: u32 = 1_000;
pub const FILTER: u32 = 8_000;
pub const ACTUATE: u32 = 500;
pub const DEBOUNCE: u32 = 200;

/// A call site remembers where its section is: an enter by it is a few instructions.
static CONTROL: Site = Site::new("control", "loop");
static SAMPLING: Site = Site::new("sample", "io");
static FILTERING: Site = Site::new("filter", "compute");
static LOGGING: Site = Site::new("log", "io");
static ACTUATING: Site = Site::new("actuate", "io");
static TICK: Site = Site::new("tick", "interrupt");
static DEBOUNCING: Site = Site::new("debounce", "interrupt");

/// Times `body`. A section that is refused has the null token, which exit ignores.
fn timed(sections: &Sections, site: &Site, body: impl FnOnce()) {
    let token = sections.enter_at(site).unwrap_or(Token::NULL);
    body();
    let _ = sections.exit(token);
}

/// The boot: phases one after the other, and each sensor kept apart.
pub fn boot(sections: &Sections) -> Result<(), Error> {
    let boot = sections.enter("boot", "boot")?;
    for (phase, turns) in [("clocks", 2_000), ("memory", 10_000)] {
        let phase = sections.enter(phase, "boot")?;
        delay(turns);
        sections.exit(phase)?;
    }
    let phase = sections.enter("sensors", "io")?;
    for sensor in 0..SENSORS {
        let calibration = sections.enter_counted("calibrate", sensor, "io")?;
        delay(3_000);
        sections.exit(calibration)?;
    }
    sections.exit(phase)?;
    sections.exit(boot)
}

/// The control loop. Gives how often the filter was kept from logging.
pub fn control_loop(sections: &Sections) -> u64 {
    let mut refused = 0;
    for step in 0..STEPS {
        timed(sections, &CONTROL, || {
            timed(sections, &SAMPLING, || delay(SAMPLE));
            timed(sections, &FILTERING, || {
                delay(FILTER);
                if step % LOGS_EVERY == 0 {
                    refused += log(sections);
                }
            });
            timed(sections, &ACTUATING, || delay(ACTUATE));
        });
    }
    refused
}

/// Logs, where a rule does not forbid it here. Gives how often it does: 0 or 1.
fn log(sections: &Sections) -> u64 {
    match sections.enter_at(&LOGGING) {
        Ok(token) => {
            delay(100);
            let _ = sections.exit(token);
            0
        }
        Err(Error::Forbidden { .. }) => 1,
        Err(_) => 0,
    }
}

/// What the interrupt does, with sections of its own.
pub fn interrupt(sections: &Sections) {
    timed(sections, &TICK, || timed(sections, &DEBOUNCING, || delay(DEBOUNCE)));
}
