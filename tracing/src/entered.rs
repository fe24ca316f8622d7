//! The spans that are entered on this thread, innermost last.

use std::cell::RefCell;

use tracing_core::span::Id;
use xtimer_core::Token;

thread_local! {
    static ENTERED: RefCell<Vec<(u64, Token)>> = const { RefCell::new(Vec::new()) };
}

/// Notes that a span was entered, with the token of its frame.
pub fn push(span: &Id, token: Token) {
    let _ = ENTERED.try_with(|entered| {
        if let Ok(mut entered) = entered.try_borrow_mut() {
            entered.push((span.into_u64(), token));
        }
    });
}

/// The token of the span's last enter that has no exit yet. Spans may be exited in any order.
pub fn take(span: &Id) -> Option<Token> {
    let taken = ENTERED.try_with(|entered| {
        let mut entered = entered.try_borrow_mut().ok()?;
        let place = entered.iter().rposition(|(number, _)| *number == span.into_u64())?;
        Some(entered.remove(place).1)
    });
    taken.ok().flatten()
}

/// Whether the span is the innermost one entered on this thread.
pub fn is_innermost(span: &Id) -> bool {
    let innermost = |entered: &RefCell<Vec<(u64, Token)>>| {
        let entered = entered.try_borrow().ok()?;
        Some(entered.last()?.0 == span.into_u64())
    };
    ENTERED.try_with(innermost).ok().flatten().unwrap_or(false)
}
