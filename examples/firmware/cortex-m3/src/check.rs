//! What the program expects of itself, and where it prints: the debugger's console.

use core::fmt::{Arguments, Debug, Write};

use cortex_m_semihosting::debug::{EXIT_FAILURE, EXIT_SUCCESS, exit};
use cortex_m_semihosting::hio::{HostStream, hstdout};

/// Counts the expectations, and prints those that fail.
pub struct Checks {
    console: Option<HostStream>,
    held: u32,
    failed: u32,
}

impl Checks {
    pub fn new() -> Self {
        Self { console: hstdout().ok(), held: 0, failed: 0 }
    }

    /// Prints a line.
    pub fn print(&mut self, line: Arguments<'_>) {
        if let Some(console) = &mut self.console
            && writeln!(console, "{line}").is_err()
        {
            self.failed += 1;
        }
    }

    pub fn holds(&mut self, what: &str, holds: bool) {
        if holds {
            self.held += 1;
        } else {
            self.failed += 1;
            self.print(format_args!("FAILED: {what}"));
        }
    }

    pub fn equal<T: PartialEq + Debug>(&mut self, what: &str, found: T, expected: T) {
        let equal = found == expected;
        self.holds(what, equal);
        if !equal {
            self.print(format_args!("  found {found:?}, expected {expected:?}"));
        }
    }

    /// Ends the program: exit status 0 where everything held.
    pub fn end(&mut self) -> ! {
        let (held, failed) = (self.held, self.failed);
        self.print(format_args!("{held} checks held, {failed} failed"));
        loop {
            exit(if self.failed == 0 && self.console.is_some() {
                EXIT_SUCCESS
            } else {
                EXIT_FAILURE
            });
        }
    }
}

#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    let mut checks = Checks::new();
    checks.holds("no panic", false);
    checks.print(format_args!("  {info}"));
    checks.end()
}
