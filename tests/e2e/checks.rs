//! Checks that need the bytes of a real terminal: what is written while nothing happens, without colours, for
//! an ASCII-only terminal, and for text that tries to control the terminal.

use crate::terminal::{PATIENCE, Setup, Terminal};
use crate::{approve_then, play, say_then, session_with, to_code};
use std::time::{Duration, Instant};

const WAITS: &str = r#"
pace = 0
[[reply]]
when = "go"
text = """
Some *words*, and `code`.

```python
print("forty", 40 + 2)
raise SystemExit(1)
```
"""
"#;

/// Plays `WAITS` in a new home with this environment, up to the block that waits.
fn waiting(env: &[(&str, &str)]) -> (tempfile::TempDir, Terminal) {
    let home = tempfile::tempdir().expect("a home");
    let setup = env.iter().fold(play(home.path(), WAITS), |setup, (name, value)| setup.env(name, value));
    let terminal = setup.start();
    say_then(&terminal, "go", "Block 1 waits");
    (home, terminal)
}

/// Check 01: nobody is asked anything before the first frame, and then only this computer.
#[test]
#[ignore = "needs strace"]
fn before_a_provider_is_chosen_nobody_else_is_asked() {
    let home = tempfile::tempdir().expect("a home");
    let log = home.path().join("calls");
    let calls = || std::fs::read_to_string(&log).unwrap_or_default();
    let file = log.to_string_lossy().into_owned();
    let trace =
        ["strace", "-f", "-s", "1000000", "-e", "trace=connect,sendto,sendmsg,write,writev", "-o", &file];
    let mut terminal = Setup::new(home.path(), &[]).through(&trace).start();
    terminal.wait_for_each(&["Where should answers come from?", "sent nothing to another computer"]);
    // Servers on this computer are looked for; that the trace contains these calls shows that it would contain
    // others.
    let until = Instant::now() + PATIENCE;
    while !calls().contains("sa_family=AF_INET") {
        assert!(Instant::now() < until, "no server was looked for:\n{}", calls());
        terminal.pause(Duration::from_millis(50));
    }
    terminal.pause(Duration::from_secs(1));
    terminal.press_until("Ctrl-C", "Ctrl-C again within 2 s quits.");
    // A later one counts as a first one again.
    terminal.press_until_true("Ctrl-C", |screen| !screen.contains("F1 help"));
    terminal.wait_exit();
    let calls = calls();
    let asked = |line: &&str| line.contains("sa_family=AF_INET");
    let first = calls.lines().position(|line| line.contains("write") && line.contains("answers"));
    let before = calls.lines().take(first.expect("the first frame")).find(asked);
    assert_eq!(before, None, "before the first frame");
    let is_own = |line: &&str| line.contains("inet_addr(\"127.") || line.contains("\"::1\"");
    let strangers: Vec<_> = calls.lines().filter(asked).filter(|line| !is_own(line)).collect();
    assert!(strangers.is_empty(), "{strangers:#?}");
}

/// Check 17: quitting while a block runs asks; Enter stays; `i` interrupts, saves, and prints the session's
/// name on the original screen.
#[test]
fn quitting_while_a_block_runs_asks_first() {
    let long = crate::one_block("python", "import time\nprint('be' + 'gun')\ntime.sleep(600)");
    crate::at_every_size(|| {
        let (home, mut terminal) = crate::asked(&long);
        approve_then(&terminal, 1, "begun");
        let asks = |terminal: &Terminal| {
            if !crate::is_in_message(&terminal.screen()) {
                // Two keys within 30 ms are a paste; the second of two `i` would be text.
                terminal.pause(Duration::from_millis(100));
                terminal.press("i");
                terminal.wait_true(crate::is_in_message);
            }
            terminal.enter_then("/quit", "Quit?");
        };
        asks(&terminal);
        terminal.press("Enter");
        terminal.wait_gone("Quit?");
        assert_eq!(terminal.ended(), None, "{}", terminal.screen());
        let so_far = session_with(home.path(), "\"decision\":\"approve\"");
        assert!(!so_far.contains("interrupted"), "it still runs: {so_far}");
        asks(&terminal);
        // A letter directly after typed text belongs to that text.
        terminal.pause(Duration::from_millis(1_500));
        terminal.press_until_true("i", |screen| !screen.contains("Quit?"));
        assert_eq!(terminal.wait_exit(), 0);
        assert!(!terminal.modes().0, "the screen from before is back");
        assert!(terminal.screen().contains("Session saved. Continue: sayso resume"), "{}", terminal.screen());
        session_with(home.path(), "\"outcome\":\"interrupted\"");
    });
}

