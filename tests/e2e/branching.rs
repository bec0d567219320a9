//! Branches in the terminal: a block waits again, a message is changed, and the original session stays as it
//! was.

use crate::terminal::Terminal;
use crate::{approve_then, ran, say, say_then};
use std::path::{Path, PathBuf};

const STORY: &str = r#"
[[reply]]
when = "greet the moon"
text = """
```python
print("to the", "moon")
```
"""
[[reply]]
when = "greet"
text = """
```python
open("ran-1", "a").write("x")
print("hello", "there")
```
"""
[[reply]]
text = "That was all."
"#;

fn sessions(home: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = crate::session_files(home);
    found.sort();
    found.into_iter().map(|path| (path.clone(), std::fs::read(path).expect("a session"))).collect()
}

fn begun() -> (tempfile::TempDir, Terminal) {
    let (home, terminal) = crate::played(STORY);
    say_then(&terminal, "greet", "Block 1 waits");
    approve_then(&terminal, 1, "That was all.");
    (home, terminal)
}

#[test]
fn a_block_waits_again_in_a_branch() {
    let (home, terminal) = begun();
    let before = sessions(home.path());
    say(&terminal, "/fork 1");
    // What came after the branching point is missing.
    terminal.wait_true(|s| {
        s.contains("Block 1 waits") && s.contains("A branch of") && !s.contains("That was all.")
    });
    assert_eq!(std::fs::read(home.path().join("work/ran-1")).expect("it ran once"), b"x");
    approve_then(&terminal, 1, "ran-1  2 B");
    let after = sessions(home.path());
    assert_eq!(after.len(), 2);
    assert_eq!(after[0].1[..before[0].1.len()], before[0].1[..], "nothing is overwritten");
    assert!(ran(home.path(), 1));
    assert_eq!(std::fs::read(home.path().join("work/ran-1")).expect("it ran again"), b"xx");
}

#[test]
fn the_last_words_are_changed_in_a_branch() {
    let (home, terminal) = begun();
    say_then(&terminal, "/rewind", "A branch of");
    // The text is in Message; nothing was sent.
    terminal.wait_for("greet");
    terminal.type_text(" the moon");
    terminal.send(b"\r");
    terminal.wait_for("Block 1 waits");
    approve_then(&terminal, 1, "to the moon");
    let both = sessions(home.path());
    assert_eq!(both.len(), 2);
    let branch = String::from_utf8_lossy(&both[1].1).into_owned();
    let of = both[0].0.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let header = branch.lines().next().unwrap_or_default();
    assert!(header.contains("branch_of") && header.contains(&of), "{header}");
}

#[test]
fn branches_are_a_tree_and_are_compared() {
    crate::at_every_size(|| {
        let (_home, terminal) = begun();
        say_then(&terminal, "/fork 1", "Block 1 waits");
        approve_then(&terminal, 1, "Block 1 done");
        terminal.wait_ready();
        say(&terminal, "/resume");
        terminal.wait_true(|s| s.contains("└ ") && s.contains("at block 1") && s.contains("open here"));
        terminal.press("Esc");
        terminal.wait_gone("at block 1");
        say(&terminal, "/compare");
        terminal.wait_true(|s| s.contains("Compare this session with") && s.contains("this one"));
        terminal.press("Enter");
        terminal
            .wait_true(|s| s.contains("the same up to 1 message and 1 block") && s.contains("| hello there"));
        terminal.press("Esc");
        terminal.wait_gone("the same up to");
        terminal.press("Esc");
        terminal.wait_gone("Compare this session with");
        // The same from the list of sessions.
        say_then(&terminal, "/resume", "open here");
        terminal.press("Up");
        terminal.press_then("Ctrl-O", "the same up to 1 message and 1 block");
        // Esc leaves only the comparison: the list is below it.
        terminal.press("Esc");
        terminal.wait_gone("the same up to");
        terminal.wait_for("open here");
    });
}

#[test]
fn branches_are_a_tree_and_are_compared_in_lines() {
    crate::side_by_side([("C.UTF-8", "└ "), ("C", "`-")], |(locale, last)| compared_in_lines(locale, last));
}

/// In a terminal with this locale; `last` is the prefix of the last branch.
fn compared_in_lines(locale: &str, last: &str) {
    let home = tempfile::tempdir().expect("a home");
    let terminal = crate::plain::in_lines(home.path(), STORY).env("LC_ALL", locale).start();
    terminal.wait_for("You:");
    crate::plain::answer_then(&terminal, "greet", "Block 1");
    crate::plain::approve(&terminal);
    terminal.wait_for("That was all.");
    crate::plain::answer_then(&terminal, "/fork message 1", "A branch of");
    crate::plain::answer(&terminal, "/drop");
    crate::plain::answer_then(&terminal, "greet the moon", "print(\"to the\", \"moon\")");
    crate::plain::approve(&terminal);
    terminal.wait_for("to the moon");
    crate::plain::answer(&terminal, "/resume");
    terminal.wait_true(|s| s.contains(&format!("  2  {last}")) && s.contains(", from message 1 on"));
    crate::plain::answer_then(&terminal, "/compare", "/compare NUMBER or NAME puts one beside this session.");
    assert_eq!(locale == "C", terminal.screen().is_ascii());
    crate::plain::answer(&terminal, "/compare 1");
    terminal.wait_true(|s| s.contains("one is a branch of the other, from before its first message"));
    terminal.wait_true(|s| s.contains("| to the moon") && s.contains("| hello there"));
    crate::plain::answer_then(&terminal, "/compare 2", "That is this session.");
}
