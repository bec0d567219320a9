use super::*;
use crate::tui::terminal::{self, tests::Pty};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use std::fs::File;

/// A raw pseudo-terminal: the person's side and the program's side.
fn pty() -> (File, OwnedFd) {
    let Pty { person, program } = terminal::tests::pty();
    let mut termios = tcgetattr(&program).unwrap();
    termios.make_raw();
    tcsetattr(&program, OptionalActions::Now, &termios).unwrap();
    (person, program)
}

/// The person's side, and what reads the other one.
fn started() -> (File, Input) {
    let (person, tty) = pty();
    (person, Input::start(tty, Duration::from_millis(25)).unwrap())
}

async fn next(input: &mut Input) -> InputEvent {
    tokio::time::timeout(Duration::from_secs(10), input.next())
        .await
        .expect("an event in time")
        .unwrap()
        .event
}

fn char_key(c: char) -> InputEvent {
    InputEvent::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE))
}

#[tokio::test]
async fn keys_arrive_and_esc_after_its_delay() {
    let (mut person, mut input) = started();
    person.write_all(b"a\x1b").unwrap();
    assert_eq!(next(&mut input).await, char_key('a'));
    assert_eq!(next(&mut input).await, InputEvent::Key(KeyCode::Esc.into()));
}

#[tokio::test]
async fn a_paste_that_is_not_marked_is_one_all_the_same() {
    let (mut person, mut input) = started();
    let lines: String = (0..5_000).map(|n| format!("/quit {n}\r")).collect();
    let writer = std::thread::spawn(move || {
        person.write_all(lines.as_bytes()).unwrap();
        person
    });
    let mut text = String::new();
    while text.len() < 5_000 * 7 || !text.ends_with("4999\n") {
        match next(&mut input).await {
            InputEvent::Paste(more) => text.push_str(&more),
            other => panic!("{other:?} behind {} bytes", text.len()),
        }
    }
    assert_eq!(text.lines().count(), 5_000);
    let mut person = writer.join().unwrap();
    person.write_all(b"hello\r").unwrap();
    for c in "hello".chars() {
        assert_eq!(next(&mut input).await, char_key(c));
    }
    assert_eq!(next(&mut input).await, InputEvent::Key(KeyCode::Enter.into()));
}

#[tokio::test]
async fn a_terminal_that_goes_away_is_told_once_and_the_thread_ends() {
    let (person, mut input) = started();
    drop(person);
    assert_eq!(next(&mut input).await, InputEvent::Hangup);
}

#[tokio::test]
async fn while_paused_it_leaves_the_keys_to_others() {
    let (mut person, tty) = pty();
    let other = tty.try_clone().unwrap();
    let mut input = Input::start(tty, Duration::from_millis(25)).unwrap();
    person.write_all(b"a").unwrap();
    assert_eq!(next(&mut input).await, char_key('a'));
    input.pause();
    person.write_all(b"x").unwrap();
    let mut byte = [0u8; 8];
    assert_eq!(rustix::io::read(&other, &mut byte).unwrap(), 1);
    assert_eq!(byte[0], b'x');
    input.resume();
    person.write_all(b"b").unwrap();
    assert_eq!(next(&mut input).await, char_key('b'));
}

#[tokio::test]
async fn a_full_channel_holds_back_and_drops_nothing() {
    let (mut person, mut input) = started();
    let writer = std::thread::spawn(move || {
        for i in 0..10_000u32 {
            person.write_all(&[b'a' + (i % 26) as u8]).unwrap();
        }
        person
    });
    for i in 0..10_000u32 {
        assert_eq!(next(&mut input).await, char_key(char::from(b'a' + (i % 26) as u8)));
    }
    writer.join().unwrap();
}

#[tokio::test]
async fn signals_are_events() {
    let (_person, mut input) = started();
    input.listen_to_signals(|| Some((90, 33))).unwrap();
    // Signals from other tests to this process may arrive in between.
    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::WINCH).unwrap();
    while next(&mut input).await != InputEvent::Resize(90, 33) {}
    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::CONT).unwrap();
    while next(&mut input).await != InputEvent::Signal(Signal::Continued) {}
}
