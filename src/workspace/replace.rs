//! Writing a file that a block proposed and a person approved: the whole of it or nothing, in the folder that was held open
//! when it was shown, and only where what stands there is still what was shown.

use super::FileError;
use super::place::{OpenPlace, open_in};
use super::staging::Staging;
use super::target::hash;
use crate::domain::OnDisk;
use rustix::fs::Mode;
use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

/// The mode of a new file, from which the system takes what the person's mask says.
const NEW: Mode = Mode::from_bits_truncate(0o666);

/// Writes the whole file. What stood there keeps its mode; a new file gets the usual one. The bytes are on disk when
/// this returns.
///
/// # Errors
/// When something else stands there than was approved, or the system refuses; then nothing is changed (folders that were
/// made on the way stay).
pub(crate) fn replace(place: &OpenPlace, found: OnDisk, bytes: &[u8]) -> Result<(), FileError> {
    let path = place.path();
    let name = place.name().ok_or_else(|| FileError::Escapes(path.display().to_string()))?;
    let failed = |e: std::io::Error| FileError::io(&path, &e);
    let changed = || FileError::Changed(path.clone());
    let folder = place.make_folders()?;
    let mut staging = Staging::new(&folder, NEW).map_err(failed)?;
    staging.file().write_all(bytes).map_err(failed)?;
    match found {
        OnDisk::Nothing => {
            staging.file().sync_all().map_err(failed)?;
            staging.take_free(name).map_err(|e| match e.kind() {
                std::io::ErrorKind::AlreadyExists => changed(),
                _ => failed(e),
            })?;
        }
        OnDisk::File(Some(sha256)) => {
            let old = open_in(&folder, name).map_err(|_| changed())?;
            keep_mode(staging.file(), &old).map_err(failed)?;
            staging.file().sync_all().map_err(failed)?;
            let expected = |old: File| hash(old) == Some(sha256);
            if !staging.replace(name, expected).map_err(failed)? {
                return Err(changed());
            }
        }
        OnDisk::File(None) | OnDisk::Folder => return Err(changed()),
    }
    // A folder that can't be synced (some network file systems) has the file nevertheless.
    if let Ok(folder) = super::place::folder_in(&folder, std::ffi::OsStr::new(".")) {
        let _ = folder.sync_all();
    }
    Ok(())
}

fn keep_mode(file: &File, old: &File) -> std::io::Result<()> {
    let (new, old) = (file.metadata()?, old.metadata()?);
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        // Only the system's administrator may give files away; elsewhere the file is the person's.
        let _ = std::os::unix::fs::fchown(file, Some(old.uid()), Some(old.gid()));
    }
    file.set_permissions(std::fs::Permissions::from_mode(old.permissions().mode() & 0o777))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::FileAct;
    use crate::workspace::target::TargetFacts;
    use crate::workspace::target::look;
    use std::path::Path;

    fn seen(folder: &Path, path: &str) -> TargetFacts {
        look(folder, None, &FileAct::Write { path: path.into() }).expect("seen")
    }

    fn replace(seen: &TargetFacts, bytes: &[u8]) -> Result<(), FileError> {
        super::replace(&seen.place, seen.target.found, bytes)
    }

    fn entries(folder: &Path) -> usize {
        std::fs::read_dir(folder).expect("readable").count()
    }

    #[test]
    fn a_file_is_replaced_and_keeps_its_mode() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run.sh");
        std::fs::write(&path, "old").expect("written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o750)).expect("set");
        replace(&seen(folder.path(), "run.sh"), b"new\n").expect("replaced");
        assert_eq!(std::fs::read(&path).expect("read"), b"new\n");
        assert_eq!(std::fs::metadata(&path).expect("there").permissions().mode() & 0o7777, 0o750);
        assert_eq!(entries(folder.path()), 1, "nothing is left behind");
    }

    #[test]
    fn a_new_file_gets_its_folders() {
        let folder = tempfile::tempdir().expect("a folder");
        replace(&seen(folder.path(), "a/b/c"), b"x").expect("written");
        assert_eq!(std::fs::read(folder.path().join("a/b/c")).expect("read"), b"x");
    }

    #[test]
    fn what_changed_since_it_was_shown_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("a"), "old").expect("written");
        let (old, new) = (seen(folder.path(), "a"), seen(folder.path(), "b"));
        std::fs::write(at("a"), "mine").expect("written");
        std::fs::write(at("b"), "mine too").expect("written");
        for target in [old, new] {
            assert!(matches!(replace(&target, b"x"), Err(FileError::Changed { .. })));
        }
        assert_eq!(std::fs::read(at("a")).expect("read"), b"mine");
        assert_eq!(std::fs::read(at("b")).expect("read"), b"mine too");
        assert_eq!(entries(folder.path()), 2, "nothing is left behind");
    }

    #[test]
    fn a_link_that_came_in_its_place_is_not_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        let other = folder.path().join("precious");
        std::fs::write(&other, "kept").expect("written");
        let target = seen(folder.path(), "a");
        std::os::unix::fs::symlink(&other, folder.path().join("a")).expect("linked");
        assert!(matches!(replace(&target, b"x"), Err(FileError::Changed { .. })));
        assert_eq!(std::fs::read(&other).expect("read"), b"kept");
    }
}
