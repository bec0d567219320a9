//! A session survives `kill -9` in every phase, and says truthfully what is lost.

use crate::terminal::{Setup, Terminal};
use crate::{approve, play, ran, say, session, session_with};
use std::path::Path;

const STORY: &str = r#"
pace = 40
[[reply]]
when = "hello"
text = "A first answer."
[[reply]]
when = "go"
text = """
The code comes after these words, which take a moment to arrive so that a phase lasts.

```python
open("ran-1", "w").close()
print("it", "runs", flush=True)
import time; time.sleep(30)
```
"""
"#;

fn resume(home: &Path) -> Terminal {
    let story = home.join("story.toml").to_string_lossy().into_owned();
    let cwd = home.join("work").to_string_lossy().into_owned();
    Setup::new(home, &["resume", "--last", "--demo", &story, "--cwd", &cwd]).start()
}

fn kill(terminal: &mut Terminal) {
    terminal.signal("KILL");
    terminal.wait_exit();
}

#[test]
fn killed_while_idle() {
    let home = tempfile::tempdir().expect("a home");
    let mut terminal = play(home.path(), STORY).start();
    say(&terminal, "hello");
    terminal.wait_for("A first answer.");
    // What the screen reports as saved survives a kill at that very moment.
    terminal.wait_for("session saved");
    kill(&mut terminal);
    let terminal = resume(home.path());
    terminal.wait_for("A first answer.");
}

#[test]
fn killed_while_the_reply_streams() {
    let home = tempfile::tempdir().expect("a home");
    let mut terminal = play(home.path(), STORY).start();
    say(&terminal, "please go");
    terminal.wait_for("The code comes");
    // The screen may be slightly ahead of the disk.
    session_with(home.path(), "please go");
    kill(&mut terminal);
    let terminal = resume(home.path());
    terminal.wait_for("please go");
    assert!(!ran(home.path(), 1));
}

