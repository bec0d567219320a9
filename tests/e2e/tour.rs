//! Plays the guided tour once from its first prompt to its last stop, following only the tour's own
//! instructions.
//!
//! `SAYSO_TOUR=assets/tour.cast cargo test --test e2e tour` plays it at a person's pace and records it in
//! asciinema's format (version 2): what the program wrote, and when; pauses are at most [`IDLE`]. The recording
//! is compared with the present tour.

use crate::terminal::{PATIENCE, Setup, Terminal, replayed};
use crate::{is_decided, is_in_code, session_so_far};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

/// More stops than the tour has.
const MOST: usize = 14;

/// The longest pause in a recording.
const IDLE: Duration = Duration::from_millis(2_500);

/// The size that is recorded.
const SIZE: (u16, u16) = (100, 30);

/// The file to record the tour in, if any, below the root of the project.
fn record() -> Option<std::path::PathBuf> {
    std::env::var_os("SAYSO_TOUR").map(|file| Path::new(env!("CARGO_MANIFEST_DIR")).join(file))
}

/// Pauses while recording, so that a viewer can read the result of a step.
fn reading(terminal: &Terminal) {
    if record().is_some() {
        terminal.pause(Duration::from_millis(2_200));
    }
}

/// The stops of a tour: the text typed there, and how many bytes the program had written by then.
type Stops = Vec<(String, usize)>;

/// The output to a terminal as a recording: a line for the whole, then one line for each piece with its time in
/// seconds, and one that marks each stop.
fn cast(terminal: &Terminal, stops: &Stops) -> String {
    let raw = terminal.raw();
    let (columns, rows) = SIZE;
    let mut text = json!({
        "version": 2, "width": columns, "height": rows, "title": "sayso --demo",
        "env": {"TERM": "xterm-256color"}, "idle_time_limit": IDLE.as_secs_f64(),
    })
    .to_string();
    let (mut now, mut before, mut from) = (Duration::ZERO, Duration::ZERO, 0);
    let mut stops = stops.iter().peekable();
    for (moment, to) in terminal.moments() {
        now += moment.saturating_sub(before).min(IDLE);
        before = moment;
        while let Some((prompt, _)) = stops.next_if(|(_, written)| *written < to) {
            let _ = write!(text, "\n[{:.3},\"m\",{}]", now.as_secs_f64(), json!(prompt));
        }
        let piece = raw.get(from..to).unwrap_or_default();
        // A character that is cut goes into the next piece.
        let whole = std::str::from_utf8(piece).map_or_else(|error| error.valid_up_to(), str::len);
        from += whole;
        if whole > 0 {
            let piece = String::from_utf8_lossy(&piece[..whole]);
            let _ = write!(text, "\n[{:.3},\"o\",{}]", now.as_secs_f64(), Value::from(piece));
        }
    }
    text + "\n"
}

