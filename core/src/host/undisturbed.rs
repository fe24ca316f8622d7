//! Work that no signal handler may find half done, once a thread: registering a destructor, making a
//! context, publishing it.

/// Does `work` with this thread's signals held back, those apart that the thread raises itself.
#[cfg(unix)]
pub fn undisturbed<R>(work: impl FnOnce() -> R) -> R {
    /// Gives the mask back, also where `work` panics.
    struct Mask(libc::sigset_t);
    impl Drop for Mask {
        fn drop(&mut self) {
            // SAFETY: the mask was filled by the call below; this only reads it.
            unsafe {
                libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.0, core::ptr::null_mut())
            };
        }
    }
    // SAFETY: zeroed sets are valid memory for `sigfillset` and `pthread_sigmask`, which fill them.
    let _mask = unsafe {
        let (mut held, mut before) = core::mem::zeroed::<(libc::sigset_t, libc::sigset_t)>();
        libc::sigfillset(&raw mut held);
        for own in [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP] {
            libc::sigdelset(&raw mut held, own);
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const held, &raw mut before);
        Mask(before)
    };
    work()
}
/// Does `work`: there are no signals.
#[cfg(not(unix))]
pub fn undisturbed<R>(work: impl FnOnce() -> R) -> R {
    work()
}
