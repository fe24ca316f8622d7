//! What the run must have recorded: counts, nesting, times, category totals, losses.

use cortex_m::asm::delay;
use cortex_m::interrupt;
use xtimer_core::{Error, Section, Snapshot, Token};

use crate::check::Checks;
use crate::tasks::{self, LOGS_EVERY, STEPS};
use crate::{CONFIG, RAM, Sections, TIMER, clock};

/// Runs the firmware with every expectation.
pub fn whole_run(checks: &mut Checks, sections: &Sections) {
    checks.equal("RAM is what the macro stated", TIMER.bytes(), RAM);
    checks.equal("boots", tasks::boot(sections), Ok(()));
    checks.equal("a rule fits", TIMER.forbid("compute", "io"), Ok(()));
    let refused = tasks::control_loop(sections);
    checks.equal("the filter never logs", refused, STEPS / LOGS_EVERY);
    misuse(checks, sections);
    if let Some(rounds) = with_snapshot(checks, recorded) {
        checks.holds("the loop was interrupted often", rounds > 50);
    }
    clear(checks, sections);
    full_table(checks, sections);
}

/// A snapshot with the interrupt held off, so that its rounds and its sections agree. Gives the
/// rounds.
fn with_snapshot(
    checks: &mut Checks,
    body: impl FnOnce(&mut Checks, &Snapshot<'_>, u64),
) -> Option<u64> {
    let (rounds, snapshot) = interrupt::free(|_| (u64::from(clock::rounds()), TIMER.snapshot()));
    match snapshot {
        Ok(snapshot) => {
            body(checks, &snapshot, rounds);
            Some(rounds)
        }
        Err(error) => {
            checks.print(format_args!("FAILED: {error}"));
            checks.holds("a snapshot", false);
            None
        }
    }
}

/// Mistakes are errors with a sentence, and leave nesting as it was.
fn misuse(checks: &mut Checks, sections: &Sections) {
    let outer = sections.enter("outer", "loop");
    let inner = sections.enter("inner", "loop");
    let (outer, inner) = (outer.unwrap_or(Token::NULL), inner.unwrap_or(Token::NULL));
    match sections.exit(outer) {
        Err(error @ Error::Unclosed { .. }) => {
            let sentence = TIMER.sentence(error);
            checks.print(format_args!("{sentence}"));
        }
        other => checks.equal("an unclosed section is told", other, Ok(())),
    }
    checks.equal("an old token is refused", sections.exit(inner), Err(Error::NotOpen));
    checks.equal("the null token is ignored", sections.exit(Token::NULL), Ok(()));
    // Two more than the stack holds.
    let mut refused = 0;
    let tokens: [Token; CONFIG.depth as usize + 2] = core::array::from_fn(|_| {
        sections.enter("down", "loop").unwrap_or_else(|error| {
            refused += u32::from(matches!(error, Error::TooDeep { .. }));
            Token::NULL
        })
    });
    checks.equal("too deep is refused", refused, 2);
    checks.equal("the stack is full", sections.depth(), CONFIG.depth as usize);
    for token in tokens.into_iter().rev() {
        checks.equal("each exits", sections.exit(token), Ok(()));
    }
    checks.equal("all are closed", sections.depth(), 0);
}

/// How often a path was exited; `None` where it is not recorded.
fn count(snapshot: &Snapshot<'_>, path: &[&str]) -> Option<u64> {
    snapshot.section(path).map(|section| section.count())
}

/// What boot, loop, interrupt and misuse left.
fn recorded(checks: &mut Checks, snapshot: &Snapshot<'_>, rounds: u64) {
    checks.print(format_args!("\n{}", snapshot.report()));
    checks.print(format_args!("{}", snapshot.json()));
    let expected: [(&[&str], u64); 17] = [
        (&["boot"], 1),
        (&["boot", "clocks"], 1),
        (&["boot", "memory"], 1),
        (&["boot", "sensors"], 1),
        (&["boot", "sensors", "calibrate[0]"], 1),
        (&["boot", "sensors", "calibrate[1]"], 1),
        (&["boot", "sensors", "calibrate[2]"], 1),
        (&["control"], STEPS),
        (&["control", "sample"], STEPS),
        (&["control", "filter"], STEPS),
        (&["control", "actuate"], STEPS),
        (&["tick"], rounds),
        (&["tick", "debounce"], rounds),
        (&["outer"], 1),
        (&["outer", "inner"], 0),
        (&["down"], 1),
        (&["down", "down"], 1),
    ];
    for (path, times) in expected {
        checks.equal(path[path.len() - 1], count(snapshot, path), Some(times));
    }
    let refused = snapshot.section(&["control", "filter", "log"]).is_none();
    checks.holds("a refused section left no trace", refused);
    // Seven more levels of `down`, less the one above.
    checks.equal("no other section", snapshot.sections().count(), 17 + 6);
    times(checks, snapshot);
    totals(checks, snapshot);
    let losses = *snapshot.losses();
    checks.equal("refused", losses.refused, STEPS / LOGS_EVERY);
    checks.equal("unclosed", losses.unclosed, 1);
    checks.equal("not open", losses.not_open, 1);
    checks.equal("too deep", losses.too_deep, 2);
    checks.equal("the clock never stepped back", losses.steps_back, 0);
    checks.equal("nothing else was lost", losses.no_slot + losses.base_name + losses.categories, 0);
}

/// Times agree with the turns of the busy loops (two instructions each, a nanosecond an instruction
/// in the emulator), and no child exceeds its parent.
fn times(checks: &mut Checks, snapshot: &Snapshot<'_>) {
    // A tick more or less, and what it takes to get there.
    let (tick, slack) = (1_000_000_000 / clock::HERTZ, 2_000);
    for (path, turns) in [
        (&["control", "sample"][..], tasks::SAMPLE),
        (&["control", "filter"], tasks::FILTER),
        (&["control", "actuate"], tasks::ACTUATE),
        (&["tick", "debounce"], tasks::DEBOUNCE),
    ] {
        let body = 2 * u64::from(turns);
        let least = snapshot.section(path).and_then(|section| section.min());
        let right = least.is_some_and(|least| least + tick >= body && least <= body + slack);
        checks.holds(path[1], right);
        if !right {
            checks.print(format_args!("  found {least:?} ns, expected {body} and a little more"));
        }
    }
    for section in snapshot.sections() {
        let beneath = |child: &Section<'_>| child.path().eq(section.path().chain([child.name()]));
        let children: u64 = snapshot.sections().filter(beneath).map(|child| child.total()).sum();
        checks.holds("children fit into their parent", children <= section.total());
        let most = section.max().unwrap_or(0);
        let means_well = section.count() == 0
            || section.min().is_some_and(|least| {
                least * section.count() <= section.total()
                    && section.total() <= most * section.count()
            });
        checks.holds("least and most fit the total", means_well);
    }
}

/// Totals of categories and of all, added up here from the sections alone.
fn totals(checks: &mut Checks, snapshot: &Snapshot<'_>) {
    for category in ["boot", "io", "loop", "compute", "interrupt", "default", "nobody's"] {
        let is_top = |section: &Section<'_>| {
            let mut above = section.parent();
            while let Some(outer) = above {
                if outer.category() == category {
                    return false;
                }
                above = outer.parent();
            }
            section.category() == category
        };
        let total: u64 = snapshot.sections().filter(is_top).map(|section| section.total()).sum();
        checks.equal(category, snapshot.category_total(category), total);
    }
    let top = |section: &Section<'_>| section.parent().is_none();
    let total: u64 = snapshot.sections().filter(top).map(|section| section.total()).sum();
    checks.equal("the total", snapshot.total(), total);
}

