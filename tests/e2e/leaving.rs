//! Leaving: by command, by signal, by a terminal that goes away. The terminal is as it was before.

use crate::terminal::Setup;
use crate::{play, say};

const TALK: &str = "pace = 0\n[[reply]]\ntext = \"Hello there.\"\n";

/// The modes that are on have to be off again at the end.
fn restored(raw: &[u8]) {
    let text = String::from_utf8_lossy(raw);
    // The screen of before, pastes in brackets, the focus, and the mouse in all its ways.
    for mode in [1049, 2004, 1004, 1000, 1002, 1003, 1006] {
        let (on, off) = (format!("\x1b[?{mode}h"), format!("\x1b[?{mode}l"));
        if let Some(last_on) = text.rfind(&on) {
            assert!(text.rfind(&off).is_some_and(|last_off| last_off > last_on), "{off:?} is missing");
        }
    }
    assert!(text.rfind("\x1b[?25h") > text.rfind("\x1b[?25l"), "the cursor is on again");
}

#[test]
fn quitting_names_the_session() {
    let home = tempfile::tempdir().expect("a home");
    let mut terminal = play(home.path(), TALK).start();
    say(&terminal, "hello");
    terminal.wait_for("Hello there.");
    terminal.type_text("/quit");
    terminal.press("Enter");
    assert_eq!(terminal.wait_exit(), 0);
    assert!(terminal.screen().contains("Session saved. Continue: sayso resume"), "{}", terminal.screen());
    restored(&terminal.raw());
}

#[test]
fn two_interrupts_in_idle_quit() {
    let home = tempfile::tempdir().expect("a home");
    let mut terminal = play(home.path(), TALK).start();
    terminal.wait_ready();
    terminal.press("Ctrl-C");
    terminal.wait_for("Ctrl-C again within 2 s quits.");
    terminal.press("Ctrl-C");
    terminal.wait_exit();
    restored(&terminal.raw());
}

#[test]
fn signals_restore_the_terminal() {
    for name in ["TERM", "HUP"] {
        let home = tempfile::tempdir().expect("a home");
        let mut terminal = play(home.path(), TALK).start();
        terminal.wait_ready();
        assert!(!terminal.is_cooked());
        terminal.signal(name);
        terminal.wait_exit();
        assert!(terminal.is_cooked(), "{name}");
        restored(&terminal.raw());
    }
}

#[test]
fn idle_draws_nothing() {
    crate::at_every_size(|| {
        let home = tempfile::tempdir().expect("a home");
        let terminal = play(home.path(), TALK).start();
        terminal.wait_ready();
        terminal.pause(std::time::Duration::from_secs(1));
        let before = terminal.written();
        terminal.pause(std::time::Duration::from_secs(2));
        assert_eq!(terminal.written(), before);
    });
}

#[test]
fn the_welcome_comes_without_a_provider() {
    crate::at_every_size(|| {
        let home = tempfile::tempdir().expect("a home");
        let terminal = Setup::new(home.path(), &[]).start();
        terminal.wait_for("Where should answers come from?");
        terminal.wait_for("Nothing has left this computer");
        terminal.press("Enter");
        terminal.wait_ready();
    });
}
