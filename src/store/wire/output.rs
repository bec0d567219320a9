//! The output of a run: inside its line while it is small, else in a file of its own.
//!
//! The file holds the bytes as they were printed, so that it can be looked at with any tool; the line keeps which
//! stretch of it came from which stream, as `o120 e14 o7` (bytes of standard output, of standard error, …).

use super::fields::{Fields, Missing, Reader, bytes_of, bytes_value, lacking};
use super::frame::Crc;
use super::{INLINE_OUTPUT, decode::plain_name};
use crate::domain::{Captured, Masked, Masker, Stream};
use serde_json::Value;

/// The output of a run that goes to a file of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutputBlob {
    /// The file's name in the session's folder of blobs.
    pub(crate) name: String,
    /// What it holds.
    pub(crate) bytes: Masked<Vec<u8>>,
    pub(crate) crc: Crc,
    /// Which stretch is whose.
    pieces: String,
}

/// The file for an output that is too large for its line; `name` is what it would be called.
pub(crate) fn blob_for(
    output: &Captured,
    masker: &Masker,
    name: impl FnOnce() -> String,
) -> Option<OutputBlob> {
    let size: usize = output.pieces().map(|piece| piece.bytes.len()).sum();
    if size <= INLINE_OUTPUT {
        return None;
    }
    let mut bytes = Vec::with_capacity(size);
    let mut pieces = String::new();
    for (stream, stretch) in stretches(output) {
        if !pieces.is_empty() {
            pieces.push(' ');
        }
        pieces.push(letter(stream));
        pieces.push_str(&stretch.iter().map(|part| part.len()).sum::<usize>().to_string());
        for part in stretch {
            bytes.extend_from_slice(part);
        }
    }
    let bytes = masker.mask(bytes);
    Some(OutputBlob { name: name(), crc: Crc(crc32fast::hash(&bytes)), bytes, pieces })
}

/// The pieces, neighbours of the same stream joined.
fn stretches(output: &Captured) -> Vec<(Stream, Vec<&[u8]>)> {
    let mut all: Vec<(Stream, Vec<&[u8]>)> = Vec::new();
    for piece in output.pieces() {
        match all.last_mut() {
            Some((stream, parts)) if *stream == piece.stream => parts.push(&piece.bytes),
            _ => all.push((piece.stream, vec![&piece.bytes])),
        }
    }
    all
}

fn letter(stream: Stream) -> char {
    match stream {
        Stream::Stdout => 'o',
        Stream::Stderr => 'e',
    }
}

fn word(stream: Stream) -> &'static str {
    match stream {
        Stream::Stdout => "stdout",
        Stream::Stderr => "stderr",
    }
}

/// The field `output` of a run.
pub(crate) fn output_fields(output: &Captured, blob: Option<&OutputBlob>) -> Fields {
    let fields = Fields::new().with("limit", output.limit()).with(
        "dropped",
        Fields::new()
            .with("stdout", output.dropped(Stream::Stdout))
            .with("stderr", output.dropped(Stream::Stderr)),
    );
    if let Some(blob) = blob {
        return fields.with(
            "blob",
            Fields::new()
                .with("name", blob.name.as_str())
                .with("crc", blob.crc.to_string())
                .with("pieces", blob.pieces.as_str()),
        );
    }
    let pieces = stretches(output)
        .into_iter()
        .map(|(stream, parts)| {
            Fields::new().with("stream", word(stream)).with("bytes", bytes_value(&parts.concat())).into()
        })
        .collect();
    fields.with("pieces", Value::Array(pieces))
}

/// The output of a run as its line tells it, and the file that holds the rest, where there is one.
pub(super) fn read_output(mut fields: Reader<'_>) -> Result<(Captured, Option<Outside>), Missing> {
    let limit = fields.number_or_none("limit").unwrap_or(1 << 20);
    let mut lost = fields.object("dropped")?;
    let dropped = (lost.number_or_zero("stdout"), lost.number_or_zero("stderr"));
    if let Some(mut blob) = fields.object_or_none("blob") {
        let name = blob.text("name")?;
        if !plain_name(&name) {
            return Err(lacking("blob", "the name of a file"));
        }
        let outside = Outside {
            name,
            crc: blob.text("crc")?,
            stretches: stretch_list(&blob.word("pieces")?)?,
            limit,
            dropped,
        };
        // Until the file is read, all of it counts as dropped.
        let empty = outside.without_file();
        return Ok((empty, Some(outside)));
    }
    let mut pieces = Vec::new();
    for mut piece in fields.objects("pieces")? {
        let stream = match piece.word("stream")?.as_ref() {
            "stdout" => Stream::Stdout,
            "stderr" => Stream::Stderr,
            _ => return Err(lacking("stream", "stdout or stderr")),
        };
        let bytes =
            piece.take("bytes").and_then(bytes_of).ok_or_else(|| lacking("bytes", "text or base64"))?;
        pieces.push((stream, bytes));
    }
    Ok((Captured::restore(limit, pieces, dropped), None))
}

fn stretch_list(text: &str) -> Result<Vec<(Stream, usize)>, Missing> {
    text.split_whitespace()
        .map(|word| {
            let (stream, len) = match (word.strip_prefix('o'), word.strip_prefix('e')) {
                (Some(len), _) => (Stream::Stdout, len),
                (_, Some(len)) => (Stream::Stderr, len),
                _ => return Err(lacking("pieces", "a list like o12 e3")),
            };
            len.parse().map(|len| (stream, len)).map_err(|_| lacking("pieces", "a list like o12 e3"))
        })
        .collect()
}

/// Output that stands in a file of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outside {
    /// The file's name in the session's folder of blobs.
    pub(crate) name: String,
    crc: String,
    stretches: Vec<(Stream, usize)>,
    limit: u64,
    dropped: (u64, u64),
}

impl Outside {
    /// How many bytes the file has to have.
    pub(crate) fn len(&self) -> usize {
        self.stretches.iter().fold(0, |sum, (_, len)| sum.saturating_add(*len))
    }

    fn without_file(&self) -> Captured {
        let sum = |wanted: Stream| {
            let of = self.stretches.iter().filter(|(stream, _)| *stream == wanted);
            of.fold(0u64, |sum, (_, len)| sum.saturating_add(*len as u64))
        };
        let (out, err) = self.dropped;
        let dropped = (out.saturating_add(sum(Stream::Stdout)), err.saturating_add(sum(Stream::Stderr)));
        Captured::restore(self.limit, [], dropped)
    }
}

/// The output, from what its file holds; `None` where the file is not the one that was written.
pub(crate) fn restore_blob(outside: &Outside, file: &[u8]) -> Option<Captured> {
    if file.len() != outside.len() || Crc(crc32fast::hash(file)).to_string() != outside.crc {
        return None;
    }
    let mut rest = file;
    let mut pieces = Vec::with_capacity(outside.stretches.len());
    for (stream, len) in &outside.stretches {
        let (piece, behind) = rest.split_at_checked(*len)?;
        pieces.push((*stream, piece.to_vec()));
        rest = behind;
    }
    Some(Captured::restore(outside.limit, pieces, outside.dropped))
}
