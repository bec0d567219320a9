//! The acceptance checks of the specification, with its built-in stories and keys, at each size.
//!
//! What a check says about a single module (bytes, guard, theme) is tested there; `checks.rs` lists which test
//! covers which check.

use crate::terminal::Terminal;
use crate::{at_every_size, is_decided, is_in_code, is_in_message, ran, say, say_then, tab_to, to_code};
use std::time::{Duration, Instant};

/// Plays a built-in story in the folder `work` of a new home with this configuration.
fn shipped(story: &str, config: &str) -> (tempfile::TempDir, Terminal) {
    let home = tempfile::tempdir().expect("a home");
    crate::write_config(home.path(), config);
    let terminal = crate::at_work(home.path(), &["--demo", story]).start();
    (home, terminal)
}

/// The same, with `go` as the first message.
fn asked(story: &str, config: &str) -> (tempfile::TempDir, Terminal) {
    let (home, terminal) = shipped(story, config);
    say(&terminal, "go");
    (home, terminal)
}

/// Goes to the waiting block, whose keys are open then.
fn open_keys(terminal: &Terminal, block: u32) {
    to_code(terminal);
    terminal.wait_for(&format!("Block {block}"));
    terminal.wait_for("keys open");
}

/// Check 03: a person who scrolls up during a reply keeps the visible text; Ctrl-C stops only the reply.
#[test]
fn a_reply_that_comes_moves_nothing_that_is_read_and_is_stopped() {
    let points: String = (1..1500).map(|n| format!("{n}. A point that is read.\n")).collect();
    let story = format!("pace = 150\n[[reply]]\ntext = \"\"\"\n{points}\"\"\"\n[[reply]]\ntext = 'Back.'\n");
    let read = |screen: &str| -> Vec<String> {
        screen.lines().filter(|row| row.contains("that is read.")).map(str::to_owned).collect()
    };
    at_every_size(|| {
        let (_home, mut terminal) = crate::played(&story);
        say(&terminal, "hello");
        // More text than a screen holds.
        terminal.wait_for("50. A point that is read.");
        terminal.press_until_true("PageUp", |screen| screen.contains(" new line"));
        let before = read(&terminal.screen());
        assert!(before.len() > 3, "{}", terminal.screen());
        let new_lines = |screen: &str| screen.split(" new line").next().map(str::to_owned);
        let told = new_lines(&terminal.screen());
        terminal.wait_true(|screen| new_lines(screen) != told);
        assert_eq!(read(&terminal.screen()), before, "what is read stands still");
        terminal.press_then("Ctrl-C", "Stopped");
        assert_eq!(terminal.ended(), None);
        say_then(&terminal, "and now?", "Back.");
    });
}

/// Check 04, Message: a message sent while the block arrives is queued, and decides nothing.
#[test]
fn a_message_sent_while_a_block_comes_is_queued_and_decides_nothing() {
    at_every_size(|| {
        let (home, terminal) = asked("three", "");
        // Keys directly after that Enter would form a paste with it.
        terminal.wait_for("Three steps");
        terminal.enter("yes a 1");
        terminal.wait_for_each(&["Block 1 waits", "yes a 1"]);
        assert!(!terminal.holds_within(Duration::from_secs(2), |screen| is_decided(screen, 1)));
        assert!((1..=3).all(|block| !ran(home.path(), block)), "{}", terminal.screen());
    });
}

/// Checks 04 seen and 04c: a block that was not fully seen can't be approved; with a high finding only the
/// typed word approves.
#[test]
fn a_long_block_is_paged_then_asked_for_its_word_and_then_it_runs() {
    at_every_size(|| {
        let (home, terminal) = asked("long", "");
        terminal.wait_for("Block 1 waits");
        to_code(&terminal);
        // A key right after the block arrives is ignored, so it is pressed until it counts.
        terminal.press_until_true("a", |screen| screen.contains("not shown"));
        assert!(!ran(home.path(), 1));
        to_typed_word(&terminal);
        terminal.enter("y");
        terminal.wait_true(|screen| !asks_for_word(screen) && screen.contains("WAITING"));
        assert!(!ran(home.path(), 1), "another word decides nothing");
        to_typed_word(&terminal);
        crate::type_word(&terminal);
        terminal.wait_for_each(&["Best region: ", "DONE"]);
        assert!(ran(home.path(), 1));
    });
}

fn asks_for_word(screen: &str) -> bool {
    screen.contains("Waiting for the word run") || screen.contains("Type  run")
}

/// Pages through the block in the code and approves it until its word is asked for. Keys are only pressed where
/// they are meant, and each `a` gets time: a second one would be typed in front of the word.
fn to_typed_word(terminal: &Terminal) {
    let until = Instant::now() + crate::terminal::PATIENCE;
    while !asks_for_word(&terminal.screen()) {
        assert!(Instant::now() < until, "{}", terminal.screen());
        to_code(terminal);
        let is_hidden = terminal.screen().contains("not shown");
        terminal.press(if is_hidden { "Space" } else { "a" });
        let time = if is_hidden { Duration::from_millis(500) } else { Duration::from_secs(5) };
        terminal.holds_within(time, asks_for_word);
    }
}

