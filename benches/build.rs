//! Compiles the C and C++ sides with the machine's own compilers, and notes who compiled what.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=native");
    println!("cargo::rerun-if-changed=../include");
    println!("cargo::rustc-env=XTIMER_RUSTC={}", first_line("RUSTC", "rustc"));
    let include = Path::new("../include");
    cc::Build::new()
        .file("native/pair.c")
        .include(include)
        .std("c11")
        .opt_level(2)
        .compile("xtimer_bench_c");
    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").include(include).opt_level(2);
    println!("cargo::rustc-env=XTIMER_CXX={}", compiler_line(&build));
    build.file("native/pair.cpp").file("native/disabled.cpp").compile("xtimer_bench_cpp");
}

/// The first line that a program says of its version.
fn first_line(variable: &str, default: &str) -> String {
    println!("cargo::rerun-if-env-changed={variable}");
    let program = std::env::var(variable).unwrap_or_else(|_| default.into());
    version_of(Command::new(program))
}

fn compiler_line(build: &cc::Build) -> String {
    version_of(build.get_compiler().to_command())
}

fn version_of(mut command: Command) -> String {
    let output = command.arg("--version").output();
    let text = output.map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&text).lines().next().unwrap_or("unknown").to_owned()
}
