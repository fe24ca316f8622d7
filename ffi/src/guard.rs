//! What keeps a panic from crossing into C.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::{Code, Failure, Status, refuse};

/// Runs a body; its outcome as a status.
pub(crate) fn status(body: impl FnOnce() -> Result<(), Failure>) -> Status {
    value(Code::Internal, || {
        Ok(match body() {
            Ok(()) => Code::Ok,
            Err(Failure(code)) => code,
        })
    })
}

/// Runs a body; `fallback` where it fails or panics.
pub(crate) fn value<R>(fallback: R, body: impl FnOnce() -> Result<R, Failure>) -> R {
    // What a panic leaves behind half done is behind a lock, or a thread's own.
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(value)) => value,
        Ok(Err(_)) => fallback,
        Err(cause) => {
            // Dropping the cause may panic as well.
            std::mem::forget(cause);
            let _ = catch_unwind(|| {
                refuse(Code::Internal, format_args!("An error in xtimer itself; please report it."))
            });
            fallback
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    fn last_error() -> String {
        // SAFETY: the text ends with a zero and stands until the next call.
        unsafe { CStr::from_ptr(crate::xtimer_last_error()) }.to_str().unwrap().to_owned()
    }

    /// Drops with a panic.
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            std::panic::resume_unwind(Box::new("in a destructor"));
        }
    }

    #[test]
    fn a_panic_becomes_a_status_and_a_sentence() {
        let panics = || std::panic::resume_unwind(Box::new("on purpose"));
        assert_eq!(status(panics), Code::Internal);
        assert!(last_error().contains("xtimer itself"), "{}", last_error());
        assert_eq!(value(7, || std::panic::resume_unwind(Box::new(Bomb))), 7);
    }

    #[test]
    fn a_failure_is_its_status() {
        assert_eq!(status(|| Err(refuse(Code::Io, format_args!("no")))), Code::Io);
        assert_eq!(last_error(), "no");
        assert_eq!(status(|| Ok(())), Code::Ok);
    }
}