/// Whether the output has the focus.
fn is_in_output(screen: &str) -> bool {
    screen.contains("[Output") || screen.contains("[3 Output")
}

/// Check 06: a run ends at its time limit, and the screen shows the word for that.
#[test]
fn a_run_that_does_not_end_is_ended_at_its_limit_and_the_screen_says_so() {
    at_every_size(|| {
        let (_home, terminal) = asked("sleep60", "[limits]\nwall = 2\n");
        crate::approve_then(&terminal, 1, "TIMEOUT");
        terminal.wait_for("Stopped at the 2 s limit.");
    });
}

/// Check 07: how a run ended, what it used, its changes to files, and its picture; a failure with both of its
/// streams.
#[test]
fn a_run_that_is_over_tells_its_end_its_files_and_its_errors() {
    at_every_size(|| {
        let (_home, terminal) = asked("files", "");
        crate::approve_then(&terminal, 1, "DONE");
        for told in ["exit 0", "peak", "+ demo-report.csv", "~ demo-notes.txt", "- demo-old.txt"] {
            tab_to(&terminal, is_in_output);
            let shown = |screen: &str| screen.contains(told);
            if !terminal.holds_within(Duration::from_secs(2), shown) {
                terminal.press_until_true("PageDown", shown);
            }
        }
        terminal.wait_for("demo-picture.png");
        crate::approve_then(&terminal, 2, "FAILED 1");
        terminal.wait_for("this block fails on purpose");
    });
}

