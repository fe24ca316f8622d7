//! Turns the built module into one that JavaScript can call: `xtimer-bindgen MODULE.wasm OUT`.
//!
//! Writes `OUT/bindings_bg.wasm` and the glue `OUT/bindings_bg.js`, in the form for bundlers: whoever
//! instantiates the module hands its exports to the glue.

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [module, out] = arguments.as_slice() else {
        bail!("usage: xtimer-bindgen MODULE.wasm OUT");
    };
    Bindgen::new()
        .input_path(module)
        .out_name("bindings")
        .bundler(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(out)
        .with_context(|| format!("cannot bind {}", module.display()))
}
