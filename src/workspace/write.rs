//! Writing files that the person asked for: whole or not at all, never over something that is there.

use super::FileError;
use std::fs::File;
use std::io::{self, Read, Write as _};
use std::path::{Component, Path, PathBuf};

/// Numbered names that are tried: `figure-1.png`, `figure-1-2.png`, …
const NUMBERED: u32 = 9_999;

/// Writes bytes under this name in the folder, or under the next free numbered name; gives the path.
///
/// # Errors
/// When the name leads elsewhere, nothing is free, or the system refuses; then nothing is left behind.
pub fn fresh(folder: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, FileError> {
    fresh_from(folder, name, &mut &bytes[..])
}

/// Like [`fresh`], with the bytes of another file; that may be large.
///
/// # Errors
/// As [`fresh`].
pub fn copy_fresh(folder: &Path, name: &str, from: &Path) -> Result<PathBuf, FileError> {
    let mut file = File::open(from).map_err(|e| FileError::io(from, &e))?;
    fresh_from(folder, name, &mut file)
}

/// Writes bytes to a path that is relative to the folder, making folders on the way; replaces nothing.
///
/// # Errors
/// As [`fresh`]; also when the file is there already.
pub fn below(folder: &Path, relative: &str, bytes: &[u8]) -> Result<PathBuf, FileError> {
    let path = folder.join(inside(relative)?);
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(|e| FileError::io(parent, &e))?;
    }
    let staged = stage(path.parent().unwrap_or(folder), &mut &bytes[..])?;
    staged.persist_noclobber(&path).map_err(|e| FileError::io(&path, &e.error))?;
    Ok(path)
}

/// A relative path without `..`, root or drive.
fn inside(relative: &str) -> Result<&Path, FileError> {
    let path = Path::new(relative);
    let plain = path.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
    if plain && path.file_name().is_some() {
        Ok(path)
    } else {
        Err(FileError::Escapes { name: relative.into() })
    }
}

fn fresh_from(folder: &Path, name: &str, from: &mut dyn Read) -> Result<PathBuf, FileError> {
    let plain = inside(name)?;
    if plain.components().count() != 1 {
        return Err(FileError::Escapes { name: name.into() });
    }
    let mut staged = stage(folder, from)?;
    for number in 1..=NUMBERED {
        let path = folder.join(numbered(plain, number));
        match staged.persist_noclobber(&path) {
            Ok(_) => return Ok(path),
            Err(refused) if refused.error.kind() == io::ErrorKind::AlreadyExists => staged = refused.file,
            Err(refused) => return Err(FileError::io(&path, &refused.error)),
        }
    }
    Err(FileError::Taken { path: folder.join(plain) })
}

/// A complete file beside its destination, not yet under its name.
fn stage(folder: &Path, from: &mut dyn Read) -> Result<tempfile::NamedTempFile, FileError> {
    let failed = |e: io::Error| FileError::io(folder, &e);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".sayso-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(std::fs::Permissions::from_mode(0o644));
    }
    let mut staged = builder.tempfile_in(folder).map_err(failed)?;
    io::copy(from, &mut staged).map_err(failed)?;
    staged.flush().map_err(failed)?;
    Ok(staged)
}

/// `figure.png` for 1, `figure-2.png` for 2, …
fn numbered(name: &Path, number: u32) -> PathBuf {
    if number == 1 {
        return name.to_path_buf();
    }
    let stem = name.file_stem().unwrap_or_default().to_string_lossy();
    match name.extension() {
        Some(extension) => PathBuf::from(format!("{stem}-{number}.{}", extension.to_string_lossy())),
        None => PathBuf::from(format!("{stem}-{number}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_name_gets_a_number() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = fresh(folder.path(), "figure.png", b"1").expect("written");
        let second = fresh(folder.path(), "figure.png", b"2").expect("written");
        assert_eq!(first, folder.path().join("figure.png"));
        assert_eq!(second, folder.path().join("figure-2.png"));
        assert_eq!(std::fs::read(first).expect("kept"), b"1");
        let copied = copy_fresh(folder.path(), "figure.png", &second).expect("copied");
        assert_eq!(std::fs::read(copied).expect("written"), b"2");
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["../a", "/etc/a", "a/b", "..", "."] {
            assert!(matches!(fresh(folder.path(), name, b""), Err(FileError::Escapes { .. })), "{name}");
        }
        for name in ["../a", "/etc/a", "a/../../b", "", ".."] {
            assert!(matches!(below(folder.path(), name, b""), Err(FileError::Escapes { .. })), "{name:?}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).expect("readable").count(), 0, "nothing is left behind");
    }

    #[test]
    fn what_is_there_is_not_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        below(folder.path(), "data/sales.csv", b"1").expect("written");
        assert!(below(folder.path(), "data/sales.csv", b"2").is_err());
        assert_eq!(std::fs::read(folder.path().join("data/sales.csv")).expect("kept"), b"1");
    }
}
