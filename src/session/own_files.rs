//! A person's own files of a kind: those of one folder of the configuration, in the order of their names, bounded.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// A folder with more files than this is read up to here.
const MOST: usize = 64;

/// The files of a folder that end in `.toml`.
pub(super) fn of(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    files.sort_unstable();
    files.truncate(MOST);
    files
}

/// The text of a file that has at most so many bytes.
pub(super) fn read(path: &Path, largest: u64) -> io::Result<String> {
    let mut text = String::new();
    std::fs::File::open(path)?.take(largest + 1).read_to_string(&mut text)?;
    if text.len() as u64 > largest {
        return Err(io::Error::other(format!("it is larger than {} KiB", largest / 1024)));
    }
    Ok(text)
}
