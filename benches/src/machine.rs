//! Where something was measured, in words.

use xtimer_core::{Clock, HostClock};

/// CPU, cores, clock, compilers; a line each.
pub fn description() -> String {
    let clock = HostClock::best();
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let quantum = xtimer_core::quantum(&clock);
    [
        format!("CPU: {} ({cores} cores, {})", cpu(), std::env::consts::ARCH),
        format!(
            "clock: {}, {:.1} MHz, steps of {:.1} ns",
            clock.name(),
            clock.scale().hertz() as f64 / 1e6,
            clock.scale().picoseconds(quantum) as f64 / 1e3
        ),
        format!("system: {}", system()),
        format!("compilers: {}; {}", env!("XTIMER_RUSTC"), env!("XTIMER_CXX")),
    ]
    .join("\n")
}

fn cpu() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let name = field("model name").unwrap_or_else(|| "unknown".into());
    match (field("cpu family"), field("model\t")) {
        (Some(family), Some(model)) => format!("{name}, family {family} model {model}"),
        _ => name,
    }
}

fn system() -> String {
    let text = std::fs::read_to_string("/proc/version").unwrap_or_default();
    let mut words = text.split_whitespace();
    let name = words.next().unwrap_or(std::env::consts::OS);
    let version = words.nth(1).unwrap_or_default();
    let virtual_machine =
        std::fs::read_to_string("/proc/cpuinfo").is_ok_and(|text| text.contains(" hypervisor"));
    let kind = if virtual_machine { ", virtual machine" } else { "" };
    format!("{name} {}{kind}", version.split('-').next().unwrap_or_default())
}
