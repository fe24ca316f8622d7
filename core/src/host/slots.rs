//! A thread's contexts in timers: got when one is first needed, given back when nothing needs it.

use std::rc::Rc;
use std::sync::Arc;

use crate::context::Path;
use crate::error::Error;
use crate::host::default;
use crate::host::place::{MOST_ENABLED, Place};
use crate::host::set::{DEFAULT, SLOTS, Set, Slots, bit};
use crate::host::shared::{self, SharedContext};
use crate::host::timer::HostTimer;
use crate::host::undisturbed::undisturbed;

impl Set {
    /// The slot of the timer of a number, where it is filled.
    pub(super) fn slot_of(&self, serial: u32) -> Option<usize> {
        let _work = self.work();
        self.all_lanes().find(|(_, lane)| lane.timer.serial() == serial).map(|(slot, _)| slot)
    }

    /// The default timer's slot, filled.
    pub(crate) fn default_slot(&self) -> Result<usize, Error> {
        if self.lanes[DEFAULT].get().is_none() {
            self.lanes[DEFAULT].set(Some(default::lane().ok_or(Error::NoContext)?));
        }
        Ok(DEFAULT)
    }

    /// The slot of a shared timer, filled. It stays until the next call that changes the slots.
    pub(crate) fn slot(&self, timer: &Arc<HostTimer>) -> Result<usize, Error> {
        timer.ready();
        match (self.slot_of(timer.serial()), timer.serial()) {
            // Numbers are used up, after four billion timers: it could not be told from others.
            (_, 0) => Err(Error::NoContext),
            (Some(slot), _) => Ok(slot),
            (None, _) => self.attach(timer, 0),
        }
    }

    /// This thread's context in a shared timer, for front ends that use it beyond a scope.
    pub(crate) fn context(&self, timer: &Arc<HostTimer>) -> Result<Rc<SharedContext>, Error> {
        let slot = self.slot(timer)?;
        let contexts = self.contexts.try_borrow().map_err(|_| Error::Busy)?;
        contexts[slot].clone().ok_or(Error::Busy)
    }

    #[cold]
    fn attach(&self, timer: &Arc<HostTimer>, keep: Slots) -> Result<usize, Error> {
        if self.at_work.get() != 0 {
            return Err(Error::Busy);
        }
        shared::register(timer)?;
        undisturbed(|| {
            self.sweep(keep);
            let mut contexts = self.contexts.try_borrow_mut().map_err(|_| Error::Busy)?;
            let free = (DEFAULT + 1..SLOTS).find(|&slot| contexts[slot].is_none());
            let slot = free.ok_or(Error::NoMemory)?;
            let context = SharedContext::new(Arc::clone(timer))?;
            self.lanes[slot].set(Some(context.lane));
            contexts[slot] = Some(Rc::new(context));
            Ok(slot)
        })
    }

    /// The slot and path of each timer of a place that is still there. Fills slots where this thread
    /// is new to a timer.
    pub(crate) fn resolve(
        &self,
        place: &Place,
    ) -> Result<[Option<(usize, Path)>; MOST_ENABLED], Error> {
        let mut found = [None; MOST_ENABLED];
        let mut keep = 0;
        for (found, path) in found.iter_mut().zip(place.paths()) {
            let slot = match self.slot_of(path.owner) {
                Some(slot) => Some(slot),
                None if default::existing().is_some_and(|timer| timer.serial() == path.owner) => {
                    Some(self.default_slot()?)
                }
                None => match shared::find(path.owner) {
                    Some(timer) => Some(self.attach(&timer, keep)?),
                    None => None,
                },
            };
            // Once each, whatever a front end was given.
            let slot = slot.filter(|&slot| keep & bit(slot) == 0);
            keep |= slot.map_or(0, bit);
            *found = slot.map(|slot| (slot, path));
        }
        Ok(found)
    }

    /// Gives back the contexts that nothing needs: not enabled, no section open, nobody else's; and
    /// those of destroyed timers. What is in `keep` stays. Signals are held back.
    pub(crate) fn sweep(&self, keep: Slots) {
        if self.at_work.get() != 0 {
            return;
        }
        let (Ok(scopes), Ok(mut contexts)) =
            (self.scopes.try_borrow(), self.contexts.try_borrow_mut())
        else {
            return;
        };
        let levels = self.levels[..=self.top.get()].iter();
        let needed = levels.fold(keep, |needed, level| needed | level.get().base);
        let needed = scopes.iter().fold(needed, |needed, scope| needed | bit(scope.slot));
        for (slot, held) in contexts.iter_mut().enumerate() {
            let is_idle = held.as_ref().is_some_and(|context| {
                Rc::strong_count(context) == 1 && (context.is_retired() || context.depth() == 0)
            });
            if is_idle && needed & bit(slot) == 0 {
                self.lanes[slot].set(None);
                *held = None;
            }
        }
    }
}
