//! The calls that drive the model and the core alike, and what they give back.

/// Names from the outermost section inwards; empty: not in any section.
pub type Path = Vec<String>;

/// The category of a section entered without one.
pub const DEFAULT: &str = "default";

/// The reserved category of sections whose own does not fit.
pub const OTHER: &str = "(other)";

/// Capacities. Those not named here (lanes, name bytes) are taken to suffice.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Paths, counted since creation: clear gives none back.
    pub sections: usize,
    /// Categories, `default` and `(other)` included, so at least 2.
    pub categories: usize,
    /// Open sections of one context.
    pub depth: usize,
    /// Forbidden nestings.
    pub rules: usize,
}

/// One call of the timer, everything it refers to numbered in order of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Call {
    Advance {
        ticks: u64,
    },
    OpenContext,
    Release {
        context: usize,
    },
    Enter {
        context: usize,
        name: &'static str,
        category: Option<&'static str>,
    },
    EnterCounted {
        context: usize,
        name: &'static str,
        index: i64,
        category: Option<&'static str>,
    },
    EnterBeneath {
        context: usize,
        path: usize,
        name: &'static str,
        category: Option<&'static str>,
    },
    TakePath {
        context: usize,
    },
    Exit {
        context: usize,
        token: Option<usize>,
    },
    Switch {
        context: usize,
        token: Option<usize>,
        name: &'static str,
        category: Option<&'static str>,
    },
    Record {
        context: usize,
        name: &'static str,
        category: Option<&'static str>,
        ticks: u64,
    },
    BeginDetached {
        context: usize,
        name: &'static str,
        category: Option<&'static str>,
    },
    EndDetached {
        context: usize,
        detached: usize,
    },
    Clear,
    Forbid {
        outer: &'static str,
        inner: &'static str,
    },
    ClearRules,
    Disable,
    Enable,
}

/// What a call gives back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Done, nothing to hand out.
    Done,
    /// A context; its number.
    Context(usize),
    /// A token that is not null; its number.
    Token(usize),
    /// A path handle; its number.
    Path(usize),
    /// A detached section that is not null; its number.
    Detached(usize),
    /// The timer is off: null or nothing, and no error.
    Off,
    /// An error, and null where something would be handed out. Nothing changed but a loss count.
    Refused(Refusal),
    /// A switch whose section was open: what its exit came to, and its enter.
    Switched(Box<(Outcome, Outcome)>),
    /// Exit closed `outer`, and the status names what was discarded, outermost first.
    Unclosed { outer: String, inner: Vec<String> },
}

/// Why a call was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The nesting is forbidden.
    Forbidden,
    /// The context's stack is full.
    TooDeep,
    /// The token is not open: exited before, or discarded.
    NotOpen,
    /// The token was handed out by another lane.
    OtherContext,
    /// No room for the rule or one of its categories.
    RulesFull,
}
