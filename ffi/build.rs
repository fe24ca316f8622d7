//! Gives the shared library its own name, so that a program linked by a path to it does not keep
//! the path.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let system = env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    match system.as_str() {
        "linux" | "android" | "freebsd" | "netbsd" | "openbsd" => {
            println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libxtimer.so");
        }
        "macos" | "ios" => {
            println!("cargo:rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libxtimer.dylib");
        }
        _ => {}
    }
}
