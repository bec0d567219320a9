//! Keys that were not meant as a decision never decide.

use crate::{play, ran};
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

/// Holds a key down across the arrival of a block: one every 20 ms for 5 s.
fn hold(terminal: &crate::terminal::Terminal, key: &str) {
    let until = Instant::now() + Duration::from_secs(5);
    while Instant::now() < until {
        terminal.press(key);
        terminal.holds_within(Duration::from_millis(20), |_| false);
    }
}

#[test]
fn keys_typed_ahead_run_nothing() {
    let home = tempfile::tempdir().expect("a home");
    let terminal = play(home.path(), SLOW).start();
    terminal.wait_for("Enter send");
    terminal.type_text("go");
    terminal.press("Enter");
    // To the code pane, where the decision keys are.
    terminal.press("Tab");
    terminal.press("Tab");
    hold(&terminal, "a");
    assert!(!ran(home.path(), 1));
    assert!(terminal.screen().contains("WAITING"), "{}", terminal.screen());
}

#[test]
fn letters_in_the_message_stay_text() {
    let home = tempfile::tempdir().expect("a home");
    let terminal = play(home.path(), SLOW).start();
    terminal.wait_for("Enter send");
    terminal.type_text("go");
    terminal.press("Enter");
    terminal.type_text("yes a 1");
    terminal.wait_for("WAITING");
    assert!(terminal.screen().contains("yes a 1"), "{}", terminal.screen());
    assert!(!ran(home.path(), 1));
}

#[test]
fn a_paste_into_the_code_pane_runs_nothing() {
    let home = tempfile::tempdir().expect("a home");
    let terminal = play(home.path(), SLOW).start();
    terminal.wait_for("Enter send");
    terminal.type_text("go");
    terminal.press("Enter");
    terminal.wait_for("Block 1 waits");
    // Open the guard as a person would: wait until it is quiet and all was seen.
    terminal.holds_within(Duration::from_millis(1500), |_| false);
    terminal.paste("a");
    terminal.wait_for("paste");
    terminal.holds_within(Duration::from_millis(1000), |_| false);
    terminal.send(b"aaaa");
    terminal.holds_within(Duration::from_millis(1000), |_| false);
    assert!(!ran(home.path(), 1));
    assert!(terminal.screen().contains("WAITING"), "{}", terminal.screen());
}