/// Which test covers which check of the specification: the check's name, then file and function.
#[rustfmt::skip]
const CHECKS: &[(&str, &str, &str)] = &[
    ("01 start", "tests/e2e/checks.rs", "before_a_provider_is_chosen_nobody_else_is_asked"),
    ("01 start", "tests/e2e/leaving.rs", "the_welcome_comes_without_a_provider"),
    ("at every size", "tests/frames/screens.rs", "status_and_keys_are_never_cut_within_a_word"),
    ("02 idle draws nothing", "tests/e2e/checks.rs", "a_block_that_waits_draws_nothing"),
    ("02 idle draws nothing", "tests/e2e/leaving.rs", "idle_draws_nothing"),
    ("03 stream", "tests/frames/screens.rs", "streaming"),
    ("03 stream", "src/tui/widgets/virtual_list.rs", "scrolled_up_it_holds_still_and_counts_what_is_new"),
    ("03 stream", "tests/e2e/acceptance.rs", "a_reply_that_comes_moves_nothing_that_is_read_and_is_stopped"),
    ("04 guard typed ahead", "tests/e2e/guard.rs", "keys_typed_ahead_run_nothing"),
    ("04 guard typed ahead", "tests/e2e/guard.rs", "a_sentence_typed_at_the_block_itself_goes_to_the_message"),
    ("04 guard, Message", "tests/e2e/guard.rs", "letters_in_the_message_stay_text"),
    ("04 guard, Message", "tests/e2e/acceptance.rs", "a_message_sent_while_a_block_comes_is_queued_and_decides_nothing"),
    ("04 dead keys", "tests/frames/behaviour.rs", "keys_that_other_programs_take_for_yes_decide_nothing"),
    ("04 seen", "tests/frames/behaviour.rs", "what_was_not_seen_can_t_be_approved_but_rejected"),
    ("04 seen", "tests/e2e/acceptance.rs", "a_long_block_is_paged_then_asked_for_its_word_and_then_it_runs"),
    ("04b paste", "tests/e2e/guard.rs", "a_paste_into_the_code_pane_runs_nothing"),
    ("04b paste", "tests/frames/behaviour.rs", "a_paste_in_review_decides_nothing_and_says_so"),
    ("04c high", "tests/frames/behaviour.rs", "a_high_finding_takes_the_typed_word_and_nothing_else"),
    ("04c high", "tests/e2e/acceptance.rs", "a_long_block_is_paged_then_asked_for_its_word_and_then_it_runs"),
    ("04d always", "tests/e2e/always.rs", "a_rule_starts_what_it_covers_until_it_is_stopped"),
    ("05 edit", "tests/e2e/deciding.rs", "an_edited_block_runs_as_edited_and_the_model_is_told"),
    ("06 run", "tests/e2e/deciding.rs", "an_interrupted_block_keeps_the_state"),
    ("06 run", "tests/frames/screens.rs", "running"),
    ("06 run", "tests/e2e/acceptance.rs", "a_run_that_does_not_end_is_ended_at_its_limit_and_the_screen_says_so"),
    ("07 done", "tests/e2e/acceptance.rs", "a_run_that_is_over_tells_its_end_its_files_and_its_errors"),
    ("07 done", "tests/frames/images.rs", "every_image_has_a_row_with_file_size_and_pixels"),
    ("07 done", "tests/frames/printed.rs", "errors_have_a_sign_beside_their_rows"),
    ("07 done", "tests/frames/screens.rs", "done"),
    ("07 done", "tests/frames/screens.rs", "failed"),
    ("08 reject", "tests/e2e/deciding.rs", "a_rejection_carries_its_reason"),
    ("08 reject", "tests/e2e/acceptance.rs", "a_reason_that_is_left_with_escape_rejects_nothing"),
    ("09 queue", "tests/e2e/acceptance.rs", "a_key_that_is_held_decides_one_block_and_not_the_next"),
    ("09 queue", "tests/e2e/deciding.rs", "three_blocks_are_settled_one_at_a_time"),
    ("10 sessions", "tests/e2e/resuming.rs", "killed_while_a_block_runs"),
    ("10 sessions", "tests/e2e/resuming.rs", "killed_while_a_block_waits"),
    ("10 sessions", "tests/e2e/acceptance.rs", "a_session_that_is_opened_again_says_that_variables_are_gone"),
    ("11 models", "tests/frames/models.rs", "model_picker"),
    ("12 commands", "tests/frames/screens.rs", "commands"),
    ("13 help", "tests/frames/screens.rs", "help"),
    ("11 12 13", "tests/e2e/acceptance.rs", "what_is_opened_over_the_panes_is_left_with_escape_and_leaves_everything"),
    ("14 vars", "tests/e2e/acceptance.rs", "variables_are_listed_by_their_key_and_none_of_their_code_runs"),
    ("14 vars", "tests/frames/screens.rs", "vars"),
    ("14 vars", "tests/exec/kernel.rs", "variables_are_told_without_running_code"),
    ("15 find", "tests/e2e/finding.rs", "a_drag_is_copied_and_a_search_leaves_everything_where_it_was"),
    ("16 errors", "tests/e2e/models.rs", "a_wait_is_counted_down_and_ctrl_c_ends_it_with_the_message_kept"),
    ("16 errors", "tests/frames/screens.rs", "rate_limit"),
    ("16 errors", "tests/e2e/acceptance.rs", "each_error_of_a_request_is_said_and_the_message_is_kept"),
    ("16 errors", "tests/e2e/acceptance.rs", "a_kernel_that_ends_is_told_with_what_was_lost"),
    ("17 quit", "tests/e2e/checks.rs", "quitting_while_a_block_runs_asks_first"),
    ("17 quit", "tests/frames/screens.rs", "quit_while_running"),
    ("resize", "tests/e2e/flood.rs", "a_storm_of_sizes_tears_nothing"),
    ("restore", "tests/e2e/leaving.rs", "signals_restore_the_terminal"),
    ("restore", "src/tui/terminal/tests.rs", "a_panic_in_any_thread_gives_it_back_and_the_next_frame_takes_it_again"),
    ("plain", "tests/e2e/plain.rs", "whole_words_decide_and_a_high_finding_takes_one_more"),
    ("plain", "tests/e2e/acceptance.rs", "in_plain_lines_a_long_block_takes_whole_words_at_every_size"),
    ("cursor query, keys", "tests/e2e/guard.rs", "a_terminal_that_never_answers_decides_nothing_by_letters"),
    ("cursor query, keys", "src/tui/keymap/tests.rs", "two_actions_on_one_key_are_refused_with_file_and_line"),
    ("hostile text", "tests/e2e/checks.rs", "hostile_text_is_text"),
    ("no colour", "tests/e2e/checks.rs", "without_colours_none_is_written_and_all_is_said"),
    ("no colour", "tests/e2e/checks.rs", "where_only_ascii_is_known_only_ascii_is_written"),
];

