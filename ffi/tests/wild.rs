//! Random calls with random handles, tokens and texts: an answer each, and what was well-formed
//! around them stays right.

use std::ffi::CString;
use std::ptr::null;

use proptest::prelude::*;
use xtimer::*;

/// A call with whatever arguments.
#[derive(Clone, Debug)]
enum Call {
    End(u64),
    EndNear(u32),
    TimerEnd(u64, u64),
    Beneath([u64; 3], Vec<u8>),
    Record([u64; 3], Vec<u8>, f64),
    Finish([u64; 4]),
    Enable(u64),
    EnableEnd(u64, u64),
    Destroy(u64),
    Free(u64),
    At(u64, usize),
    Begin(Vec<u8>, Vec<u8>),
    Status(i32),
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(1_u8..=255, 0..60)
}

/// Numbers that are near to what handles look like, and any.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        0_u64..200,
        (0_u64..8, 0_u64..80).prop_map(|(high, low)| high << 32 | low)
    ]
}

/// What a path holds of timers: one, or several.
fn path() -> impl Strategy<Value = [u64; 3]> {
    prop_oneof![number().prop_map(|value| [value, 0, 0]), prop::array::uniform3(number())]
}

fn path_of([first, second, third]: [u64; 3]) -> PathHandle {
    PathHandle { value: [first, second, third, 0, 0, 0, 0, 0] }
}

fn call() -> impl Strategy<Value = Call> {
    prop_oneof![
        number().prop_map(Call::End),
        (0_u32..64).prop_map(|bit| Call::End(1 << bit)),
        (0_u32..64).prop_map(Call::EndNear),
        (number(), number()).prop_map(|(timer, token)| Call::TimerEnd(timer, token)),
        (path(), text()).prop_map(|(path, name)| Call::Beneath(path, name)),
        (path(), text(), any::<f64>())
            .prop_map(|(path, name, seconds)| Call::Record(path, name, seconds)),
        prop::array::uniform4(number()).prop_map(Call::Finish),
        number().prop_map(Call::Enable),
        (number(), number()).prop_map(|(thread, scope)| Call::EnableEnd(thread, scope)),
        number().prop_map(Call::Destroy),
        number().prop_map(Call::Free),
        (number(), any::<usize>()).prop_map(|(snapshot, index)| Call::At(snapshot, index)),
        (text(), text()).prop_map(|(name, category)| Call::Begin(name, category)),
        any::<i32>().prop_map(Call::Status),
    ]
}

fn make(call: &Call, inner: Token) {
    let string = |bytes: &[u8]| CString::new(bytes).unwrap();
    // SAFETY: strings end with a zero, and places are locals.
    unsafe {
        match call {
            Call::End(token) if *token != inner => drop(xtimer_end(*token)),
            Call::End(_) => {}
            Call::EndNear(bit) => drop(xtimer_end(inner ^ 1 << bit)),
            Call::TimerEnd(handle, token) if *token != inner => {
                xtimer_timer_end(TimerHandle { handle: *handle }, *token);
            }
            Call::TimerEnd(..) => {}
            Call::Beneath(value, name) => {
                let path = path_of(*value);
                xtimer_end(xtimer_begin_beneath(path, string(name).as_ptr(), null()));
            }
            Call::Record(value, name, seconds) => {
                let name = string(name);
                xtimer_record_seconds(name.as_ptr(), null(), *seconds);
                xtimer_record_beneath_ns(path_of(*value), name.as_ptr(), null(), 1);
            }
            Call::Finish([start, epoch, path, state]) => {
                let (start, epoch, path) = ([*start; 8], [*epoch; 8], path_of([*path, 0, 7]));
                let mut detached =
                    DetachedSection { start, epoch, path: path.value, state: *state };
                xtimer_finish(&raw mut detached);
            }
            Call::Enable(handle) => {
                let mut enabled = EnabledHandle { thread: 0, scope: 0 };
                let enable = xtimer_enable_begin(TimerHandle { handle: *handle }, &raw mut enabled);
                xtimer_end(xtimer_begin(c"enabled".as_ptr(), null()));
                if enable == Code::Ok {
                    assert_eq!(xtimer_enable_end(enabled), Code::Ok);
                    assert_eq!(xtimer_enable_end(enabled), Code::NotOpen);
                }
            }
            Call::EnableEnd(thread, scope) => {
                let enabled = EnabledHandle { thread: *thread, scope: *scope };
                assert!(*thread == 0 && *scope == 0 || xtimer_enable_end(enabled) != Code::Ok);
            }
            Call::Destroy(handle) => drop(xtimer_destroy(TimerHandle { handle: *handle })),
            Call::Free(handle) => drop(xtimer_snapshot_free(SnapshotHandle { handle: *handle })),
            Call::At(handle, index) => {
                let mut info = std::mem::MaybeUninit::uninit();
                xtimer_snapshot_at(SnapshotHandle { handle: *handle }, *index, info.as_mut_ptr());
            }
            Call::Begin(name, category) => {
                let (name, category) = (string(name), string(category));
                xtimer_end(xtimer_begin(name.as_ptr(), category.as_ptr()));
            }
            Call::Status(status) => assert!(!xtimer_status_text(*status).is_null()),
        }
        // Whatever it says, it is text.
        std::ffi::CStr::from_ptr(xtimer_last_error()).to_str().unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_sequence_of_calls_breaks_nesting(calls in prop::collection::vec(call(), 1..60)) {
        // With nothing open, where 0 stands for the innermost token.
        for call in &calls {
            make(call, 0);
            prop_assert_eq!(xtimer_current_path().value, [0; 8], "{:?}", call);
        }
        // SAFETY: literals.
        let (padding, inner) = unsafe {
            (xtimer_begin(c"padding".as_ptr(), null()), xtimer_begin(c"inner".as_ptr(), null()))
        };
        prop_assert!(padding != 0 && inner != 0);
        // The generation before: a token that is open, which no near miss of `inner` may be.
        let near = (0..64).find(|bit| inner ^ 1 << bit == padding);
        let path = xtimer_current_path();
        for call in &calls {
            if matches!(call, Call::EndNear(bit) if Some(*bit) == near)
                || matches!(call, Call::End(token) if *token == padding)
            {
                continue;
            }
            make(call, inner);
            prop_assert_eq!(xtimer_current_path(), path, "{:?}", call);
        }
        prop_assert_eq!(xtimer_end(inner), Code::Ok);
        prop_assert_eq!(xtimer_end(padding), Code::Ok);
        prop_assert_eq!(xtimer_current_path().value, [0; 8]);
        let mut needed = 0;
        // SAFETY: no buffer, and a local.
        let status = unsafe { xtimer_export_json(std::ptr::null_mut(), 0, &raw mut needed) };
        prop_assert_eq!(status, Code::TooSmall);
        prop_assert_eq!(xtimer_clear(), Code::Ok);
    }
}
