//! The pipes for a program's output, or the terminal in their place. Nothing here blocks.
//!
//! The terminal is opened here, outside of the program's confinement: the program gets one end of it, and no path by
//! which it could open another. It is unrelated to the terminal on which sayso itself is shown.

use super::terminal::DEFAULT_SIZE;
use crate::domain::{Chunk, Stream};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::pipe::PipeFlags;
use rustix::pty::OpenptFlags;
use rustix::termios::{InputModes, OptionalActions, Winsize};
use std::collections::VecDeque;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

/// The capacity of a pipe, and the most bytes read from it at once.
const PIPE_BYTES: usize = 256 << 10;
/// The most bytes read from a terminal at once; it does not report how many it holds.
const TERMINAL_BYTES: usize = 16 << 10;
/// The most bytes read at the end of a run from a terminal to which something still prints.
const MAX_TERMINAL_REST: usize = 1 << 20;
/// How many typed bytes wait for a program that does not read them. More are lost, as at any terminal.
const MAX_UNREAD_KEYS: usize = 64 << 10;

/// The reading ends of a program's standard streams; `None` for a stream that has ended.
#[derive(Debug, Default)]
pub(super) struct Pipes {
    pub(crate) stdout: Option<OwnedFd>,
    pub(crate) stderr: Option<OwnedFd>,
    /// The program's end, if `stdout` is our end of a terminal, which then carries both streams. It is held open until
    /// the run ends: a program may close its own and open `/dev/tty` again, and a terminal that nobody holds open would
    /// be hung up, with everything that runs on it.
    theirs: Option<OwnedFd>,
    /// Typed bytes that do not fit into the terminal yet.
    untyped: VecDeque<u8>,
}

impl Pipes {
    /// Makes two pipes. Returns the writing ends for the program.
    ///
    /// # Errors
    /// When the system has no more descriptors.
    pub(super) fn new() -> rustix::io::Result<(Self, [OwnedFd; 2])> {
        let (out, out_write) = pipe()?;
        let (err, err_write) = pipe()?;
        let pipes = Self { stdout: Some(out), stderr: Some(err), ..Self::default() };
        Ok((pipes, [out_write, err_write]))
    }

    /// Makes a terminal. Both returned descriptors are the program's end.
    ///
    /// # Errors
    /// When the system has no more terminals.
    pub(super) fn terminal() -> rustix::io::Result<(Self, [OwnedFd; 2])> {
        let ours = rustix::pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
        rustix::io::fcntl_setfd(&ours, rustix::io::FdFlags::CLOEXEC)?;
        rustix::pty::grantpt(&ours)?;
        rustix::pty::unlockpt(&ours)?;
        let name = rustix::pty::ptsname(&ours, Vec::new())?;
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let theirs = rustix::fs::open(name.as_c_str(), flags, Mode::empty())?;
        // With UTF-8 set, one press of backspace erases one whole character.
        let mut modes = rustix::termios::tcgetattr(&theirs)?;
        modes.input_modes |= InputModes::IUTF8;
        rustix::termios::tcsetattr(&theirs, OptionalActions::Now, &modes)?;
        let second = rustix::io::fcntl_dupfd_cloexec(&theirs, 3)?;
        let held = rustix::io::fcntl_dupfd_cloexec(&theirs, 3)?;
        rustix::io::ioctl_fionbio(&ours, true)?;
        let pipes = Self { stdout: Some(ours), theirs: Some(held), ..Self::default() };
        pipes.resize(DEFAULT_SIZE.0, DEFAULT_SIZE.1);
        Ok((pipes, [theirs, second]))
    }

