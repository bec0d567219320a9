//! Owns the terminal: takes it over, writes each frame with one write, and restores it on every way out.
//!
//! It handles bytes and modes, not what is drawn. It never reads: answers come through `input`. It does not use
//! `ratatui::Terminal`, which compares each cell of each frame, and asks the terminal for the cursor and waits
//! for the answer when it clears.

mod backend;
mod modes;
mod restore;
mod sgr;

pub(crate) use backend::CellDiff;
pub(crate) use modes::ModeOptions;

use super::attention::TerminalSupport;
use super::graphics::Graphics;
use super::input::Input;
use super::paint::canvas::Canvas;
use super::paint::hyperlinks::Hyperlinks;
use crate::text::system_error::words;
use modes::SwitchedModes;
use ratatui::layout::Position;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Signal, getpgrp, kill_current_process_group};
use rustix::termios::{OptionalActions, Termios, isatty, tcgetattr, tcgetpgrp, tcgetwinsize, tcsetattr};
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

/// Why the terminal can't be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TerminalError {
    #[error("there is no terminal: standard input or output is not one (`sayso run` works without)")]
    None,
    /// A system call on the terminal failed.
    #[error("the terminal can't be {what}: {}", words(source))]
    Call {
        /// What was tried, as a participle for the message: `read`, `switched to raw mode`, `written`.
        what: &'static str,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
}

fn failed<E: Into<io::Error>>(what: &'static str) -> impl Fn(E) -> TerminalError {
    move |error| TerminalError::Call { what, source: error.into() }
}

/// The terminal. Dropping it restores the terminal if the program has it.
pub(crate) struct Terminal {
    screen: CellDiff,
    input: OwnedFd,
    output: OwnedFd,
    options: ModeOptions,
    switched: SwitchedModes,
    before: Termios,
    /// Whether the program has it. While it does not, nothing is written.
    pub(crate) is_held: bool,
}

impl Terminal {
    /// Takes over the terminal of standard input and output: switches to raw mode at once, sends the rest with
    /// the first write.
    ///
    /// # Errors
    /// When there is none, or its mode can't be changed.
    pub(crate) fn open(options: ModeOptions) -> Result<Self, TerminalError> {
        let (stdin, stdout) = (rustix::stdio::stdin(), rustix::stdio::stdout());
        if !isatty(stdin) || !isatty(stdout) {
            return Err(TerminalError::None);
        }
        let again = |fd: BorrowedFd<'_>| rustix::io::fcntl_dupfd_cloexec(fd, 3).map_err(failed("opened"));
        Self::on(again(stdin)?, again(stdout)?, options)
    }

    /// Takes over the terminal behind these descriptors.
    ///
    /// # Errors
    /// When it is none, or its mode can't be changed.
    pub(crate) fn on(input: OwnedFd, output: OwnedFd, options: ModeOptions) -> Result<Self, TerminalError> {
        let before = tcgetattr(&input).map_err(failed("read"))?;
        let size = window_size(output.as_fd()).unwrap_or((80, 24));
        restore::hook_panics();
        let switched = SwitchedModes { mouse: options.mouse, ..SwitchedModes::default() };
        let screen = CellDiff::new(size);
        let mut terminal = Self { screen, input, output, options, switched, before, is_held: false };
        terminal.take()?;
        Ok(terminal)
    }

    /// Switches to raw mode, and queues the sequences that set up the terminal in front of the next frame.
    fn take(&mut self) -> Result<(), TerminalError> {
        let mut raw = self.before.clone();
        raw.make_raw();
        tcsetattr(&self.input, OptionalActions::Now, &raw).map_err(failed("switched to raw mode"))?;
        let input = self.input.try_clone().map_err(failed("kept"))?;
        let output = self.output.try_clone().map_err(failed("kept"))?;
        restore::keep(input, output, self.before.clone(), self.switched);
        let enter = modes::enter(self.switched);
        self.screen.before(enter.as_bytes());
        self.is_held = true;
        self.redraw();
        Ok(())
    }