/// Clear drops timings, keeps rules and open sections, and records what is entered afterwards.
fn clear(checks: &mut Checks, sections: &Sections) {
    let open = sections.enter("outer", "compute").unwrap_or(Token::NULL);
    // The interrupt is held off, so that nothing is recorded in between.
    let (cleared, emptied) =
        interrupt::free(|_| (TIMER.clear(), TIMER.snapshot().map(|snapshot| snapshot.is_empty())));
    checks.equal("clears", cleared, Ok(()));
    checks.equal("nothing is left", emptied, Ok(true));
    let forbidden = sections.enter("inner", "io");
    checks.holds("rules stay", matches!(forbidden, Err(Error::Forbidden { .. })));
    let child = sections.enter("inner", "compute").unwrap_or(Token::NULL);
    checks.equal("the child exits", sections.exit(child), Ok(()));
    checks.equal("the open one exits", sections.exit(open), Ok(()));
    with_snapshot(checks, |checks, snapshot, _| {
        checks.equal("not recorded: open at the clear", count(snapshot, &["outer"]), None);
        checks.equal("recorded: entered after it", count(snapshot, &["outer", "inner"]), Some(1));
        let child = snapshot.section(&["outer", "inner"]);
        checks.equal("shown at the top", child.map(|child| child.depth()), Some(0));
        checks.equal("dropped", count(snapshot, &["control"]), None);
        checks.equal("losses begin anew", snapshot.losses().refused, 1);
        checks.equal("losses begin anew", snapshot.losses().too_deep, 0);
    });
}

/// What finds the table full is counted and shown; its parent and the totals stay exact.
fn full_table(checks: &mut Checks, sections: &Sections) {
    let mut fitted = 0;
    let parent = sections.enter("fill", "loop").unwrap_or(Token::NULL);
    for name in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        let token = sections.enter(name, "io").unwrap_or(Token::NULL);
        delay(1_000);
        checks.equal("exits, with a slot or without", sections.exit(token), Ok(()));
        fitted += u64::from(with_path(name));
    }
    checks.equal("the parent exits", sections.exit(parent), Ok(()));
    let counted = sections.enter_counted("fill", 7, "loop").unwrap_or(Token::NULL);
    checks.equal("a counted one exits", sections.exit(counted), Ok(()));
    // One category is free; what follows goes to the reserved one.
    for category in ["one more", "too many", "far too many"] {
        let token = sections.enter("fill", category).unwrap_or(Token::NULL);
        checks.equal("exits, whatever its category", sections.exit(token), Ok(()));
    }
    with_snapshot(checks, |checks, snapshot, _| {
        checks.print(format_args!("\n{}", snapshot.report()));
        let lost = 8 - fitted;
        checks.holds("the table is full", lost > 0);
        checks.equal("counted", snapshot.losses().no_slot, lost);
        let shown = snapshot.without_slot().find(|(category, ..)| *category == "io");
        checks.equal("shown", shown.map(|(_, count, _)| count), Some(lost));
        checks.equal("the base stands in", snapshot.losses().base_name, 1);
        checks.equal("fill, fill[7] and three more", count(snapshot, &["fill"]), Some(5));
        checks.equal("categories that did not fit", snapshot.losses().categories, 2);
        let category = snapshot.section(&["fill"]).map(|fill| fill.category());
        checks.equal("the reserved category", category, Some("(other)"));
        let inside = snapshot.category_total("io");
        let around = snapshot.section(&["fill"]).map_or(0, |fill| fill.total());
        let least = 8 * 2 * 1_000;
        checks.holds("all eight are in the category", inside >= least && inside <= around);
    });
}

/// Whether a section beneath `fill` has a path of its own.
fn with_path(name: &str) -> bool {
    TIMER.find_path(&["fill", name]).is_some()
}
