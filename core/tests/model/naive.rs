//! The meaning of each operation, transcribed sentence by sentence in the simplest code.
//!
//! Nothing here is fast, shared or bounded on purpose: paths are vectors of strings, a section is
//! an entry of a map, and clear empties the map.

use super::calls::{Call, DEFAULT, OTHER, Outcome, Path, Refusal};
use super::kept::Taken;
use super::snapshot::{Losses, Section, base_name};
use super::state::{Context, Handle, Lane, Model, Open, Parent, Place};

impl Model {
    /// Does one call.
    pub fn apply(&mut self, call: &Call) -> Outcome {
        match *call {
            Call::Advance { ticks } => {
                self.now += ticks;
                Outcome::Done
            }
            Call::OpenContext => self.open_context(),
            Call::Release { context } => self.release(context),
            Call::Enter { context, name, category } => {
                let parent = self.parent_on_stack(context);
                self.enter(context, &parent, name, None, category)
            }
            Call::EnterCounted { context, name, index, category } => {
                let parent = self.parent_on_stack(context);
                self.enter(context, &parent, name, Some(index), category)
            }
            Call::EnterBeneath { context, path, name, category } => {
                let parent = self.parent_by_path(path);
                self.enter(context, &parent, name, None, category)
            }
            Call::TakePath { context } => self.take_path(context),
            Call::Exit { context, token } => self.exit(context, token),
            Call::Switch { context, token, name, category } => {
                self.switch(context, token, name, category)
            }
            Call::Record { context, name, category, ticks } => {
                self.record(context, name, category, ticks)
            }
            Call::BeginDetached { context, name, category } => {
                self.begin_detached(context, name, category)
            }
            Call::EndDetached { context, detached } => self.end_detached(context, detached),
            Call::Clear => self.clear(),
            Call::Forbid { outer, inner } => self.forbid(outer, inner),
            Call::ClearRules => {
                self.rules.clear();
                Outcome::Done
            }
            Call::Disable => {
                self.off = true;
                Outcome::Done
            }
            Call::Enable => {
                self.off = false;
                Outcome::Done
            }
        }
    }

    /// A new context takes over the first free lane, with what that lane remembers.
    fn open_context(&mut self) -> Outcome {
        let free = self.lanes.iter().position(|lane| !lane.taken);
        let lane = free.unwrap_or_else(|| {
            self.lanes.push(Lane::default());
            self.lanes.len() - 1
        });
        self.lanes[lane].taken = true;
        self.contexts.push(Context { lane, live: true, stack: Vec::new() });
        Outcome::Context(self.contexts.len() - 1)
    }

    /// "A thread that ends releases it, its open sections are counted as unclosed, its numbers
    /// stay, and the lane is handed on."
    fn release(&mut self, context: usize) -> Outcome {
        let context = &mut self.contexts[context];
        self.losses.unclosed += context.stack.len() as u64;
        context.stack.clear();
        context.live = false;
        self.lanes[context.lane].taken = false;
        Outcome::Done
    }

    fn parent_on_stack(&self, context: usize) -> Parent {
        let stack = &self.contexts[context].stack;
        let Some(top) = stack.last() else {
            return Parent::default();
        };
        let mut ancestors = Vec::new();
        for open in stack.iter().rev() {
            if open.place == Place::Own {
                ancestors.extend(self.recorded_categories(&open.path));
                break;
            }
            // One without a slot is known by its place on the stack only.
            ancestors.extend(open.current.then(|| open.category.clone()));
        }
        Parent {
            path: top.path.clone(),
            // "A parent open across a clear does" count for rules.
            category: Some(top.category.clone()),
            recorded: match top.place {
                Place::Own => self.sections.contains_key(&top.path),
                _ => top.current,
            },
            ancestors,
        }
    }

    /// "A child thread or task opens its first section under a path of another context, which may
    /// have closed meanwhile." Where it isn't the first section of its context, its parent is the
    /// path all the same; only the exclusive time of what is open around it knows the stack.
    fn parent_by_path(&self, handle: usize) -> Parent {
        let Handle { path, lost } = &self.handles[handle];
        let path = path.clone();
        match lost {
            Some((category, current)) => Parent {
                path,
                category: Some(category.clone()),
                recorded: *current,
                ancestors: current.then(|| category.clone()).into_iter().collect(),
            },
            None => self.parent_at(path),
        }
    }