    /// A descriptor for the reading thread.
    ///
    /// # Errors
    /// When there are no descriptors left.
    pub(crate) fn reader(&self) -> Result<OwnedFd, TerminalError> {
        self.input.try_clone().map_err(failed("read"))
    }

    /// Returns a function that reads the size of the window, for the signal listener.
    ///
    /// # Errors
    /// When there are no descriptors left.
    pub(crate) fn size_teller(
        &self,
    ) -> Result<impl Fn() -> Option<(u16, u16)> + Send + 'static, TerminalError> {
        let fd = self.output.try_clone().map_err(failed("read"))?;
        Ok(move || window_size(fd.as_fd()))
    }

    /// The last known size: columns and rows.
    pub(crate) fn size(&self) -> (u16, u16) {
        self.screen.size()
    }

    /// Sets a new size of the window: the next frame is drawn completely, without clearing the screen first.
    pub(crate) fn resized(&mut self, size: (u16, u16)) {
        self.screen.set_size(size);
    }

    /// Makes the next frame draw everything again.
    pub(crate) fn redraw(&mut self) {
        self.screen.forget();
    }

    /// Sends all questions to the terminal with the next write; the answers arrive as events, `Da1` last.
    pub(crate) fn ask(&mut self) {
        let questions = modes::questions(&self.options);
        self.queue(questions.as_bytes());
    }

    /// Sets the table of pictures that cells refer to; `kept`: the terminal stores pictures that it was sent.
    pub(crate) fn set_graphics(&mut self, graphics: Graphics, kept: bool) {
        self.screen.graphics = graphics;
        self.change(|switched| switched.pictures |= kept);
    }

    /// The size of a cell in pixels, if the terminal reports it: width and height.
    pub(crate) fn cell_pixels(&self) -> Option<(u16, u16)> {
        let size = tcgetwinsize(&self.output).ok()?;
        let (width, height) =
            (size.ws_xpixel.checked_div(size.ws_col)?, size.ws_ypixel.checked_div(size.ws_row)?);
        (width > 0 && height > 0).then_some((width, height))
    }

    /// Sets the table of addresses that cells refer to.
    pub(crate) fn link(&mut self, links: Hyperlinks) {
        self.screen.links = links;
    }

    /// Sends these bytes after the next frame, or with [`Terminal::flush`].
    pub(crate) fn queue(&mut self, bytes: &[u8]) {
        self.screen.after(bytes);
    }

    /// Records whether the terminal supports synchronized updates.
    pub(crate) fn set_sync(&mut self, sync: bool) {
        self.screen.sync = sync;
        self.change(|switched| switched.sync = sync);
    }

    /// Switches the kitty keyboard protocol on: the terminal answered that it supports it.
    pub(crate) fn use_kitty_keyboard(&mut self) {
        if !self.switched.kitty {
            self.change(|switched| switched.kitty = true);
            self.queue(modes::KITTY_PUSH.as_bytes());
        }
    }

    /// Whether the kitty keyboard protocol is switched on.
    pub(crate) fn uses_kitty_keyboard(&self) -> bool {
        self.switched.kitty
    }

    /// Captures the mouse, or leaves it to the terminal.
    pub(crate) fn set_mouse(&mut self, on: bool) {
        if self.switched.mouse != on {
            self.change(|switched| switched.mouse = on);
            self.queue(if on { modes::MOUSE_ON } else { modes::MOUSE_OFF }.as_bytes());
        }
    }

    /// Sets the title of the window; the text is escaped here.
    pub(crate) fn title(&mut self, title: &str) {
        if !self.switched.title {
            self.change(|switched| switched.title = true);
            self.queue(modes::TITLE_PUSH.as_bytes());
        }
        let text = format!("\x1b]2;{}\x07", super::paint::glyphs::clean(title));
        self.queue(text.as_bytes());
    }

    /// Sends the state of the session to the terminal; it is cleared when the terminal is restored.
    pub(crate) fn send_attention(&mut self, support: TerminalSupport, sequences: &str) {
        if self.switched.attention.is_none() {
            self.change(|switched| switched.attention = Some(support));
        }
        self.queue(sequences.as_bytes());
    }

    fn change(&mut self, change: impl Fn(&mut SwitchedModes)) {
        change(&mut self.switched);
        restore::record(change);
    }

    /// Draws a frame onto an empty canvas, and writes its changes and the queued bytes in one write. `render`
    /// returns the position of the cursor, if it is visible. A frame without changes writes nothing.
    ///
    /// # Errors
    /// When the terminal can't be written: it is gone.
    pub(crate) fn draw(
        &mut self,
        render: impl FnOnce(&mut Canvas) -> Option<Position>,
    ) -> Result<(), TerminalError> {
        if restore::was_lost() {
            // A panic of another thread restored the terminal, but the program continues: take the terminal
            // over again.
            self.take()?;
        }
        self.screen.draw(render);
        self.flush()
    }

    /// Writes the queued bytes; without the terminal, they stay queued.
    ///
    /// # Errors
    /// When the terminal can't be written.
    pub(crate) fn flush(&mut self) -> Result<(), TerminalError> {
        if !self.is_held {
            return Ok(());
        }
        let bytes = self.screen.take();
        if !bytes.is_empty() {
            write_all(self.output.as_fd(), &bytes).map_err(failed("written"))?;
        }
        self.screen.recycle(bytes);
        Ok(())
    }

    /// Restores the terminal while `act` runs (an editor, a pager), then takes it over again and redraws. Returns what
    /// `act` returned, and beside it whether the terminal could be taken over again.
    pub(crate) fn outside<T>(
        &mut self,
        input: &Input,
        act: impl FnOnce() -> T,
    ) -> (T, Result<(), TerminalError>) {
        self.give_back(input);
        let result = act();
        (result, self.take_back(input))
    }

    /// Suspends the program like Ctrl-Z in a shell; returns when it is continued. In the foreground, the program has
    /// the terminal again. In the background it does not: the system would stop a program that takes it there, before
    /// it can handle the signal for which it was continued. The next call takes the terminal if it can be had by then,
    /// and suspends again otherwise.
    ///
    /// # Errors
    /// When the terminal can't be taken over again.
    pub(crate) fn suspend(&mut self, input: &Input) -> Result<(), TerminalError> {
        let was_held = self.is_held;
        if was_held {
            self.give_back(input);
        }
        if was_held || is_in_background(&self.input) {
            // Stops the whole process group, so that the shell notices. With STOP, because sayso handles
            // SIGTSTP itself.
            let _ = kill_current_process_group(Signal::STOP);
        }
        if is_in_background(&self.input) { Ok(()) } else { self.take_back(input) }
    }

    fn give_back(&mut self, input: &Input) {
        input.pause();
        restore::restore();
        self.is_held = false;
    }

    fn take_back(&mut self, input: &Input) -> Result<(), TerminalError> {
        let taken = self.take();
        if let Some(size) = window_size(self.output.as_fd()) {
            self.resized(size);
        }
        input.resume();
        taken
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        restore::restore();
    }
}

/// Whether another process group has the terminal. The system stops a program that changes its settings then.
pub(crate) fn is_in_background(terminal: &OwnedFd) -> bool {
    tcgetpgrp(terminal).is_ok_and(|foreground| foreground != getpgrp())
}

fn window_size(fd: BorrowedFd<'_>) -> Option<(u16, u16)> {
    let size = tcgetwinsize(fd).ok()?;
    (size.ws_col > 0 && size.ws_row > 0).then_some((size.ws_col, size.ws_row))
}

/// Writes all bytes, even if somebody made the descriptor non-blocking.
fn write_all(fd: BorrowedFd<'_>, mut bytes: &[u8]) -> Result<(), Errno> {
    while !bytes.is_empty() {
        match rustix::io::write(fd, bytes) {
            Ok(0) => return Err(Errno::IO),
            Ok(n) => bytes = bytes.get(n..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => {
                let mut fds = [PollFd::new(&fd, PollFlags::OUT)];
                poll(&mut fds, None)?;
                let [fd] = &fds;
                if fd.revents().intersects(PollFlags::HUP | PollFlags::ERR) {
                    return Err(Errno::IO);
                }
            }
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests;
