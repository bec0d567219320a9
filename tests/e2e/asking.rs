//! A program that asks: a terminal for it, an answer typed into it, and what becomes of the answer.

use crate::{approve, play, say, session_with, to_code};

const STORY: &str = r#"
pace = 0
[[reply]]
when = "go"
text = """
Here it is.

```bash
read -p 'Name? ' name
read -s -p 'Word? ' word
echo; echo "Hello $name, ${#word} letters."
```
"""
[[reply]]
when = "6 letters"
text = "The model says: all done."
"#;

#[test]
fn an_answer_is_typed_into_a_program_and_into_nothing_else() {
    let home = tempfile::tempdir().expect("a home");
    let terminal = play(home.path(), STORY).start();
    say(&terminal, "go");
    terminal.wait_for("WAITING");
    to_code(&terminal);
    terminal.wait_for("keys open");
    terminal.press("T");
    terminal.wait_for("Terminal   its own");
    approve(&terminal, 1);
    terminal.wait_for("types into block 1's own terminal");
    terminal.wait_for("Name?");
    terminal.press("\x1d");
    terminal.wait_for("takes the keys back");
    terminal.type_text("Ada");
    terminal.press("Enter");
    terminal.wait_for("Name? Ada");
    terminal.wait_for("Word?");
    terminal.type_text("hidden");
    terminal.press("Enter");
    terminal.wait_for("Hello Ada, 6 letters.");
    terminal.wait_for("has ended: they go nowhere");
    terminal.press("\x1d");
    terminal.wait_for("The model says: all done.");
    let file = session_with(home.path(), r#""kind":"run""#);
    assert!(file.contains(r#""pty":true"#), "the rights tell it: {file}");
    assert!(!file.contains("hidden"), "what is typed is kept nowhere");
}
