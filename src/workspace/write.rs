//! Writes new files that the person asked for: completely or not at all, and never over an existing one.

use super::held_path::{Folder, HeldPath};
use super::staging::Staging;
use super::{FileError, replace};
use crate::domain::OnDisk;
use rustix::fs::Mode;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

/// The most numbered names that are tried: `figure-1.png`, `figure-1-2.png`, …
const MAX_NUMBER: u32 = 9_999;
/// The default mode of a new file.
const NEW_FILE_MODE: Mode = Mode::from_bits_truncate(0o644);
/// The mode of a file that only the person may read.
const PRIVATE_MODE: Mode = Mode::from_bits_truncate(0o600);

/// Writes bytes under this name in the folder, or under the next free numbered name; returns the path.
///
/// # Errors
/// When the name leads out of the folder, the folder was moved, no name is free, or the system refuses; then nothing
/// is left behind.
pub(crate) fn fresh(folder: &Folder, name: &str, bytes: &[u8]) -> Result<PathBuf, FileError> {
    fresh_from(folder, name, &mut &bytes[..], NEW_FILE_MODE)
}

/// Like [`fresh`], but only the person can read the file.
pub(crate) fn fresh_private(folder: &Folder, name: &str, bytes: &[u8]) -> Result<PathBuf, FileError> {
    fresh_from(folder, name, &mut &bytes[..], PRIVATE_MODE)
}

/// Like [`fresh`], with the bytes of another file, which may be large.
///
/// # Errors
/// As [`fresh`]; also when that file can't be read.
pub(crate) fn copy_fresh(folder: &Folder, name: &str, from: &HeldPath) -> Result<PathBuf, FileError> {
    fresh_from(folder, name, &mut from.open()?, NEW_FILE_MODE)
}

/// Writes bytes to a path that is relative to the folder, and creates missing folders. Replaces nothing, and follows
/// no link below the folder.
///
/// # Errors
/// As [`fresh`]; also when the file exists already.
pub(crate) fn below(folder: &Path, relative: &str, bytes: &[u8]) -> Result<PathBuf, FileError> {
    let relative = inside(relative)?;
    std::fs::create_dir_all(folder).map_err(|e| FileError::io(folder, &e))?;
    let folder = Folder::find(folder)?;
    let (path, place) = (folder.path().join(relative), HeldPath::find(&folder.path().join(relative))?);
    if place.path() != path {
        return Err(FileError::Escapes(relative.display().to_string()));
    }
    if place.name().is_none() || place.found().is_some() {
        return Err(FileError::io(&path, &io::ErrorKind::AlreadyExists.into()));
    }
    replace::replace(&place, OnDisk::Nothing, bytes).map(|()| path)
}

/// A relative path without `.`, `..`, root or drive.
fn inside(relative: &str) -> Result<&Path, FileError> {
    let path = Path::new(relative);
    if path.components().all(|c| matches!(c, Component::Normal(_))) && path.file_name().is_some() {
        Ok(path)
    } else {
        Err(FileError::Escapes(relative.into()))
    }
}

fn fresh_from(folder: &Folder, name: &str, from: &mut dyn Read, mode: Mode) -> Result<PathBuf, FileError> {
    let plain = inside(name)?;
    if plain.components().count() != 1 {
        return Err(FileError::Escapes(name.into()));
    }
    if !folder.is_in_place() {
        return Err(FileError::Moved(folder.path().to_owned()));
    }
    let failed = |e: io::Error| FileError::io(folder.path(), &e);
    let mut staging = Staging::new(folder.file(), mode).map_err(failed)?;
    io::copy(from, staging.file()).map_err(failed)?;
    for number in 1..=MAX_NUMBER {
        let name = numbered(plain, number);
        match staging.take_free(name.as_os_str()) {
            Ok(()) => return Ok(folder.path().join(name)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(FileError::io(&folder.path().join(name), &error)),
        }
    }
    Err(FileError::Taken(folder.path().join(plain)))
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
        let held = Folder::find(folder.path()).expect("held");
        let first = fresh(&held, "figure.png", b"1").expect("written");
        let second = fresh(&held, "figure.png", b"2").expect("written");
        assert_eq!(first, held.path().join("figure.png"));
        assert_eq!(second, held.path().join("figure-2.png"));
        assert_eq!(std::fs::read(first).expect("kept"), b"1");
        let copied =
            copy_fresh(&held, "figure.png", &HeldPath::find(&second).expect("held")).expect("copied");
        assert_eq!(std::fs::read(copied).expect("written"), b"2");
    }

    #[test]
    fn what_is_private_nobody_else_can_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let held = Folder::find(folder.path()).expect("held");
        let path = fresh_private(&held, "session.html", b"1").expect("written");
        assert_eq!(crate::test_folder::mode(&path), 0o600);
    }

    #[test]
    fn what_is_saved_goes_to_the_folder_that_is_held_or_nowhere() {
        let base = tempfile::tempdir().expect("a folder");
        let (work, out) = (base.path().join("work"), base.path().join("out"));
        for folder in [&work, &out] {
            std::fs::create_dir(folder).expect("made");
        }
        let held = Folder::find(&work).expect("held");
        std::fs::rename(&work, base.path().join("moved")).expect("moved");
        std::os::unix::fs::symlink(&out, &work).expect("linked");
        assert!(matches!(fresh(&held, "a", b"1"), Err(FileError::Moved { .. })));
        std::fs::remove_file(&work).expect("removed");
        std::fs::rename(base.path().join("moved"), &work).expect("moved");
        std::os::unix::fs::symlink(out.join("b"), work.join("b")).expect("linked");
        assert_eq!(fresh(&held, "b", b"1").expect("written"), held.path().join("b-2"));
        assert_eq!(std::fs::read_dir(&out).expect("readable").count(), 0);
        std::os::unix::fs::symlink(&out, work.join("data")).expect("linked");
        assert!(matches!(below(&work, "data/x", b"1"), Err(FileError::Escapes { .. })));
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let held = Folder::find(folder.path()).expect("held");
        for name in ["../a", "/etc/a", "a/b", "..", "."] {
            assert!(matches!(fresh(&held, name, b""), Err(FileError::Escapes { .. })), "{name}");
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
