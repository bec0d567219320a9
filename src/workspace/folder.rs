//! Fresh folders for demos, with the files of their story in them.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Component, Path, PathBuf};

/// Why a folder could not be made ready.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The path of a file leads out of the folder.
    #[error("the file {0:?} would lie outside of its folder: name it by a path below it")]
    Escapes(String),
    /// The system refused.
    #[error("{} can't be made: {source}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

fn failed(path: &Path) -> impl Fn(io::Error) -> FolderError + '_ {
    |source| FolderError::Io { path: path.to_owned(), source }
}

/// Makes a folder that was not there below `parent` (which is made where it is missing), called `name` or `name-2`, …
///
/// # Errors
/// When it can't be made.
pub fn fresh(parent: &Path, name: &str) -> Result<PathBuf, FolderError> {
    DirBuilder::new().recursive(true).mode(0o700).create(parent).map_err(failed(parent))?;
    let safe: String =
        name.chars().map(|c| if c.is_alphanumeric() || c == '-' { c } else { '-' }).take(60).collect();
    let safe = if safe.is_empty() { "demo" } else { &safe };
    for number in 1..100_000u32 {
        let path = parent.join(if number == 1 { safe.to_owned() } else { format!("{safe}-{number}") });
        match DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(&path)(error)),
        }
    }
    Err(failed(parent)(io::Error::other("it holds too many folders")))
}

/// Puts files into a folder, given by paths below it. All paths are looked at before anything is written, and no file
/// that is there is overwritten.
///
/// # Errors
/// When a path leads out of the folder, or something can't be written.
pub fn put(folder: &Path, files: &[(String, String)]) -> Result<(), FolderError> {
    if let Some((bad, _)) = files.iter().find(|(path, _)| !stays_below(path)) {
        return Err(FolderError::Escapes(bad.clone()));
    }
    for (name, text) in files {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(parent).map_err(failed(parent))?;
        }
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&path)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(failed(&path))?;
    }
    Ok(())
}

/// Whether a path names something below the folder that it is joined to.
fn stays_below(path: &str) -> bool {
    let mut parts = Path::new(path).components().peekable();
    parts.peek().is_some()
        && !path.contains('\0')
        && !path.ends_with('/')
        && parts.all(|p| matches!(p, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fresh_folders_are_empty_and_new() {
        let dir = tempfile::tempdir().unwrap();
        let parent = dir.path().join("data/demo");
        let first = fresh(&parent, "tour").unwrap();
        let second = fresh(&parent, "tour").unwrap();
        assert_eq!((first, second), (parent.join("tour"), parent.join("tour-2")));
        assert_eq!(fresh(&parent, "../../x").unwrap(), parent.join("------x"));
    }

    #[test]
    fn files_lie_below_the_folder_or_nothing_is_written() {
        let dir = tempfile::tempdir().unwrap();
        let file = |path: &str| (path.to_owned(), "text".to_owned());
        put(dir.path(), &[file("a.csv"), file("deep/er/b.csv")]).unwrap();
        assert_eq!(std::fs::read_to_string(dir.path().join("deep/er/b.csv")).unwrap(), "text");
        for bad in ["../x", "/etc/x", "a/../../x", "", ".", "..", "./x/..", "x/", "a\0b"] {
            let error = put(dir.path(), &[file("good.csv"), file(bad)]).unwrap_err();
            assert!(matches!(error, FolderError::Escapes(_)), "{bad:?}: {error}");
            assert!(!dir.path().join("good.csv").exists());
        }
        assert!(put(dir.path(), &[file("a.csv")]).is_err(), "nothing is overwritten");
    }
}
