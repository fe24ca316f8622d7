//! What differs between CPUs and systems, and nothing else: the counter, whether it can be trusted,
//! the monotonic clock.

#[cfg(target_arch = "aarch64")]
pub(super) const COUNTER_NAME: &str = "cntvct";
#[cfg(not(target_arch = "aarch64"))]
pub(super) const COUNTER_NAME: &str = "tsc";

#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[allow(unused_unsafe)] // a safe function in some compilers
pub(super) fn counter() -> u64 {
    // SAFETY: every x86_64 CPU has the instruction.
    unsafe { core::arch::x86_64::_rdtsc() }
}

#[cfg(target_arch = "aarch64")]
#[inline(always)]
pub(super) fn counter() -> u64 {
    let ticks;
    // SAFETY: reads a register that systems with std let user code read; touches nothing else.
    unsafe {
        core::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack, preserves_flags));
    }
    ticks
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
#[inline(always)]
pub(super) fn counter() -> u64 {
    monotonic_nanoseconds()
}

/// Ticks a second as the CPU states them; a tick a nanosecond where it doesn't.
pub(super) fn stated_hertz() -> u64 {
    #[cfg(target_arch = "aarch64")]
    {
        let hertz: u64;
        // SAFETY: as in `counter`.
        unsafe {
            core::arch::asm!("mrs {}, cntfrq_el0", out(reg) hertz, options(nomem, nostack, preserves_flags));
        }
        hertz
    }
    #[cfg(not(target_arch = "aarch64"))]
    1_000_000_000
}

/// Whether the counter runs at one rate, the same on all CPUs, through every state of power.
#[cfg(target_arch = "x86_64")]
#[allow(unused_unsafe)] // a safe function in some compilers
pub(super) fn counter_is_trusted() -> bool {
    // SAFETY: every x86_64 CPU has the instruction.
    let cpuid = |leaf| unsafe { core::arch::x86_64::__cpuid(leaf) };
    const LAST_EXTENDED: u32 = 0x8000_0000;
    const POWER: u32 = 0x8000_0007;
    const INVARIANT: u32 = 1 << 8;
    cpuid(LAST_EXTENDED).eax >= POWER
        && cpuid(POWER).edx & INVARIANT != 0
        && system_keeps_time_by_it()
}

/// The architecture promises it.
#[cfg(target_arch = "aarch64")]
pub(super) fn counter_is_trusted() -> bool {
    true
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) fn counter_is_trusted() -> bool {
    false
}

/// Linux measures the counters of all CPUs against each other and drops one that it finds wanting.
/// It may also forbid a process to read it.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn system_keeps_time_by_it() -> bool {
    says_tsc(c"/sys/devices/system/clocksource/clocksource0/current_clocksource")
        && counter_is_readable()
}

/// Whether the file says `tsc`. Leaves errno alone: a caller's failed call is still his to look
/// into.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn says_tsc(path: &core::ffi::CStr) -> bool {
    // SAFETY: the location belongs to this thread for as long as it runs.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    let before = unsafe { *errno };
    let mut text = [0_u8; 16];
    let mut length = 0;
    // SAFETY: the path is a C string; without O_CREAT no mode is read.
    let file = unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
    if file >= 0 {
        // SAFETY: the buffer is ours and as long as said.
        length = unsafe { libc::read(file, text.as_mut_ptr().cast(), text.len()) };
        // SAFETY: opened above, closed once.
        unsafe { libc::close(file) };
    }
    // SAFETY: as above.
    unsafe { *errno = before };
    length == 4 && text.starts_with(b"tsc\n")
}

/// Whether this thread may read the counter: `prctl(PR_SET_TSC)` makes it a fault.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn counter_is_readable() -> bool {
    // SAFETY: as in `says_tsc`.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    let before = unsafe { *errno };
    let mut mode = libc::PR_TSC_ENABLE;
    // SAFETY: writes one int, or none where the request isn't known.
    unsafe { libc::prctl(libc::PR_GET_TSC, &raw mut mode) };
    // SAFETY: as above.
    unsafe { *errno = before };
    mode == libc::PR_TSC_ENABLE
}

/// macOS keeps time by it on every Mac that has one.
#[cfg(all(target_arch = "x86_64", target_vendor = "apple"))]
fn system_keeps_time_by_it() -> bool {
    true
}

/// Others don't say, or not where a signal handler could ask.
#[cfg(all(target_arch = "x86_64", not(any(target_os = "linux", target_vendor = "apple"))))]
fn system_keeps_time_by_it() -> bool {
    false
}

#[cfg(unix)]
pub(super) fn monotonic_nanoseconds() -> u64 {
    // On Apple's systems CLOCK_MONOTONIC has microseconds only.
    #[cfg(target_vendor = "apple")]
    const CLOCK: libc::clockid_t = libc::CLOCK_UPTIME_RAW;
    #[cfg(not(target_vendor = "apple"))]
    const CLOCK: libc::clockid_t = libc::CLOCK_MONOTONIC;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes one timespec. It fails only for clocks that don't exist.
    unsafe { libc::clock_gettime(CLOCK, &raw mut time) };
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

#[cfg(all(not(unix), not(all(target_family = "wasm", target_os = "unknown"))))]
pub(super) fn monotonic_nanoseconds() -> u64 {
    use std::{sync::OnceLock, time::Instant};
    static START: OnceLock<Instant> = OnceLock::new();
    let elapsed = START.get_or_init(Instant::now).elapsed();
    elapsed.as_secs().wrapping_mul(1_000_000_000).wrapping_add(u64::from(elapsed.subsec_nanos()))
}

/// A bare wasm module has no clock of its own, and std would panic: its host brings one.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub(super) fn monotonic_nanoseconds() -> u64 {
    0
}

#[cfg(all(test, target_arch = "x86_64", target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn only_a_system_that_says_tsc_is_believed() {
        let path = std::env::temp_dir().join(format!("xtimer-clocksource-{}", std::process::id()));
        let name = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
        for (text, believed) in [
            ("tsc\n", true),
            ("kvm-clock\n", false),
            ("hpet\n", false),
            ("tsc-early\n", false),
            ("tsc", false),
            ("", false),
        ] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(says_tsc(&name), believed, "{text:?}");
        }
        std::fs::remove_file(&path).unwrap();
        assert!(!says_tsc(&name), "no file");
    }

    #[test]
    fn looking_for_the_clock_leaves_errno_alone() {
        // SAFETY: this thread's own location.
        unsafe { *libc::__errno_location() = 77 };
        assert!(!says_tsc(c"/no/such/file"));
        counter_is_trusted();
        // SAFETY: as above.
        assert_eq!(unsafe { *libc::__errno_location() }, 77);
    }

    #[test]
    fn a_counter_that_may_not_be_read_is_not() {
        // On a thread of its own, since the ban is the thread's.
        std::thread::spawn(|| {
            assert!(counter_is_readable());
            // SAFETY: an int request; nothing on this thread reads the counter while it is banned.
            let banned = unsafe { libc::prctl(libc::PR_SET_TSC, libc::PR_TSC_SIGSEGV) };
            let readable = counter_is_readable();
            // SAFETY: as above.
            unsafe { libc::prctl(libc::PR_SET_TSC, libc::PR_TSC_ENABLE) };
            assert!(banned != 0 || !readable);
        })
        .join()
        .unwrap();
    }
}
