//! Removing sessions from the shell: after a question, where every answer but yes means no.

use crate::terminal::Setup;
use crate::{play, say_then};

const STORY: &str = "[[reply]]\ntext = \"Hello.\"\n";

#[test]
fn a_session_is_removed_only_after_a_yes() {
    let home = tempfile::tempdir().expect("a folder");
    let home = home.path();
    let mut terminal = play(home, STORY).start();
    say_then(&terminal, "greet", "Hello.");
    crate::session_with(home, "\"turn_end\"");
    terminal.signal("TERM");
    terminal.wait_exit();

    for (answer, is_left) in [("", true), ("n", true), ("yesterday", true), ("y", false)] {
        let mut asking = Setup::new(home, &["sessions", "prune", "--older", "0h"]).start();
        asking.wait_for("for good? [y/N]");
        assert!(asking.screen().contains("greet"), "what would go is told: {}", asking.screen());
        asking.enter(answer);
        let code = asking.wait_exit();
        assert_eq!(
            (code, crate::sessions_of(home)),
            (if is_left { 10 } else { 0 }, usize::from(is_left)),
            "{answer}"
        );
    }
}
