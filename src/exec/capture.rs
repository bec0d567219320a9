//! The output of a run on its way: from two pipes into what is kept, onto the disk, and to whoever watches.

use super::blob::Blob;
use super::outbox::Outbox;
use crate::domain::{Captured, Limits, MaskStream, Masker, Stream};
use rustix::io::Errno;
use rustix::pipe::PipeFlags;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// Bytes that a pipe holds, and bytes taken out of it at once.
const PIPE: usize = 256 << 10;

/// The reading ends of a program's standard streams. A stream that ended is `None`.
#[derive(Debug)]
pub struct Pipes {
    /// Standard output.
    pub stdout: Option<OwnedFd>,
    /// Standard error.
    pub stderr: Option<OwnedFd>,
}

impl Pipes {
    /// Two new pipes; the writing ends are for the program.
    ///
    /// # Errors
    /// When the system has no more descriptors.
    pub fn new() -> rustix::io::Result<(Self, [OwnedFd; 2])> {
        let (out, out_write) = pipe()?;
        let (err, err_write) = pipe()?;
        Ok((Self { stdout: Some(out), stderr: Some(err) }, [out_write, err_write]))
    }

    /// The reading end of one stream.
    pub fn of(&mut self, stream: Stream) -> &mut Option<OwnedFd> {
        match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
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

/// What is kept of a run's output.
#[derive(Debug)]
pub struct Capture {
    captured: Captured,
    limits: Limits,
    folder: PathBuf,
    name: String,
    blob: Option<Blob>,
    /// What goes into the file, without keys: standard output and standard error.
    masked: [MaskStream; 2],
    /// The disk refused: it is not asked again.
    no_blob: bool,
    buffer: Vec<u8>,
}

impl Capture {
    /// Nothing yet; a large output goes to a file of this name in this folder.
    pub fn new(limits: Limits, folder: &Path, name: String, masker: &Masker) -> Self {
        Self {
            captured: Captured::new(limits.kept_bytes),
            limits,
            folder: folder.into(),
            name,
            blob: None,
            masked: [MaskStream::new(masker.clone()), MaskStream::new(masker.clone())],
            no_blob: false,
            buffer: vec![0; PIPE],
        }
    }

    /// Takes what a pipe has, once; never waits. False when there was nothing.
    pub fn read(&mut self, pipes: &mut Pipes, stream: Stream, outbox: &mut Outbox) -> bool {
        self.take(pipes, stream, outbox, PIPE) > 0
    }

    /// Takes what both pipes hold at this moment, and no more: a program that goes on printing does not hold this up.
    pub fn drain(&mut self, pipes: &mut Pipes, outbox: &mut Outbox) {
        for stream in [Stream::Stdout, Stream::Stderr] {
            let held =
                pipes.of(stream).as_ref().and_then(|fd| rustix::io::ioctl_fionread(fd).ok()).unwrap_or(0);
            let mut rest = usize::try_from(held).unwrap_or(usize::MAX);
            while rest > 0 {
                match self.take(pipes, stream, outbox, rest) {
                    0 => break,
                    taken => rest = rest.saturating_sub(taken),
                }
            }
        }
    }

    /// Takes output that did not come through a pipe.
    pub fn print(&mut self, stream: Stream, bytes: &[u8], outbox: &mut Outbox) {
        if !bytes.is_empty() {
            self.keep(stream, bytes);
            outbox.print(stream, bytes);
        }
    }

    /// The kept output and the file with all of it, where there is one.
    pub fn finish(mut self) -> (Captured, Option<PathBuf>) {
        if let Some(blob) = &mut self.blob {
            self.masked.iter_mut().for_each(|stream| blob.write(&stream.end()));
        }
        (self.captured, self.blob.map(Blob::finish))
    }

    /// The last line of standard error, for messages about programs that could not start.
    pub fn last_error_line(&self) -> Option<String> {
        let tail = self.captured.bytes(Stream::Stderr);
        let text = String::from_utf8_lossy(&tail).into_owned();
        text.lines().rev().find(|line| !line.trim().is_empty()).map(|line| line.trim().to_string())
    }

    fn take(&mut self, pipes: &mut Pipes, stream: Stream, outbox: &mut Outbox, most: usize) -> usize {
        let pipe = pipes.of(stream);
        let Some(fd) = pipe.as_ref() else { return 0 };
        let mut buffer = std::mem::take(&mut self.buffer);
        let room = buffer.len().min(most);
        let count = match rustix::io::read(fd, buffer.get_mut(..room).unwrap_or_default()) {
            Ok(0) => {
                *pipe = None;
                0
            }
            Ok(count) => count,
            Err(Errno::AGAIN | Errno::INTR) => 0,
            Err(_) => {
                *pipe = None;
                0
            }
        };
        let bytes = buffer.get(..count).unwrap_or_default();
        self.print(stream, bytes, outbox);
        self.buffer = buffer;
        count
    }

    fn keep(&mut self, stream: Stream, bytes: &[u8]) {
        let over = self.captured.total(stream) + bytes.len() as u64 > self.limits.kept_bytes;
        if over && self.blob.is_none() && !self.no_blob {
            match Blob::create(&self.folder, &self.name, self.limits.output_file) {
                Ok(mut blob) => {
                    for piece in self.captured.pieces() {
                        blob.write(&masked_by(&mut self.masked, piece.stream).push(&piece.bytes));
                    }
                    self.blob = Some(blob);
                }
                Err(_) => self.no_blob = true,
            }
        }
        if let Some(blob) = &mut self.blob {
            blob.write(&masked_by(&mut self.masked, stream).push(bytes));
        }
        self.captured.push(stream, bytes);
    }
}

fn masked_by(streams: &mut [MaskStream; 2], stream: Stream) -> &mut MaskStream {
    let [out, err] = streams;
    match stream {
        Stream::Stdout => out,
        Stream::Stderr => err,
    }
}
