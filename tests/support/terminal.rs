//! Runs the program on a real pseudo-terminal with a screen: presses keys, waits for what should appear, answers the
//! queries of the program. No sleeps: every wait has a condition and a deadline, and a failure prints the screen.

#![allow(dead_code)] // each test binary uses its part

#[path = "answer.rs"]
mod answer;

pub use answer::READY;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::cell::Cell;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// How long anything may take to appear.
pub const PATIENCE: Duration = Duration::from_secs(20);

thread_local! {
    /// The size of terminals that this thread sets up: columns and rows.
    static SIZE: Cell<(u16, u16)> = const { Cell::new((100, 30)) };
}

/// Runs `story` with terminals of this size.
pub fn in_size(size: (u16, u16), story: impl FnOnce()) {
    let before = SIZE.replace(size);
    story();
    SIZE.set(before);
}

/// What the reading thread shares with the test.
struct Shared {
    parser: vt100::Parser,
    /// The number of bytes that the program has written so far.
    written: usize,
    /// All bytes that it has written.
    raw: Vec<u8>,
    /// Times, each with the number of bytes written by then.
    moments: Vec<(Duration, usize)>,
    closed: bool,
}

/// A program in a terminal of its own.
pub struct Terminal {
    shared: Arc<(Mutex<Shared>, Condvar)>,
    keys: Arc<Mutex<Box<dyn Write + Send>>>,
    master: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
}

/// The settings of a terminal and its program.
pub struct Setup<'a> {
    /// Arguments of the program.
    pub args: Vec<String>,
    /// Home, configuration, data and state of the program.
    pub home: &'a Path,
    /// The working folder.
    pub cwd: PathBuf,
    /// Columns and rows.
    pub size: (u16, u16),
    /// More of the environment.
    pub env: Vec<(String, String)>,
    /// Whether the cursor-position query is answered.
    pub answers: bool,
    /// A program that starts it, with arguments; empty: it is started directly.
    pub through: Vec<String>,
}

impl<'a> Setup<'a> {
    /// The program with these arguments, in a terminal of 100x30 (or the size of [`in_size`]), in a home of its own.
    pub fn new(home: &'a Path, args: &[&str]) -> Self {
        Self {
            args: args.iter().map(ToString::to_string).collect(),
            home,
            cwd: home.to_path_buf(),
            size: SIZE.get(),
            env: Vec::new(),
            answers: true,
            through: Vec::new(),
        }
    }

    /// Sets the size: columns, rows.
    #[must_use]
    pub fn size(mut self, columns: u16, rows: u16) -> Self {
        self.size = (columns, rows);
        self
    }

    /// Adds a variable to the environment.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Started by another program, which gets the program and its arguments.
    #[must_use]
    pub fn through(mut self, command: &[&str]) -> Self {
        self.through = command.iter().map(ToString::to_string).collect();
        self
    }

    /// Starts the program.
    pub fn start(self) -> Terminal {
        let (columns, rows) = self.size;
        let size = PtySize { rows, cols: columns, pixel_width: 10 * columns, pixel_height: 20 * rows };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let mut all = self.through;
        all.push(env!("CARGO_BIN_EXE_sayso").into());
        let mut command = CommandBuilder::new(&all[0]);
        command.args(&all[1..]);
        command.args(&self.args);
        command.cwd(&self.cwd);
        command.env_clear();
        command.env("PATH", std::env::var("PATH").unwrap_or_default());
        command.env("HOME", self.home);
        command.env("SAYSO_HOME", self.home.join("sayso"));
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        for (name, value) in &self.env {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).expect("the program starts");
        drop(pair.slave);
        let keys = Arc::new(Mutex::new(pair.master.take_writer().expect("a writer")));
        let shared = Arc::new((
            Mutex::new(Shared {
                parser: answer::screen(rows, columns),
                written: 0,
                raw: Vec::new(),
                moments: Vec::new(),
                closed: false,
            }),
            Condvar::new(),
        ));
        let reader = pair.master.try_clone_reader().expect("a reader");
        let (theirs, answers, replies) = (shared.clone(), self.answers, keys.clone());
        std::thread::spawn(move || read_all(reader, &theirs, answers, &replies));
        Terminal { shared, keys, master: pair.master, child }
    }
}

