//! The person's own command: it runs after it was approved, and the model learns of it with the next message.

use crate::{approve, play, ran, say, session_with};

const STORY: &str = r#"
pace = 40
[[reply]]
when = "from-the-command"
text = "It was told."
"#;

#[test]
fn a_typed_command_waits_runs_and_is_told() {
    let home = tempfile::tempdir().expect("a home");
    let terminal = play(home.path(), STORY).start();
    say(&terminal, "!touch ran-1; printf 'from-the-%s' command");
    terminal.wait_for("Block 1 waits");
    assert!(!ran(home.path(), 1), "typing it decided nothing");
    approve(&terminal, 1);
    terminal.wait_for("from-the-command");
    assert!(ran(home.path(), 1));
    session_with(home.path(), "\"typed\":true");
    terminal.press_until("Tab", "[Message]");
    terminal.enter("What did it say?");
    terminal.wait_for("It was told.");
}
