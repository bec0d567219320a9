//! The output of a run on its way: into what is kept, onto the disk, and to whoever watches.

use super::blob::Blob;
use super::event_sender::EventSender;
use crate::domain::{Limits, MaskStream, Masker, OutputBuffer, Stream};
use std::path::{Path, PathBuf};

/// What is kept of a run's output.
#[derive(Debug)]
pub(super) struct Capture {
    captured: OutputBuffer,
    limits: Limits,
    folder: PathBuf,
    name: String,
    blob: Option<Blob>,
    /// What goes into the file, without keys: standard output and standard error.
    masked: [MaskStream; 2],
    /// The disk refused: it is not asked again.
    no_blob: bool,
}

impl Capture {
    /// Nothing yet; a large output goes to a file of this name in this folder.
    pub(super) fn new(limits: Limits, folder: &Path, name: String, masker: &Masker) -> Self {
        Self {
            captured: OutputBuffer::new(limits.kept_bytes),
            limits,
            folder: folder.into(),
            name,
            blob: None,
            masked: [MaskStream::new(masker.clone()), MaskStream::new(masker.clone())],
            no_blob: false,
        }
    }

    pub(super) fn print(&mut self, stream: Stream, bytes: &[u8], events: &mut EventSender) {
        if !bytes.is_empty() {
            self.keep(stream, bytes);
            events.print(stream, bytes);
        }
    }

    /// What is kept so far.
    pub(super) fn so_far(&self) -> &OutputBuffer {
        &self.captured
    }

    /// The kept output and the file with all of it, where there is one.
    pub(super) fn finish(mut self) -> (OutputBuffer, Option<PathBuf>) {
        if let Some(blob) = &mut self.blob {
            self.masked.iter_mut().for_each(|stream| blob.write(&stream.end()));
        }
        (self.captured, self.blob.map(Blob::finish))
    }

    /// The last line of standard error, for messages about programs that could not start.
    pub(super) fn last_error_line(&self) -> Option<String> {
        let tail = self.captured.bytes(Stream::Stderr);
        let text = String::from_utf8_lossy(&tail).into_owned();
        text.lines().rev().find(|line| !line.trim().is_empty()).map(|line| line.trim().to_string())
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
