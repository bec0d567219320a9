//! A large session shows its end at once, while all of it is loaded and checked; text typed meanwhile is in
//! Message, and nothing is decided or sent. Errors in a theme are reported at once.

use crate::recorded_run::recorded_run;
use crate::terminal::{PATIENCE, READY, Setup, Terminal};
use sayso::domain::{Entry, Finish, FinishReason, Header, SessionId, StepId, Timestamp, TurnEnd, Usage};
use sayso::store::Store;
use std::path::Path;
use std::time::{Duration, Instant};

/// Opens a session of so many times 30 MB that ends with these words.
fn open(home: &Path, times: i64) -> Terminal {
    let prompt = |n: i64| Entry::Prompt(format!("{n} {}", "many words ".repeat(900)).as_str().into());
    opened(home, (0..3_000 * times).map(prompt).chain([Entry::Prompt("the last of all".into())]))
}

fn opened(home: &Path, entries: impl Iterator<Item = Entry>) -> Terminal {
    let path = home.join("large.jsonl");
    let header = Header {
        id: SessionId("large".into()),
        name: "large".into(),
        created: Timestamp(0),
        cwd: home.to_owned(),
        model: None,
        program: "test".into(),
        branch_of: None,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let store = Store::create_at(&path, header);
        for (n, entry) in (0..).zip(entries) {
            store.append(entry, Timestamp(n));
        }
        store.close().await.expect("a session");
    });
    Setup::new(home, &["--demo", "--session", &path.to_string_lossy()]).start()
}

/// Whether the session is loaded, and messages can be sent.
fn is_read(screen: &str) -> bool {
    screen.contains(READY) || screen.contains("Enter send")
}

/// Opens the session and acts while it is being loaded. Repeats this with a larger one until `act` was in time: a quick
/// machine has read a small one before that.
fn while_it_is_read(act: impl Fn(&Terminal) -> bool) -> (tempfile::TempDir, Terminal) {
    for times in [1, 2, 4, 8, 16] {
        let home = tempfile::tempdir().expect("a home");
        let terminal = open(home.path(), times);
        terminal.wait_true(|s| {
            let says = |words: &str| s.contains(words);
            let goes_on = says("Its end is shown, not checked yet.") && says(" MB");
            goes_on && says("the last of all") || is_read(s)
        });
        if !is_read(&terminal.screen()) && act(&terminal) {
            return (home, terminal);
        }
    }
    panic!("each time all of it was read before");
}

#[test]
fn the_end_is_shown_at_once_and_what_is_typed_is_kept_and_not_sent() {
    let (home, terminal) = while_it_is_read(|terminal| {
        terminal.enter("typed early");
        // Text after it shows that Enter was read, and when.
        terminal.type_text(" and on");
        terminal.wait_true(|s| s.contains("typed early and on") || is_read(s));
        let screen = terminal.screen();
        screen.contains("typed early and on") && screen.contains("Its end is shown")
    });
    // By then the session is loaded and checked, which takes long on a busy machine. The text is in Message,
    // where Enter now sends it; the earlier Enter did not.
    let stands = |s: &str| s.contains("the last of all") && s.contains("typed early and on");
    let is_open = |s: &str| s.contains("Enter send") && stands(s) && !s.contains("Its end is shown");
    assert!(terminal.holds_within(PATIENCE * 4, is_open), "{}", terminal.screen());
    assert!(!terminal.screen().contains("you typed early"), "{}", terminal.screen());
    terminal.press("Enter");
    let file = home.path().join("large.jsonl");
    let said = || std::fs::read_to_string(&file).is_ok_and(|text| text.contains("typed early"));
    terminal.wait_true(|_| said());
}

#[test]
fn its_reading_can_be_stopped() {
    let (_home, mut terminal) = while_it_is_read(|terminal| {
        terminal.press("Ctrl-C");
        // It quits, or it continues as if nothing had been asked of it.
        terminal.wait_true(|s| !s.contains("the last of all") || is_read(s));
        !terminal.screen().contains("the last of all")
    });
    assert_eq!(terminal.wait_exit(), 130);
}

/// Waits until a session is loaded and checked, which takes long on a busy machine.
#[track_caller]
fn wait_until_read(terminal: &Terminal) {
    assert!(terminal.holds_within(PATIENCE * 4, |s| s.contains(READY)), "{}", terminal.screen());
}

/// Turns with replies of 100 KB each.
fn replies(count: u32) -> impl Iterator<Item = Entry> {
    (0..count).flat_map(|n| {
        let text =
            format!("Reply {n} begins.\n\n{}\n\nReply {n} ends with pearl{n}.", "word ".repeat(20_000));
        let finish = Finish { reason: FinishReason::Stop, word: None };
        let (step, usage) = (StepId(n + 1), Usage::default());
        let (tool_calls, kept) = (Vec::new(), Vec::new());
        [
            Entry::Prompt(format!("question {n}").as_str().into()),
            Entry::Reply { step, text, reasoning: String::new(), tool_calls, kept, finish, usage },
            Entry::TurnEnd(TurnEnd::Answered),
        ]
    })
}

