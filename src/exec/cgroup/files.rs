//! The system's files of a control group: a value is written whole, words are read.

use std::fs;
use std::path::Path;

/// Writes into a file that is there. The system's own files take a value whole, or refuse it.
pub(super) fn write(file: &Path, value: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    fs::OpenOptions::new().write(true).open(file)?.write_all(value.as_bytes())
}

/// The words of a file; none when it can't be read.
pub(super) fn words(file: &Path) -> Vec<String> {
    fs::read_to_string(file).unwrap_or_default().split_whitespace().map(Into::into).collect()
}
