//! The core and the model held against examples worked by hand, a test for each sentence of what
//! the operations mean.

mod categories;
mod clear;
mod enter_and_exit;
mod loss;

use super::both::Both;
use super::calls::*;
use super::snapshot::*;

const ROOMY: Limits = Limits { sections: 64, categories: 16, depth: 16, rules: 4 };

/// Core and model with two contexts, 0 and 1, and short words for calls.
struct Bench(Both);

impl Bench {
    fn new(limits: Limits) -> Bench {
        let mut model = Both::new(limits);
        assert_eq!(model.apply(&Call::OpenContext), Outcome::Context(0));
        assert_eq!(model.apply(&Call::OpenContext), Outcome::Context(1));
        Bench(model)
    }

    /// Steps the clock and does a call.
    fn after(&mut self, ticks: u64, call: Call) -> Outcome {
        assert_eq!(self.0.apply(&Call::Advance { ticks }), Outcome::Done);
        self.0.apply(&call)
    }

    fn enter(&mut self, context: usize, name: &'static str, category: &'static str) -> usize {
        match self.0.apply(&enter(context, name, category)) {
            Outcome::Token(token) => token,
            outcome => panic!("{name}: {outcome:?}"),
        }
    }

    fn path(&mut self, context: usize) -> usize {
        match self.0.apply(&Call::TakePath { context }) {
            Outcome::Path(path) => path,
            outcome => panic!("{outcome:?}"),
        }
    }

    fn beneath(
        &mut self,
        context: usize,
        path: usize,
        name: &'static str,
        category: &'static str,
    ) -> Outcome {
        self.0.apply(&Call::EnterBeneath { context, path, name, category: Some(category) })
    }

    fn exit(&mut self, ticks: u64, context: usize, token: usize) -> Outcome {
        self.after(ticks, Call::Exit { context, token: Some(token) })
    }

    /// Enters and exits, `ticks` apart.
    fn time(&mut self, context: usize, name: &'static str, category: &'static str, ticks: u64) {
        let token = self.enter(context, name, category);
        assert_eq!(self.exit(ticks, context, token), Outcome::Done);
    }

    fn shown(&self) -> Vec<String> {
        shown(&self.0.snapshot())
    }
}

fn enter(context: usize, name: &'static str, category: &'static str) -> Call {
    Call::Enter { context, name, category: Some(category) }
}

/// Each row as `path category count total/exclusive`.
fn shown(snapshot: &Snapshot) -> Vec<String> {
    let row = |row: &Row| {
        let Section { count, total, exclusive, .. } = row.section;
        format!("{} {} {count} {total}/{exclusive}", row.path.join(">"), row.category)
    };
    snapshot.rows.iter().map(row).collect()
}

fn refused(refusal: Refusal) -> Outcome {
    Outcome::Refused(refusal)
}