#[test]
fn what_is_far_back_comes_when_it_is_looked_at_and_looked_for() {
    let home = tempfile::tempdir().expect("a home");
    let terminal = opened(home.path(), replies(80));
    wait_until_read(&terminal);
    terminal.wait_for("Reply 79 ends with pearl79.");
    terminal.press_until_true("Tab", |s| s.contains("[Chat]"));
    terminal.press_until("g", "Reply 0 begins.");
    terminal.wait_true(|s| s.contains("question 0") && !s.contains("being read"));
    // No faster than people: two keys at once are a paste.
    terminal.pause(Duration::from_millis(200));
    terminal.press_then("/", "find:");
    terminal.type_text_then("ends with pearl1.", "Chat 1 ");
    terminal.press_then("Enter", "Reply 1 ends with pearl1.");
    // The export contains everything.
    terminal.press("Esc");
    terminal.wait_gone("find:");
    terminal.press_until_true("Tab", crate::is_in_message);
    terminal.enter("/export md");
    let handed_on = || {
        let folders = std::fs::read_dir(home.path().join("sayso/demo")).expect("the folder of the demo");
        let file =
            folders.flatten().map(|folder| folder.path().join("large.md")).find(|file| file.is_file())?;
        std::fs::read_to_string(file).ok()
    };
    // All replies are in it.
    terminal.wait_true(|_| {
        let text = handed_on().unwrap_or_default();
        (0..80).all(|n| text.contains(&format!("Reply {n} ends with pearl{n}.")))
    });
}

/// A request contains all messages or is not sent; what could not be loaded is loaded when it is needed again.
#[test]
fn a_request_does_not_leave_without_what_is_far_back() {
    let home = tempfile::tempdir().expect("a home");
    let config = "[context]\ntokens = 10000000\n";
    crate::write_config(home.path(), config);
    let terminal = opened(home.path(), replies(80));
    wait_until_read(&terminal);
    terminal.wait_for("Reply 79 ends with pearl79.");
    let [file, elsewhere] = ["large.jsonl", "elsewhere.jsonl"].map(|name| home.path().join(name));
    std::fs::rename(&file, &elsewhere).expect("it is moved");
    terminal.enter("is it all there?");
    terminal.wait_true(|s| s.contains("A part of this chat can't be read again. Nothing was sent."));
    std::fs::rename(&elsewhere, &file).expect("it is back");
    terminal.press_until_true("Tab", |s| s.contains("[Problems]"));
    let answered = || std::fs::read_to_string(&file).is_ok_and(|text| text.contains("\"step\":81"));
    terminal.press_until_true("r", |_| answered());
    terminal.wait_gone("can't be read again");
}

/// A turn whose block printed 100 KB: lines that form no table, with a different one in the middle.
fn printed(number: u32) -> Vec<Entry> {
    let step = StepId(number);
    let line = |row: u32| {
        let pearl = if row == 500 { "pearl" } else { "row" };
        format!("{pearl}-{row}-of-run-{number}-{}\n", "-".repeat(60))
    };
    let printed: String = (0..1_000).map(line).collect();
    let finish = Finish { reason: FinishReason::Stop, word: None };
    let (text, usage) = (format!("```python\nshow({number})\n```\n"), Usage::default());
    let (tool_calls, kept, reasoning) = (Vec::new(), Vec::new(), String::new());
    let asked = [
        Entry::Prompt(format!("question {number}").as_str().into()),
        Entry::Reply { step, text, reasoning, tool_calls, kept, finish, usage },
    ];
    let run = recorded_run(number, &format!("show({number})\n"), printed.as_bytes());
    asked.into_iter().chain(run).chain([Entry::TurnEnd(TurnEnd::Answered)]).collect()
}

/// Clicks on the first row that contains this text, if there is one.
fn click(terminal: &Terminal, text: &str) {
    let screen = terminal.screen();
    let Some(row) = screen.lines().position(|row| row.contains(text)) else { return };
    let column = screen.lines().nth(row).and_then(|row| row.find(text)).expect("it is in the row");
    let column = screen.lines().nth(row).map_or(0, |row| row[..column].chars().count());
    for end in ['M', 'm'] {
        terminal.send(format!("\x1b[<0;{};{}{end}", column + 2, row + 1).as_bytes());
    }
}

#[test]
fn an_output_that_is_far_back_comes_when_it_is_looked_at() {
    let home = tempfile::tempdir().expect("a home");
    let terminal = opened(home.path(), (1..=60).flat_map(printed));
    wait_until_read(&terminal);
    terminal.wait_for("-of-run-60-");
    terminal.press_until_true("Tab", |s| s.contains("[Chat]"));
    terminal.press_until("g", "question 1 ");
    // While replies around it are loaded, its row may move: then the click hits another one.
    let deadline = Instant::now() + PATIENCE;
    while !terminal.holds_within(Duration::from_secs(1), |s| s.contains("-of-run-1-")) {
        assert!(Instant::now() < deadline, "{}", terminal.screen());
        click(&terminal, "block 1 ");
    }
    // Only the first and last lines of it are in memory: the rest is loaded.
    terminal.wait_true(|s| !s.contains("being read"));
    terminal.press_until_true("Tab", |s| s.contains("[Output"));
    terminal.press_until_true("z", |s| !s.contains(" Message "));
    // No faster than people: two keys at once are a paste.
    terminal.pause(Duration::from_millis(200));
    terminal.press_then("/", "find:");
    terminal.enter("pearl-500-of-run-1-");
    // Its neighbours are there too: nothing is left out around it.
    terminal.wait_true(|s| {
        let found = |row: &str| row.contains("pearl-500-of-run-1--") && !row.contains("find:");
        s.lines().any(found) && s.contains("row-499-of-run-1-") && s.contains("row-501-of-run-1-")
    });
}
