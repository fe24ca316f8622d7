//! What a C++ compiler says of uses of the header: a warning where a scope times nothing, none
//! elsewhere.

use std::path::Path;
use std::process::Command;

/// What the compiler writes about a body of code, in both modes; `None` without a compiler.
fn said(name: &str, body: &str, warnings: &[&str]) -> Option<Vec<String>> {
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.cpp"));
    std::fs::write(&source, format!("#include \"xtimer.hpp\"\n{body}\n")).unwrap();
    let compiler = std::env::var_os("CXX").unwrap_or_else(|| "c++".into());
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../include");
    [&[][..], &["-DXTIMER_DISABLE"]]
        .into_iter()
        .map(|mode| {
            let mut run = Command::new(&compiler);
            run.args(["-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic"]);
            run.args(warnings).args(mode).arg("-I").arg(&include).arg(&source);
            let output = run.output().ok()?;
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{text}");
            Some(text)
        })
        .collect()
}

#[test]
#[cfg_attr(miri, ignore = "starts a compiler")]
fn a_scope_without_a_name_is_warned_of() {
    for (name, statement) in [
        ("parentheses", "xtimer::scope(\"a\", \"b\");"),
        ("braces", "xtimer::scope{xtimer::counted{\"a\", 1}};"),
        ("detached", "xtimer::detached(\"a\");"),
    ] {
        let Some(texts) = said(name, &format!("void f() {{ {statement} }}"), &[]) else { return };
        for text in texts {
            assert_eq!(text.matches("warning:").count(), 1, "{statement}: {text}");
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "starts a compiler")]
fn strict_warnings_find_nothing_in_the_header() {
    let body = "void f(xtimer::path path) {
        XTIMER_FUNCTION();
        XTIMER_SCOPE(\"a\", \"b\");
        XTIMER_PHASES(\"p\");
        XTIMER_PHASE(\"q\", \"b\");
        xtimer::scope s{xtimer::beneath{path}, xtimer::counted{\"c\", 1u}};
        xtimer::record(\"d\", \"e\", std::chrono::duration<double>(1));
        xtimer::record(\"d\", \"e\", std::chrono::duration<float>(1));
        xtimer::record(\"d\", \"e\", std::chrono::microseconds(1));
    }";
    let strict = ["-Wconversion", "-Wsign-conversion", "-Wshadow", "-Wold-style-cast"];
    let Some(texts) = said("strict", body, &strict) else { return };
    assert_eq!(texts.concat(), "");
    // Of GCC alone.
    let Some(texts) = said("useless", body, &["-Wuseless-cast"]) else { return };
    assert!(!texts.concat().contains("useless cast"), "{}", texts.concat());
}
