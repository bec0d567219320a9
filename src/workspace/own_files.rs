//! A person's own files of a kind: those of one folder of the configuration, in the order of their names, bounded.

use super::{FileError, read};
use std::path::{Path, PathBuf};

/// A folder with more files than this is read up to here.
const MAX_FILES: usize = 64;

/// The files of a folder that end in `.toml`.
pub(crate) fn of(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    files.sort_unstable();
    files.truncate(MAX_FILES);
    files
}

/// The text of a file that has at most so many bytes. Its error names the file.
pub(crate) fn text(path: &Path, largest: u64) -> Result<String, FileError> {
    let bytes = read::bounded(path, largest)?;
    String::from_utf8(bytes).map_err(|_| FileError::Io(path.to_path_buf(), "it is no text in UTF-8".into()))
}
