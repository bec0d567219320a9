//! A session survives `kill -9` in every phase, and says truthfully what is lost.

use crate::terminal::{Setup, Terminal};
use crate::{approve_then, play, ran, say, say_then, session, session_with};
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
    crate::play_again(home, &["resume", "--last"]).start()
}

fn kill(terminal: &mut Terminal) {
    terminal.signal("KILL");
    terminal.wait_exit();
}

#[test]
fn killed_while_idle() {
    let (home, mut terminal) = crate::played(STORY);
    say_then(&terminal, "hello", "A first answer.");
    // What the screen reports as saved survives a kill at that very moment.
    terminal.wait_for("session saved");
    kill(&mut terminal);
    let terminal = resume(home.path());
    terminal.wait_for("A first answer.");
}

#[test]
fn killed_while_the_reply_streams() {
    let (home, mut terminal) = crate::played(STORY);
    say_then(&terminal, "please go", "The code comes");
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
        approve_then(&terminal, 1, "it runs");
        assert!(ran(home.path(), 1));
    });
}

#[test]
fn killed_while_a_block_runs() {
    crate::at_every_size(|| {
        let (home, mut terminal) = crate::asked(STORY);
        approve_then(&terminal, 1, "it runs");
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
    terminal.type_text_then("half a thought about", "half a thought about");
    kept(home.path(), "half a thought about");
    kill(&mut terminal);
    let mut terminal = play(home.path(), STORY).start();
    terminal.wait_for("half a thought about");
    for _ in 0.."half a thought about".len() {
        terminal.press("Backspace");
    }
    terminal.wait_gone("half a thought about");
    terminal.enter("hello");
    terminal.wait_for_each(&["A first answer.", "Idle"]);
    // A session that has a file keeps its own draft.
    terminal.type_text_then("and then another", "and then another");
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

/// A home whose session has one answer and is closed.
fn asked_hello() -> tempfile::TempDir {
    let (home, mut terminal) = crate::played(STORY);
    say_then(&terminal, "hello", "A first answer.");
    terminal.wait_for("Idle");
    // What is shown may not be on disk yet: this test is about sessions where it is.
    let written =
        terminal.holds_within(crate::terminal::PATIENCE, |_| session(home.path()).contains("turn_end"));
    assert!(written, "the turn is written");
    kill(&mut terminal);
    home
}

#[test]
fn a_session_of_another_folder_asks_before_it_opens() {
    let home = asked_hello();
    let story = home.path().join("story.toml").to_string_lossy().into_owned();
    let args = ["resume", "--last", "--demo", story.as_str()];
    let mut terminal = Setup::new(home.path(), &args).start();
    terminal.wait_for("This session worked in");
    terminal.enter("also check");
    assert_ne!(terminal.wait_exit(), 0, "words open nothing");
    assert!(!session(home.path()).contains(r#""kind":"resumed""#));

    let terminal = Setup::new(home.path(), &args).start();
    terminal.wait_for("number:");
    terminal.enter_then("1", "A first answer.");
    drop(terminal);

    std::fs::rename(home.path().join("work"), home.path().join("moved")).expect("moved");
    let terminal = Setup::new(home.path(), &args).start();
    terminal.wait_for("not there any more");
    terminal.enter_then("2", "A first answer.");
}

#[test]
fn a_session_of_another_folder_stays_chosen_in_the_list_until_it_is_meant() {
    let home = asked_hello();
    let elsewhere = home.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).expect("another folder");
    let cwd = elsewhere.to_string_lossy().into_owned();
    let story = home.path().join("story.toml").to_string_lossy().into_owned();
    let terminal = Setup::new(home.path(), &["resume", "--demo", &story, "--cwd", &cwd]).start();
    terminal.wait_for("[Sessions]");
    terminal.press_then("Tab", "preview: ");
    terminal.press_then("Enter", "Open it again to go on here");
    assert!(!session(home.path()).contains(r#""kind":"resumed""#), "it was told of, not opened");
    terminal.wait_for("preview: ");
    terminal.press("Enter");
    terminal.wait_gone("[Sessions]");
    terminal.wait_for_each(&["Opened again", "A first answer."]);
}

#[test]
fn a_session_goes_on_with_the_source_of_replies_that_is_chosen_for_it() {
    let home = asked_hello();
    // Nothing that answered it exists any more.
    std::fs::remove_file(home.path().join("story.toml")).expect("removed");
    let terminal = crate::at_work(home.path(), &["resume", "--last"]).start();
    terminal.wait_for("Where should answers come from?");
    terminal.press("1");
    terminal.wait_gone("Where should answers come from?");
    terminal.wait_for("A first answer.");
    say_then(&terminal, "hello", "scripted answers");
}

#[test]
fn another_model_is_written_down_when_a_session_is_resumed() {
    let home = asked_hello();
    let other = home.path().join("other.toml");
    std::fs::write(&other, STORY.replace("A first answer.", "Another answer.")).expect("a story");
    let args = ["resume", "--last", "--demo", &other.to_string_lossy()];
    let terminal = crate::at_work(home.path(), &args).start();
    terminal.wait_for("A first answer.");
    terminal.enter_then("hello", "Another answer.");
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
    let (home, terminal) = crate::played(STORY);
    say_then(&terminal, "hello", "A first answer.");
    // The file is written in parallel to the screen.
    terminal.wait_for("session saved");
    let before = session_with(home.path(), r#""kind":"turn_end""#);
    let second = resume(home.path());
    second.wait_for_each(&["A first answer.", "had it open"]);
    assert_eq!(session(home.path()), before, "nothing is written by the second");
}

#[test]
fn a_session_without_this_installations_seal_is_told_to_be_foreign_until_it_is_adopted() {
    let home = asked_hello();
    // The file with the key that seals sessions.
    let key = crate::files_ending(home.path(), "/session-key").pop().expect("a key");
    std::fs::write(&key, [7; 32]).expect("another key");
    let terminal = resume(home.path());
    terminal.wait_for_each(&["This session is foreign", "A first answer."]);
    terminal.enter_then("/status", "does not fit");
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
    let (home, mut terminal) = crate::played(TALK);
    say_then(&terminal, "begin", "The albatross glides.");
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
    terminal.enter_then("/resume", "1 of 1");
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