/// Check 08: leaving the question for a reason decides nothing.
#[test]
fn a_reason_that_is_left_with_escape_rejects_nothing() {
    at_every_size(|| {
        let (home, terminal) = asked("three", "");
        terminal.wait_for("Block 1 waits");
        open_keys(&terminal, 1);
        terminal.press_until("r", "Tell the model why");
        terminal.type_text("not this");
        terminal.press("Esc");
        terminal.wait_true(|screen| {
            screen.contains("WAITING") && is_in_code(screen) && !screen.contains("Tell the model why")
        });
        let file = crate::session_with(home.path(), r#""kind":"block""#);
        assert!(!file.contains(r#""kind":"decision""#), "{file}");
        assert!(!ran(home.path(), 1));
    });
}

/// Check 09: a key that is held down decides one block, never the next one.
#[test]
fn a_key_that_is_held_decides_one_block_and_not_the_next() {
    at_every_size(|| {
        let (home, terminal) = asked("three", "[sandbox]\nlevel = \"off\"\n");
        terminal.wait_for("Block 1 waits");
        open_keys(&terminal, 1);
        crate::approve(&terminal, 1);
        for _ in 0..150 {
            terminal.press("a");
            terminal.pause(Duration::from_millis(20));
        }
        terminal.wait_true(|screen| screen.contains("Block 2") || screen.contains("Code !2"));
        assert!(ran(home.path(), 1));
        assert!(!ran(home.path(), 2) && !ran(home.path(), 3), "{}", terminal.screen());
        open_keys(&terminal, 2);
    });
}

/// Checks 11 to 13: lists and help filter by letters alone, and Esc restores pane, draft and screen.
#[test]
fn what_is_opened_over_the_panes_is_left_with_escape_and_leaves_everything() {
    at_every_size(|| {
        let (home, terminal) = asked("three", "");
        terminal.wait_for("Block 1 waits");
        assert!(is_in_message(&terminal.screen()), "{}", terminal.screen());
        terminal.type_text_then("a draft", "a draft");
        for (key, shown) in [("F1", "Help"), ("F2", "Commands")] {
            terminal.press_until_true(key, |screen| screen.contains(&format!("[{shown}")));
            terminal.press("Esc");
            terminal.wait_true(|screen| {
                is_in_message(screen)
                    && screen.contains("a draft")
                    && screen.contains("WAITING")
                    && !screen.contains(&format!("[{shown}"))
            });
        }
        assert!(!ran(home.path(), 1));
    });
}

/// Check 14: the key in the code pane shows the variables; none of their own code runs.
#[test]
fn variables_are_listed_by_their_key_and_none_of_their_code_runs() {
    const CODE: &str = r#"class Odd:
    def __repr__(self):
        open("ran-9", "w").close()
        return "odd"

odd = Odd()
count = 3"#;
    at_every_size(|| {
        let (home, terminal) = crate::asked(&crate::one_block("python", CODE));
        crate::approve_then(&terminal, 1, "DONE");
        to_code(&terminal);
        // Two keys within 30 ms are a paste. The second of two V would close what the first opened.
        terminal.pause(Duration::from_millis(100));
        terminal.press_then("V", "Vars  python k1");
        // The code contains these words too: only a row of the variables, with type and value, counts.
        let row = |screen: &str, cells: [&str; 3]| {
            let of =
                |line: &str| line.replace(['│', '┃'], " ").split_whitespace().collect::<Vec<_>>().join(" ");
            screen.lines().any(|line| of(line).ends_with(cells.join(" ").trim_end()))
        };
        terminal.wait_true(|screen| row(screen, ["count", "int", "- 3"]) && row(screen, ["odd", "Odd", "-"]));
        terminal.pause(Duration::from_millis(500));
        assert!(!ran(home.path(), 9), "{}", terminal.screen());
    });
}

/// Check 16: a failed request is explained, and the message is kept: if it never left, it is in the message
/// box; if it left, it is in the conversation and a key sends it again. Then its answer comes.
#[test]
fn each_error_of_a_request_is_said_and_the_message_is_kept() {
    const MESSAGE: &str = "a message that counts";
    let rows = [
        ("offline", false, "name not found", "The network is back, and so is the answer."),
        ("401", true, "refused (401). Not sent again.", "The key is accepted now."),
        ("429", true, "Rate limit.", "This one came at once."),
        ("overflow", false, "34,100 of 32,768 tokens", "A shorter message fits."),
    ];
    at_every_size(|| {
        for (story, left, told, answer) in rows {
            let (_home, terminal) = shipped(story, "");
            say(&terminal, MESSAGE);
            terminal.wait_true(|screen| joined(screen).contains(told));
            if story == "429" {
                terminal.press("Ctrl-C");
                terminal.wait_gone("Next try in");
            }
            let answered = |screen: &str| joined(screen).contains(answer);
            if left {
                terminal.wait_true(|screen| screen.contains(MESSAGE) && !in_message(screen, MESSAGE));
                let in_problems =
                    |screen: &str| screen.contains("[Problems]") || screen.contains("━ Problems ━");
                tab_to(&terminal, in_problems);
                terminal.press_until_true("r", answered);
            } else {
                terminal.wait_true(|screen| is_in_message(screen) && in_message(screen, MESSAGE));
                terminal.press("Enter");
                terminal.wait_true(|screen| answered(screen) && !in_message(screen, MESSAGE));
            }
        }
    });
}

/// Check 16: when a kernel ends, the screen says what was lost with it, and nothing runs again by itself.
#[test]
fn a_kernel_that_ends_is_told_with_what_was_lost() {
    at_every_size(|| {
        let (_home, terminal) = asked("die", "");
        crate::approve_then(&terminal, 1, "DONE");
        crate::approve(&terminal, 2);
        terminal.wait_true(|screen| joined(screen).contains("2 variables lost"));
        crate::approve_then(&terminal, 3, "NameError");
    });
}

/// Check 10: variables are in no file, and a reopened session says so.
#[test]
fn a_session_that_is_opened_again_says_that_variables_are_gone() {
    at_every_size(|| {
        let (home, mut terminal) = asked("three", "");
        crate::approve(&terminal, 1);
        crate::session_with(home.path(), r#""outcome":"#);
        terminal.signal("KILL");
        terminal.wait_exit();
        let args = ["resume", "--last", "--demo", "three"];
        let terminal = crate::at_work(home.path(), &args).start();
        terminal.wait_true(|screen| joined(screen).contains("Variables are not kept"));
        // The block that waited before waits again.
        open_keys(&terminal, 2);
        assert!(!ran(home.path(), 2));
    });
}

/// Check "plain": each state is a line of its own, no sequence is written, and whole words decide, also in the
/// smallest window for which this mode is recommended.
#[test]
fn in_plain_lines_a_long_block_takes_whole_words_at_every_size() {
    crate::side_by_side(crate::SIZES.into_iter().chain([(40, 12)]), |(columns, rows)| {
        let home = tempfile::tempdir().expect("a home");
        let setup = crate::at_work(home.path(), &["--plain", "--demo", "long"]).env("TERM", "dumb");
        let terminal = setup.size(columns, rows).start();
        terminal.wait_for("You:");
        let answer = |text: &str, told: &str| {
            crate::plain::answer(&terminal, text);
            terminal.wait_true(|screen| joined(screen).contains(told));
        };
        answer("go", "Type approve");
        answer("a", "Nothing was decided.");
        answer("approve", "Type run and press Enter");
        assert!(!ran(home.path(), 1), "{}", terminal.screen());
        answer("run", "Best region: north");
        assert!(ran(home.path(), 1));
        let raw = terminal.raw();
        assert!(!raw.windows(2).any(|pair| pair == b"\x1b["), "{}", terminal.screen());
    });
}

/// Whether a text is in the message box, which is below the conversation.
fn in_message(screen: &str, text: &str) -> bool {
    let title = screen.lines().position(|row| row.contains("Message]") || row.contains(" Message "));
    title.is_some_and(|title| screen.lines().skip(title + 1).any(|row| row.contains(text)))
}

/// The rows of a screen as one text without borders, so that a sentence is found wherever it was wrapped.
fn joined(screen: &str) -> String {
    let text: String =
        screen.chars().map(|c| if matches!(c, '\u{2500}'..='\u{257f}' | '\n') { ' ' } else { c }).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
