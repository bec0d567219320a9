//! Stories on a real pseudo-terminal: what a person does and sees, from the first key to the file on disk.
//!
//! Few and complete: what can be tested at a lower level is tested there.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // a test that can't go on fails by panicking

#[cfg(feature = "jupyter")]
#[path = "../support/jupyter_server.rs"]
mod jupyter_server;
#[path = "../support/aimock.rs"]
mod mock;
#[path = "../support/model_server.rs"]
mod model_server;
#[path = "../support/recorded_run.rs"]
mod recorded_run;
#[path = "../support/terminal.rs"]
mod terminal;

mod acceptance;
mod aimock;
mod always;
mod asking;
mod attached;
mod branching;
mod checks;
mod deciding;
mod edits;
mod finding;
mod flood;
mod guard;
#[cfg(feature = "jupyter")]
mod jupyter;
mod launch;
mod leaving;
mod models;
mod opening;
mod pictures;
mod plain;
mod plain_stopping;
mod pulling;
mod recipes;
mod removing;
mod resuming;
mod tasks;
mod themes;
mod tour;
mod typed_command;
mod vim;
mod walks;

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use terminal::Setup;

/// Writes a story into a folder and returns its path.
pub fn story(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join("story.toml");
    std::fs::write(&path, text).expect("the story is written");
    path
}

/// A story of one block of code, which the message `go` brings.
pub fn one_block(language: &str, code: &str) -> String {
    format!("pace = 0\n[[reply]]\nwhen = 'go'\ntext = '''\n```{language}\n{code}\n```\n'''\n")
}

/// A story of shell blocks, each of which marks that it ran and prints its word: the prompt `go` brings the
/// first block, and each block's output brings the next.
pub fn shell_blocks(words: &[&str]) -> String {
    let mut text = String::from("pace = 0\n");
    let mut when = "go";
    for (number, word) in (1..).zip(words) {
        text += &format!(
            "[[reply]]\nwhen = '{when}'\ntext = \"\"\"\n```bash\ntouch ran-{number}; echo {word}\n```\n\"\"\"\n"
        );
        when = word;
    }
    text
}

/// A story of a run that keeps a variable until it is interrupted, with these lines of Python, and of a block
/// that asks for the variable afterwards.
pub fn keeps_eleven(lines: &str) -> String {
    format!(
        "pace = 0\n[[reply]]\nwhen = 'go'\ntext = \"\"\"\n```python\nkept = 11\n{lines}\n```\n\"\"\"\n\
         [[reply]]\nwhen = 'again'\ntext = \"\"\"\n```python\nopen('ran-2', 'w').close()\nprint('kept is', kept)\n```\n\"\"\"\n\
         [[reply]]\nwhen = 'kept is 11'\ntext = 'The state survived.'\n"
    )
}

/// A setup that plays the story in the folder `work` below the home.
pub fn play<'a>(home: &'a Path, text: &str) -> Setup<'a> {
    story(home, text);
    play_again(home, &[])
}

/// A setup with these arguments that plays the story of the home in its folder `work`.
pub fn play_again<'a>(home: &'a Path, args: &[&str]) -> Setup<'a> {
    let path = home.join("story.toml");
    at_work(home, &[args, &["--demo", &path.to_string_lossy()]].concat())
}

/// A setup with these arguments, in the folder `work` below the home.
pub fn at_work<'a>(home: &'a Path, args: &[&str]) -> Setup<'a> {
    let work = home.join("work");
    std::fs::create_dir_all(&work).expect("a working folder");
    Setup::new(home, &[args, &["--cwd", &work.to_string_lossy()]].concat())
}

/// Plays the story in a new home.
pub fn played(text: &str) -> (tempfile::TempDir, terminal::Terminal) {
    let home = tempfile::tempdir().expect("a home");
    let terminal = play(home.path(), text).start();
    (home, terminal)
}

/// Plays the story in a new home, and sends `go` as the first message.
pub fn asked(text: &str) -> (tempfile::TempDir, terminal::Terminal) {
    let (home, terminal) = played(text);
    say(&terminal, "go");
    (home, terminal)
}

