//! What the child processes do.

use std::io::{Read, Write};

use xtimer_core::{default_timer, section};

fn work() {
    for _ in 0..3 {
        let _step = section!("step", "compute");
        drop(section!("load", "io"));
    }
}

/// Says that it has come so far, and waits for the end.
fn wait() -> ! {
    println!("ready");
    std::io::stdout().flush().unwrap();
    loop {
        std::thread::park();
    }
}

pub fn play(role: &str) {
    work();
    match role {
        "returns" => {}
        "exits" => std::process::exit(7),
        "waits in a step" => {
            let _open = section!("step", "compute");
            wait();
        }
        "panics" => panic!("on purpose"),
        "aborts" => std::process::abort(),
        "goes elsewhere" => std::env::set_current_dir("/").unwrap(),
        "handles SIGTERM itself" => {
            extern "C" fn own(_: libc::c_int) {
                // SAFETY: async-signal-safe.
                unsafe { libc::_exit(42) };
            }
            let handler: extern "C" fn(libc::c_int) = own;
            // SAFETY: the handler is async-signal-safe.
            unsafe { libc::signal(libc::SIGTERM, handler as libc::sighandler_t) };
            wait();
        }
        "forks" => {
            // SAFETY: this process has one thread.
            let child = unsafe { libc::fork() };
            if child == 0 {
                drop(section!("in the child"));
                std::process::exit(0);
            }
            let mut status = 0;
            // SAFETY: `status` may be written.
            unsafe { libc::waitpid(child, &raw mut status, 0) };
            assert_eq!(status, 0);
            println!("{child}");
        }
        "goes on" => {
            // Until its input ends.
            println!("ready");
            std::io::stdout().flush().unwrap();
            let _ = std::io::stdin().read(&mut [0]);
        }
        "is switched off" => {
            let timer = default_timer().unwrap();
            assert!(!timer.is_enabled());
            assert!(timer.snapshot().unwrap().is_empty());
        }
        other => panic!("no role '{other}'"),
    }
}
