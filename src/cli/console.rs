//! On Windows CommitMark is a program with a window, so that no black console opens beside it. Such a
//! program has no terminal of its own: here it takes the one that it was started from. `cli` calls it
//! before anything is printed.

/// Joins the terminal that started this program. Output that was sent into a file or a pipe stays there.
#[cfg(windows)]
#[allow(unsafe_code, reason = "the system call has no safe binding")]
pub fn join() {
    use windows::Win32::System::Console::{ATTACH_PARENT_PROCESS, AttachConsole};

    // SAFETY: the call takes no pointer, and it is made before any other thread writes.
    // It fails where there is no terminal, as after a double-click: then there is nobody to read either.
    let _ = unsafe { AttachConsole(ATTACH_PARENT_PROCESS) };
}

/// Elsewhere every program has the terminal that started it.
#[cfg(not(windows))]
pub fn join() {}
