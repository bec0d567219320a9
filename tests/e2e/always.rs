//! Rules for "always" in a real terminal and a real sandbox: granted by two keys, seen at work, stopped,
//! removed.

use crate::{is_in_code, ran, session, shell_blocks, to_code};
use std::time::Duration;

#[test]
#[ignore = "needs a sandbox that holds"]
fn a_rule_starts_what_it_covers_until_it_is_stopped() {
    crate::at_every_size(|| {
        let (home, terminal) = crate::asked(&shell_blocks(&["first", "second", "third"]));
        terminal.wait_for("WAITING");
        to_code(&terminal);
        terminal.press_until("A", "Always approve what?");
        terminal.press_then("2", "2 is marked");
        assert!(
            !terminal.holds_within(Duration::from_millis(900), |_| ran(home.path(), 1)),
            "a mark grants nothing"
        );
        terminal.press_then("A", "Rule 1 covers block 2");
        assert!(ran(home.path(), 1));
        assert!(!ran(home.path(), 2), "it is shown first");
        if !is_in_code(&terminal.screen()) && terminal.screen().contains("after it is shown: Ctrl-Y.") {
            // One pane at a time: nothing comes to the front by itself, and the countdown does not run before
            // the block is seen.
            terminal.press("Ctrl-Y");
            terminal.wait_true(is_in_code);
        }
        terminal.wait_for("Rule 1 covers block 3");
        assert!(ran(home.path(), 2));
        // The focus is in the message or in the code: Ctrl-C stops it from both.
        terminal.press_then("Ctrl-C", "Rule 1 stopped for block 3");
        assert!(
            !terminal.holds_within(Duration::from_millis(3_500), |_| ran(home.path(), 3)),
            "it was stopped"
        );
        let file = session(home.path());
        let line = |text: &str| file.lines().position(|line| line.contains(text)).expect(text);
        assert!(
            line(r#""kind":"rule_added""#) < line(r#""by":"rule""#),
            "the rule is on disk before what it starts"
        );
    });
}