    fn parent_at(&self, path: Path) -> Parent {
        Parent {
            // The category of the path stays known across a clear.
            category: self.latest.get(&path).map(|(category, _)| category.clone()),
            recorded: self.sections.contains_key(&path),
            ancestors: self.recorded_categories(&path),
            path,
        }
    }

    /// Categories of the recorded sections along a path.
    fn recorded_categories(&self, path: &Path) -> Vec<String> {
        let along = (1..=path.len()).map(|length| &path[..length]);
        let recorded = along.filter(|path| self.sections.contains_key(*path));
        recorded.map(|path| self.latest[path].0.clone()).collect()
    }

    fn take_path(&mut self, context: usize) -> Outcome {
        let top = self.contexts[context].stack.last();
        let lost = top
            .filter(|top| top.place != Place::Own)
            .map(|top| (top.category.clone(), top.current));
        let path = top.map(|top| top.path.clone()).unwrap_or_default();
        self.handles.push(Handle { path, lost });
        Outcome::Path(self.handles.len() - 1)
    }

    fn enter(
        &mut self,
        context: usize,
        parent: &Parent,
        name: &str,
        index: Option<i64>,
        category: Option<&str>,
    ) -> Outcome {
        if self.off {
            return Outcome::Off;
        }
        // "Nesting deeper than the stack holds stays in the deepest frame's time."
        if self.contexts[context].stack.len() == self.limits.depth {
            self.losses.too_deep += 1;
            return Outcome::Refused(Refusal::TooDeep);
        }
        match self.admit(context, parent, name, index, category) {
            Ok(open) => {
                let token = self.tokens.len();
                self.tokens.push(self.contexts[context].lane);
                self.contexts[context].stack.push(Open { token, ..open });
                Outcome::Token(token)
            }
            Err(refusal) => Outcome::Refused(refusal),
        }
    }

    /// Everything that enter, record and begin of a detached section have in common.
    fn admit(
        &mut self,
        context: usize,
        parent: &Parent,
        name: &str,
        index: Option<i64>,
        category: Option<&str>,
    ) -> Result<Open, Refusal> {
        // "Entering without one means `default`; the empty string is a category of its own."
        let wanted = category.unwrap_or(DEFAULT);
        // "A category that does not fit goes to a reserved `(other)`."
        let fits = self.category_fits(wanted);
        let category = if fits { wanted } else { OTHER }.to_string();

        // "A forbidden nesting refuses enter when the direct parent was entered with outer and the
        // new one's category is inner. The section is not recorded, its category unchanged."
        if let Some(outer) = &parent.category
            && self.rules.contains(&(outer.clone(), category.clone()))
        {
            self.losses.forbidden += 1;
            return Err(Refusal::Forbidden);
        }
        self.categories.insert(category.clone());
        self.losses.other_category += u64::from(!fits);

        let full_name = index.map_or(name.to_string(), |index| format!("{name}[{index}]"));
        let beneath = |name: &str| [parent.path.as_slice(), &[name.to_string()]].concat();
        let (full, base) = (beneath(&full_name), beneath(base_name(&full_name)));
        // "A counted section that does not fit is recorded under its base name."
        let (path, own) = if self.path_fits(&full) {
            (full, true)
        } else if self.path_fits(&base) {
            self.losses.base_name += 1;
            (base, true)
        } else {
            self.losses.no_slot += 1;
            (full, false)
        };

        let place = if own {
            Place::Own
        } else if !parent.recorded {
            Place::Top
        } else if !parent.ancestors.contains(&category) {
            Place::Outer
        } else {
            Place::Inner
        };
        if own {
            self.begin_section(context, &path, &category);
        }
        Ok(Open {
            token: usize::MAX,
            path,
            category,
            place,
            start: self.now,
            children: 0,
            current: true,
        })
    }