/// Makes sure that renaming a test loses no check.
#[test]
fn every_check_has_its_test() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for (check, file, name) in CHECKS {
        let text = std::fs::read_to_string(root.join(file)).unwrap_or_default();
        let (before, _) =
            text.split_once(&format!("fn {name}(")).unwrap_or_else(|| panic!("{check}: {file} {name}"));
        let attributes = before.rsplit("\n\n").next().unwrap_or_default();
        assert!(attributes.contains("test]"), "{check}: {name} in {file} is no test");
    }
    for number in 1..=17 {
        assert!(CHECKS.iter().any(|(check, ..)| check.starts_with(&format!("{number:02}"))), "{number:02}");
    }
}

/// Everything that is sent to a terminal beside the screen: messages, progress, the state of the program.
const TOLD: [&str; 5] = ["\x1b]9;", "\x1b]777;", "\x1b]99;", "\x1b]9;4", "\x1b]7501;"];

/// Terminals that get each of them.
const TERMINALS: [&[(&str, &str)]; 3] = [
    &[("TERM_PROGRAM", "ghostty"), ("TERM_PROGRAM_VERSION", "1.3.1")],
    &[("TERM_PROGRAM", "iTerm.app"), ("TERM_PROGRAM_VERSION", "3.6.9")],
    &[("KITTY_WINDOW_ID", "1")],
];

