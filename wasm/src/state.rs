//! What the module keeps between calls: its timers by number, and the sentence of the last error.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::fmt::Display;
use core::ptr::NonNull;

use wasm_bindgen::prelude::wasm_bindgen;
use xtimer_core::{Config, Context, Error, Line, MemoryLine, Path, SiteWords, Timer};

use crate::clock::PageClock;

/// What a call site enters: interned once, named by number from then on.
pub(crate) struct Site {
    pub(crate) words: SiteWords,
    pub(crate) name: String,
    pub(crate) category: String,
}

/// A timer of this module, with the one context that all of its sections go through.
pub(crate) struct Instance {
    /// The number that marks this timer's paths.
    pub(crate) owner: u64,
    /// The generation of the newest token, and the half of a token that never changes.
    pub(crate) newest: u32,
    pub(crate) place: u32,
    pub(crate) sites: Vec<Site>,
    context: Option<Context<'static, Line, PageClock>>,
    timer: NonNull<Timer<Line, PageClock>>,
    memory: NonNull<[MemoryLine]>,
}

impl Instance {
    /// A timer in memory of its own.
    ///
    /// # Errors
    /// [`Error::Config`], [`Error::NoMemory`].
    pub(crate) fn new(config: Config, clock: PageClock) -> Result<Box<Self>, Error> {
        let length = Timer::<Line, PageClock>::lines(config)?;
        let mut lines: Vec<MemoryLine> = Vec::new();
        lines.try_reserve_exact(length).map_err(|_| Error::NoMemory)?;
        lines.resize(length, MemoryLine::ZERO);
        let memory = NonNull::from(Box::leak(lines.into_boxed_slice()));
        let mut timer = None;
        // SAFETY: leaked above, borrowed by nothing else; `drop` takes it back behind the timer.
        let lent = unsafe { &mut *memory.as_ptr() };
        let made = Timer::in_memory(lent, config, clock).and_then(|made| {
            let kept = NonNull::from(Box::leak(Box::new(made)));
            timer = Some(kept);
            // SAFETY: leaked above; `drop` takes it back behind the context.
            unsafe { kept.as_ref() }.context()
        });
        let (Ok(context), Some(timer)) = (made, timer) else { return Err(Error::NoLane) };
        let owner = context.current_path().to_bits() & !0xffff_ffff;
        let (sites, context) = (Vec::new(), Some(context));
        Ok(Box::new(Self { owner, newest: 0, place: 0, sites, context, timer, memory }))
    }

    /// The timer itself.
    pub(crate) fn timer(&self) -> &Timer<Line, PageClock> {
        // SAFETY: it lives until `drop`.
        unsafe { self.timer.as_ref() }
    }

    /// Its context and a call site.
    #[inline(always)]
    pub(crate) fn at(
        &mut self,
        site: u32,
    ) -> Option<(&Context<'static, Line, PageClock>, &Site, &mut u32, &mut u32)> {
        let context = self.context.as_ref()?;
        Some((context, self.sites.get(site as usize)?, &mut self.newest, &mut self.place))
    }

    /// Its context; none only while it is dropped.
    #[inline(always)]
    pub(crate) fn context(&self) -> Option<&Context<'static, Line, PageClock>> {
        self.context.as_ref()
    }

    /// The path of one of its sections; 0 is the top.
    pub(crate) fn path(&self, section: u32) -> Path {
        if section == 0 { Path::ROOT } else { Path::from_bits(self.owner | u64::from(section)) }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        self.context = None;
        // SAFETY: both were leaked by `new`; the context that borrowed the timer is gone, and the timer
        // that used the memory goes first.
        unsafe {
            drop(Box::from_raw(self.timer.as_ptr()));
            drop(Box::from_raw(self.memory.as_ptr()));
        }
    }
}

/// The timers by number, and the text that crosses.
pub(crate) struct State {
    pub(crate) instances: Vec<Option<Box<Instance>>>,
    /// What JavaScript said for the next call.
    said: Vec<Vec<u8>>,
    /// What the last call has to say.
    pub(crate) answer: Vec<u8>,
}

pub(crate) static STATE: Single<State> =
    Single::new(State { instances: Vec::new(), said: Vec::new(), answer: Vec::new() });

/// What a call gives that was refused; its sentence is kept.
pub(crate) const REFUSED: i32 = -2;
/// What enter gives while the timer is switched off, and where the stack is full, which is counted.
pub(crate) const NOT_ENTERED: i32 = -1;

impl State {
    /// A timer by its number.
    #[inline(always)]
    pub(crate) fn instance(&mut self, timer: u32) -> Option<&mut Instance> {
        self.instances.get_mut(timer as usize)?.as_deref_mut()
    }

    /// Keeps a sentence; gives the code that says so.
    #[cold]
    pub(crate) fn refuse(&mut self, sentence: impl Display) -> i32 {
        self.answer(sentence);
        REFUSED
    }

    /// Keeps what the call has to say.
    pub(crate) fn answer(&mut self, text: impl Display) {
        self.answer = text.to_string().into_bytes();
    }

    /// Takes the last text that JavaScript said; empty where it is no UTF-8.
    pub(crate) fn said(&mut self) -> String {
        String::from_utf8(self.said.pop().unwrap_or_default()).unwrap_or_default()
    }

    /// Keeps the sentence of a timer's error.
    #[cold]
    pub(crate) fn fail(&mut self, timer: u32, error: Error) -> i32 {
        let sentence = self.instance(timer).map(|it| it.timer().sentence(error).to_string());
        self.refuse(sentence.unwrap_or_default())
    }

    /// Keeps the sentence for a number that names no timer or site.
    #[cold]
    pub(crate) fn unknown(&mut self) -> i32 {
        self.refuse("This timer was freed; make a new one.")
    }

    /// 0, or the code of an error whose sentence is kept.
    pub(crate) fn done(&mut self, timer: u32, outcome: Result<(), Error>) -> i32 {
        outcome.map_or_else(|error| self.fail(timer, error), |()| 0)
    }
}

/// Where to write a text of `length` bytes of UTF-8 for the next call, before any other call. A call that
/// takes two texts takes them in this order.
#[wasm_bindgen]
pub fn say(length: usize) -> *mut u8 {
    STATE.with(|state| {
        state.said.push(alloc::vec![0; length]);
        state.said.last_mut().map_or(core::ptr::null_mut(), |text| text.as_mut_ptr())
    })
}

/// Where the text lies that the last call had to say, to be copied before any other call: a view, or the
/// sentence of what was refused.
#[wasm_bindgen]
pub fn answer() -> *const u8 {
    STATE.with(|state| state.answer.as_ptr())
}

/// Its length in bytes.
#[wasm_bindgen]
pub fn answer_length() -> usize {
    STATE.with(|state| state.answer.len())
}

/// Gives its memory back.
#[wasm_bindgen]
pub fn forget_answer() {
    STATE.with(|state| state.answer = Vec::new());
}

/// A value of the module's one thread.
pub(crate) struct Single<T>(UnsafeCell<T>);

// SAFETY: a module without threads has one; built for another machine it is only checked, never run.
unsafe impl<T> Sync for Single<T> {}

impl<T> Single<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// Uses the value. `body` comes from the exports alone, which call no JavaScript and so don't nest;
    /// within one, the clock and the state are different values.
    #[inline(always)]
    pub(crate) fn with<R>(&self, body: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: one thread, no nesting (see above).
        body(unsafe { &mut *self.0.get() })
    }
}
