//! Lists and reads a person's own files of one kind: those in one folder of the configuration, sorted by name, within
//! limits.

use super::{FileError, read};
use std::path::{Path, PathBuf};

/// Further files of the folder are ignored. Collections of themes have several hundred.
const MAX_FILES: usize = 1024;

/// The `.toml` files in a folder.
pub(crate) fn toml_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    files.sort_unstable();
    files.truncate(MAX_FILES);
    files
}

/// The text of a file that has at most `largest` bytes. The error names the file.
pub(crate) fn text(path: &Path, largest: u64) -> Result<String, FileError> {
    let bytes = read::bounded(path, largest)?;
    String::from_utf8(bytes).map_err(|_| FileError::Io(path.to_path_buf(), "it is no text in UTF-8".into()))
}
