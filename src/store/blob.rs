//! Reads outputs that are stored in files of their own beside the session.

use super::{disk, wire};
use crate::domain::OutputBuffer;
use std::io::Read as _;
use std::path::Path;

/// The most bytes of such a file: both streams of a run, as large as they may be kept (`limits.output`).
const MAX_BLOB_BYTES: usize = 128 << 20;

/// Why the output in a file of its own can't be used; the first field is the file's name.
#[derive(Debug, thiserror::Error)]
pub(super) enum BlobError {
    #[error("the file {0} can't be read: {1}")]
    Unreadable(String, String),
    #[error("the file {0} was changed")]
    Changed(String),
}

/// Reads the output that a line refers to in this file, and compares it with what the line says about it.
///
/// # Errors
/// When the file can't be read, or is another one by now.
pub(super) fn read_blob(path: &Path, outside: &wire::ExternalOutput) -> Result<OutputBuffer, BlobError> {
    let name = outside.name();
    let unreadable = |why: String| BlobError::Unreadable(name.to_owned(), why);
    let changed = || BlobError::Changed(name.to_owned());
    let file = disk::open_read(path).map_err(|error| unreadable(error.brief()))?;
    let size = file.metadata().map_err(|error| unreadable(error.to_string()))?.len();
    if outside.len() > MAX_BLOB_BYTES || size != outside.len() as u64 {
        return Err(changed());
    }
    let mut bytes = Vec::with_capacity(outside.len());
    file.take(size).read_to_end(&mut bytes).map_err(|error| unreadable(error.to_string()))?;
    wire::restore_blob(outside, &bytes).ok_or_else(changed)
}