    /// Types into the terminal, after bytes that still wait. Does nothing if there is no terminal.
    pub(super) fn type_in(&mut self, bytes: &[u8]) {
        let Some(terminal) = self.stdout.as_ref().filter(|_| self.is_terminal()) else { return };
        let room = MAX_UNREAD_KEYS.saturating_sub(self.untyped.len());
        self.untyped.extend(bytes.iter().take(room));
        while !self.untyped.is_empty() {
            let (first, _) = self.untyped.as_slices();
            match rustix::io::write(terminal, first) {
                Ok(count) if count > 0 => drop(self.untyped.drain(..count)),
                Err(Errno::INTR) => {}
                Ok(_) | Err(_) => return,
            }
        }
    }

    pub(super) fn has_unsent_keys(&self) -> bool {
        !self.untyped.is_empty()
    }

    /// Sets the size of the terminal; the system notifies the program.
    pub(super) fn resize(&self, rows: u16, columns: u16) {
        if let Some(terminal) = self.stdout.as_ref().filter(|_| self.is_terminal()) {
            let size = Winsize { ws_row: rows.max(1), ws_col: columns.max(1), ws_xpixel: 0, ws_ypixel: 0 };
            let _ = rustix::termios::tcsetwinsize(terminal, size);
        }
    }

    /// The descriptors to wait on.
    pub(super) fn open(&self) -> impl Iterator<Item = (Stream, BorrowedFd<'_>)> {
        let ends = [(Stream::Stdout, &self.stdout), (Stream::Stderr, &self.stderr)];
        ends.into_iter().filter_map(|(stream, fd)| Some((stream, fd.as_ref()?.as_fd())))
    }

    /// Reads from a stream once.
    pub(super) fn take(&mut self, stream: Stream) -> Option<Chunk> {
        if self.is_terminal() {
            return self.read(stream, TERMINAL_BYTES);
        }
        let held = self.available(stream);
        // Reading from an empty pipe shows whether it has ended.
        self.read(stream, held.clamp(1, PIPE_BYTES))
    }

    /// Reads what both streams hold now, and no more, so that a program that keeps printing does not delay this.
    pub(super) fn drain(&mut self) -> Vec<Chunk> {
        let mut all = Vec::new();
        if self.is_terminal() {
            let mut taken = 0;
            while let Some(chunk) =
                (taken < MAX_TERMINAL_REST).then(|| self.read(Stream::Stdout, TERMINAL_BYTES)).flatten()
            {
                taken += chunk.bytes.len();
                all.push(chunk);
            }
            return all;
        }
        for stream in [Stream::Stdout, Stream::Stderr] {
            let mut rest = self.available(stream);
            while rest > 0 {
                let Some(chunk) = self.read(stream, rest.min(PIPE_BYTES)) else { break };
                rest = rest.saturating_sub(chunk.bytes.len());
                all.push(chunk);
            }
        }
        all
    }

    fn is_terminal(&self) -> bool {
        self.theirs.is_some()
    }

    fn of(&mut self, stream: Stream) -> &mut Option<OwnedFd> {
        match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        }
    }

    fn available(&mut self, stream: Stream) -> usize {
        let held = self.of(stream).as_ref().and_then(|fd| rustix::io::ioctl_fionread(fd).ok()).unwrap_or(0);
        usize::try_from(held).unwrap_or(usize::MAX)
    }

    fn read(&mut self, stream: Stream, most: usize) -> Option<Chunk> {
        let pipe = self.of(stream);
        let mut bytes = vec![0; most];
        match rustix::io::read(pipe.as_ref()?, &mut bytes[..]) {
            Ok(count) if count > 0 => {
                bytes.truncate(count);
                Some(Chunk::new(stream, bytes))
            }
            Err(Errno::AGAIN | Errno::INTR) => None,
            Ok(_) | Err(_) => {
                *pipe = None;
                None
            }
        }
    }
}

fn pipe() -> rustix::io::Result<(OwnedFd, OwnedFd)> {
    let (read, write) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
    // A smaller pipe works as well, only slower; an account may have used up its allowance.
    let _ = rustix::pipe::fcntl_setpipe_size(&read, PIPE_BYTES);
    rustix::io::ioctl_fionbio(&read, true)?;
    Ok((read, write))
}
