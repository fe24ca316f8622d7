//! The layer: a task for each span, resumed when it is entered and paused when it is exited.

use std::borrow::Cow;

use tracing_core::Subscriber;
use tracing_core::span::{Attributes, Id, Record};
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::{LookupSpan, SpanRef};
use xtimer_core::{DEFAULT_CATEGORY, Path, Task, Token, with_thread};

use crate::category::Found;
use crate::entered;

/// A layer with the usual choices.
///
/// ```
/// use tracing_subscriber::prelude::*;
///
/// let subscriber = tracing_subscriber::registry().with(xtimer_tracing::layer());
/// tracing::subscriber::with_default(subscriber, || tracing::info_span!("work").in_scope(|| {}));
/// let snapshot = xtimer_core::default_timer().unwrap().snapshot().unwrap();
/// assert_eq!(snapshot.section(&["work"]).unwrap().count(), 1);
/// ```
pub const fn layer() -> Layer {
    Layer { target_as_category: false, active: true }
}

/// Turns spans into sections of the default timer. Made by [`layer`].
#[derive(Clone, Copy, Debug)]
pub struct Layer {
    target_as_category: bool,
    active: bool,
}

impl Layer {
    /// Whether a span without a field `category` has its target as the category (the module, unless the
    /// span says another) instead of `default`.
    ///
    /// ```
    /// use tracing_subscriber::prelude::*;
    ///
    /// let layer = xtimer_tracing::layer().with_target_as_category(true);
    /// let subscriber = tracing_subscriber::registry().with(layer);
    /// tracing::subscriber::with_default(subscriber, || {
    ///     tracing::info_span!(target: "storage", "save").in_scope(|| {});
    /// });
    /// let snapshot = xtimer_core::default_timer().unwrap().snapshot().unwrap();
    /// assert_eq!(snapshot.section(&["save"]).unwrap().category(), "storage");
    /// ```
    #[must_use]
    pub const fn with_target_as_category(self, yes: bool) -> Self {
        Self { target_as_category: yes, ..self }
    }

    /// Whether sections have a child `(active)`: an entry for each time the span was entered and
    /// exited. It is there unless it is switched off; programs whose spans never wait have no use for it.
    ///
    /// ```
    /// use tracing_subscriber::prelude::*;
    ///
    /// let layer = xtimer_tracing::layer().with_active(false);
    /// let subscriber = tracing_subscriber::registry().with(layer);
    /// tracing::subscriber::with_default(subscriber, || tracing::info_span!("plain").in_scope(|| {}));
    /// let snapshot = xtimer_core::default_timer().unwrap().snapshot().unwrap();
    /// assert!(snapshot.section(&["plain", xtimer_core::Task::ACTIVE]).is_none());
    /// ```
    #[must_use]
    pub const fn with_active(self, yes: bool) -> Self {
        Self { active: yes, ..self }
    }
}

/// A span's section, kept with the span.
enum Stage {
    /// Not entered yet.
    New {
        category: Cow<'static, str>,
        /// Said to have no parent.
        is_root: bool,
    },
    Begun(Task),
    /// Refused, or the timer was switched off: what is within goes beneath this path.
    NotTimed(Option<Path>),
}

impl Layer {
    /// Begins the span's section where it has none yet. Where spans within it go.
    fn begin<'a, S: for<'b> LookupSpan<'b>>(&self, span: &SpanRef<'a, S>) -> Option<Path> {
        let is_root = match span.extensions().get::<Stage>()? {
            Stage::Begun(task) => return Some(task.path()),
            Stage::NotTimed(parent) => return *parent,
            Stage::New { is_root, .. } => *is_root,
        };
        let parent = match span.parent() {
            _ if is_root => Some(Path::ROOT),
            // Beneath what this thread opened last, which may be a section of `section!`.
            Some(parent) if entered::is_innermost(&parent.id()) => None,
            Some(parent) => self.begin(&parent),
            None => None,
        };
        let mut extensions = span.extensions_mut();
        let stage = extensions.get_mut::<Stage>()?;
        // Another thread may have been first.
        if let Stage::New { category, .. } = stage {
            let task = with_thread(|context| context.begin_task(parent, span.name(), category));
            *stage = match task {
                Some(Ok(task)) if !task.is_null() && self.active => Stage::Begun(task),
                Some(Ok(task)) if !task.is_null() => Stage::Begun(task.elapsed_only()),
                _ => Stage::NotTimed(parent),
            };
        }
        match stage {
            Stage::Begun(task) => Some(task.path()),
            _ => parent,
        }
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> tracing_subscriber::Layer<S> for Layer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut found = Found::default();
        attributes.record(&mut found);
        let category = match found.0 {
            Some(category) => category.into(),
            None if self.target_as_category => attributes.metadata().target().into(),
            None => DEFAULT_CATEGORY.into(),
        };
        // Replaced, not inserted, which would panic where the layer is there twice.
        span.extensions_mut().replace(Stage::New { category, is_root: attributes.is_root() });
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut found = Found::default();
        values.record(&mut found);
        let mut extensions = span.extensions_mut();
        // A category takes effect when the section is entered.
        if let (Some(Stage::New { category, .. }), Some(given)) =
            (extensions.get_mut::<Stage>(), found.0)
        {
            *category = given.into();
        }
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        self.begin(&span);
        let token = match span.extensions_mut().get_mut::<Stage>() {
            Some(Stage::Begun(task)) => with_thread(|context| context.resume(task)),
            _ => None,
        };
        entered::push(id, token.and_then(Result::ok).unwrap_or(Token::NULL));
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        let Some(token) = entered::take(id) else { return };
        let Some(span) = context.span(id) else { return };
        if let Some(Stage::Begun(task)) = span.extensions_mut().get_mut::<Stage>() {
            // What is still open within it on this thread was discarded, and is counted.
            let _ = with_thread(|context| context.pause(task, token));
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        if let Some(Stage::Begun(task)) = span.extensions_mut().remove::<Stage>() {
            let _ = with_thread(|context| context.finish_task(task));
        }
    }
}
