//! What a lane does as one of several that a section goes to: say first whether it would refuse, then
//! enter without asking again.

use crate::category;
use crate::clock::Clock;
use crate::context::{INDEX_MASK, Token};
use crate::error::Error;
use crate::layout::{frame, header, lane as at, loss};
use crate::opening::Request;
use crate::shape::Shape;
use crate::sync::Relaxed;
use crate::timer::{Lane, Opening, flag};

impl<S: Shape, C: Clock> Lane<'_, S, C> {
    /// Whether the timer is switched off.
    pub(crate) fn is_off(self) -> bool {
        self.region.wide(header::STATE).load() as u32 & flag::OFF != 0
    }

    /// Why a request would be refused; leaves no trace. `pushes`: it needs a place on the stack.
    pub(crate) fn refusal(self, request: &Request<'_>, pushes: bool) -> Option<Error> {
        let top = self.lane.word(at::TOP).load(Relaxed); // Relaxed: own, as below
        if pushes && top == self.lane.word(at::LIMIT).load(Relaxed) {
            let node = self.lane.at(top as usize).word(frame::NODE).load(Relaxed);
            return Some(Error::TooDeep { top: node & INDEX_MASK });
        }
        let Some((_, outer)) = self.surroundings(request.under) else {
            return Some(Error::OtherTimer);
        };
        let state = self.region.wide(header::STATE).load();
        if state as u32 & flag::RULES == 0 || outer == category::NONE {
            return None;
        }
        let layout = &self.timer.layout;
        let inner = category::foresee(self.region, layout, request.category)?;
        category::forbids(self.region, layout, outer, inner)
            .then_some(Error::Forbidden { outer, inner })
    }

    /// Counts and keeps a refusal, as the call that meets it alone would.
    pub(crate) fn note_refusal(self, error: Error) {
        self.catch_up(self.region.wide(header::STATE).load());
        match error {
            Error::Forbidden { outer, inner } => return self.refuse_nesting(outer, inner),
            Error::TooDeep { .. } => self.count_loss(loss::TOO_DEEP, 1),
            _ => {}
        }
        self.fail(error);
    }

    /// Enters what was checked, under a token that several lanes share; whether it did.
    pub(crate) fn enter_as(self, token: Token, request: &Request<'_>) -> bool {
        let state = self.region.wide(header::STATE).load();
        let Some(target) = self.open(request, state) else { return false };
        let top = self.lane.word(at::TOP).load(Relaxed); // Relaxed: own
        if top == self.lane.word(at::LIMIT).load(Relaxed) {
            // A handler has left sections open since it was checked.
            self.count_loss(loss::TOO_DEEP, 1);
            return false;
        }
        let node = self.node(target.index);
        // Marked: the hot path's exit must not find it.
        let opening = Opening { node, category: target.category, mark: Token::MARK };
        self.push_as(token, top, opening, C::now);
        true
    }
}