/// Feeds the program's output to the screen and answers its queries.
fn read_all(
    mut reader: Box<dyn Read + Send>,
    shared: &(Mutex<Shared>, Condvar),
    answers: bool,
    replies: &Mutex<Box<dyn Write + Send>>,
) {
    let mut buffer = [0u8; 16 << 10];
    let mut rest: Vec<u8> = Vec::new();
    let began = Instant::now();
    loop {
        let count = reader.read(&mut buffer).unwrap_or(0);
        let mut state = shared.0.lock().expect("the screen");
        if count == 0 {
            state.closed = true;
            shared.1.notify_all();
            return;
        }
        state.written += count;
        state.raw.extend_from_slice(&buffer[..count]);
        let written = state.written;
        state.moments.push((began.elapsed(), written));
        rest.extend_from_slice(&buffer[..count]);
        let replied = answer::process(&mut state.parser, &mut rest);
        // Answer before the test sees the screen, so that a key pressed because of it follows the answer.
        if answers && !replied.is_empty() {
            let mut keys = replies.lock().expect("the keys");
            let _ = keys.write_all(&replied);
            let _ = keys.flush();
        }
        drop(state);
        shared.1.notify_all();
    }
}

impl Terminal {
    /// Sends bytes as a keyboard would.
    pub fn send(&self, bytes: &[u8]) {
        let mut keys = self.keys.lock().expect("the keys");
        keys.write_all(bytes).expect("the program reads keys");
        keys.flush().expect("the program reads keys");
    }

    /// Sends keys one by one at the pace of a quick typist: two within 30 ms would count as a paste. The pause at the
    /// end is longer: an Enter that a busy machine reads together with the last letter takes nothing.
    pub fn type_text(&self, text: &str) {
        for c in text.chars() {
            self.send(c.to_string().as_bytes());
            self.wait_until(Duration::from_millis(45), |_| false);
        }
        self.wait_until(Duration::from_millis(45), |_| false);
    }

    /// Types a text, and Enter once its end is on the screen: an Enter that a busy machine reads together with letters
    /// takes nothing. Where the end of the text is not shown, Enter follows after a while.
    pub fn enter(&self, text: &str) {
        self.enter_by(text, |text| self.type_text(text));
    }

    /// Writes a message and sends it. Its letters come at once: in the message box they are text all the same.
    pub fn send_message(&self, text: &str) {
        self.enter_by(text, |text| self.send(text.as_bytes()));
    }

    fn enter_by(&self, text: &str, write: impl Fn(&str)) {
        let end = text.rsplit(' ').next().unwrap_or_default();
        let times = |screen: &str| screen.matches(end).count();
        let before = times(&self.screen());
        write(text);
        self.holds_within(Duration::from_millis(900), |screen| times(screen) > before);
        self.pause(Duration::from_millis(45));
        self.press("Enter");
    }

    /// Sends one named key.
    pub fn press(&self, key: &str) {
        let bytes: &[u8] = match key {
            "Enter" => b"\r",
            "Esc" => b"\x1b",
            "Tab" => b"\t",
            "BackTab" => b"\x1b[Z",
            "Space" => b" ",
            "Up" => b"\x1b[A",
            "Down" => b"\x1b[B",
            "Right" => b"\x1b[C",
            "Left" => b"\x1b[D",
            "PageUp" => b"\x1b[5~",
            "PageDown" => b"\x1b[6~",
            "Home" => b"\x1b[H",
            "End" => b"\x1b[F",
            "Backspace" => b"\x7f",
            "Ctrl-End" => b"\x1b[1;5F",
            "F1" => b"\x1bOP",
            "F2" => b"\x1bOQ",
            "Ctrl-C" => b"\x03",
            "Ctrl-D" => b"\x04",
            "Ctrl-F" => b"\x06",
            "Ctrl-J" => b"\n",
            "Ctrl-L" => b"\x0c",
            "Ctrl-O" => b"\x0f",
            "Ctrl-Y" => b"\x19",
            "Ctrl-Z" => b"\x1a",
            other => return self.send(other.as_bytes()),
        };
        self.send(bytes);
    }

    /// Sends text as a bracketed paste.
    pub fn paste(&self, text: &str) {
        self.send(format!("\x1b[200~{text}\x1b[201~").as_bytes());
    }

    /// The text of the screen, line by line.
    pub fn screen(&self) -> String {
        self.shared.0.lock().expect("the screen").parser.screen().contents()
    }