/// What is sent while a block arrives and waits until the person is called, and when the program is left.
fn told_beside_the_screen(config: &str, plain: bool) -> Vec<&'static str> {
    let homes = TERMINALS.map(|env| (tempfile::tempdir().expect("a home"), env));
    let terminals = homes.each_ref().map(|(home, env)| {
        crate::write_config(home.path(), config);
        let mut setup =
            env.iter().fold(play(home.path(), WAITS), |setup, (name, value)| setup.env(name, value));
        setup.args.extend(plain.then(|| "--plain".into()));
        setup.start()
    });
    for terminal in &terminals {
        terminal.wait_for(if plain { "/help lists" } else { crate::terminal::READY });
        terminal.pause(Duration::from_millis(600));
        terminal.enter_then("go", if plain { "approve" } else { "Block 1 waits" });
        // The window has no focus: the person is called at once.
        terminal.send(b"\x1b[O");
    }
    let told = |terminals: &[Terminal]| -> Vec<&'static str> {
        let raw = terminals.iter().map(|terminal| String::from_utf8_lossy(&terminal.raw()).into_owned());
        let raw: Vec<String> = raw.collect();
        TOLD.into_iter().filter(|told| raw.iter().any(|raw| raw.contains(told))).collect()
    };
    // Expected sequences may be slow; unexpected ones get this much time to appear.
    let wanted = config.is_empty() && !plain;
    let until = Instant::now() + if wanted { PATIENCE } else { Duration::from_secs(6) };
    while Instant::now() < until && !(wanted && told(&terminals) == TOLD) {
        terminals[0].pause(Duration::from_millis(100));
    }
    let mut terminals = terminals;
    for terminal in &mut terminals {
        terminal.signal("TERM");
        terminal.wait_exit();
    }
    told(&terminals)
}

/// Nothing of it is sent if `ui.notify` is off, nor in line mode.
#[test]
fn nothing_is_told_beside_the_screen_where_nobody_wants_it() {
    // Each of them is told where it is wanted.
    let cases = [("", false, &TOLD[..]), ("[ui]\nnotify = false\n", false, &[]), ("", true, &[])];
    crate::side_by_side(cases, |(config, plain, told)| {
        assert_eq!(told_beside_the_screen(config, plain), told, "{config} {plain}");
    });
}

/// Check 02: even while a block waits with its keys open, nothing is written and no thread wakes.
#[test]
fn a_block_that_waits_draws_nothing() {
    crate::at_every_size(|| {
        let (_home, terminal) = waiting(&[]);
        crate::open_keys(&terminal);
        // Work in progress, and threads that end when idle, may still interfere.
        let counts = || (terminal.written(), wakeups(terminal.pid(), |_| true));
        let until = Instant::now() + PATIENCE;
        loop {
            let before = counts();
            terminal.pause(Duration::from_secs(4));
            if counts() == before {
                break;
            }
            assert!(Instant::now() < until, "it draws, or a thread wakes: {before:?}\n{}", terminal.screen());
        }
    });
}

