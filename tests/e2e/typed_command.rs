//! The person's own command: it runs after it was approved, and the model learns of it with the next message.

use crate::{approve_then, ran, say_then, session_with};

const STORY: &str = r#"
pace = 40
[[reply]]
when = "from-the-command"
text = "It was told."
"#;

#[test]
fn a_typed_command_waits_runs_and_is_told() {
    let (home, terminal) = crate::played(STORY);
    say_then(&terminal, "!touch ran-1; printf 'from-the-%s' command", "Block 1 waits");
    assert!(!ran(home.path(), 1), "typing it decided nothing");
    approve_then(&terminal, 1, "from-the-command");
    assert!(ran(home.path(), 1));
    session_with(home.path(), "\"typed\":true");
    terminal.press_until("Tab", "[Message]");
    terminal.enter_then("What did it say?", "It was told.");
}
