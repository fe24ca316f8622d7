use xtimer_core::timed;

#[timed(nam = "load")]
fn misspelt() {}

#[timed("load")]
fn without_a_key() {}

#[timed(name = 3)]
fn no_string() {}

#[timed(name = "a", name = "b")]
fn twice() {}

#[timed(name)]
fn no_value() {}

#[timed(name = "a" category = "b")]
fn no_comma() {}

fn main() {}
