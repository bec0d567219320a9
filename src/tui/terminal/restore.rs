//! Restores the terminal whatever happens: the saved state is kept where a panic hook can reach it.
//!
//! A process has only one terminal, so this is the one place with a static. It holds what is needed to restore
//! and nothing else.

use super::modes::{self, SwitchedModes};
use crate::tui::paint::highlight::WORKER_PREFIX;
use rustix::termios::{OptionalActions, Termios, tcsetattr};
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};

/// The state of the terminal before, and its descriptors.
struct SavedTerminal {
    input: OwnedFd,
    output: OwnedFd,
    before: Termios,
    switched: SwitchedModes,
}

static SAVED: Mutex<Option<SavedTerminal>> = Mutex::new(None);
/// Whether the terminal was restored while the program still believes to have it.
static TERMINAL_LOST: AtomicBool = AtomicBool::new(false);

/// Saves the state `before`, to which the terminal is to be restored.
pub(super) fn keep(input: OwnedFd, output: OwnedFd, before: Termios, switched: SwitchedModes) {
    *SAVED.lock().unwrap_or_else(PoisonError::into_inner) =
        Some(SavedTerminal { input, output, before, switched });
    TERMINAL_LOST.store(false, Ordering::Release);
}

/// Records a further mode that was switched on.
pub(super) fn record(change: impl FnOnce(&mut SwitchedModes)) {
    if let Some(kept) = SAVED.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
        change(&mut kept.switched);
    }
}

/// Restores the terminal, once. Returns whether there was anything to restore.
pub(super) fn restore() -> bool {
    let Some(kept) = SAVED.lock().unwrap_or_else(PoisonError::into_inner).take() else { return false };
    // Writing may fail if the terminal is gone; the modes are restored all the same.
    let _ = super::write_all(kept.output.as_fd(), modes::leave(kept.switched).as_bytes());
    let _ = tcsetattr(&kept.input, OptionalActions::Now, &kept.before);
    true
}

/// Whether the terminal was restored behind the program's back; resets the answer.
pub(super) fn was_lost() -> bool {
    TERMINAL_LOST.swap(false, Ordering::AcqRel)
}

/// Makes every panic restore the terminal before its message is printed; installed once per process.
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
