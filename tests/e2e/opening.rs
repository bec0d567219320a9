//! A large session shows its end at once, while all of it is read and checked; nothing can be decided or typed by then.

use crate::terminal::{Setup, Terminal};
use sayso::domain::{Entry, Header, SessionId, Timestamp};
use sayso::store::Store;
use std::path::Path;

/// A session of some 30 MB that ends with these words, opened.
fn open(home: &Path) -> Terminal {
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
        for n in 0..3_000 {
            store.append(
                Entry::Prompt(format!("{n} {}", "many words ".repeat(900)).as_str().into()),
                Timestamp(n),
            );
        }
        store.append(Entry::Prompt("the last of all".into()), Timestamp(3_000));
        store.close().await.expect("a session");
    });
    Setup::new(home, &["--demo", "--session", &path.to_string_lossy()]).start()
}

#[test]
fn the_end_is_shown_at_once_and_keys_are_typed_to_nobody() {
    let home = tempfile::tempdir().expect("a home");
    let terminal = open(home.path());
    terminal.wait_for("Its end is shown, not checked yet.");
    let screen = terminal.screen();
    assert!(screen.contains("the last of all") && screen.contains(" MB of "), "{screen}");
    terminal.type_text("lost");
    terminal.press("Enter");
    terminal.wait_for("Enter send");
    let screen = terminal.screen();
    assert!(screen.contains("the last of all") && !screen.contains("lost"), "{screen}");
    assert!(!screen.contains("Its end is shown"), "{screen}");
}

#[test]
fn its_reading_can_be_stopped() {
    let home = tempfile::tempdir().expect("a home");
    let mut terminal = open(home.path());
    terminal.wait_for("Its end is shown, not checked yet.");
    terminal.press("Ctrl-C");
    assert_eq!(terminal.wait_exit(), 130);
}