/// Writes the configuration of a home.
pub fn write_config(home: &Path, text: impl AsRef<[u8]>) {
    std::fs::create_dir_all(home.join("sayso")).expect("a folder");
    std::fs::write(home.join("sayso/config.toml"), text).expect("a configuration");
}

/// Whether the block with this number ran: it wrote its mark.
pub fn ran(home: &Path, block: u32) -> bool {
    home.join("work").join(format!("ran-{block}")).exists()
}

/// The one session file of a home.
pub fn session(home: &Path) -> String {
    session_so_far(home).expect("one session file")
}

/// The one session file of a home, if it exists yet: it is written in parallel to the screen.
fn session_so_far(home: &Path) -> Option<String> {
    let found = session_files(home);
    assert!(found.len() <= 1, "one session file: {found:?}");
    // The last line may be incomplete, even within a character.
    let text = |file: &PathBuf| std::fs::read(file).expect("the session file");
    found.first().map(|file| String::from_utf8_lossy(&text(file)).into_owned())
}

/// How many session files a home has.
pub fn sessions_of(home: &Path) -> usize {
    session_files(home).len()
}

/// Waits until the session file contains a text, and returns it.
pub fn session_with(home: &Path, text: &str) -> String {
    let deadline = std::time::Instant::now() + terminal::PATIENCE;
    loop {
        let found = session_so_far(home).unwrap_or_default();
        if found.contains(text) {
            return found;
        }
        assert!(std::time::Instant::now() < deadline, "{text} did not come: {found}");
        std::thread::park_timeout(std::time::Duration::from_millis(5));
    }
}

fn session_files(home: &Path) -> Vec<PathBuf> {
    files_ending(&home.join("sayso"), ".jsonl")
}

/// All files below a folder whose names end like this.
pub fn files_ending(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_ending(&path, ending));
        } else if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
    found
}

/// Sends a message once the message box is ready.
pub fn say(terminal: &terminal::Terminal, text: &str) {
    terminal.wait_ready();
    terminal.send_message(text);
}

/// Sends a message once the message box is ready, and waits for the text that it brings.
#[track_caller]
pub fn say_then(terminal: &terminal::Terminal, text: &str, told: &str) {
    say(terminal, text);
    terminal.wait_for(told);
}

/// The sizes at which the checks are made: wide, medium, narrow.
pub const SIZES: [(u16, u16); 3] = [(140, 40), (100, 30), (80, 24)];

/// Plays a story in a terminal of each size.
pub fn at_every_size(story: impl Fn() + Sync) {
    side_by_side(SIZES, |size| terminal::in_size(size, &story));
}

/// Plays a story once for each of these cases in parallel: it mostly waits. A failure names its case as the thread.
pub fn side_by_side<T: Debug + Send>(cases: impl IntoIterator<Item = T>, story: impl Fn(T) + Sync) {
    let story = &story;
    std::thread::scope(|scope| {
        let play = |case: T| {
            let named = std::thread::Builder::new().name(format!("{case:?}"));
            named.spawn_scoped(scope, move || story(case)).expect("a thread")
        };
        for played in cases.into_iter().map(play).collect::<Vec<_>>() {
            if let Err(why) = played.join() {
                std::panic::resume_unwind(why);
            }
        }
    });
}

/// Whether the code has the focus: its title, or its tab if there are tabs, is in brackets.
pub fn is_in_code(screen: &str) -> bool {
    screen.contains("[Block ") || screen.contains("[2 Code")
}

/// Whether Message has the focus: with tabs, its border is heavy.
pub fn is_in_message(screen: &str) -> bool {
    screen.contains("[Message]") || screen.contains("[1 Chat]") && screen.contains("━ Message ━")
}

/// Moves the focus to the code, where the decision keys are.
#[track_caller]
pub fn to_code(terminal: &terminal::Terminal) {
    tab_to(terminal, is_in_code);
}

/// Moves the focus to the code, and waits until the keys that decide are open.
#[track_caller]
pub fn open_keys(terminal: &terminal::Terminal) {
    to_code(terminal);
    terminal.wait_for("keys open");
}

