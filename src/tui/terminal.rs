//! The terminal: taken, drawn on with one write a frame, and given back as it was on every way out.
//!
//! It knows bytes and modes, not what is drawn. It never reads: answers come through `input`. `ratatui::Terminal` is not
//! used: it compares each cell of each frame, and asks the terminal for the cursor and waits where it clears.

mod backend;
mod modes;
mod restore;
mod sgr;

pub(crate) use backend::CellDiff;
pub(crate) use modes::ModeOptions;

use super::attention::Attention;
use super::fence::Query;
use super::graphics::Graphics;
use super::input::Input;
use super::paint::hyperlinks::Hyperlinks;
use modes::SwitchedModes;
use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::termios::{OptionalActions, Termios, isatty, tcgetattr, tcgetwinsize, tcsetattr};
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

/// Why the terminal can't be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TerminalError {
    #[error("there is no terminal: standard input or output is not one (`sayso run` works without)")]
    None,
    /// A call about it failed.
    #[error("the terminal can't be {what}: {source}")]
    Call {
        /// What was tried: `read`, `switched to raw mode`, `written`.
        what: &'static str,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

fn failed(what: &'static str) -> impl Fn(Errno) -> TerminalError {
    move |errno| TerminalError::Call { what, source: errno.into() }
}

/// The terminal, while the program has it. Dropping it gives it back.
pub(crate) struct Terminal {
    screen: CellDiff,
    input: OwnedFd,
    output: OwnedFd,
    options: ModeOptions,
    touched: SwitchedModes,
    before: Termios,
}

impl Terminal {
    /// Takes the terminal of standard input and output: raw mode at once, the rest with the first write.
    ///
    /// # Errors
    /// When there is none, or it can't be switched.
    pub(crate) fn open(options: ModeOptions) -> Result<Self, TerminalError> {
        let (stdin, stdout) = (rustix::stdio::stdin(), rustix::stdio::stdout());
        if !isatty(stdin) || !isatty(stdout) {
            return Err(TerminalError::None);
        }
        let again = |fd: BorrowedFd<'_>| rustix::io::fcntl_dupfd_cloexec(fd, 3).map_err(failed("opened"));
        Self::on(again(stdin)?, again(stdout)?, options)
    }

    /// Takes the terminal behind these descriptors.
    ///
    /// # Errors
    /// When it is none, or can't be switched.
    pub(crate) fn on(input: OwnedFd, output: OwnedFd, options: ModeOptions) -> Result<Self, TerminalError> {
        let before = tcgetattr(&input).map_err(failed("read"))?;
        let size = window_size(output.as_fd()).unwrap_or((80, 24));
        restore::hook_panics();
        let touched = SwitchedModes { mouse: options.mouse, ..SwitchedModes::default() };
        let mut terminal = Self { screen: CellDiff::new(size), input, output, options, touched, before };
        terminal.take()?;
        Ok(terminal)
    }

    /// Raw mode, and the sequences that take the terminal queued in front of the next frame.
    fn take(&mut self) -> Result<(), TerminalError> {
        let mut raw = self.before.clone();
        raw.make_raw();
        tcsetattr(&self.input, OptionalActions::Now, &raw).map_err(failed("switched to raw mode"))?;
        let input = self.input.try_clone().map_err(|source| TerminalError::Call { what: "kept", source })?;
        let output =
            self.output.try_clone().map_err(|source| TerminalError::Call { what: "kept", source })?;
        restore::keep(input, output, self.before.clone(), self.touched);
        let enter = modes::enter(self.touched);
        self.screen.before(enter.as_bytes());
        self.redraw();
        Ok(())
    }

    /// A descriptor for the thread that reads.
    ///
    /// # Errors
    /// When there are no descriptors left.
    pub(crate) fn reader(&self) -> Result<OwnedFd, TerminalError> {
        self.input.try_clone().map_err(|source| TerminalError::Call { what: "read", source })
    }

    /// Tells the size of the window now, for the listener to signals.
    ///
    /// # Errors
    /// When there are no descriptors left.
    pub(crate) fn size_teller(
        &self,
    ) -> Result<impl Fn() -> Option<(u16, u16)> + Send + 'static, TerminalError> {
        let fd = self.output.try_clone().map_err(|source| TerminalError::Call { what: "read", source })?;
        Ok(move || window_size(fd.as_fd()))
    }

    /// Columns and rows, as last told.
    pub(crate) fn size(&self) -> (u16, u16) {
        self.screen.size()
    }

    /// The window has another size: everything is drawn anew with the next frame, without clearing.
    pub(crate) fn resized(&mut self, size: (u16, u16)) {
        self.screen.set_size(size);
    }

    /// Everything is drawn anew with the next frame.
    pub(crate) fn redraw(&mut self) {
        self.screen.forget();
    }

    /// Asks the terminal all there is to ask, with the next write; the answers come as events, `Da1` last.
    pub(crate) fn ask(&mut self) {
        let questions = modes::questions(&self.options);
        self.queue(questions.as_bytes());
    }

    /// Where the pictures are found that cells carry; `kept`: the terminal keeps those that it is sent.
    pub(crate) fn set_graphics(&mut self, graphics: Graphics, kept: bool) {
        self.screen.set_graphics(graphics);
        self.change(|touched| touched.pictures |= kept);
    }

    /// Pixels of a cell, where the terminal tells: width and height.
    pub(crate) fn cell_pixels(&self) -> Option<(u16, u16)> {
        let size = tcgetwinsize(&self.output).ok()?;
        let (width, height) =
            (size.ws_xpixel.checked_div(size.ws_col)?, size.ws_ypixel.checked_div(size.ws_row)?);
        (width > 0 && height > 0).then_some((width, height))
    }

    /// Where the addresses of links are found.
    pub(crate) fn link(&mut self, links: Hyperlinks) {
        self.screen.set_links(links);
    }

    /// Sends the fence behind the next frame.
    pub(crate) fn fence(&mut self, query: Query) {
        self.queue(query.bytes().as_bytes());
    }

    /// These bytes go out behind the next frame, or with [`Terminal::flush`].
    pub(crate) fn queue(&mut self, bytes: &[u8]) {
        self.screen.after(bytes);
    }

    /// The terminal answered that it knows synchronized updates (or not).
    pub(crate) fn set_sync(&mut self, sync: bool) {
        self.screen.set_sync(sync);
        self.change(|touched| touched.sync = sync);
    }

    /// The terminal answered that it knows the kitty keyboard protocol: use it.
    pub(crate) fn use_kitty_keyboard(&mut self) {
        if self.options.kitty && !self.touched.kitty {
            self.change(|touched| touched.kitty = true);
            self.queue(modes::KITTY_PUSH.as_bytes());
        }
    }

    /// Whether the terminal was told to use it.
    pub(crate) fn uses_kitty_keyboard(&self) -> bool {
        self.touched.kitty
    }

    /// Takes or leaves the mouse.
    pub(crate) fn set_mouse(&mut self, on: bool) {
        if self.touched.mouse != on {
            self.change(|touched| touched.mouse = on);
            self.queue(if on { modes::MOUSE_ON } else { modes::MOUSE_OFF }.as_bytes());
        }
    }

    /// Sets the title of the window; the text is made safe here.
    pub(crate) fn title(&mut self, title: &str) {
        if !self.touched.title {
            self.change(|touched| touched.title = true);
            self.queue(modes::TITLE_PUSH.as_bytes());
        }
        let text = format!("\x1b]2;{}\x07", super::paint::plain::clean(title));
        self.queue(text.as_bytes());
    }

    /// Tells what goes on; it is taken back when the terminal is given back.
    pub(crate) fn send_attention(&mut self, attention: Attention, told: &str) {
        if self.touched.told.is_none() {
            self.change(|touched| touched.told = Some(attention));
        }
        self.queue(told.as_bytes());
    }

    fn change(&mut self, change: impl Fn(&mut SwitchedModes)) {
        change(&mut self.touched);
        restore::touch(change);
    }

    /// Draws a frame on an empty screen and writes it, and what was queued, in one write; what draws it tells where the
    /// cursor stands, if it is to be seen. A frame without changes writes nothing.
    ///
    /// # Errors
    /// When the terminal can't be written: it is gone.
    pub(crate) fn draw(
        &mut self,
        render: impl FnOnce(&mut Buffer) -> Option<Position>,
    ) -> Result<(), TerminalError> {
        if restore::was_lost() {
            // A panic elsewhere gave the terminal back; this program goes on, so it takes it again.
            self.take()?;
        }
        self.screen.draw(render);
        self.flush()
    }

    /// Writes what is queued.
    ///
    /// # Errors
    /// When the terminal can't be written.
    pub(crate) fn flush(&mut self) -> Result<(), TerminalError> {
        let bytes = self.screen.take();
        if !bytes.is_empty() {
            write_all(self.output.as_fd(), &bytes).map_err(failed("written"))?;
        }
        self.screen.recycle(bytes);
        Ok(())
    }

    /// Gives the terminal back while `act` runs (an editor, a pager), then takes it again and redraws.
    ///
    /// # Errors
    /// When it can't be taken again.
    pub(crate) fn outside<T>(&mut self, input: &Input, act: impl FnOnce() -> T) -> Result<T, TerminalError> {
        input.pause();
        restore::restore();
        let result = act();
        let taken = self.take();
        if let Some(size) = window_size(self.output.as_fd()) {
            self.resized(size);
        }
        input.resume();
        taken.map(|()| result)
    }

    /// Stops the program as the shell's Ctrl-Z does; returns when it is in the foreground again.
    ///
    /// # Errors
    /// When the terminal can't be taken again.
    pub(crate) fn suspend(&mut self, input: &Input) -> Result<(), TerminalError> {
        self.outside(input, || {
            // The whole group, so that the shell sees its job stop. SIGTSTP itself is listened to, so STOP it is.
            let _ = rustix::process::kill_current_process_group(rustix::process::Signal::STOP);
        })
    }

    /// Gives the terminal back for good.
    pub(crate) fn close(self) {
        drop(self);
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        restore::restore();
    }
}

fn window_size(fd: BorrowedFd<'_>) -> Option<(u16, u16)> {
    let size = tcgetwinsize(fd).ok()?;
    (size.ws_col > 0 && size.ws_row > 0).then_some((size.ws_col, size.ws_row))
}

/// Writes everything, also to a descriptor that somebody made non-blocking.
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
mod tests;
