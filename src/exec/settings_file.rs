//! The text of a small file of settings, as tools and environments have them: plain, bounded, and no pipe that waits.

use std::fs;
use std::io::Read as _;
use std::path::Path;

/// Such a file is read up to here.
const MAX_TEXT_BYTES: u64 = 64 << 10;

/// The text of a plain file, bounded; `None` for what is none, or no text.
pub(super) fn read_text(path: &Path) -> Option<String> {
    // Opening a pipe would wait for its writer: look before.
    fs::metadata(path).ok().filter(|meta| meta.is_file())?;
    let file = fs::File::open(path).ok().filter(|file| file.metadata().is_ok_and(|meta| meta.is_file()))?;
    let mut text = String::new();
    file.take(MAX_TEXT_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}
