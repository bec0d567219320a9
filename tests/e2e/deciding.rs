//! Approve, edit, reject, skip, interrupt: what was decided is what happens, and the model is told.

use crate::{approve_then, keeps_eleven, play, ran, say, session, session_with, tab_to, to_code};

/// One block that marks that it ran, then a closing answer that waits for the word `forty`.
const ONE: &str = r#"
pace = 0
[[reply]]
when = "go"
text = """
Here it is.

```python
open("ran-1", "w").close()
answer = 40 + 2
print("forty", answer)
```
"""
[[reply]]
when = "forty 42"
text = "The model says: all done."
[[reply]]
when = "person changed"
text = "The model was told of the change."
[[reply]]
when = "too risky"
text = "The model was told the reason."
"#;

#[test]
fn an_approved_block_runs_and_the_model_closes_the_turn() {
    let (home, terminal) = crate::asked(ONE);
    approve_then(&terminal, 1, "The model says: all done.");
    assert!(ran(home.path(), 1));
    let file = session_with(home.path(), r#""kind":"run""#);
    let approved =
        file.lines().position(|l| l.contains(r#""kind":"decision""#)).expect("the decision is on disk");
    let end = file.lines().position(|l| l.contains(r#""kind":"run""#)).expect("the run's end is on disk");
    assert!(approved < end);
}

#[test]
fn nothing_runs_before_the_decision() {
    crate::at_every_size(|| {
        let (home, terminal) = crate::asked(ONE);
        terminal.wait_for("WAITING");
        crate::open_keys(&terminal);
        for key in ["Enter", "Space", "1", "Tab", "BackTab", "Enter"] {
            terminal.press(key);
            terminal.pause(std::time::Duration::from_millis(200));
        }
        terminal.wait_true(crate::is_in_code);
        // In all other tests, what it would have started is on disk within this time.
        assert!(!terminal.holds_within(std::time::Duration::from_millis(1500), |_| ran(home.path(), 1)));
        assert!(terminal.screen().contains("WAITING"), "{}", terminal.screen());
    });
}

#[test]
fn an_edited_block_runs_as_edited_and_the_model_is_told() {
    crate::at_every_size(|| {
        let story = ONE.replace(r#"when = "forty 42""#, r#"when = "forty 43 and 41""#);
        let (home, terminal) = crate::asked(&story);
        terminal.wait_for("WAITING");
        to_code(&terminal);
        terminal.press_until("e", "EDITING");
        terminal.press("Down");
        terminal.press("Down");
        terminal.press("End");
        // The last line gets one more argument: print("forty", answer) -> print("forty", answer + 1, "and 41")
        terminal.press("Backspace");
        terminal.type_text(" + 1, \"and 41\")");
        terminal.press_then("Esc", "EDITED");
        approve_then(&terminal, 1, "The model says: all done.");
        assert!(ran(home.path(), 1));
        let file = session(home.path());
        assert!(file.contains(r#"answer + 1, \"and 41\")"#), "the edited text is in the session");
    });
}

#[test]
fn a_rejection_carries_its_reason() {
    crate::at_every_size(|| {
        let (home, terminal) = crate::asked(ONE);
        terminal.wait_for("WAITING");
        to_code(&terminal);
        terminal.press_until("r", "Enter reject");
        terminal.enter_then("too risky for me", "The model was told the reason.");
        assert!(!ran(home.path(), 1));
        session_with(home.path(), "too risky for me");
    });
}

const THREE: &str = r#"
pace = 0
[[reply]]
when = "go"
text = """
Three steps.

```python
open("ran-1", "w").close()
x = 7
```

Then

```python
open("ran-2", "w").close()
print("x is", x)
```

And

```bash
touch ran-3
```
"""
[[reply]]
when = "x is 7"
text = "All three were settled."
"#;

#[test]
fn three_blocks_are_settled_one_at_a_time() {
    crate::at_every_size(|| {
        let (home, terminal) = crate::asked(THREE);
        approve_then(&terminal, 1, "Block 2 ");
        assert!(!ran(home.path(), 2), "deciding one never decides the next");
        approve_then(&terminal, 2, "Block 3 ");
        assert!(ran(home.path(), 2));
        to_code(&terminal);
        terminal.press_until("s", "All three were settled.");
        assert!(!ran(home.path(), 3));
    });
}

/// An endless loop, with a variable in memory.
const LOOP: &str = "open('ran-1', 'w').close()\nprint('loop begins', flush=True)\nwhile True:\n    pass";

#[test]
fn an_interrupted_block_keeps_the_state() {
    crate::at_every_size(|| {
        let (_home, terminal) = crate::asked(&keeps_eleven(LOOP));
        approve_then(&terminal, 1, "loop begins");
        // No person presses a key in the moment in which the first line comes.
        terminal.pause(std::time::Duration::from_millis(700));
        terminal.press_then("Ctrl-C", "INTERRUPTED");
        // Two keys within 30 ms are a paste: a person is slower than a run that ends at once.
        terminal.pause(std::time::Duration::from_millis(100));
        terminal.press("i");
        say(&terminal, "again");
        approve_then(&terminal, 2, "The state survived.");
    });
}

/// A block that creates a file that shells obey, and changes an existing one.
const OBEYED: &str = r#"
pace = 0
[[reply]]
when = "go"
text = """
Here it is.

```python
open(".envrc", "w").write("evil")
open("sub/.bashrc", "w").write("evil")
x = 1
print("forty", 2)
```
"""
[[reply]]
when = "forty"
text = "Made."
"#;

#[test]
fn what_a_run_changed_is_told_before_it_and_taken_back_after_a_question() {
    let home = tempfile::tempdir().expect("a home");
    let setup = play(home.path(), OBEYED);
    let work = home.path().join("work");
    // Too deep in the folder for the sandbox to protect it.
    std::fs::create_dir(work.join("sub")).expect("made");
    std::fs::write(work.join("sub/.bashrc"), "mine").expect("written");
    let terminal = setup.start();
    say(&terminal, "go");
    approve_then(&terminal, 1, "Made.");
    // The end of the turn moves the focus back to Message.
    terminal.wait_true(crate::is_in_message);
    tab_to(&terminal, |screen| screen.contains("[Output block 1"));
    terminal.wait_for_each(&["created .envrc: what a shell reads when it starts", "u shows each change"]);
    terminal.press_until("u", "What block 1 changed");
    terminal.wait_for("2 of 2 changes picked");
    terminal.press_until("t", "Take back 2 changes of block 1?");
    terminal.press_until("t", "taken back");
    assert!(!work.join(".envrc").exists());
    assert_eq!(std::fs::read_to_string(work.join("sub/.bashrc")).expect("there"), "mine");
    session_with(home.path(), "taken_back");
}
