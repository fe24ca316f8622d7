//! What `#[timed]` says where it cannot time, and that these are the only errors.

#[test]
fn misuse_is_one_clear_error() {
    let tests = trybuild::TestCases::new();
    tests.compile_fail("tests/ui/*.rs");
}
