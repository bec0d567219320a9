//! Line mode: Ctrl-C interrupts only what runs, Enter stops what a rule would start; what is kept when a signal or a
//! closed output ends the session.

use crate::plain::{answer, answer_then, approve, begun, in_lines, lines, wait_for_block, wait_for_question};
use crate::terminal::{Setup, Terminal};
use crate::{files_ending, keeps_eleven, ran, session_with, shell_blocks};
use std::path::Path;
use std::time::Duration;

/// A block that sleeps, with a variable in memory.
const SLEEPS: &str = "import time\nprint('it', 'sleeps', flush=True)\ntime.sleep(60)";

#[test]
fn ctrl_c_interrupts_what_runs_and_its_kernel_keeps_what_it_knows() {
    let (_home, terminal) = begun(&keeps_eleven(SLEEPS));
    answer_then(&terminal, "go", "Type approve");
    approve(&terminal);
    terminal.wait_for("  | it sleeps");
    terminal.pause(Duration::from_millis(400));
    terminal.press("Ctrl-C");
    wait_for_question(&terminal, "Block 1: INTERRUPTED");
    answer(&terminal, "again");
    wait_for_block(&terminal, "Block 2 python");
    approve(&terminal);
    terminal.wait_for_each(&["  | kept is 11", "The state survived."]);
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

/// What was typed and not ended is neither lost nor left to the shell, and the last words begin a line.
#[test]
fn an_unfinished_line_is_kept_when_a_signal_ends_the_session() {
    crate::side_by_side([("half a thought", true), ("approve", false)], |(typed, kept)| {
        let (home, mut terminal) = begun(&shell_blocks(&["first"]));
        answer_then(&terminal, "go", "Type approve");
        terminal.pause(Duration::from_millis(400));
        terminal.type_text(typed);
        terminal.wait_true(|screen| screen.lines().any(|row| row.ends_with(typed)));
        terminal.signal("TERM");
        terminal.wait_exit();
        let screen = terminal.screen();
        assert!(screen.lines().any(|row| row.starts_with("Session saved.")), "{screen}");
        assert!(!ran(home.path(), 1));
        let drafts = files_ending(&home.path().join("sayso"), ".draft");
        let text: String = drafts.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect();
        assert_eq!(text.contains(typed), kept, "a word alone is an answer: {text}");
    });
}

/// A message is sent once its files are read: a signal before that leaves it as a draft, one after that in the session.
#[test]
fn a_message_is_not_lost_when_a_signal_comes_while_its_files_are_read() {
    crate::side_by_side(["TERM", "HUP"], |name| {
        let home = tempfile::tempdir().expect("a home");
        let mut terminal = lines(home.path(), &shell_blocks(&["first"]));
        let words: Vec<String> = (0..48).map(|number| format!("@f{number}")).collect();
        for word in &words {
            std::fs::write(home.path().join("work").join(&word[1..]), "a = 'long'\n".repeat(5_000))
                .expect("written");
        }
        terminal.wait_for("You:");
        answer(&terminal, &format!("read {}", words.join(" ")));
        terminal.pause(Duration::from_millis(60));
        terminal.signal(name);
        terminal.wait_exit();
        let files = files_ending(&home.path().join("sayso"), "");
        let holds = |path: &std::path::PathBuf| {
            std::fs::read_to_string(path).is_ok_and(|text| text.contains("read @f0 @f1"))
        };
        assert!(files.iter().any(holds), "{name}: {files:?}");
    });
}

/// Whoever reads the output leaves during a run: the run is ended, and what became of it is in the session.
#[test]
fn a_run_is_recorded_to_its_end_when_nothing_can_be_printed_any_more() {
    let home = tempfile::tempdir().expect("a home");
    let code = "touch ran-1; echo started; while sleep 0.2; do echo on; done";
    let story = format!("pace = 0\n[[reply]]\ntext = \"\"\"\n```bash\n{code}\n```\n\"\"\"\n");
    let script = "\"$0\" \"$@\" | sed '/  | started/q'; exit ${PIPESTATUS[0]}";
    let mut terminal = in_lines(home.path(), &story).through(&["bash", "-c", script]).start();
    // A question is not shown: its line has no end yet.
    terminal.wait_for("/help lists");
    answer_then(&terminal, "go", "  1  touch ran-1");
    answer(&terminal, "approve");
    if !terminal.holds_within(Duration::from_secs(2), |_| ran(home.path(), 1)) {
        answer(&terminal, "run");
    }
    assert_eq!(terminal.wait_exit(), 1);
    let file = session_with(home.path(), r#""kind":"run""#);
    assert!(file.contains(r#""interrupted""#), "{file}");
    let screen = terminal.screen();
    assert!(screen.contains("error: nothing can be printed: broken pipe"), "{screen}");
    assert!(screen.contains("Continue: sayso resume"), "{screen}");
}

/// A block that a rule would start in 3 s, and Enter; on a busy machine the rule may be faster.
fn stopped(home: &Path) -> Option<Terminal> {
    let terminal = lines(home, &shell_blocks(&["first", "second"]));
    answer_then(&terminal, "go", "Type approve");
    answer_then(&terminal, "always", "Type always and its number.");
    answer_then(&terminal, "always 2", "Rule 1 matches. It starts in 3 s; Enter stops it.");
    assert!(ran(home, 1));
    terminal.pause(Duration::from_millis(400));
    terminal.press("Enter");
    let is_too_late = |s: &str| s.contains("Block 2 approved at");
    terminal.wait_true(|s| s.contains("Nothing was decided.") || is_too_late(s));
    (!is_too_late(&terminal.screen())).then_some(terminal)
}

#[test]
#[ignore = "needs a sandbox that holds"]
fn enter_stops_what_a_rule_would_start() {
    let mut tries = std::iter::repeat_with(|| tempfile::tempdir().expect("a home")).take(3);
    let in_time = |home: tempfile::TempDir| stopped(home.path()).map(|terminal| (home, terminal));
    let (home, terminal) = tries.find_map(in_time).expect("Enter stops it");
    assert!(!terminal.holds_within(Duration::from_millis(3_500), |_| ran(home.path(), 2)), "it was stopped");
    answer_then(&terminal, "approve", "  | second");
}
