//! Keys that were not meant as a decision never decide.

use crate::terminal::Terminal;
use crate::{play, ran, say, to_code};
use std::time::{Duration, Instant};

const SLOW: &str = r#"
pace = 60
[[reply]]
when = "go"
text = """
A few words come first, so that keys are pressed while the block arrives. A few words more, and then the code.

```python
open("ran-1", "w").close()
```
"""
"#;

/// Goes to the waiting block and waits until its keys are open.
fn open_review(terminal: &Terminal) {
    terminal.wait_for("Block 1 waits");
    crate::open_keys(terminal);
}

/// Holds a key down while a block arrives: one repeat every 20 ms for 5 s.
fn hold(terminal: &Terminal, key: &str) {
    let until = Instant::now() + Duration::from_secs(5);
    while Instant::now() < until {
        terminal.press(key);
        terminal.pause(Duration::from_millis(20));
    }
}

#[test]
fn keys_typed_ahead_run_nothing() {
    crate::at_every_size(|| {
        let (home, terminal) = crate::asked(SLOW);
        // The focus goes to the code pane, where the decision keys are, before there is anything to decide.
        terminal.wait_for("come first");
        to_code(&terminal);
        assert!(crate::is_in_code(&terminal.screen()), "{}", terminal.screen());
        hold(&terminal, "a");
        terminal.wait_for("WAITING");
        assert!(!ran(home.path(), 1));
    });
}

#[test]
fn letters_in_the_message_stay_text() {
    crate::at_every_size(|| {
        let (home, terminal) = crate::asked(SLOW);
        // Keys directly after that Enter would form a paste with it.
        terminal.wait_for("come first");
        terminal.type_text("yes a 1");
        terminal.wait_true(|screen| screen.contains("WAITING") && screen.contains("yes a 1"));
        assert!(!ran(home.path(), 1));
    });
}

#[test]
fn a_paste_into_the_code_pane_runs_nothing() {
    crate::at_every_size(|| {
        let (home, terminal) = crate::asked(SLOW);
        open_review(&terminal);
        terminal.paste("a");
        terminal.wait_for("paste");
        terminal.pause(Duration::from_millis(1000));
        terminal.send(b"aaaa");
        terminal.pause(Duration::from_millis(1000));
        assert!(!ran(home.path(), 1));
        assert!(terminal.screen().contains("WAITING"), "{}", terminal.screen());
    });
}

/// The attack as it was found: a built-in story with three blocks waits, and somebody types a sentence at this
/// pace.
fn sentence(text: &str, pace: u64, focused: bool) {
    let home = tempfile::tempdir().expect("a home");
    let terminal = crate::at_work(home.path(), &["--demo", "three"]).start();
    say(&terminal, "go");
    open_from_message(&terminal, focused);
    for c in text.chars() {
        terminal.send(c.to_string().as_bytes());
        terminal.pause(Duration::from_millis(pace));
    }
    // Long enough for everything that is held back.
    let end = text.rsplit(' ').next().expect("a word");
    terminal.wait_for(if focused { end } else { text });
    assert!(
        !terminal.holds_within(Duration::from_secs(2), |s| !s.contains("WAITING")),
        "{}",
        terminal.screen()
    );
    let left: Vec<_> = std::fs::read_dir(home.path().join("work")).expect("the folder").collect();
    assert!(left.is_empty(), "something ran: {left:?}");
    let file = crate::session_with(home.path(), r#""kind":"block""#);
    assert!(!file.contains(r#""kind":"decision""#) && !file.contains(r#""kind":"skipped""#), "{file}");
}

/// Waits for the block; either with the focus on it and its keys open, or as for a person who did nothing.
fn open_from_message(terminal: &Terminal, focused: bool) {
    terminal.wait_for("Block 1 waits");
    if focused {
        crate::open_keys(terminal);
    } else {
        // Longer than the focus ever took to move by itself.
        assert!(!terminal.holds_within(Duration::from_millis(2500), crate::is_in_code));
    }
}

#[test]
fn a_sentence_typed_while_a_block_waits_decides_nothing() {
    let texts = [("add a test", 50), ("also check", 120), ("square root", 300)];
    crate::side_by_side(crate::SIZES.into_iter().zip(texts), |(size, (text, pace))| {
        crate::terminal::in_size(size, || sentence(text, pace, false));
    });
}

#[test]
fn a_sentence_typed_at_the_block_itself_goes_to_the_message() {
    let texts = [("add a test", 60), ("also check", 200), ("square root", 300)];
    crate::side_by_side(crate::SIZES.into_iter().zip(texts), |(size, (text, pace))| {
        crate::terminal::in_size(size, || sentence(text, pace, true));
    });
}

#[test]
fn a_decision_is_held_back_and_taken_back_by_any_letter() {
    let home = tempfile::tempdir().expect("a home");
    let setup = play(home.path(), SLOW);
    // Times that let a busy machine check the screen and press the next key.
    crate::write_config(home.path(), "[review]\narm_ms = 3000\nhold_ms = 4000\n");
    let terminal = setup.start();
    say(&terminal, "go");
    open_review(&terminal);
    terminal.press_then("s", "any letter takes it back");
    // Two keys within 30 ms are a paste, in which nothing is text: this is a person typing.
    terminal.pause(std::time::Duration::from_millis(100));
    terminal.press_then("o", "That was text");
    terminal.wait_true(|s| s.contains("> so") && s.contains("WAITING"));
    // While the window loses or gets the focus, nothing can be decided.
    crate::open_keys(&terminal);
    terminal.send(b"\x1b[O");
    terminal.wait_for("letters locked");
    terminal.press("s");
    let counts = |s: &str| !s.contains("WAITING") || s.contains("takes it back");
    assert!(!terminal.holds_within(Duration::from_millis(900), counts), "{}", terminal.screen());
    terminal.wait_for("keys open");
}

#[test]
fn ctrl_y_goes_to_the_block_and_only_the_second_decides() {
    let (home, terminal) = crate::asked(SLOW);
    terminal.wait_for("Block 1 waits");
    terminal.type_text("half");
    // Inside a paste without brackets it does nothing.
    terminal.send(b"x\x19y");
    terminal.wait_for("halfxy");
    assert!(!crate::is_in_code(&terminal.screen()), "{}", terminal.screen());
    terminal.pause(Duration::from_millis(200));
    terminal.press("Ctrl-Y");
    // Text typed while the block arrived may make sayso ask for the word.
    terminal.wait_true(|s| s.contains("again approves") || s.contains("again asks for the word"));
    terminal.wait_for("seen 1/1");
    assert!(!ran(home.path(), 1));
    let settled = |s: &str| s.contains("Type  run") || s.contains("Approved once") || s.contains("DONE");
    let deadline = Instant::now() + crate::terminal::PATIENCE;
    while !terminal.holds_within(Duration::from_millis(700), settled) {
        assert!(Instant::now() < deadline, "{}", terminal.screen());
        terminal.press("Ctrl-Y");
    }
    assert!(terminal.screen().contains("halfxy"), "{}", terminal.screen());
}

#[test]
fn a_terminal_that_never_answers_decides_nothing_by_letters() {
    let home = tempfile::tempdir().expect("a home");
    let mut setup = play(home.path(), SLOW);
    setup.answers = false;
    let terminal = setup.start();
    say(&terminal, "go");
    open_review(&terminal);
    terminal.press_then("s", "The terminal did not answer");
    assert!(terminal.screen().contains("WAITING"), "{}", terminal.screen());
}
