//! What a timer is made with: capacities, statistics, a clock of the user's.

use std::ffi::c_void;

use xtimer_core::{Custom, Error, HostClock, HostTimer, Scale, Statistics as Kept};

use crate::error::{Code, Failure, refuse};

/// The statistics kept of each section, besides its number of entries and total time. What is not
/// kept shows as absent in reports.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistics {
    /// No others.
    CountTotal = 0,
    /// And the shortest and longest duration.
    MinMax = 1,
    /// And the time not spent in nested sections.
    Exclusive = 2,
    /// And the sum of squares, for the standard deviation.
    Full = 3,
}

/// Which samples a full ring keeps.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// The newest: a new sample takes the place of the oldest.
    Newest = 0,
    /// The oldest since the last clear: a new one is dropped.
    Oldest = 1,
}

/// A clock: returns ticks. Called by any thread, by several at once, and from signal handlers where
/// they time sections. It returns: no exception, no longjmp.
pub type Clock = Option<extern "C" fn(data: *mut c_void) -> u64>;

/// What a timer is made with. Get one from xtimer_config_default and change what should differ.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Bytes of this struct, as xtimer_config_default wrote it: tells its version.
    pub size: usize,
    /// Distinct section paths.
    pub sections: u32,
    /// Sections open at once in one thread.
    pub depth: u32,
    /// Threads with statistics of their own at the same time.
    pub lanes: u32,
    /// Categories, "default" and the reserved "(other)" among them.
    pub categories: u32,
    /// Forbidden nestings, the process's among them.
    pub rules: u32,
    /// Bytes of all distinct names and categories, with 12 for each.
    pub name_bytes: u32,
    /// Snapshots and reports that may be taken at the same time, 64 at most.
    pub scratch: u32,
    /// Whether threads beyond `lanes` share slots (1: slower, no standard deviation) or are refused
    /// (0).
    pub late: u32,
    /// One of xtimer_statistics.
    pub statistics: u32,
    /// Durations that each thread's lane keeps one by one, with their starts, 16 bytes each; 0: none.
    /// One of 2^44 ticks or more (an hour at least) takes the place of two.
    pub samples_per_lane: u32,
    /// One of xtimer_keep: which samples stay where there are more.
    pub keep: u32,
    /// Whether each section has a histogram of its durations, for percentiles (1), or none (0). Costs
    /// 15,360 bytes of address space for each section in each lane, 16 GiB with the default
    /// capacities, so ask for fewer lanes or sections; few of its pages are ever touched.
    pub histograms: u32,
    /// Significant bits of the clock function's ticks, 1 to 64; ignored where `clock` is NULL.
    pub clock_width: u32,
    /// Ticks a second of the clock function; ignored where `clock` is NULL.
    pub clock_hertz: u64,
    /// The clock to read; NULL for the machine's best.
    pub clock: Clock,
    /// What the clock function is called with; lives as long as the timer. Ignored where `clock` is
    /// NULL.
    pub clock_data: *mut c_void,
}

impl Config {
    const DEFAULT: Self = {
        let host = xtimer_core::Config::HOST;
        Self {
            size: size_of::<Self>(),
            sections: host.sections,
            depth: host.depth,
            lanes: host.lanes,
            categories: host.categories,
            rules: host.rules,
            name_bytes: host.name_bytes,
            scratch: host.scratch,
            late: host.late,
            statistics: Statistics::Full as u32,
            samples_per_lane: host.samples_per_lane,
            keep: Keep::Newest as u32,
            histograms: 0,
            clock_width: 64,
            clock_hertz: 1_000_000_000,
            clock: None,
            clock_data: std::ptr::null_mut(),
        }
    };
}

/// The config of the default timer: 4,096 sections, depth 1,024, 256 lanes, 256 categories, all
/// statistics, the machine's best clock. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_config_default() -> Config {
    Config::DEFAULT
}

/// A config that was read from C.
pub(crate) struct HostConfig {
    capacities: xtimer_core::Config,
    clock: Option<Custom>,
}

fn out_of_range(sentence: std::fmt::Arguments<'_>) -> Failure {
    refuse(Code::InvalidArgument, sentence)
}

impl HostConfig {
    /// # Safety
    /// - `config` is NULL or points to a Config.
    /// - Its clock function is as `Custom::new` asks, for as long as a timer made of it exists.
    pub(crate) unsafe fn read(config: *const Config) -> Result<Self, Failure> {
        let config = if config.is_null() {
            Config::DEFAULT
        } else {
            // SAFETY: not NULL; the first field tells whether the rest is there.
            let size = unsafe { (&raw const (*config).size).read() };
            if size != size_of::<Config>() {
                return Err(out_of_range(format_args!(
                    "The config's size is {size} instead of {}: it was not made by this library's \
                     xtimer_config_default.",
                    size_of::<Config>()
                )));
            }
            // SAFETY: not NULL, and as large as it should be.
            unsafe { config.read() }
        };
        let statistics = match config.statistics {
            0 => Kept::COUNT_TOTAL,
            1 => Kept::MIN_MAX,
            2 => Kept::EXCLUSIVE,
            3 => Kept::FULL,
            other => {
                return Err(out_of_range(format_args!("There are no statistics {other}.")));
            }
        };
        let keep = match config.keep {
            0 => xtimer_core::Keep::Newest,
            1 => xtimer_core::Keep::Oldest,
            other => {
                return Err(out_of_range(format_args!(
                    "The config's keep is {other}; it must be 0 (newest) or 1 (oldest)."
                )));
            }
        };
        if config.histograms > 1 {
            return Err(out_of_range(format_args!(
                "The config's histograms is {}; it must be 0 or 1.",
                config.histograms
            )));
        }
        let clock = match config.clock {
            None => None,
            Some(_) if !(1..=64).contains(&config.clock_width) => {
                return Err(out_of_range(format_args!(
                    "A clock has 1 to 64 bits, not {}.",
                    config.clock_width
                )));
            }
            Some(_) if config.clock_hertz == 0 => {
                return Err(out_of_range(format_args!(
                    "A clock of 0 ticks a second tells nothing."
                )));
            }
            Some(function) => {
                let scale = Scale::from_hertz(config.clock_hertz);
                // SAFETY: as the caller promises.
                Some(unsafe { Custom::new(function, config.clock_data, config.clock_width, scale) })
            }
        };
        if config.scratch == 0 {
            return Err(refuse(
                Code::Config,
                format_args!("The config's scratch is 0: no report could ever be taken."),
            ));
        }
        let capacities = xtimer_core::Config {
            sections: config.sections,
            depth: config.depth,
            lanes: config.lanes,
            categories: config.categories,
            rules: config.rules,
            name_bytes: config.name_bytes,
            scratch: config.scratch,
            late: config.late,
            statistics,
            samples_per_lane: config.samples_per_lane,
            keep,
            histograms: config.histograms == 1,
        };
        Ok(Self { capacities, clock })
    }

    /// A timer of this config.
    pub(crate) fn timer(&self) -> Result<HostTimer, Failure> {
        let clock = self.clock.map_or_else(HostClock::best, HostClock::custom);
        HostTimer::with_clock(self.capacities, clock).map_err(|error| match error {
            Error::Config(field) => match self.capacities.refusal() {
                Some(refusal) => refuse(Code::Config, format_args!("The config's {refusal}")),
                None => refuse(Code::Config, format_args!("The config's {field} cannot work.")),
            },
            Error::RulesFull => refuse(
                Code::RulesFull,
                format_args!("The new timer cannot hold the rules of the process."),
            ),
            error => refuse(Code::of(error), format_args!("{error}")),
        })
    }
}
