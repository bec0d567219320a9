//! Writing a file that a block proposed and a person approved: the whole of it or nothing, and only where what stands
//! there is still what was shown.

use super::FileError;
use crate::domain::{OnDisk, Target};
use std::fs::{File, Metadata};
use std::io::Write as _;
use std::path::Path;

/// Writes the whole file. What stood there keeps its mode; a new file gets the usual one. The bytes are on disk when
/// this returns.
///
/// # Errors
/// When something else stands there than was approved, or the system refuses; then nothing is changed (folders that were
/// made on the way stay).
pub fn replace(target: &Target, bytes: &[u8]) -> Result<(), FileError> {
    let path = &target.path;
    let folder = path.parent().ok_or_else(|| FileError::Escapes { name: path.display().to_string() })?;
    if target.folders > 0 {
        std::fs::create_dir_all(folder).map_err(|e| FileError::io(folder, &e))?;
    }
    let mut staged = stage(folder)?;
    let failed = |e: std::io::Error| FileError::io(path, &e);
    staged.write_all(bytes).map_err(failed)?;
    // As late as can be: what stands there now is what was approved to be replaced.
    unchanged(target)?;
    match target.found {
        OnDisk::Nothing => {
            staged.as_file().sync_all().map_err(failed)?;
            staged.persist_noclobber(path).map_err(|e| match e.error.kind() {
                std::io::ErrorKind::AlreadyExists => FileError::Changed { path: path.clone() },
                _ => FileError::io(path, &e.error),
            })?;
        }
        _ => {
            let old = std::fs::symlink_metadata(path).map_err(failed)?;
            keep_mode(staged.as_file(), &old).map_err(failed)?;
            staged.as_file().sync_all().map_err(failed)?;
            staged.persist(path).map_err(|e| FileError::io(path, &e.error))?;
        }
    }
    // A folder that can't be synced (some network file systems) has the file nevertheless.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Whether what was shown is still what stands there.
fn unchanged(target: &Target) -> Result<(), FileError> {
    let info = std::fs::symlink_metadata(&target.path).ok();
    let same = match (target.found, info) {
        (OnDisk::Nothing, None) => true,
        (OnDisk::File(Some(sha256)), Some(info)) => {
            info.is_file() && super::target::hash(&target.path) == Some(sha256)
        }
        _ => false,
    };
    if same { Ok(()) } else { Err(FileError::Changed { path: target.path.clone() }) }
}

/// An empty file beside its destination, with the mode of a new file.
fn stage(folder: &Path) -> Result<tempfile::NamedTempFile, FileError> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".sayso-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // The system takes from it what the person's mask says.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder).map_err(|e| FileError::io(folder, &e))
}

#[cfg(unix)]
fn keep_mode(file: &File, old: &Metadata) -> std::io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        // Only the system's administrator may give files away; elsewhere the file is the person's.
        let _ = std::os::unix::fs::fchown(file, Some(old.uid()), Some(old.gid()));
    }
    file.set_permissions(std::fs::Permissions::from_mode(old.permissions().mode() & 0o777))
}

#[cfg(not(unix))]
fn keep_mode(_: &File, _: &Metadata) -> std::io::Result<()> {
    Ok(())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::FileAct;
    use crate::workspace::target::look;
    use std::os::unix::fs::PermissionsExt as _;

    fn seen(folder: &Path, path: &str) -> Target {
        look(folder, None, &FileAct::Write { path: path.into() }).expect("seen").target
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
