//! Giving the terminal back, whatever happens: kept where a panic hook can reach it.
//!
//! There is one terminal to a process, so this is the one place with a static. It holds what is needed to restore and
//! nothing else.

use super::modes::{self, SwitchedModes};
use rustix::termios::{OptionalActions, Termios, tcsetattr};
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};

/// What the terminal was like, and where it is.
struct SavedTerminal {
    input: OwnedFd,
    output: OwnedFd,
    before: Termios,
    touched: SwitchedModes,
}

static SAVED: Mutex<Option<SavedTerminal>> = Mutex::new(None);
/// Somebody restored the terminal while the program still believes to have it.
static TERMINAL_LOST: AtomicBool = AtomicBool::new(false);
/// Threads whose panics are caught and answered in place have names that begin so; they leave the terminal alone.
pub(super) const WORKER_PREFIX: &str = "paint-";

/// From now on the terminal is to be restored to `before`.
pub(super) fn keep(input: OwnedFd, output: OwnedFd, before: Termios, touched: SwitchedModes) {
    *SAVED.lock().unwrap_or_else(PoisonError::into_inner) =
        Some(SavedTerminal { input, output, before, touched });
    TERMINAL_LOST.store(false, Ordering::Release);
}

/// This has been switched on too.
pub(super) fn touch(change: impl FnOnce(&mut SwitchedModes)) {
    if let Some(kept) = SAVED.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
        change(&mut kept.touched);
    }
}

/// Restores the terminal, once. Returns whether there was anything to restore.
pub(super) fn restore() -> bool {
    let Some(kept) = SAVED.lock().unwrap_or_else(PoisonError::into_inner).take() else { return false };
    // A terminal that is gone can't be told anything; the modes are tried all the same.
    let _ = super::write_all(kept.output.as_fd(), modes::leave(kept.touched).as_bytes());
    let _ = tcsetattr(&kept.input, OptionalActions::Now, &kept.before);
    true
}

/// Whether the terminal was restored behind the program's back; asks once.
pub(super) fn was_lost() -> bool {
    TERMINAL_LOST.swap(false, Ordering::AcqRel)
}

/// Makes every panic restore the terminal before it is told; once a process.
pub(super) fn hook_panics() {
    static HOOKED: Once = Once::new();
    HOOKED.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if std::thread::current().name().is_some_and(|name| name.starts_with(WORKER_PREFIX)) {
                return;
            }
            if restore() {
                TERMINAL_LOST.store(true, Ordering::Release);
            }
            before(info);
        }));
    });
}
