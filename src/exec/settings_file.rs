//! Reads small settings files of tools and environments: regular files only, and a limited amount.

use std::fs;
use std::io::Read as _;
use std::path::Path;

/// How many bytes of such a file are read.
const MAX_TEXT_BYTES: u64 = 64 << 10;

/// The text of a regular file, cut at the limit; `None` if it is not a regular file or not UTF-8.
pub(super) fn read_text(path: &Path) -> Option<String> {
    // Opening a pipe would block until it has a writer, so the type is checked first.
    fs::metadata(path).ok().filter(|meta| meta.is_file())?;
    let file = fs::File::open(path).ok().filter(|file| file.metadata().is_ok_and(|meta| meta.is_file()))?;
    let mut text = String::new();
    file.take(MAX_TEXT_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}
