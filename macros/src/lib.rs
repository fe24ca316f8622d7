//! `#[timed]`: a function's time as a section. Used through `xtimer_core::timed`.

mod options;
mod rewrite;

use proc_macro::TokenStream;

/// Times a function, a method or an `async fn` as a section of the default timer.
///
/// ```
/// use xtimer_core::timed;
///
/// #[timed]
/// fn load(path: &str) -> std::io::Result<String> {
///     let text = std::fs::read_to_string(path)?; // an early return ends the section as well
///     Ok(text)
/// }
///
/// struct Model;
/// impl Model {
///     #[timed(name = "forward pass", category = "compute")]
///     fn forward(&self) {}
/// }
///
/// assert!(load("/no/such/file").is_err());
/// Model.forward();
/// let snapshot = xtimer_core::default_timer().unwrap().snapshot().unwrap();
/// assert_eq!(snapshot.section(&["load"]).unwrap().count(), 1);
/// assert_eq!(snapshot.section(&["forward pass"]).unwrap().category(), "compute");
/// ```
///
/// The section is called like the function, without its module or type, and has the category `default`.
///
/// | option | |
/// |---|---|
/// | `name = "…"` | another name |
/// | `category = "…"` | a category |
/// | `crate = path` | where `xtimer_core` is, if it is renamed or re-exported |
///
/// # Async functions
///
/// The section of an `async fn` has the *elapsed* time: from its first poll until it is ready, or is
/// dropped before that (cancelled). Its child `(active)` has an entry for each poll: the time that
/// it kept a thread. Sections entered in between, and async functions that it awaits, nest in it,
/// whichever threads poll it. Its type is the one that it would have had, boxed nowhere, and it is
/// `Send` where it was.
///
/// ```
/// use xtimer_core::timed;
///
/// #[timed(category = "io")]
/// async fn request() {
///     query().await;
/// }
/// #[timed]
/// async fn query() {}
/// ```
///
/// A function that returns a boxed future, `Box::pin(async move { … })`, is taken for an async one: it is
/// what `#[async_trait]` makes. Of any other future that a function returns only the making is timed.
///
/// # What can't be timed
///
/// A `const fn` (nothing can be timed at compile time), a function without a body, and items that are
/// no functions are compile errors.
#[proc_macro_attribute]
pub fn timed(options: TokenStream, item: TokenStream) -> TokenStream {
    match rewrite::timed(options.into(), item.clone().into()) {
        Ok(timed) => timed.into(),
        Err(error) => {
            // The item goes on as it is, so that this is the only error.
            let mut tokens = TokenStream::from(error.into_compile_error());
            tokens.extend(item);
            tokens
        }
    }
}