/// How often these threads of a process (chosen by name) have gone to sleep: each time is one wake-up.
pub fn wakeups(pid: u32, counts: impl Fn(&str) -> bool) -> u64 {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let of = |task: std::path::PathBuf| {
        let name = std::fs::read_to_string(task.join("comm")).ok()?;
        if !counts(name.trim()) {
            return None;
        }
        let status = std::fs::read_to_string(task.join("status")).ok()?;
        let line = status.lines().find(|l| l.starts_with("voluntary_ctxt_switches"))?;
        line.split_whitespace().last()?.parse::<u64>().ok()
    };
    tasks.filter_map(|task| of(task.path())).sum()
}

/// The numbers of all sequences that set styles.
fn styles(raw: &[u8]) -> Vec<u32> {
    let text = String::from_utf8_lossy(raw);
    let mut found = Vec::new();
    for rest in text.split("\x1b[").skip(1) {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != ';' && c != ':').unwrap_or(rest.len());
        if rest[end..].starts_with('m') {
            found.extend(rest[..end].split([';', ':']).filter_map(|n| n.parse::<u32>().ok()));
        }
    }
    found
}

/// Check "no colour": states are words, and no sequence sets a colour.
#[test]
fn without_colours_none_is_written_and_all_is_said() {
    crate::at_every_size(|| {
        let (_home, terminal) = waiting(&[("NO_COLOR", "1")]);
        terminal.wait_for("WAITING");
        // Two keys within 30 ms are a paste, and the reply came at once. The second of two Ctrl-Y would
        // approve.
        terminal.pause(Duration::from_millis(100));
        terminal.press("Ctrl-Y");
        terminal.wait_true(crate::is_in_code);
        crate::approve_then(&terminal, 1, "FAILED 1");
        let styles = styles(&terminal.raw());
        let colours: Vec<_> =
            styles.iter().filter(|n| matches!(n, 30..=38 | 40..=48 | 90..=97 | 100..=107)).collect();
        assert!(colours.is_empty() && !styles.is_empty(), "{colours:?}");
    });
}

/// The same for an ASCII-only terminal: `TERM=vt100`, `LANG=C`.
#[test]
fn where_only_ascii_is_known_only_ascii_is_written() {
    crate::at_every_size(|| {
        let (_home, terminal) = waiting(&[("TERM", "vt100"), ("LANG", "C")]);
        crate::approve_then(&terminal, 1, "FAILED 1");
        let raw = terminal.raw();
        let strange: String = String::from_utf8_lossy(&raw).chars().filter(|c| !c.is_ascii()).collect();
        assert!(strange.is_empty(), "{strange}");
    });
}

/// A block whose code and output try to clear the screen, to write the clipboard and to reverse text.
const HOSTILE: &str = "
pace = 0
[[reply]]
when = \"go\"
text = \"\"\"
```python
x = 1  # \\u202e hidden \\u0007
print('\\\\x1b[2J\\\\x1b]52;c;aGFjaw==\\\\x07 still here \\\\r over')
```
\"\"\"
";

/// Check "hostile text": it is shown as text, the clipboard is unchanged, and the line has its finding.
#[test]
fn hostile_text_is_text() {
    crate::at_every_size(|| {
        let (_home, terminal) = crate::asked(HOSTILE);
        terminal.wait_for("Block 1 waits");
        to_code(&terminal);
        // Its finding is below its line, which may be below the rights.
        if !terminal.screen().contains("hidden character") {
            terminal.press_until("f", "hidden character");
        }
        crate::approve_then(&terminal, 1, "DONE");
        // A carriage return overwrites, as on a terminal. In a small terminal the tab of the output is left
        // again once the run is over.
        crate::tab_to(&terminal, |screen| screen.contains("overl here"));
        let raw = terminal.raw();
        let has = |bytes: &[u8]| raw.windows(bytes.len()).any(|window| window == bytes);
        assert!(!has(b"\x1b]52") && !has(b"\x1b[2J") && !has("\u{202e}".as_bytes()), "{}", terminal.screen());
    });
}
