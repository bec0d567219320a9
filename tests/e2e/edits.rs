//! An edit of a file: shown as hunks, one dropped, the other written; an edit that does not fit is declined by
//! itself.

use crate::{approve_then, play, say_then, session_with, to_code};

const STORY: &str = r#"
pace = 0
[[reply]]
when = "go"
text = """
Two places, and one that is not there:

```edit path=notes.txt
<<<<<<< SEARCH
line 3
=======
line three
>>>>>>> REPLACE
<<<<<<< SEARCH
  line 20
=======
  line twenty
>>>>>>> REPLACE
```
"""
[[reply]]
when = "person changed"
text = """
```edit path=notes.txt
<<<<<<< SEARCH
nothing of this is in it
=======
x
>>>>>>> REPLACE
```
"""
[[reply]]
when = "not offered to the person"
text = "The model was told why."
"#;

#[test]
fn an_edit_is_written_as_it_was_kept_and_one_that_does_not_fit_asks_nobody() {
    let home = tempfile::tempdir().expect("a home");
    let setup = play(home.path(), STORY);
    let file = home.path().join("work/notes.txt");
    let old: String = (1..=30).map(|n| format!("line {n}\n")).collect();
    std::fs::write(&file, &old).expect("written");
    let terminal = setup.start();
    say_then(&terminal, "go", "WAITING");
    to_code(&terminal);
    terminal.wait_for("Hunk 1 of 2");
    // Two keys within 30 ms are a paste. The second of two would lead past the hunk.
    terminal.pause(std::time::Duration::from_millis(100));
    terminal.press_then("h", "Hunk 2 of 2, line 20: kept");
    terminal.press_until("x", "line 20: dropped");
    approve_then(&terminal, 1, "The model was told why.");
    let new = std::fs::read_to_string(&file).expect("read");
    assert_eq!(new, old.replace("line 3\n", "line three\n"));
    // The session file is written in parallel to the screen.
    let session = session_with(home.path(), r#""decision":"decline""#);
    assert!(session.contains(r#""kind":"placed""#) && session.contains("nothing of this is in it"));
}
