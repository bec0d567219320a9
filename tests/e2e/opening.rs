//! A large session shows its end at once, while all of it is read and checked; what is typed by then stands in
//! Message, and nothing is decided or sent.

use crate::terminal::{Setup, Terminal};
use sayso::domain::{Entry, Finish, FinishReason, Header, SessionId, StepId, Timestamp, TurnEnd, Usage};
use sayso::store::Store;
use std::path::Path;

/// A session of some 30 MB that ends with these words, opened.
fn open(home: &Path) -> Terminal {
    let prompt = |n: i64| Entry::Prompt(format!("{n} {}", "many words ".repeat(900)).as_str().into());
    opened(home, (0..3_000).map(prompt).chain([Entry::Prompt("the last of all".into())]))
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

#[test]
fn the_end_is_shown_at_once_and_what_is_typed_is_kept_and_not_sent() {
    let home = tempfile::tempdir().expect("a home");
    let terminal = open(home.path());
    terminal.wait_for("Its end is shown, not checked yet.");
    let screen = terminal.screen();
    assert!(screen.contains("the last of all") && screen.contains(" of 30 MB"), "{screen}");
    terminal.type_text("typed early");
    terminal.press("Enter");
    terminal.wait_for("Enter send");
    let screen = terminal.screen();
    assert!(screen.contains("the last of all") && !screen.contains("Its end is shown"), "{screen}");
    // It stands in Message, where Enter sends it now; what came before was not sent.
    assert!(screen.contains("typed early") && !screen.contains("you typed early"), "{screen}");
    terminal.press("Enter");
    let file = home.path().join("large.jsonl");
    let said = || std::fs::read_to_string(&file).is_ok_and(|text| text.contains("typed early"));
    terminal.wait_true(|_| said());
}

#[test]
fn its_reading_can_be_stopped() {
    let home = tempfile::tempdir().expect("a home");
    let mut terminal = open(home.path());
    terminal.wait_for("Its end is shown, not checked yet.");
    terminal.press("Ctrl-C");
    assert_eq!(terminal.wait_exit(), 130);
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
    let terminal = opened(home.path(), replies(200));
    terminal.wait_for("Enter send");
    terminal.wait_for("Reply 199 ends with pearl199.");
    terminal.press_until_true("Tab", |s| s.contains("[Chat]"));
    terminal.press_until("g", "Reply 0 begins.");
    terminal.wait_true(|s| s.contains("question 0") && !s.contains("being read"));
    terminal.press_until("/", "find:");
    terminal.type_text("ends with pearl1.");
    terminal.wait_for("Chat 1 ");
    terminal.press("Enter");
    terminal.wait_for("Reply 1 ends with pearl1.");
    // What is handed on is all of it.
    terminal.press("Esc");
    terminal.wait_gone("find:");
    terminal.press_until_true("Tab", crate::is_in_message);
    terminal.type_text("/export md");
    terminal.press("Enter");
    let handed_on = || {
        let folders = std::fs::read_dir(home.path().join("sayso/demo")).expect("the folder of the demo");
        let file =
            folders.flatten().map(|folder| folder.path().join("large.md")).find(|file| file.is_file())?;
        std::fs::read_to_string(file).ok()
    };
    terminal.wait_true(|_| handed_on().is_some());
    let text = handed_on().expect("the file");
    assert!(
        (0..200).all(|n| text.contains(&format!("Reply {n} ends with pearl{n}."))),
        "all replies are in it"
    );
}
