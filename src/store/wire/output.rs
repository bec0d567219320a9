//! The output of a run: in its line if it is small, otherwise in a file of its own.
//!
//! The file contains the bytes as they were printed, so that any tool can show it. The line stores which part of it
//! came from which stream, as `o120 e14 o7` (bytes of standard output, of standard error, …).

use super::INLINE_OUTPUT;
use super::file_name::FileName;
use super::frame::Crc;
use crate::domain::serial::bytes;
use crate::domain::{MaskedValue, Masker, OutputBuffer, Stream};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// The output of a run that is stored in a file of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutputBlob {
    /// The file's name in the session's folder of blobs.
    pub(crate) name: String,
    pub(crate) bytes: MaskedValue<Vec<u8>>,
    pub(crate) crc: Crc,
    pieces: Stretches,
}

/// The file for an output that is too large for its line; `None` if it is not. `name` returns the name of the file.
pub(crate) fn blob_for(
    output: &OutputBuffer,
    masker: &Masker,
    name: impl FnOnce() -> String,
) -> Option<OutputBlob> {
    let size: usize = output.pieces().map(|piece| piece.bytes.len()).sum();
    if size <= INLINE_OUTPUT {
        return None;
    }
    let mut bytes = Vec::with_capacity(size);
    let mut pieces = Vec::new();
    for (stream, parts) in stretches(output) {
        pieces.push((stream, parts.iter().map(|part| part.len()).sum()));
        for part in parts {
            bytes.extend_from_slice(part);
        }
    }
    let bytes = masker.mask(bytes);
    Some(OutputBlob { name: name(), crc: Crc(crc32fast::hash(&bytes)), bytes, pieces: Stretches(pieces) })
}

/// The pieces of the output, with adjacent ones of the same stream joined.
fn stretches(output: &OutputBuffer) -> Vec<(Stream, Vec<&[u8]>)> {
    let mut all: Vec<(Stream, Vec<&[u8]>)> = Vec::new();
    for piece in output.pieces() {
        match all.last_mut() {
            Some((stream, parts)) if *stream == piece.stream => parts.push(&piece.bytes),
            _ => all.push((piece.stream, vec![&piece.bytes])),
        }
    }
    all
}

/// The field `output` of a run.
#[derive(Serialize, Deserialize)]
pub(super) struct OutputLine {
    #[serde(default = "usual_limit")]
    limit: u64,
    dropped: DroppedBytes,
    #[serde(skip_serializing_if = "Option::is_none")]
    blob: Option<Blob>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pieces: Option<Vec<PieceLine>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct DroppedBytes {
    stdout: u64,
    stderr: u64,
}

#[derive(Serialize, Deserialize)]
struct PieceLine {
    stream: Stream,
    #[serde(with = "bytes")]
    bytes: Vec<u8>,
}

/// The file that contains an output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Blob {
    name: FileName,
    crc: Crc,
    pieces: Stretches,
}

/// Which part of a file came from which stream: `o120 e14 o7`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
struct Stretches(Vec<(Stream, usize)>);

fn usual_limit() -> u64 {
    1 << 20
}

impl OutputLine {
    /// The output as its line contains it. With `blob`, the content is in that file.
    pub(super) fn of(output: &OutputBuffer, blob: Option<&OutputBlob>) -> Self {
        let piece = |(stream, parts): (Stream, Vec<&[u8]>)| PieceLine { stream, bytes: parts.concat() };
        Self {
            limit: output.limit() as u64,
            dropped: DroppedBytes {
                stdout: output.dropped(Stream::Stdout),
                stderr: output.dropped(Stream::Stderr),
            },
            blob: blob.map(|blob| Blob {
                name: FileName(blob.name.clone()),
                crc: blob.crc,
                pieces: blob.pieces.clone(),
            }),
            pieces: blob.is_none().then(|| stretches(output).into_iter().map(piece).collect()),
        }
    }

    /// The output, and the file with its content, if it is in a file of its own.
    pub(super) fn into_captured(self) -> (OutputBuffer, Option<ExternalOutput>) {
        let Self { limit, dropped, blob, pieces } = self;
        if let Some(blob) = blob {
            let outside = ExternalOutput { blob, limit, dropped };
            // Until the file is read, all of its bytes count as dropped.
            return (outside.without_file(), Some(outside));
        }
        let pieces = pieces.into_iter().flatten().map(|piece| (piece.stream, piece.bytes));
        (OutputBuffer::restore(limit, pieces, (dropped.stdout, dropped.stderr)), None)
    }
}

impl From<Stretches> for String {
    fn from(stretches: Stretches) -> String {
        let mut text = String::new();
        for (stream, len) in stretches.0 {
            let gap = if text.is_empty() { "" } else { " " };
            let letter = if stream == Stream::Stdout { 'o' } else { 'e' };
            // Writing to a string can't fail.
            write!(text, "{gap}{letter}{len}").ok();
        }
        text
    }
}

impl TryFrom<String> for Stretches {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let stretch = |word: &str| match (word.strip_prefix('o'), word.strip_prefix('e')) {
            (Some(len), _) => len.parse().ok().map(|len| (Stream::Stdout, len)),
            (_, Some(len)) => len.parse().ok().map(|len| (Stream::Stderr, len)),
            _ => None,
        };
        let all = text.split_whitespace().map(stretch).collect::<Option<Vec<_>>>();
        // Empty ones are never written; a line full of them would only take memory.
        let all = all.map(|all| all.into_iter().filter(|(_, len)| *len > 0).collect());
        all.map(Stretches).ok_or("not a list like o12 e3")
    }
}

/// Output in a file of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExternalOutput {
    blob: Blob,
    limit: u64,
    dropped: DroppedBytes,
}

impl ExternalOutput {
    /// The file's name in the session's folder of blobs.
    pub(crate) fn name(&self) -> &str {
        &self.blob.name.0
    }

    /// The number of bytes that the file must have.
    pub(crate) fn len(&self) -> usize {
        self.blob.pieces.0.iter().fold(0, |sum, (_, len)| sum.saturating_add(*len))
    }

    fn without_file(&self) -> OutputBuffer {
        let sum = |wanted: Stream, dropped: u64| {
            let of = self.blob.pieces.0.iter().filter(|(stream, _)| *stream == wanted);
            of.fold(dropped, |sum, (_, len)| sum.saturating_add(*len as u64))
        };
        let DroppedBytes { stdout, stderr } = self.dropped;
        OutputBuffer::restore(self.limit, [], (sum(Stream::Stdout, stdout), sum(Stream::Stderr, stderr)))
    }
}

/// The output from the content of its file; `None` if the file is not the one that was written.
pub(crate) fn restore_blob(outside: &ExternalOutput, file: &[u8]) -> Option<OutputBuffer> {
    if file.len() != outside.len() || Crc(crc32fast::hash(file)) != outside.blob.crc {
        return None;
    }
    let mut rest = file;
    let mut pieces = Vec::with_capacity(outside.blob.pieces.0.len());
    for (stream, len) in &outside.blob.pieces.0 {
        let (piece, behind) = rest.split_at_checked(*len)?;
        pieces.push((*stream, piece.to_vec()));
        rest = behind;
    }
    let DroppedBytes { stdout, stderr } = outside.dropped;
    Some(OutputBuffer::restore(outside.limit, pieces, (stdout, stderr)))
}
