//! What the model consists of, and what may be asked of it between calls.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::calls::{DEFAULT, Limits, OTHER, Path};
use super::kept::History;
use super::snapshot::{Losses, Row, Section, Snapshot};

/// Where a section's time goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// To the section of its path.
    Own,
    /// The table is full and it has no recorded parent: to the total and to its category.
    Top,
    /// The table is full and no ancestor has its category: to its category.
    Outer,
    /// The table is full and an ancestor has its category: to neither.
    Inner,
}

/// An open section, on a stack or detached.
#[derive(Clone, Debug)]
pub(super) struct Open {
    /// Its token, where it is on a stack.
    pub(super) token: usize,
    pub(super) path: Path,
    /// The category it was entered with.
    pub(super) category: String,
    pub(super) place: Place,
    pub(super) start: u64,
    /// Time of the sections that closed directly inside it, on this stack.
    pub(super) children: u64,
    /// Entered since the last clear.
    pub(super) current: bool,
}

/// A stack of open sections.
#[derive(Clone, Debug)]
pub(super) struct Context {
    pub(super) lane: usize,
    pub(super) live: bool,
    pub(super) stack: Vec<Open>,
}

/// What outlives a context in the lane it used.
#[derive(Clone, Debug, Default)]
pub(super) struct Lane {
    pub(super) taken: bool,
    /// The category this lane last used for each path since the clear.
    pub(super) used: HashMap<Path, String>,
}

/// A path taken from a context.
#[derive(Clone, Debug)]
pub(super) struct Handle {
    pub(super) path: Path,
    /// The innermost section had no slot: its category, and whether it was entered since the clear.
    pub(super) lost: Option<(String, bool)>,
}

/// What a new section must know of the one above it; the default is the root.
#[derive(Default)]
pub(super) struct Parent {
    pub(super) path: Path,
    /// The category the direct parent was entered with.
    pub(super) category: Option<String>,
    pub(super) recorded: bool,
    /// Categories of the ancestors that count for a section without a slot, the parent included.
    pub(super) ancestors: Vec<String>,
}

/// The timer.
#[derive(Clone, Debug)]
pub struct Model {
    pub(super) limits: Limits,
    pub(super) now: u64,
    pub(super) off: bool,
    /// Counts first entries and changes of category.
    pub(super) ticket: u64,
    /// Paths that have a slot, for ever.
    pub(super) table: BTreeSet<Path>,
    pub(super) categories: BTreeSet<String>,
    pub(super) rules: BTreeSet<(String, String)>,
    /// The category each path was last changed to, and when. Survives clear.
    pub(super) latest: HashMap<Path, (String, u64)>,
    /// What was recorded since the last clear.
    pub(super) sections: HashMap<Path, Section>,
    pub(super) history: History,
    pub(super) losses: Losses,
    pub(super) lanes: Vec<Lane>,
    pub(super) contexts: Vec<Context>,
    pub(super) handles: Vec<Handle>,
    pub(super) detached: Vec<Option<Open>>,
    /// The lane of each token.
    pub(super) tokens: Vec<usize>,
}

impl Model {
    /// An empty timer at tick 0, without contexts.
    pub fn new(limits: Limits) -> Model {
        assert!(limits.categories >= 2, "two categories are reserved");
        Model {
            limits,
            now: 0,
            off: false,
            ticket: 0,
            table: BTreeSet::new(),
            categories: [DEFAULT, OTHER].map(String::from).into(),
            rules: BTreeSet::new(),
            latest: HashMap::new(),
            sections: HashMap::new(),
            history: History::default(),
            losses: Losses::default(),
            lanes: Vec::new(),
            contexts: Vec::new(),
            handles: Vec::new(),
            detached: Vec::new(),
            tokens: Vec::new(),
        }
    }

    /// The numbers since the last clear.
    pub fn snapshot(&self) -> Snapshot {
        let mut rows = Vec::new();
        for (path, section) in &self.sections {
            let stacks = self.contexts.iter().flat_map(|context| &context.stack);
            let open = stacks
                .filter(|open| open.current && open.place == Place::Own && open.path == *path);
            let (category, changed) = self.latest[path].clone();
            rows.push(Row {
                path: path.clone(),
                category,
                changed,
                open: open.count() as u64,
                section: *section,
            });
        }
        Snapshot::new(rows, self.losses.clone())
    }

    /// All durations since the last clear.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Whether it is switched off.
    pub fn is_off(&self) -> bool {
        self.off
    }

    /// An exit was refused whose token is no number of this model's.
    pub fn refuse_exit(&mut self) {
        self.losses.not_open += 1;
    }

    /// A handle of the top.
    pub fn take_root(&mut self) -> usize {
        self.handles.push(Handle { path: Vec::new(), lost: None });
        self.handles.len() - 1
    }

    /// The tick it is.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Contexts that are not released.
    pub fn live_contexts(&self) -> Vec<usize> {
        (0..self.contexts.len()).filter(|&context| self.contexts[context].live).collect()
    }

    /// Tokens open in a context, outermost first.
    pub fn open_tokens(&self, context: usize) -> Vec<usize> {
        self.contexts[context].stack.iter().map(|open| open.token).collect()
    }

    /// How many tokens were handed out, to anyone.
    pub fn tokens(&self) -> usize {
        self.tokens.len()
    }

    /// How many paths were taken.
    pub fn paths(&self) -> usize {
        self.handles.len()
    }

    /// Whether a path was taken inside a section without a slot, so that nothing fits beneath it.
    pub fn path_is_lost(&self, path: usize) -> bool {
        self.handles[path].lost.is_some()
    }

    /// Detached sections that did not end.
    pub fn pending(&self) -> Vec<usize> {
        (0..self.detached.len()).filter(|&detached| self.detached[detached].is_some()).collect()
    }

    /// Paths that have a slot, for ever.
    pub fn paths_in_table(&self) -> usize {
        self.table.len()
    }

    /// Categories in use, the two reserved ones included.
    pub fn categories(&self) -> BTreeMap<String, u64> {
        let snapshot = self.snapshot();
        self.categories.iter().map(|name| (name.clone(), snapshot.category_total(name))).collect()
    }
}
