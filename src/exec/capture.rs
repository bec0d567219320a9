//! Distributes the output of a run: into the kept output, to the file on disk, and to whoever watches.

use super::blob::Blob;
use super::event_sender::EventSender;
use crate::domain::{Limits, MaskStream, Masker, OutputBuffer, Stream};
use crate::text::line::last_line;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub(super) struct Capture {
    captured: OutputBuffer,
    limits: Limits,
    folder: PathBuf,
    name: String,
    blob: Option<Blob>,
    /// Masks keys in what is written to the file: standard output and standard error.
    masked: [MaskStream; 2],
    /// The file could not be made; do not try again.
    no_blob: bool,
}

impl Capture {
    /// A capture without output yet. Large output is written to a file of this name in this folder.
    pub(super) fn new(limits: Limits, folder: &Path, name: String, masker: &Masker) -> Self {
        Self {
            captured: OutputBuffer::new(limits.output_kept_bytes),
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

    /// The output kept so far.
    pub(super) fn so_far(&self) -> &OutputBuffer {
        &self.captured
    }

    /// The kept output, and the file with the whole output if there is one and all of it could be written.
    pub(super) fn finish(mut self) -> (OutputBuffer, Option<PathBuf>) {
        if let Some(blob) = &mut self.blob {
            self.masked.iter_mut().for_each(|stream| blob.write(&stream.end()));
        }
        (self.captured, self.blob.and_then(Blob::finish))
    }

    /// The last line of standard error that is not blank, for messages about programs that could not start.
    pub(super) fn last_error_line(&self) -> Option<String> {
        let tail = self.captured.bytes(Stream::Stderr);
        last_line(&String::from_utf8_lossy(&tail)).map(str::to_owned)
    }

    fn keep(&mut self, stream: Stream, bytes: &[u8]) {
        let over = self.captured.total(stream) + bytes.len() as u64 > self.limits.output_kept_bytes;
        if over && self.blob.is_none() && !self.no_blob {
            match Blob::create(&self.folder, &self.name, self.limits.output_file_bytes) {
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
