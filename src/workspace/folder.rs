//! Makes the folder of a demo and puts the files of its story there.

use super::{FileError, write};
use std::path::{Path, PathBuf};

/// Makes a fresh folder below `parent`, with a name that starts with `name`, and puts the files there.
///
/// # Errors
/// When the system refuses, or a file's name leads out of the folder.
pub(crate) fn fresh(parent: &Path, name: &str, files: &[(String, String)]) -> Result<PathBuf, FileError> {
    std::fs::create_dir_all(parent).map_err(|e| FileError::io(parent, &e))?;
    let prefix = format!("{name}-");
    let made = tempfile::Builder::new().prefix(&prefix).disable_cleanup(true).tempdir_in(parent);
    let folder = made.map_err(|e| FileError::io(parent, &e))?.path().to_path_buf();
    add_missing(&folder, files)?;
    Ok(folder)
}

/// Puts a story's files into an existing folder; files that exist already stay as they are.
///
/// # Errors
/// When the system refuses, or a file's name leads out of the folder.
pub(crate) fn add_missing(folder: &Path, files: &[(String, String)]) -> Result<(), FileError> {
    for (name, text) in files {
        if !folder.join(name).exists() {
            write::below(folder, name, text.as_bytes())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_demo_has_its_own_folder() {
        let parent = tempfile::tempdir().expect("a folder");
        let files = [("data/sales.csv".to_string(), "a,b\n".to_string())];
        let first = fresh(parent.path(), "tour", &files).expect("made");
        let second = fresh(parent.path(), "tour", &files).expect("made");
        assert_ne!(first, second);
        assert_eq!(std::fs::read_to_string(first.join("data/sales.csv")).expect("there"), "a,b\n");
        assert!(fresh(parent.path(), "tour", &[("../x".into(), String::new())]).is_err());
    }
}