    fn category_fits(&self, category: &str) -> bool {
        self.categories.contains(category) || self.categories.len() < self.limits.categories
    }

    fn path_fits(&self, path: &Path) -> bool {
        self.table.contains(path) || self.table.len() < self.limits.sections
    }

    /// "A section is recorded from its first enter since the last clear on: it exists, with time 0
    /// until its first exit, and counts as an ancestor."
    fn begin_section(&mut self, context: usize, path: &Path, category: &str) {
        self.ticket += 1;
        self.table.insert(path.clone());
        let new = !self.sections.contains_key(path);
        if new {
            let section = Section { first: self.ticket, ..Section::default() };
            self.sections.insert(path.clone(), section);
        }

        // "A section's category is the one it was last entered with; among threads the last change
        // wins": a lane that enters with the category it used last makes no change.
        let lane = &mut self.lanes[self.contexts[context].lane];
        let before = lane.used.insert(path.clone(), category.to_string());
        let changes = before.as_deref() != Some(category);
        if new || (changes && self.latest[path].0 != category) {
            let latest = (category.to_string(), self.ticket);
            self.latest.insert(path.clone(), latest);
        }
    }

    fn exit(&mut self, context: usize, token: Option<usize>) -> Outcome {
        // "The null token, which exit accepts and ignores."
        let Some(token) = token else {
            return Outcome::Done;
        };
        let stack = &mut self.contexts[context].stack;
        // "A token that is no longer open is refused and changes nothing."
        let Some(at) = stack.iter().position(|open| open.token == token) else {
            self.losses.not_open += 1;
            let foreign = self.tokens[token] != self.contexts[context].lane;
            return Outcome::Refused(if foreign {
                Refusal::OtherContext
            } else {
                Refusal::NotOpen
            });
        };
        // "Sections still open inside it are discarded and counted as unclosed."
        let discarded: Vec<Open> = stack.drain(at + 1..).collect();
        let Some(mut closed) = stack.pop() else { unreachable!("it was found at {at}") };
        self.losses.unclosed += discarded.len() as u64;

        // "Exclusive time is a section's time less that of the sections nested in it on the same
        // stack." One without a slot is nested all the same. A discarded one is not recorded, so
        // its time is not taken off, but that of the sections which closed in it is.
        closed.children += discarded.iter().map(|open| open.children).sum::<u64>();
        let elapsed = self.now - closed.start;
        if let Some(parent) = stack.last_mut() {
            parent.children += elapsed;
        }
        let lane = self.contexts[context].lane;
        self.close(&closed, lane, closed.start, elapsed);

        let name = |open: &Open| open.path.last().cloned().unwrap_or_default();
        if discarded.is_empty() {
            Outcome::Done
        } else {
            Outcome::Unclosed { outer: name(&closed), inner: discarded.iter().map(name).collect() }
        }
    }

    /// "Switch closes the section a token stands for and opens its sibling with one clock read": beneath
    /// the path that the closed one is beneath; where it has no slot, in the section around it. The null
    /// token has nothing to close.
    fn switch(
        &mut self,
        context: usize,
        token: Option<usize>,
        name: &str,
        category: Option<&str>,
    ) -> Outcome {
        let Some(number) = token else {
            let parent = self.parent_on_stack(context);
            return self.enter(context, &parent, name, None, category);
        };
        let stack = &self.contexts[context].stack;
        let at = stack.iter().position(|open| open.token == number);
        let elsewhere = at.and_then(|at| {
            let around = at.checked_sub(1).map(|below| stack[below].path.clone());
            let (_, parent) = stack[at].path.split_last()?;
            let is_beneath = stack[at].place == Place::Own && parent != around.unwrap_or_default();
            is_beneath.then(|| parent.to_vec())
        });
        let closed = self.exit(context, token);
        if matches!(closed, Outcome::Refused(_)) {
            return closed;
        }
        let parent = match elsewhere {
            Some(path) => self.parent_at(path),
            None => self.parent_on_stack(context),
        };
        let next = self.enter(context, &parent, name, None, category);
        Outcome::Switched(Box::new((closed, next)))
    }

