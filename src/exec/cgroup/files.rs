//! Reads and writes the files of a control group.

use std::fs;
use std::path::Path;

/// Writes to an existing file. The system accepts a value as a whole or refuses it.
pub(super) fn write(file: &Path, value: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    fs::OpenOptions::new().write(true).open(file)?.write_all(value.as_bytes())
}

/// The words of a file; empty if it can't be read.
pub(super) fn words(file: &Path) -> Vec<String> {
    fs::read_to_string(file).unwrap_or_default().split_whitespace().map(Into::into).collect()
}
