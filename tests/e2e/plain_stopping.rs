//! Lines instead of panes: Ctrl-C interrupts what runs and nothing else, Enter stops what a rule would start.

use crate::plain::{answer, approve, lines};
use crate::terminal::Setup;
use crate::{keeps_eleven, ran, session_with, shell_blocks};
use std::time::Duration;

/// A block that sleeps, with a variable at hand.
const SLEEPS: &str = "import time\nprint('it', 'sleeps', flush=True)\ntime.sleep(60)";

#[test]
fn ctrl_c_interrupts_what_runs_and_its_kernel_keeps_what_it_knows() {
    let home = tempfile::tempdir().expect("a home");
    let terminal = lines(home.path(), &keeps_eleven(SLEEPS));
    terminal.wait_for("You:");
    answer(&terminal, "go");
    terminal.wait_for("Type approve");
    approve(&terminal);
    terminal.wait_for("  | it sleeps");
    terminal.pause(Duration::from_millis(400));
    terminal.press("Ctrl-C");
    terminal.wait_for("Block 1: INTERRUPTED");
    terminal.wait_for("You:");
    answer(&terminal, "again");
    terminal.wait_for("Block 2 python");
    approve(&terminal);
    terminal.wait_for("  | kept is 11");
    terminal.wait_for("The state survived.");
}

#[test]
fn ctrl_c_on_a_terminal_interrupts_the_one_turn_of_run() {
    let home = tempfile::tempdir().expect("a home");
    let path = crate::story(home.path(), &keeps_eleven(SLEEPS)).to_string_lossy().into_owned();
    let args = ["run", "--approve", "all", "--demo", &path, "go"];
    let mut terminal = Setup::new(home.path(), &args).env("TERM", "dumb").start();
    terminal.wait_for("it sleeps");
    terminal.press("Ctrl-C");
    assert_eq!(terminal.wait_exit(), 130);
    let file = session_with(home.path(), r#""kind":"run""#);
    assert!(file.contains(r#""interrupted""#), "it heard an interrupt, and did not die of it: {file}");
}

#[test]
#[ignore = "needs a sandbox that holds"]
fn enter_stops_what_a_rule_would_start() {
    let home = tempfile::tempdir().expect("a home");
    let terminal = lines(home.path(), &shell_blocks(&["first", "second"]));
    terminal.wait_for("You:");
    answer(&terminal, "go");
    terminal.wait_for("Type approve");
    answer(&terminal, "always");
    terminal.wait_for("Type always and its number.");
    answer(&terminal, "always 2");
    terminal.wait_for("Rule 1 matches. It starts in 3 s; Enter stops it.");
    assert!(ran(home.path(), 1) && !ran(home.path(), 2));
    terminal.pause(Duration::from_millis(400));
    terminal.press("Enter");
    terminal.wait_for("Nothing was decided.");
    assert!(!terminal.holds_within(Duration::from_millis(3_500), |_| ran(home.path(), 2)), "it was stopped");
    answer(&terminal, "approve");
    terminal.wait_for("  | second");
}