    /// The screen with its styles: each row, followed by the style of each stretch of it. Blanks look the same
    /// whether they were written or erased.
    pub fn painted(&self) -> Vec<String> {
        let shared = self.shared.0.lock().expect("the screen");
        let screen = shared.parser.screen();
        let (rows, columns) = screen.size();
        let row = |y: u16| {
            let (mut text, mut styles, mut last) = (String::new(), String::new(), String::new());
            for x in 0..columns.get() {
                let Some(cell) = screen.cell(y, x) else { continue };
                let blank = cell.contents().trim().is_empty();
                let colour = if blank { vt100::Color::Default } else { cell.fgcolor() };
                let marks = (cell.bold() && !blank, cell.underline(), cell.inverse());
                let style = format!("{colour:?} {:?} {marks:?}", cell.bgcolor());
                if !cell.is_wide_continuation() && style != last {
                    styles.push_str(&format!(" {x}: {style};"));
                    last = style;
                }
                text.push_str(if blank && !cell.is_wide_continuation() { " " } else { cell.contents() });
            }
            format!("{text} |{styles}")
        };
        (0..rows.get()).map(row).collect()
    }

    /// Whether a condition on the screen's text becomes true within this time.
    pub fn holds_within(&self, time: Duration, condition: impl Fn(&str) -> bool) -> bool {
        self.wait_until(time, |s| condition(&s.parser.screen().contents()))
    }

    /// Pauses for a fixed time: for what must *not* happen meanwhile, or to be no quicker than people.
    pub fn pause(&self, time: Duration) {
        self.holds_within(time, |_| false);
    }

    /// Waits until a message can be typed and sent.
    #[track_caller]
    pub fn wait_ready(&self) {
        self.wait_for(READY);
    }

    /// Waits until the text is on the screen.
    #[track_caller]
    pub fn wait_for(&self, text: &str) {
        let came = self.holds_within(PATIENCE, |s| s.contains(text));
        assert!(came, "`{text}` did not appear:\n{}", self.screen());
    }

    /// Sends one named key, and waits for the text that it brings.
    #[track_caller]
    pub fn press_then(&self, key: &str, text: &str) {
        self.press(key);
        self.wait_for(text);
    }

    /// Types a text and Enter, and waits for the text that they bring.
    #[track_caller]
    pub fn enter_then(&self, typed: &str, text: &str) {
        self.enter(typed);
        self.wait_for(text);
    }

    /// Types a text without Enter, and waits for the text that it brings.
    #[track_caller]
    pub fn type_text_then(&self, typed: &str, text: &str) {
        self.type_text(typed);
        self.wait_for(text);
    }

    /// Waits until each of these texts was on the screen, one after the other.
    #[track_caller]
    pub fn wait_for_each(&self, texts: &[&str]) {
        for text in texts {
            self.wait_for(text);
        }
    }

    /// Waits until the text is gone from the screen.
    #[track_caller]
    pub fn wait_gone(&self, text: &str) {
        let went = self.holds_within(PATIENCE, |s| !s.contains(text));
        assert!(went, "`{text}` did not go:\n{}", self.screen());
    }

    /// Presses a key until the text is on the screen, as a person does whose key was refused (the guard); the key
    /// must do no harm when it is pressed again.
    #[track_caller]
    pub fn press_until(&self, key: &str, text: &str) {
        assert!(self.brings(key, |s| s.contains(text)), "`{key}` did not bring `{text}`:\n{}", self.screen());
    }

    /// Presses a key until the condition on the screen is true.
    #[track_caller]
    pub fn press_until_true(&self, key: &str, holds: impl Fn(&str) -> bool) {
        assert!(self.brings(key, holds), "`{key}` did not bring what it should:\n{}", self.screen());
    }

    /// Waits until the condition on the screen is true.
    #[track_caller]
    pub fn wait_true(&self, holds: impl Fn(&str) -> bool) {
        assert!(self.holds_within(PATIENCE, holds), "it did not come:\n{}", self.screen());
    }