/// Presses Tab until `holds` is true of the screen. Waits after each Tab until the focus has moved, because one
/// too many would lead past it.
#[track_caller]
pub fn tab_to(terminal: &terminal::Terminal, holds: impl Fn(&str) -> bool) {
    let focus = |screen: &str| (is_in_message(screen), is_in_code(screen));
    let deadline = std::time::Instant::now() + terminal::PATIENCE;
    loop {
        let screen = terminal.screen();
        if holds(&screen) {
            return;
        }
        assert!(std::time::Instant::now() < deadline, "Tab did not bring what it should:\n{screen}");
        let before = focus(&screen);
        terminal.press("Tab");
        terminal.holds_within(std::time::Duration::from_secs(5), |s| holds(s) || focus(s) != before);
        terminal.holds_within(std::time::Duration::from_millis(300), &holds);
    }
}

/// Whether a block was approved, or its word is asked for.
pub fn is_decided(screen: &str, block: u32) -> bool {
    screen.contains("Waiting for the word run")
        || screen.contains("Approved once")
        || screen.contains(&format!("Running block {block}"))
        || ["done", "failed", "died"].iter().any(|end| screen.contains(&format!("Block {block} {end}")))
        || screen.lines().any(|line| {
            // A short run may be over, and its notice replaced, before the screen is checked.
            line.contains(&format!("block {block} "))
                && ["[DONE", "[FAILED", "[DIED", "[TIMEOUT", "[RUNNING"]
                    .iter()
                    .any(|word| line.contains(word))
        })
}

/// Types the word that approves, and Enter; more slowly than other text, because letters that a busy machine reads at
/// once are a paste.
pub fn type_word(terminal: &terminal::Terminal) {
    for letter in ["r", "u", "n"] {
        terminal.type_text(letter);
    }
    terminal.press("Enter");
}

/// Waits until the keys that decide are no longer locked: a key that comes sooner is refused, and has to be pressed again.
pub fn wait_unlocked(terminal: &terminal::Terminal) {
    let is_locked =
        |s: &str| ["checking", "letters locked", "all keys locked"].iter().any(|why| s.contains(why));
    terminal.holds_within(std::time::Duration::from_secs(2), |s| !is_locked(s));
    // A letter directly behind another key would be a paste.
    terminal.pause(std::time::Duration::from_millis(45));
}

/// Lets the waiting block run, and waits for the text that the run brings.
#[track_caller]
pub fn approve_then(terminal: &terminal::Terminal, block: u32, told: &str) {
    approve(terminal, block);
    terminal.wait_for(told);
}

/// Lets the waiting block run: types its word if it takes one (without a sandbox, with a high finding), else
/// approves it.
pub fn approve(terminal: &terminal::Terminal, block: u32) {
    let deadline = std::time::Instant::now() + terminal::PATIENCE;
    let waiting = format!("Block {block}");
    terminal.wait_for(&waiting);
    to_code(terminal);
    while std::time::Instant::now() < deadline {
        let screen = terminal.screen();
        let asks = |s: &str| s.contains("Type  run") || s.contains("Waiting for the word run");
        if asks(&screen) {
            // An extra `a`, pressed because the first one was slow, is in front of the word: clear it.
            terminal.send(b"\x15");
            // A letter directly after that key would be a paste.
            terminal.pause(std::time::Duration::from_millis(90));
            type_word(terminal);
            // A key directly after the word would form a paste with it. If the program was stalled, the word
            // itself was taken for a paste: type it all again.
            if terminal.holds_within(std::time::Duration::from_secs(3), |s| !asks(s))
                && !terminal.screen().contains("Nothing was decided")
            {
                return;
            }
            continue;
        }
        if screen.contains("any letter takes it back") {
            // The approval is on its way.
        } else if is_in_message(&screen) {
            // An extra Tab, pressed because the first one was slow, has moved on to the next pane.
            to_code(terminal);
        } else if screen.contains("not shown") {
            terminal.press("Space");
        } else {
            wait_unlocked(terminal);
            terminal.press("a");
        }
        if terminal.holds_within(std::time::Duration::from_millis(900), |s| is_decided(s, block))
            && !terminal.screen().contains("Waiting for the word run")
        {
            return;
        }
    }
    panic!("block {block} could not be approved:\n{}", terminal.screen());
}
