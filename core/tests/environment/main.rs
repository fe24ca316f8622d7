//! What the environment asks for, in processes of their own: this program, called again with a role.

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
mod children;
#[cfg(unix)]
mod roles;

#[cfg(unix)]
fn main() {
    if cfg!(xtimer_thread_sanitizer) {
        // It holds signals back, and answers some itself.
        return println!("test result: ok. 0 passed; 0 failed");
    }
    match std::env::var("XTIMER_TEST_ROLE") {
        Ok(role) => roles::play(&role),
        Err(_) => children::check_all(),
    }
}