    fn brings(&self, key: &str, holds: impl Fn(&str) -> bool) -> bool {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            let before = self.written();
            self.press(key);
            // On a busy machine the program may not have read the key yet; a second press would count twice.
            let answer = Duration::from_millis(900);
            if self.holds_within(answer, &holds)
                || self.written() == before
                    && self.writes_more_than(before, 2 * answer)
                    && self.holds_within(answer, &holds)
            {
                return true;
            }
            // A key on hold still takes effect; the same one again would cancel it.
            let is_held = |s: &str| s.contains("any letter takes it back");
            self.holds_within(PATIENCE, |s| holds(s) || !is_held(s));
            if self.holds_within(Duration::ZERO, &holds) {
                return true;
            }
        }
        false
    }

    /// Bytes written by the program so far.
    pub fn written(&self) -> usize {
        self.shared.0.lock().expect("the screen").written
    }

    /// Waits until the program has written this so many times.
    #[track_caller]
    pub fn wait_written(&self, part: &str, times: usize) {
        let count = |raw: &[u8]| raw.windows(part.len()).filter(|bytes| *bytes == part.as_bytes()).count();
        let came = self.wait_until(PATIENCE, |s| count(&s.raw) >= times);
        assert!(came, "{part:?} was not written {times} times:\n{}", self.screen());
    }

    /// Whether the program writes more than this number of bytes in total within this time.
    pub fn writes_more_than(&self, bytes: usize, time: Duration) -> bool {
        self.wait_until(time, |s| s.written > bytes || s.closed) && self.written() > bytes
    }

    /// Its exit code, if it has ended.
    pub fn ended(&mut self) -> Option<u32> {
        self.child.try_wait().expect("its status").map(|status| status.exit_code())
    }

    /// All that the program has written, raw.
    pub fn raw(&self) -> Vec<u8> {
        self.shared.0.lock().expect("the screen").raw.clone()
    }

    /// Times, each with the number of bytes written by then.
    pub fn moments(&self) -> Vec<(Duration, usize)> {
        self.shared.0.lock().expect("the screen").moments.clone()
    }

    /// The emulator's screen state: whether the alternate screen is on, and whether the cursor is hidden.
    pub fn modes(&self) -> (bool, bool) {
        let shared = self.shared.0.lock().expect("the screen");
        (shared.parser.screen().alternate_screen(), shared.parser.screen().hide_cursor())
    }

    /// Whether the terminal is in cooked mode (lines and echo), as a shell leaves it to programs.
    pub fn is_cooked(&self) -> bool {
        // ICANON and ECHO, as `stty` shows them.
        const COOKED: u64 = 0o2 | 0o10;
        let flags = self.master.get_termios().expect("its settings").local_flags.bits();
        u64::from(flags) & COOKED == COOKED
    }

    /// Changes the size to these columns and rows.
    pub fn resize(&self, columns: u16, rows: u16) {
        let some = |n: u16| std::num::NonZeroU16::new(n).expect("a size");
        self.shared.0.lock().expect("the screen").parser.screen_mut().set_size(some(rows), some(columns));
        let size = PtySize { rows, cols: columns, pixel_width: 10 * columns, pixel_height: 20 * rows };
        self.master.resize(size).expect("the terminal resizes");
    }

    /// The program's process.
    pub fn pid(&self) -> u32 {
        self.child.process_id().expect("it runs")
    }

    /// Sends a signal by name to the program.
    pub fn signal(&self, name: &str) {
        let status =
            std::process::Command::new("kill").args([&format!("-{name}"), &self.pid().to_string()]).status();
        assert!(status.expect("kill runs").success());
    }

    /// Waits for the end and returns the exit code.
    #[track_caller]
    pub fn wait_exit(&mut self) -> u32 {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("its status") {
                self.wait_until(Duration::from_secs(10), |s| s.closed);
                return status.exit_code();
            }
            assert!(Instant::now() < deadline, "it did not end:\n{}", self.screen());
            self.wait_until(Duration::from_millis(20), |s| s.closed);
        }
    }

    fn wait_until(&self, time: Duration, condition: impl Fn(&Shared) -> bool) -> bool {
        let deadline = Instant::now() + time;
        let mut state = self.shared.0.lock().expect("the screen");
        loop {
            if condition(&state) {
                return true;
            }
            let now = Instant::now();
            if now >= deadline {
                return false;
            }
            state = self.shared.1.wait_timeout(state, deadline - now).expect("the screen").0;
        }
    }
}

/// The screens after each of these pieces of output.
pub fn replayed(pieces: &[&str], (columns, rows): (u16, u16)) -> Vec<String> {
    let mut parser = answer::screen(rows, columns);
    let mut rest = Vec::new();
    let screen = |piece: &&str| {
        rest.extend_from_slice(piece.as_bytes());
        answer::process(&mut parser, &mut rest);
        parser.screen().contents()
    };
    pieces.iter().map(screen).collect()
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
