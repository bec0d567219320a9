//! The pipes on which a program's output arrives. Nothing here waits.

use crate::domain::{Chunk, Stream};
use rustix::io::Errno;
use rustix::pipe::PipeFlags;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

/// Bytes that a pipe holds, and bytes taken out of it at once.
const PIPE: usize = 256 << 10;

/// The reading ends of a program's standard streams. A stream that ended is `None`.
#[derive(Debug)]
pub(super) struct Pipes {
    pub stdout: Option<OwnedFd>,
    pub stderr: Option<OwnedFd>,
}

impl Pipes {
    /// Two new pipes; the writing ends are for the program.
    ///
    /// # Errors
    /// When the system has no more descriptors.
    pub(super) fn new() -> rustix::io::Result<(Self, [OwnedFd; 2])> {
        let (out, out_write) = pipe()?;
        let (err, err_write) = pipe()?;
        Ok((Self { stdout: Some(out), stderr: Some(err) }, [out_write, err_write]))
    }

    /// What to wait on.
    pub(super) fn open(&self) -> impl Iterator<Item = (Stream, BorrowedFd<'_>)> {
        let ends = [(Stream::Stdout, &self.stdout), (Stream::Stderr, &self.stderr)];
        ends.into_iter().filter_map(|(stream, fd)| Some((stream, fd.as_ref()?.as_fd())))
    }

    /// Takes what a stream has, once.
    pub(super) fn take(&mut self, stream: Stream) -> Option<Chunk> {
        let held = self.held(stream);
        // Of an empty one it is found out whether it ended.
        self.read(stream, held.clamp(1, PIPE))
    }

    /// Takes what both hold at this moment, and no more: a program that goes on printing does not hold this up.
    pub(super) fn drain(&mut self) -> Vec<Chunk> {
        let mut all = Vec::new();
        for stream in [Stream::Stdout, Stream::Stderr] {
            let mut rest = self.held(stream);
            while rest > 0 {
                let Some(chunk) = self.read(stream, rest.min(PIPE)) else { break };
                rest = rest.saturating_sub(chunk.bytes.len());
                all.push(chunk);
            }
        }
        all
    }

    fn of(&mut self, stream: Stream) -> &mut Option<OwnedFd> {
        match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        }
    }

    fn held(&mut self, stream: Stream) -> usize {
        let held = self.of(stream).as_ref().and_then(|fd| rustix::io::ioctl_fionread(fd).ok()).unwrap_or(0);
        usize::try_from(held).unwrap_or(usize::MAX)
    }

    fn read(&mut self, stream: Stream, most: usize) -> Option<Chunk> {
        let pipe = self.of(stream);
        let mut bytes = vec![0; most];
        match rustix::io::read(pipe.as_ref()?, &mut bytes[..]) {
            Ok(count) if count > 0 => {
                bytes.truncate(count);
                Some(Chunk { stream, bytes })
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
    // Less is as right, only slower; an account may have used up its allowance.
    let _ = rustix::pipe::fcntl_setpipe_size(&read, PIPE);
    rustix::io::ioctl_fionbio(&read, true)?;
    Ok((read, write))
}