#[test]
fn killed_while_a_block_waits() {
    crate::at_every_size(|| {
        let (home, mut terminal) = crate::asked(STORY);
        terminal.wait_for("Block 1 waits");
        // The screen may be slightly ahead of the disk.
        session_with(home.path(), r#""kind":"block""#);
        kill(&mut terminal);
        let terminal = resume(home.path());
        terminal.wait_for("WAITING");
        assert!(!ran(home.path(), 1), "a resumed block waits, it does not run");
        approve(&terminal, 1);
        terminal.wait_for("it runs");
        assert!(ran(home.path(), 1));
    });
}

#[test]
fn killed_while_a_block_runs() {
    crate::at_every_size(|| {
        let (home, mut terminal) = crate::asked(STORY);
        approve(&terminal, 1);
        terminal.wait_for("it runs");
        kill(&mut terminal);
        std::fs::remove_file(home.path().join("work/ran-1")).expect("it ran");
        let terminal = resume(home.path());
        terminal.wait_for("LOST");
        terminal.pause(std::time::Duration::from_millis(500));
        assert!(!ran(home.path(), 1), "a lost run is never run again by itself");
        session_with(home.path(), r#""kind":"resumed""#);
        // That the session is open again does not mean that the run goes on.
        let header = session(home.path()).lines().next().map(str::to_owned).expect("a header");
        let header: serde_json::Value = serde_json::from_str(&header).expect("a header");
        let id = header["id"].as_str().expect("an id");
        let shown = Setup::new(home.path(), &["sessions", "show", id]).start();
        shown.wait_for("block 1: LOST, its end is not known");
    });
}

#[test]
fn what_was_being_typed_outlives_a_kill() {
    let home = tempfile::tempdir().expect("a home");
    // A new session without a message: the next one finds the text.
    let mut terminal = play(home.path(), STORY).start();
    terminal.wait_ready();
    terminal.type_text("half a thought about");
    terminal.wait_for("half a thought about");
    kept(home.path(), "half a thought about");
    kill(&mut terminal);
    let mut terminal = play(home.path(), STORY).start();
    terminal.wait_for("half a thought about");
    for _ in 0.."half a thought about".len() {
        terminal.press("Backspace");
    }
    terminal.wait_gone("half a thought about");
    terminal.enter("hello");
    terminal.wait_for("A first answer.");
    terminal.wait_for("Idle");
    // A session that has a file keeps its own draft.
    terminal.type_text("and then another");
    terminal.wait_for("and then another");
    kept(home.path(), "and then another");
    kill(&mut terminal);
    let terminal = resume(home.path());
    terminal.wait_for("and then another");
    let folder = home.path().join("sayso");
    let drafts = drafts(&folder);
    assert_eq!(drafts.len(), 1, "{drafts:?}");
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(&drafts[0]).expect("a draft").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

/// Waits until the typed text is on disk, which is slightly later than on screen.
fn kept(home: &Path, text: &str) {
    let deadline = std::time::Instant::now() + crate::terminal::PATIENCE;
    let holds =
        |path: &std::path::PathBuf| std::fs::read_to_string(path).is_ok_and(|kept| kept.contains(text));
    while !drafts(&home.join("sayso")).iter().any(holds) {
        assert!(std::time::Instant::now() < deadline, "`{text}` was not kept");
        std::thread::park_timeout(std::time::Duration::from_millis(5));
    }
}

fn drafts(folder: &Path) -> Vec<std::path::PathBuf> {
    crate::files_ending(folder, ".draft")
}

fn asked_hello(home: &Path) {
    let mut terminal = play(home, STORY).start();
    say(&terminal, "hello");
    terminal.wait_for("A first answer.");
    terminal.wait_for("Idle");
    // What is shown may not be on disk yet: this test is about sessions where it is.
    let written = terminal.holds_within(crate::terminal::PATIENCE, |_| session(home).contains("turn_end"));
    assert!(written, "the turn is written");
    kill(&mut terminal);
}

#[test]
fn a_session_of_another_folder_asks_before_it_opens() {
    let home = tempfile::tempdir().expect("a home");
    asked_hello(home.path());
    let story = home.path().join("story.toml").to_string_lossy().into_owned();
    let args = ["resume", "--last", "--demo", story.as_str()];
    let mut terminal = Setup::new(home.path(), &args).start();
    terminal.wait_for("This session worked in");
    terminal.enter("also check");
    assert_ne!(terminal.wait_exit(), 0, "words open nothing");
    assert!(!session(home.path()).contains(r#""kind":"resumed""#));

    let terminal = Setup::new(home.path(), &args).start();
    terminal.wait_for("number:");
    terminal.enter("1");
    terminal.wait_for("A first answer.");
    drop(terminal);

    std::fs::rename(home.path().join("work"), home.path().join("moved")).expect("moved");
    let terminal = Setup::new(home.path(), &args).start();
    terminal.wait_for("not there any more");
    terminal.enter("2");
    terminal.wait_for("A first answer.");
}

#[test]
fn a_session_of_another_folder_stays_chosen_in_the_list_until_it_is_meant() {
    let home = tempfile::tempdir().expect("a home");
    asked_hello(home.path());
    let elsewhere = home.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).expect("another folder");
    let cwd = elsewhere.to_string_lossy().into_owned();
    let story = home.path().join("story.toml").to_string_lossy().into_owned();
    let terminal = Setup::new(home.path(), &["resume", "--demo", &story, "--cwd", &cwd]).start();
    terminal.wait_for("[Sessions]");
    terminal.press("Tab");
    terminal.wait_for("preview: ");
    terminal.press("Enter");
    terminal.wait_for("Open it again to go on here");
    assert!(!session(home.path()).contains(r#""kind":"resumed""#), "it was told of, not opened");
    terminal.wait_for("preview: ");
    terminal.press("Enter");
    terminal.wait_gone("[Sessions]");
    terminal.wait_for("Opened again");
    terminal.wait_for("A first answer.");
}

#[test]
fn a_session_goes_on_with_the_source_of_replies_that_is_chosen_for_it() {
    let home = tempfile::tempdir().expect("a home");
    asked_hello(home.path());
    let cwd = home.path().join("work").to_string_lossy().into_owned();
    // Nothing that answered it exists any more.
    std::fs::remove_file(home.path().join("story.toml")).expect("removed");
    let terminal = Setup::new(home.path(), &["resume", "--last", "--cwd", &cwd]).start();
    terminal.wait_for("Where should answers come from?");
    terminal.press("1");
    terminal.wait_gone("Where should answers come from?");
    terminal.wait_for("A first answer.");
    say(&terminal, "hello");
    terminal.wait_for("scripted answers");
}

#[test]
fn another_model_is_written_down_when_a_session_is_resumed() {
    let home = tempfile::tempdir().expect("a home");
    asked_hello(home.path());
    let other = home.path().join("other.toml");
    std::fs::write(&other, STORY.replace("A first answer.", "Another answer.")).expect("a story");
    let (other, cwd) = (other.to_string_lossy().into_owned(), home.path().join("work"));
    let cwd = cwd.to_string_lossy().into_owned();
    let terminal = Setup::new(home.path(), &["resume", "--last", "--demo", &other, "--cwd", &cwd]).start();
    terminal.wait_for("A first answer.");
    terminal.enter("hello");
    terminal.wait_for("Another answer.");
    // The file is written in parallel to the screen.
    let is_recorded = |text: String| {
        let model = text.lines().rev().find(|line| line.contains(r#""kind":"model""#));
        model.is_some_and(|model| model.contains("other"))
    };
    let written = terminal.holds_within(crate::terminal::PATIENCE, |_| is_recorded(session(home.path())));
    assert!(written, "{}", session(home.path()));
}

#[test]
fn a_second_opener_reads_and_nothing_runs_there() {
    let home = tempfile::tempdir().expect("a home");
    let terminal = play(home.path(), STORY).start();
    say(&terminal, "hello");
    terminal.wait_for("A first answer.");
    // The file is written in parallel to the screen.
    terminal.wait_for("session saved");
    let before = session_with(home.path(), r#""kind":"turn_end""#);
    let second = resume(home.path());
    second.wait_for("A first answer.");
    second.wait_for("had it open");
    assert_eq!(session(home.path()), before, "nothing is written by the second");
}

#[test]
fn a_session_without_this_installations_seal_is_told_to_be_foreign_until_it_is_adopted() {
    let home = tempfile::tempdir().expect("a home");
    asked_hello(home.path());
    // The file with the key that seals sessions.
    let key = crate::files_ending(home.path(), "/session-key").pop().expect("a key");
    std::fs::write(&key, [7; 32]).expect("another key");
    let terminal = resume(home.path());
    terminal.wait_for("This session is foreign");
    terminal.wait_for("A first answer.");
    terminal.enter("/status");
    terminal.wait_for("does not fit");
}

const TALK: &str = r#"
pace = 0
[[reply]]
when = "begin"
text = "The albatross glides."
[[reply]]
when = "go on"
text = """
one

two

three

four

five

six

seven

eight

nine

ten

eleven

twelve
"""
"#;

#[test]
fn found_by_what_was_said_it_opens_at_that_place() {
    let home = tempfile::tempdir().expect("a home");
    let mut terminal = play(home.path(), TALK).start();
    say(&terminal, "begin");
    terminal.wait_for("The albatross glides.");
    for number in 0..4 {
        say(&terminal, &format!("go on {number}"));
        session_with(home.path(), &format!("\"text\":\"go on {number}\""));
        terminal.wait_for("twelve");
    }
    terminal.wait_for("session saved");
    terminal.wait_gone("albatross");
    kill(&mut terminal);
    // Another session: its list finds the first one by the model's words in it.
    let terminal = play(home.path(), TALK).start();
    terminal.wait_ready();
    terminal.enter("/resume");
    terminal.wait_for("1 of 1");
    terminal.type_text("albatross");
    // The preview shows these words, too, before anything is found.
    terminal.wait_for("1 place found");
    terminal.press("Enter");
    terminal.wait_gone("[Sessions]");
    // The session is not opened at its end.
    terminal.wait_true(|s| {
        let is_open = s.contains("[Message]") || s.contains("[Chat]");
        is_open && s.contains("The albatross glides.") && !s.contains("go on 3")
    });
}