    /// Adds a time to the section it was measured for.
    fn close(&mut self, open: &Open, lane: usize, start: u64, elapsed: u64) {
        // "A section open at the clear is not recorded when it exits, also where its path was
        // entered anew since."
        if !open.current {
            return;
        }
        match open.place {
            // "Repeated entries of a path add to one section."
            Place::Own => {
                match self.sections.get_mut(&open.path) {
                    Some(section) => section.add(elapsed, elapsed - open.children),
                    None => unreachable!("entered since the clear, so recorded"),
                }
                // "A timer created with a sample capacity keeps each duration with its start."
                let path = open.path.clone();
                self.history.0.push(Taken { path, lane, start, duration: elapsed });
            }
            place => self.losses.add(&open.category, place, elapsed),
        }
    }

    /// "A duration measured elsewhere is added to the child of that name and category of the
    /// current path; rules are checked." It runs beside its parent and does not reduce it.
    fn record(
        &mut self,
        context: usize,
        name: &str,
        category: Option<&str>,
        ticks: u64,
    ) -> Outcome {
        if self.off {
            return Outcome::Off;
        }
        let parent = self.parent_on_stack(context);
        match self.admit(context, &parent, name, None, category) {
            Ok(open) => {
                // It took so long before now, or since the clock's beginning.
                let lane = self.contexts[context].lane;
                self.close(&open, lane, self.now.saturating_sub(ticks), ticks);
                Outcome::Done
            }
            Err(refusal) => Outcome::Refused(refusal),
        }
    }

    /// "A section held by value, for work that is not on any stack": a child of the current path.
    fn begin_detached(&mut self, context: usize, name: &str, category: Option<&str>) -> Outcome {
        if self.off {
            return Outcome::Off;
        }
        let parent = self.parent_on_stack(context);
        match self.admit(context, &parent, name, None, category) {
            Ok(open) => {
                self.detached.push(Some(open));
                Outcome::Detached(self.detached.len() - 1)
            }
            Err(refusal) => Outcome::Refused(refusal),
        }
    }

    /// Any context may end it. Its lane then knows the category, unless it has used one itself.
    fn end_detached(&mut self, context: usize, detached: usize) -> Outcome {
        let Some(open) = self.detached[detached].take() else {
            self.losses.not_open += 1;
            return Outcome::Refused(Refusal::NotOpen);
        };
        let lane = self.contexts[context].lane;
        self.close(&open, lane, open.start, self.now - open.start);
        if open.current && open.place == Place::Own {
            let category = self.latest[&open.path].0.clone();
            let lane = &mut self.lanes[self.contexts[context].lane];
            lane.used.entry(open.path).or_insert(category);
        }
        Outcome::Done
    }

    /// "Clear drops all timings and keeps names, rules and open sections. The order of first entry
    /// starts again."
    fn clear(&mut self) -> Outcome {
        self.sections.clear();
        self.history.0.clear();
        self.losses = Losses::default();
        for lane in &mut self.lanes {
            lane.used.clear();
        }
        let stacks = self.contexts.iter_mut().flat_map(|context| context.stack.iter_mut());
        for open in stacks.chain(self.detached.iter_mut().flatten()) {
            open.current = false;
        }
        for (_, current) in self.handles.iter_mut().filter_map(|handle| handle.lost.as_mut()) {
            *current = false;
        }
        Outcome::Done
    }

    /// "A rule that does not fit is an error", one whose categories don't fit as well, and changes
    /// nothing. A rule that stands already is no news.
    fn forbid(&mut self, outer: &str, inner: &str) -> Outcome {
        let mut categories = self.categories.clone();
        categories.extend([outer.to_string(), inner.to_string()]);
        let mut rules = self.rules.clone();
        rules.insert((outer.to_string(), inner.to_string()));
        if categories.len() > self.limits.categories || rules.len() > self.limits.rules {
            return Outcome::Refused(Refusal::RulesFull);
        }
        (self.categories, self.rules) = (categories, rules);
        Outcome::Done
    }
}
