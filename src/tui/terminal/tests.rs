use super::*;
use crate::tui::input::InputEvent;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcsetwinsize};
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A process has only one terminal: these tests take turns.
static TURN: Mutex<()> = Mutex::new(());

pub(crate) fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) struct Pty {
    pub(crate) person: File,
    pub(crate) program: OwnedFd,
}

/// Draws words in the first row.
fn words(buf: &mut Canvas, words: &str) -> Option<Position> {
    buf.set_stringn(0, 0, words, usize::MAX, ratatui::style::Style::new());
    None
}

pub(crate) fn pty() -> Pty {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY | rustix::fs::OFlags::CLOEXEC;
    let program = rustix::fs::open(name.as_c_str(), flags, rustix::fs::Mode::empty()).unwrap();
    tcsetwinsize(&master, Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    Pty { person: File::from(master), program }
}

impl Pty {
    pub(crate) fn open(&self, options: ModeOptions) -> Terminal {
        let again = || self.program.try_clone().unwrap();
        Terminal::on(again(), again(), options).unwrap()
    }

    /// Reads what the program wrote, up to and including these bytes.
    pub(crate) fn read_until(&mut self, end: &[u8]) -> Vec<u8> {
        let deadline = Instant::now() + Duration::from_secs(10);
        let mut all = Vec::new();
        let mut buffer = [0u8; 4096];
        while !all.windows(end.len()).any(|w| w == end) {
            assert!(Instant::now() < deadline, "only got {:?}", String::from_utf8_lossy(&all));
            let n = self.person.read(&mut buffer).unwrap();
            all.extend_from_slice(&buffer[..n]);
        }
        all
    }

    fn is_cooked(&self) -> bool {
        tcgetattr(&self.program).unwrap().local_modes.contains(LocalModes::ICANON | LocalModes::ECHO)
    }
}

pub(crate) const LEFT: &[u8] = b"\x1b[?1049l\x1b[?25h";

#[test]
fn taken_drawn_in_one_write_and_given_back() {
    let _turn = turn();
    let mut pty = pty();
    let mut terminal = pty.open(ModeOptions { mouse: true, ..ModeOptions::default() });
    assert!(!pty.is_cooked());
    assert_eq!(terminal.size(), (80, 24));
    terminal.ask();
    terminal.draw(|buf| words(buf, "first frame")).unwrap();
    // One write: the first read returns everything.
    let mut buffer = [0u8; 4096];
    let n = pty.person.read(&mut buffer).unwrap();
    let text = String::from_utf8_lossy(&buffer[..n]).into_owned();
    assert!(
        text.starts_with("\x1b[?1049h") && text.contains("first frame") && text.ends_with("\x1b[c"),
        "{text:?}"
    );
    drop(terminal);
    let rest = String::from_utf8(pty.read_until(LEFT)).unwrap();
    for off in ["\x1b[?1002l", "\x1b[?1004l", "\x1b[?2004l", "\x1b[?7h", "\x1b[m"] {
        assert!(rest.contains(off), "{off:?} in {rest:?}");
    }
    assert!(pty.is_cooked());
}

#[test]
fn what_was_switched_on_later_is_switched_off_too() {
    let _turn = turn();
    let mut pty = pty();
    let mut terminal = pty.open(ModeOptions::default());
    terminal.use_kitty_keyboard();
    terminal.title("block 3 \x1b]0;evil\x07");
    terminal.set_sync(true);
    terminal.draw(|_| None).unwrap();
    drop(terminal);
    let text = String::from_utf8(pty.read_until(LEFT)).unwrap();
    assert!(text.contains("\x1b]2;block 3 \\x1b]0;evil\\x07\x07"), "{text:?}");
    for off in ["\x1b[<u", "\x1b[23;2t", "\x1b[?2026l"] {
        assert!(text.contains(off), "{off:?} in {text:?}");
    }
    assert!(!text.contains("\x1b[?1002"), "the mouse was never taken: {text:?}");
}

#[test]
fn a_panic_in_any_thread_gives_it_back_and_the_next_frame_takes_it_again() {
    let _turn = turn();
    let mut pty = pty();
    let mut terminal = pty.open(ModeOptions::default());
    terminal.draw(|_| None).unwrap();
    assert!(!pty.is_cooked());
    let panicked =
        std::thread::Builder::new().name("some task".into()).spawn(|| panic!("on purpose")).unwrap();
    assert!(panicked.join().is_err());
    assert!(pty.is_cooked(), "restored by the hook");
    pty.read_until(LEFT);
    terminal.draw(|buf| words(buf, "again")).unwrap();
    assert!(!pty.is_cooked());
    pty.read_until(b"again");
    let worker = std::thread::Builder::new()
        .name(format!("{}test", crate::tui::paint::highlight::WORKER_PREFIX))
        .spawn(|| panic!("caught"))
        .unwrap();
    assert!(worker.join().is_err());
    assert!(!pty.is_cooked(), "a worker's panic is its own affair");
}

#[test]
fn an_editor_gets_the_terminal_as_it_was_and_all_keys() {
    let _turn = turn();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let _inside = runtime.enter();
    let mut pty = pty();
    let mut terminal = pty.open(ModeOptions::default());
    let mut input = Input::start(terminal.reader().unwrap(), Duration::from_millis(25)).unwrap();
    terminal.draw(|buf| words(buf, "before")).unwrap();
    pty.read_until(b"before");
    let program = pty.program.try_clone().unwrap();
    let (typed, taken) = terminal.outside(&input, || {
        assert!(pty.is_cooked());
        pty.person.write_all(b"for the editor\n").unwrap();
        let mut line = [0u8; 64];
        let n = rustix::io::read(&program, &mut line).unwrap();
        line[..n].to_vec()
    });
    taken.unwrap();
    assert_eq!(typed, b"for the editor\n");
    terminal.draw(|buf| words(buf, "after")).unwrap();
    pty.read_until(b"after");
    pty.person.write_all(b"k").unwrap();
    let event = runtime.block_on(async { tokio::time::timeout(Duration::from_secs(10), input.next()).await });
    assert_eq!(event.unwrap().unwrap().event, InputEvent::Key(crossterm::event::KeyCode::Char('k').into()));
}

#[test]
fn what_an_editor_returned_is_there_although_the_terminal_was_closed_meanwhile() {
    let _turn = turn();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let _inside = runtime.enter();
    let pty = pty();
    let mut terminal = pty.open(ModeOptions::default());
    let input = Input::start(terminal.reader().unwrap(), Duration::from_millis(25)).unwrap();
    let (edited, taken) = terminal.outside(&input, || {
        drop(pty.person);
        "edited"
    });
    assert_eq!(edited, "edited");
    assert!(taken.is_err());
}

#[test]
fn without_a_terminal_it_says_so() {
    let file = || OwnedFd::from(File::open("/dev/null").unwrap());
    assert!(matches!(Terminal::on(file(), file(), ModeOptions::default()), Err(TerminalError::Call { .. })));
    assert!(TerminalError::None.to_string().contains("sayso run"));
}