/// The newest reply of the model that says where to go next, or that this was the last stop.
fn words_of_the_tour(home: &Path, after: usize) -> (usize, String) {
    let until = Instant::now() + PATIENCE;
    loop {
        let file = session_so_far(home).unwrap_or_default();
        let replies: Vec<String> = file
            .lines()
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
            .filter(|entry| entry["kind"] == "reply")
            .filter_map(|entry| Some(entry["text"].as_str()?.to_owned()))
            .filter(|text| text.contains("Next, type `") || text.contains("last stop of the tour"))
            .collect();
        if replies.len() > after {
            return (replies.len(), replies.last().cloned().expect("a reply"));
        }
        assert!(Instant::now() < until, "the tour does not go on: {file}");
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

/// Goes to the waiting block as the tour says, and does there what the tour's text asks for.
fn at_the_block(terminal: &Terminal, mut block: u32, words: &str) -> u32 {
    terminal.wait_for(&format!("Block {block} waits"));
    terminal.press("Ctrl-Y");
    terminal.wait_true(is_in_code);
    reading(terminal);
    if words.contains("reject it with a reason") {
        terminal.press_until("r", "Reject block");
        terminal.enter("another way");
        block += 1;
        terminal.wait_for(&format!("Block {block} waits"));
        terminal.press("Ctrl-Y");
        terminal.wait_true(is_in_code);
    } else if words.contains("edit it and change") {
        terminal.press_until("e", "EDITING");
        // The last number of the text: changing it changes the result.
        terminal.press("Ctrl-End");
        terminal.press("Backspace");
        terminal.press("Backspace");
        terminal.type_text("3)");
        terminal.press("Esc");
        terminal.wait_gone("EDITING");
    }
    crate::wait_unlocked(terminal);
    // A second Ctrl-Y at once would be a key held down.
    terminal.pause(Duration::from_millis(310));
    let until = Instant::now() + PATIENCE;
    loop {
        terminal.press("Ctrl-Y");
        if terminal.holds_within(Duration::from_millis(700), |s| is_decided(s, block)) {
            break;
        }
        if terminal.screen().contains("not shown") {
            terminal.press("Space");
        }
        assert!(Instant::now() < until, "the block could not be approved:\n{}", terminal.screen());
    }
    if terminal.screen().contains("Waiting for the word run") {
        crate::type_word(terminal);
    }
    block
}

/// Plays the tour to its last stop.
fn played(home: &Path, (columns, rows): (u16, u16)) -> (Terminal, Stops) {
    let terminal = Setup::new(home, &["--demo"]).size(columns, rows).start();
    // The first prompt is suggested in the message box, and its key is shown.
    terminal.wait_for_each(&["try: sum of 1 to 10", "Tab take"]);
    reading(&terminal);
    terminal.press_then("Tab", "> sum of 1 to 10");
    terminal.press("Enter");
    let mut stops: Stops = vec![("sum of 1 to 10".into(), terminal.written())];
    let (mut told, mut words, mut block) = (0, String::new(), 1);
    for _ in 0..MOST {
        block = at_the_block(&terminal, block, &words) + 1;
        (told, words) = words_of_the_tour(home, told);
        reading(&terminal);
        if words.contains("last stop of the tour") {
            return (terminal, stops);
        }
        let next = words.split("Next, type `").nth(1).and_then(|rest| rest.split('`').next());
        terminal.wait_ready();
        let next = next.expect("the next prompt");
        stops.push((next.to_owned(), terminal.written()));
        if record().is_some() {
            terminal.enter(next);
        } else {
            terminal.send_message(next);
        }
    }
    panic!("the tour did not come to its end:\n{}", terminal.screen());
}

/// The texts typed at the stops.
fn prompts(stops: Stops) -> Vec<String> {
    stops.into_iter().map(|(prompt, _)| prompt).collect()
}

#[test]
fn the_tour_leads_to_its_end_by_its_own_words_at_every_size() {
    if let Some(file) = record() {
        let home = tempfile::tempdir().expect("a home");
        let (terminal, stops) = played(home.path(), SIZE);
        std::fs::write(file, cast(&terminal, &stops)).expect("the recording");
        return;
    }
    crate::side_by_side(crate::SIZES, |size| {
        let home = tempfile::tempdir().expect("a home");
        let (terminal, stops) = played(home.path(), size);
        assert_eq!(recorded("m"), prompts(stops), "record the tour anew: it leads elsewhere now");
        if size == SIZE {
            let keys = recorded_screens().last().and_then(|screen| last_row(screen)).expect("a row");
            terminal.wait_for(&keys);
        }
    });
}

/// The texts of the recording's events of a kind.
fn recorded(kind: &str) -> Vec<String> {
    let events = recording();
    let of_kind = events.iter().skip(1).filter(|event| event[1] == kind);
    of_kind.filter_map(|event| event[2].as_str().map(ToOwned::to_owned)).collect()
}

/// The screens that an emulator shows while playing the recording.
fn recorded_screens() -> Vec<String> {
    let pieces = recorded("o");
    replayed(&pieces.iter().map(String::as_str).collect::<Vec<_>>(), SIZE)
}

/// The row of key hints.
fn last_row(screen: &str) -> Option<String> {
    screen.lines().rev().map(str::trim).find(|row| !row.is_empty()).map(str::to_owned)
}

fn recording() -> Vec<Value> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/tour.cast");
    let text = std::fs::read_to_string(file).expect("the recording");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Checks the recording: its format, its bounded pauses, and that an emulator playing it reaches every stop and
/// ends with the present tour's last words. Playing the tour checks that its stops and the keys on its last
/// screen are the present ones.
#[test]
fn the_recorded_tour_can_be_played() {
    if record().is_some() {
        // It is being written.
        return;
    }
    let events = recording();
    let head = &events[0];
    assert_eq!(
        (&head["version"], &head["width"], &head["height"]),
        (&json!(2), &json!(SIZE.0), &json!(SIZE.1))
    );
    let times: Vec<f64> = events.iter().skip(1).filter_map(|event| event[0].as_f64()).collect();
    assert_eq!(times.len(), events.len() - 1);
    let most = IDLE.as_secs_f64() + 0.01;
    assert!(times.windows(2).all(|pair| (0.0..=most).contains(&(pair[1] - pair[0]))), "{times:?}");
    let screens = recorded_screens();
    for prompt in recorded("m") {
        assert!(
            screens.iter().any(|screen| screen.contains(&format!("> {prompt}"))),
            "{prompt} was not typed"
        );
    }
    // On a screen, words may be wrapped at any space, with borders in between.
    let letters = |text: &str| -> String { text.chars().filter(char::is_ascii_alphanumeric).collect() };
    let end = screens.last().expect("a screen");
    assert!(letters(end).contains(&letters("That was the last stop of the tour")), "{end}");
}
