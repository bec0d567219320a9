//! Reads lines from a terminal in its line mode, where the terminal itself handles editing: only whole lines
//! are read. Text typed before a question can be taken out, so that it does not answer the question.

use crate::tui::terminal::is_in_background;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, isatty, tcgetattr, tcsetattr};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::mpsc as std_mpsc;
use std::time::Instant;
use tokio::sync::mpsc;

/// Bytes read at once; a terminal returns at most one line.
const READ_BYTES: usize = 8 << 10;

/// Standard input, a line at a time.
pub(super) struct LineReader {
    terminal: OwnedFd,
    /// The bytes of a line without an end yet.
    begun: Vec<u8>,
    /// Asks the polling thread to report when there is something to read; the thread itself reads nothing.
    wanted: std_mpsc::Sender<()>,
    ready: mpsc::Receiver<()>,
    /// Whether the thread was asked and has not answered.
    waits: bool,
    /// Whether sayso ends, so that nobody waits for the terminal any more.
    ends: bool,
}

/// A line, and when its end was read.
#[derive(Debug)]
pub(super) struct TypedLine {
    pub(crate) text: String,
    pub(crate) at: Instant,
}

impl Drop for LineReader {
    /// Never leaves the terminal with echo switched off.
    fn drop(&mut self) {
        self.end();
        self.set_echo(true);
    }
}

impl LineReader {
    /// Opens standard input. It has to be a terminal: what is ready in a pipe was written before any question.
    ///
    /// # Errors
    /// When it is no terminal, or can't be waited for.
    pub(super) fn open() -> io::Result<Self> {
        let input = io::stdin();
        if !isatty(&input) {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "standard input is no terminal"));
        }
        let terminal = input.as_fd().try_clone_to_owned()?;
        let polled = terminal.try_clone()?;
        let (wanted, asked) = std_mpsc::channel();
        let (tell, ready) = mpsc::channel(1);
        std::thread::Builder::new().name("lines".into()).spawn(move || {
            while asked.recv().is_ok() {
                let mut fds = [PollFd::new(&polled, PollFlags::IN)];
                while poll(&mut fds, None) == Err(rustix::io::Errno::INTR) {}
                if tell.blocking_send(()).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { terminal, begun: Vec::new(), wanted, ready, waits: false, ends: false })
    }

    /// The next line without its end; `None`: there are no more. Cancel-safe.
    pub(super) async fn next(&mut self) -> Option<TypedLine> {
        loop {
            if !self.is_ready() {
                if !self.waits {
                    self.wanted.send(()).ok()?;
                    self.waits = true;
                }
                self.ready.recv().await?;
                self.waits = false;
                continue;
            }
            let count = self.read()?;
            if count == 0 {
                return None;
            }
            if self.begun.last() == Some(&b'\n') {
                let line = std::mem::take(&mut self.begun);
                return Some(TypedLine {
                    text: text_of(&line).trim_end_matches('\n').to_owned(),
                    at: Instant::now(),
                });
            }
        }
    }

    /// Takes the input that was not read yet, even an unfinished line: it was typed before what is printed
    /// next.
    pub(super) fn take_typed(&mut self) -> String {
        let mut typed = std::mem::take(&mut self.begun);
        // Outside line mode, the terminal returns an unfinished line too.
        if let Some(usual) = self.settings() {
            let mut bare = usual.clone();
            bare.local_modes.remove(LocalModes::ICANON);
            bare.special_codes[SpecialCodeIndex::VMIN] = 0;
            bare.special_codes[SpecialCodeIndex::VTIME] = 0;
            if tcsetattr(&self.terminal, OptionalActions::Now, &bare).is_ok() {
                while self.is_ready() && self.read().is_some_and(|count| count > 0) {}
                tcsetattr(&self.terminal, OptionalActions::Now, &usual).ok();
            }
        }
        typed.append(&mut self.begun);
        text_of(&typed)
    }

    /// Switches the echo of typed characters on or off.
    pub(super) fn set_echo(&self, on: bool) {
        if let Some(mut modes) = self.settings() {
            modes.local_modes.set(LocalModes::ECHO, on);
            tcsetattr(&self.terminal, OptionalActions::Now, &modes).ok();
        }
    }

    /// Leaves the terminal from now on to whoever has it.
    pub(super) fn end(&mut self) {
        self.ends = true;
    }

    /// The settings of the terminal, to be changed. The system stops a program that changes them in the background
    /// until it has the terminal again: what was typed for another program must not answer a question. At the end it
    /// would be stopped for good, so there are none then; nor if the terminal is gone.
    fn settings(&self) -> Option<Termios> {
        if self.ends && is_in_background(&self.terminal) { None } else { tcgetattr(&self.terminal).ok() }
    }

    fn is_ready(&self) -> bool {
        let mut polled = [PollFd::new(&self.terminal, PollFlags::IN)];
        poll(&mut polled, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).is_ok_and(|ready| ready > 0)
    }

    /// Reads what is available; `None`: the terminal is gone.
    fn read(&mut self) -> Option<usize> {
        let mut bytes = [0; READ_BYTES];
        loop {
            match rustix::io::read(&self.terminal, &mut bytes) {
                Ok(count) => {
                    self.begun.extend_from_slice(bytes.get(..count).unwrap_or_default());
                    return Some(count);
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return None,
            }
        }
    }
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace('\r', "\n")
}
