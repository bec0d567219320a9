//! The session as lines: whole words decide, nothing that was typed before the question, and no escape sequence is written.

use crate::terminal::{Setup, Terminal};
use crate::{play, ran, session_with};
use std::path::Path;
use std::time::Duration;

/// A block with a high finding, then one without.
const STORY: &str = r#"
pace = 20
[[reply]]
when = "go"
text = """
First the folder goes.

```python
open("ran-1", "w").close()
import shutil; shutil.rmtree("old", ignore_errors=True)
print("one", "is", "gone")
```

```python
open("ran-2", "w").close()
40 + 2
```
"""
[[reply]]
when = "42"
text = "The model says: all done."
[[reply]]
when = "too risky"
text = "The model was told why."
"#;

fn plain(home: &Path) -> Terminal {
    let mut setup: Setup<'_> = play(home, STORY).env("TERM", "dumb");
    setup.args.insert(0, "--plain".into());
    setup.start()
}

/// Types an answer as a person does who has read the question.
fn answer(terminal: &Terminal, text: &str) {
    terminal.pause(Duration::from_millis(400));
    terminal.type_text(text);
    terminal.press("Enter");
}

#[test]
fn whole_words_decide_and_a_high_finding_takes_one_more() {
    let home = tempfile::tempdir().expect("a home");
    let mut terminal = plain(home.path());
    terminal.wait_for("You:");
    answer(&terminal, "go");
    terminal.wait_for("Block 1 python, 3 lines, waiting:");
    terminal.wait_for("HIGH: deletes");
    terminal.wait_for("Type approve");
    for text in ["a", "yes", "1", ""] {
        answer(&terminal, text);
        terminal.wait_for("Nothing was decided.");
    }
    answer(&terminal, "approve");
    terminal.wait_for("Type run and press Enter");
    assert!(!ran(home.path(), 1));
    answer(&terminal, "yes");
    terminal.wait_for("That was not the word.");
    answer(&terminal, "approve");
    terminal.wait_for("Anything else goes back:");
    answer(&terminal, "run");
    terminal.wait_for("  | one is gone");
    terminal.wait_for("Block 2 python, 2 lines, waiting:");
    assert!(ran(home.path(), 1) && !ran(home.path(), 2));
    answer(&terminal, "approve");
    if terminal.holds_within(Duration::from_millis(1500), |s| {
        s.contains("nothing confines") || s.matches("Type run").count() > 2
    }) {
        answer(&terminal, "run");
    }
    terminal.wait_for("value  42");
    terminal.wait_for("The model says: all done.");
    assert!(ran(home.path(), 2));
    terminal.wait_for("You:");
    answer(&terminal, "/quit");
    terminal.wait_exit();
    let written = terminal.raw();
    assert!(!written.contains(&0x1b), "{}", String::from_utf8_lossy(&written));
}

#[test]
fn what_was_typed_before_the_question_does_not_answer_it() {
    let home = tempfile::tempdir().expect("a home");
    let terminal = plain(home.path());
    terminal.wait_for("You:");
    answer(&terminal, "go");
    terminal.wait_for("First the");
    // While the block is being written: a whole line and a begun one.
    terminal.send(b"approve\rappro");
    terminal.wait_for("Type approve");
    answer(&terminal, "ve");
    terminal.wait_for("none of the words");
    // A paste is no decision either.
    terminal.pause(Duration::from_millis(400));
    terminal.send(b"approve\rmore of it\r");
    terminal.wait_for("That looked like a paste. Nothing was decided.");
    assert!(!ran(home.path(), 1));
    answer(&terminal, "reject too risky");
    terminal.wait_for("Block 2 python");
    answer(&terminal, "skip");
    terminal.wait_for("The model was told why.");
    // What was typed is not lost.
    terminal.wait_for("Kept, not sent:");
    assert!(!ran(home.path(), 1) && !ran(home.path(), 2));
    session_with(home.path(), r#""kind":"turn_end""#);
}

#[test]
fn files_and_commands_of_the_person_go_the_same_way_in_lines() {
    let home = tempfile::tempdir().expect("a home");
    let terminal = plain(home.path());
    std::fs::write(home.path().join("work/risk.txt"), "this is too risky\n").expect("written");
    terminal.wait_for("You:");
    answer(&terminal, "see @gone.txt");
    terminal.wait_for("There is no file gone.txt here. Not sent: Enter again sends it as it stands.");
    terminal.wait_for("Kept, not sent:");
    answer(&terminal, "/drop");
    answer(&terminal, "see @risk.txt");
    terminal.wait_for("with: risk.txt 18 B");
    terminal.wait_for("The model was told why.");
    answer(&terminal, "!touch ran-1; echo $((40 + 2))");
    terminal.wait_for("For: your own command");
    terminal.wait_for("Type approve");
    assert!(!ran(home.path(), 1), "typing it decided nothing");
    answer(&terminal, "approve");
    if terminal.holds_within(Duration::from_millis(1500), |s| s.contains("Type run and press Enter")) {
        answer(&terminal, "run");
    }
    terminal.wait_for("  | 42");
    assert!(ran(home.path(), 1));
    terminal.wait_for("You:");
    answer(&terminal, "and?");
    terminal.wait_for("The model says: all done.");
}
