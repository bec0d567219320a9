//! Writes files that a person approved: all of them or none, in the folders that were held open since the files were
//! shown, and only if what exists there is still what was shown.
//!
//! All files are first written completely under temporary names; then each gets its real name. If one can't get it,
//! those before it are restored. No file system renames several files in one step, so the old files stay under the
//! temporary names until all is done. Where names can't be exchanged, the old contents are copied from memory into new
//! files, and that is reported, like files that could not be restored.

use super::access::Access;
use super::chown_rights::ChownRights;
use super::held_path::{HeldPath, open_in};
use super::staging::Staging;
use super::target::{MAX_REPLACED_BYTES, hash};
use super::{FileError, read};
use crate::domain::{OnDisk, Sha256};
use rustix::fs::{AtFlags, Mode, unlinkat};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;

/// The mode of a new file, before the system applies the person's umask.
const NEW_FILE_MODE: Mode = Mode::from_bits_truncate(0o666);
/// The same for a new folder.
const NEW_FOLDER_MODE: Mode = Mode::from_bits_truncate(0o777);

#[derive(Clone, Copy, Debug)]
pub(crate) struct NewFile<'a> {
    /// Where to write it, held open since it was shown.
    pub(crate) place: &'a HeldPath,
    /// What existed there when it was shown.
    pub(crate) found: OnDisk,
    pub(crate) bytes: &'a [u8],
}

/// Writes the whole file. A replaced file keeps its permissions (`target` tells what it loses); a new file gets the
/// default ones. The bytes are on disk when this returns.
///
/// # Errors
/// When something else exists there than was approved, or the system refuses. Nothing is changed then, except that
/// folders created on the way stay.
pub(crate) fn replace(place: &HeldPath, found: OnDisk, bytes: &[u8]) -> Result<(), FileError> {
    replace_all(&[NewFile { place, found, bytes }])
}

/// Writes all files or none.
///
/// # Errors
/// As [`replace`]; also when a file that was already written can't be restored.
pub(crate) fn replace_all(files: &[NewFile<'_>]) -> Result<(), FileError> {
    replace_with(files, |_, _| {})
}

/// Like `replace_all`, but calls `before` right before each file gets its name (for tests).
fn replace_with(
    files: &[NewFile<'_>],
    mut before: impl FnMut(usize, &mut Staging<'_>),
) -> Result<(), FileError> {
    let mut made = BTreeSet::new();
    let folders = files
        .iter()
        .map(|file| file.place.make_folders_with(&mut made, NEW_FOLDER_MODE))
        .collect::<Result<Vec<_>, _>>()?;
    let mut staged = Vec::with_capacity(files.len());
    for (file, folder) in files.iter().zip(&folders) {
        staged.push(file.stage(folder)?);
    }
    // A single file needs no copy: it is either replaced or not.
    let several = files.len() > 1;
    let olds = files
        .iter()
        .map(|file| if several { file.old() } else { Ok(None) })
        .collect::<Result<Vec<_>, _>>()?;
    let failed = files.iter().zip(&mut staged).enumerate().find_map(|(at, (file, staging))| {
        before(at, staging);
        file.commit(staging).err().map(|why| (at, why))
    });
    if let Some((at, why)) = failed {
        let done = files.iter().zip(&folders).zip(&olds).zip(&mut staged).take(at).rev();
        let undone: Vec<_> = done
            .map(|(((file, folder), old), staging)| {
                (file.place.path().display().to_string(), file.undo(folder, staging, old.as_deref()))
            })
            .collect();
        return Err(with_undone(why, &undone));
    }
    // The old files are removed.
    drop(staged);
    for folder in &folders {
        // On some network file systems a folder can't be synced; the file is written nevertheless.
        if let Ok(folder) = super::held_path::folder_in(folder, OsStr::new(".")) {
            let _ = folder.sync_all();
        }
    }
    Ok(())
}

/// How a file was restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RestoredFile {
    /// As it was, or removed if it did not exist.
    Original,
    /// As a new file with the old content.
    Copy,
}

/// The error that tells why several files were not written, and what of those before it is not as it was.
fn with_undone(why: FileError, undone: &[(String, Result<RestoredFile, FileError>)]) -> FileError {
    let names = |wanted: fn(&Result<RestoredFile, FileError>) -> bool| {
        let names: Vec<&str> =
            undone.iter().filter(|(_, how)| wanted(how)).map(|(name, _)| name.as_str()).collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    let why = match names(|how| *how == Ok(RestoredFile::Copy)) {
        Some(copied) => FileError::Copied(Box::new(why), copied),
        None => why,
    };
    match names(Result::is_err) {
        Some(left) => FileError::Torn(Box::new(why), left),
        None => why,
    }
}

impl NewFile<'_> {
    fn name(&self) -> Result<&OsStr, FileError> {
        self.place.name().ok_or_else(|| FileError::Escapes(self.place.path().display().to_string()))
    }

    fn failed(&self, error: std::io::Error) -> FileError {
        FileError::io(&self.place.path(), &error)
    }

    /// Writes the bytes to disk under a temporary name.
    fn stage<'f>(&self, folder: &'f File) -> Result<Staging<'f>, FileError> {
        let (name, changed) = (self.name()?, || FileError::Changed(self.place.path()));
        // Until the file has the mode of the one that it replaces, nobody else may read it.
        let mode = if self.found == OnDisk::Nothing { NEW_FILE_MODE } else { Mode::from_raw_mode(0o600) };
        let mut staging = Staging::new(folder, mode).map_err(|e| self.failed(e))?;
        staging.file().write_all(self.bytes).map_err(|e| self.failed(e))?;
        match self.found {
            OnDisk::Nothing => {}
            OnDisk::File(Some(_)) => {
                let old = open_in(folder, name).map_err(|_| changed())?;
                keep_access(staging.file(), &old).map_err(|e| self.failed(e))?;
            }
            OnDisk::File(None) | OnDisk::Folder => return Err(changed()),
        }
        staging.file().sync_all().map_err(|e| self.failed(e))?;
        Ok(staging)
    }

    /// The old content, if it is still what was shown.
    fn old(&self) -> Result<Option<Vec<u8>>, FileError> {
        let OnDisk::File(Some(sha256)) = self.found else { return Ok(None) };
        let changed = || FileError::Changed(self.place.path());
        let bytes = read::held(self.place, MAX_REPLACED_BYTES).map_err(|_| changed())?;
        if Sha256::of(&bytes) == sha256 { Ok(Some(bytes)) } else { Err(changed()) }
    }

    /// Gives the staged file its real name.
    fn commit(&self, staging: &mut Staging<'_>) -> Result<(), FileError> {
        let (name, changed) = (self.name()?, || FileError::Changed(self.place.path()));
        match self.found {
            OnDisk::File(Some(sha256)) => {
                let expected = |old: File| hash(old) == Some(sha256);
                let taken = staging.replace(name, expected).map_err(|e| self.failed(e))?;
                if taken { Ok(()) } else { Err(changed()) }
            }
            _ => staging.take_free(name).map_err(|e| match e.kind() {
                std::io::ErrorKind::AlreadyExists => changed(),
                _ => self.failed(e),
            }),
        }
    }

    /// Restores what was there, unless something else replaced the new file meanwhile.
    fn undo(
        &self,
        folder: &File,
        staging: &mut Staging<'_>,
        old: Option<&[u8]>,
    ) -> Result<RestoredFile, FileError> {
        let (name, new) = (self.name()?, Sha256::of(self.bytes));
        let is_ours = |file: File| hash(file) == Some(new);
        let changed = || Err(FileError::Changed(self.place.path()));
        let Some(old) = old else {
            if !open_in(folder, name).is_ok_and(is_ours) {
                return changed();
            }
            let removed = unlinkat(folder, name, AtFlags::empty());
            return removed.map(|()| RestoredFile::Original).map_err(|e| self.failed(e.into()));
        };
        if staging.has_old() {
            let is_back = staging.put_old_back(name, is_ours).map_err(|e| self.failed(e))?;
            return if is_back { Ok(RestoredFile::Original) } else { changed() };
        }
        let back = NewFile { bytes: old, found: OnDisk::File(Some(new)), ..*self };
        back.commit(&mut back.stage(folder)?)?;
        Ok(RestoredFile::Copy)
    }
}

/// Gives the file the rights and the owner of the old one.
fn keep_access(file: &File, old: &File) -> std::io::Result<()> {
    Access::of(old)?.give(file)?;
    // Most accounts may not change the owner; `target` tells what is lost.
    let owner = old.metadata()?.uid();
    if file.metadata()?.uid() != owner && ChownRights::knows_account(owner) {
        let _ = std::os::unix::fs::fchown(file, Some(owner), None);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::FileAct;
    use crate::test_folder::{TestFolder, mode, set_mode};
    #[cfg(target_os = "linux")]
    use crate::workspace::access::{ACCESS_LIST, tests::set_list};
    use crate::workspace::target::TargetFacts;
    use crate::workspace::target::examine;
    use std::path::Path;

    #[cfg(target_os = "linux")]
    const NAMESPACE_FOLDER: &str = "SAYSO_TEST_FOLDER";

    fn seen(folder: &Path, path: &str) -> TargetFacts {
        examine(folder, None, &FileAct::Write { path: path.into() }).expect("seen")
    }

    /// The same text for all of these files.
    fn new_files(seen: &[TargetFacts]) -> Vec<NewFile<'_>> {
        seen.iter().map(|s| NewFile { place: &s.place, found: s.target.found, bytes: b"new" }).collect()
    }

    fn replace(seen: &TargetFacts, bytes: &[u8]) -> Result<(), FileError> {
        super::replace(&seen.place, seen.target.found, bytes)
    }

    fn entries(folder: &Path) -> usize {
        std::fs::read_dir(folder).expect("readable").count()
    }

    #[test]
    fn a_file_is_replaced_and_keeps_its_mode() {
        let folder = TestFolder::new();
        let path = folder.file("run.sh", "old");
        set_mode(&path, 0o750);
        replace(&seen(&folder.base, "run.sh"), b"new\n").expect("replaced");
        assert_eq!(std::fs::read(&path).expect("read"), b"new\n");
        assert_eq!(mode(&path), 0o750);
        assert_eq!(entries(&folder.base), 1, "nothing is left behind");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn without_its_access_list_a_file_gives_its_group_no_more_than_everybody() {
        let folder = TestFolder::new();
        let path = folder.file("a", "old");
        set_mode(&path, 0o604);
        if !set_list(&path, ACCESS_LIST, (6, 4)) {
            return; // This file system has no access lists.
        }
        assert_eq!(mode(&path), 0o664, "the bits of the group are the most that anybody has");
        replace(&seen(&folder.base, "a"), b"new").expect("replaced");
        assert_eq!(mode(&path), 0o600, "the group had nothing, although everybody could read");
    }

    /// For a process in a namespace that knows only its own account and group, all other groups have one number.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_group_that_has_the_number_of_another_one_gets_no_more_than_everybody() {
        use std::os::unix::fs::chown;
        use std::process::Command;
        let in_namespace = || {
            let mut command = Command::new("unshare");
            command.args(["--user", "--map-root-user"]);
            command
        };
        let folder = TestFolder::new();
        let path = folder.file("a", "old");
        let has_groups = chown(&folder.base, None, Some(3456)).and_then(|()| chown(&path, None, Some(2345)));
        if has_groups.is_err() || !in_namespace().arg("true").status().is_ok_and(|ended| ended.success()) {
            return; // Only root may do this, and not everywhere.
        }
        set_mode(&folder.base, 0o2770);
        set_mode(&path, 0o664);
        let ended = in_namespace()
            .arg(std::env::current_exe().expect("this binary"))
            .args(["--ignored", "--exact", "--nocapture"])
            .arg("workspace::replace::tests::child_that_knows_one_group")
            .env(NAMESPACE_FOLDER, &folder.base)
            .output()
            .expect("started");
        let said = String::from_utf8_lossy(&ended.stdout);
        assert!(ended.status.success() && said.contains("it was replaced"), "{said}{ended:?}");
        let info = std::fs::metadata(&path).expect("there");
        assert_eq!((info.gid(), info.mode() & 0o777), (3456, 0o644));
    }

    #[test]
    #[cfg(target_os = "linux")]
    #[ignore = "runs as the child of another test"]
    fn child_that_knows_one_group() {
        let Some(folder) = std::env::var_os(NAMESPACE_FOLDER) else { return };
        let seen = seen(Path::new(&folder), "a");
        assert_eq!(seen.remarks, ["the file loses its group"]);
        replace(&seen, b"new").expect("replaced");
        println!("it was replaced");
    }

    /// A new file in the folder gives the user 12345 what the list of the folder says; a file that is replaced does not.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_file_without_an_access_list_gets_none_from_its_folder() {
        let folder = TestFolder::new();
        let (path, new) = (folder.file("a", "old"), folder.at("new"));
        set_mode(&path, 0o640);
        if !set_list(&folder.base, "system.posix_acl_default", (7, 0)) {
            return; // This file system has no access lists.
        }
        replace(&seen(&folder.base, "new"), b"new").expect("written");
        replace(&seen(&folder.base, "a"), b"new").expect("replaced");
        let has_list = |path: &Path| rustix::fs::getxattr(path, ACCESS_LIST, &mut [0_u8; 64][..]).is_ok();
        assert!(has_list(&new) && !has_list(&path));
        assert_eq!(mode(&path), 0o640);
    }

    #[test]
    fn a_new_file_gets_its_folders() {
        let folder = TestFolder::new();
        replace(&seen(&folder.base, "a/b/c"), b"x").expect("written");
        assert_eq!(std::fs::read(folder.at("a/b/c")).expect("read"), b"x");
    }

    #[test]
    fn several_files_are_written_or_none() {
        let folder = TestFolder::new();
        let text = |name: &str| std::fs::read_to_string(folder.at(name)).ok();
        for name in ["a", "c"] {
            folder.file(name, name);
        }
        set_mode(&folder.at("a"), 0o640);
        let names = ["a", "new/b", "new/b2", "c"];
        let seen: Vec<TargetFacts> = names.iter().map(|name| seen(&folder.base, name)).collect();
        let files = new_files(&seen);
        // The last file changes after the others have got their names.
        let mine = |at_file: usize, _: &mut Staging<'_>| {
            if at_file == 3 {
                folder.file("c", "mine");
            }
        };
        assert!(matches!(replace_with(&files, mine), Err(FileError::Changed(path)) if path.ends_with("c")));
        assert_eq!((text("a").as_deref(), text("c").as_deref()), (Some("a"), Some("mine")));
        assert_eq!((text("new/b"), text("new/b2")), (None, None));
        assert_eq!(mode(&folder.at("a")), 0o640);
        assert_eq!((entries(&folder.base), entries(&folder.at("new"))), (3, 0), "nothing is left behind");
        // Files that can't be restored are reported.
        folder.file("c", "c");
        std::fs::remove_dir(folder.at("new")).expect("removed");
        let theirs = |at_file: usize, _: &mut Staging<'_>| {
            if at_file == 3 {
                folder.file("a", "theirs");
                folder.file("c", "mine");
            }
        };
        let torn = replace_with(&files, theirs).expect_err("torn").to_string();
        assert!(torn.contains("/c changed since") && torn.contains("not put back: "), "{torn}");
        assert!(torn.ends_with("/a"), "{torn}");
        assert_eq!(text("a").as_deref(), Some("theirs"), "what others wrote is not taken away");
        folder.file("a", "a");
        folder.file("c", "c");
        std::fs::remove_dir(folder.at("new")).expect("removed");
        replace_all(&files).expect("all");
        assert!(names.iter().all(|name| text(name).as_deref() == Some("new")));
    }

    #[test]
    fn a_file_that_is_restored_is_the_file_that_it_was_or_is_told_to_be_a_copy() {
        for can_exchange in [true, false] {
            let folder = TestFolder::new();
            for name in ["a", "b"] {
                folder.file(name, name);
            }
            set_mode(&folder.at("a"), 0o4640);
            let inode = || std::fs::metadata(folder.at("a")).expect("there").ino();
            let (inode_before, mode_before) = (inode(), mode(&folder.at("a")));
            let seen: Vec<TargetFacts> = ["a", "b"].iter().map(|name| seen(&folder.base, name)).collect();
            let files = new_files(&seen);
            let why = replace_with(&files, |at_file, staging| {
                if !can_exchange {
                    staging.without_exchange();
                }
                if at_file == 1 {
                    folder.file("b", "mine");
                }
            });
            let why = why.expect_err("refused").to_string();
            assert_eq!(why.contains("new files with the old text"), !can_exchange, "{why}");
            assert_eq!(std::fs::read(folder.at("a")).expect("read"), b"a");
            assert_eq!(mode(&folder.at("a")), if can_exchange { mode_before } else { 0o640 });
            assert!(!can_exchange || inode() == inode_before);
            assert_eq!(entries(&folder.base), 2, "nothing is left behind");
        }
    }

    #[test]
    fn what_changed_since_it_was_shown_stays() {
        let folder = TestFolder::with(&[("a", "old")]);
        let (old, new) = (seen(&folder.base, "a"), seen(&folder.base, "b"));
        folder.file("a", "mine");
        folder.file("b", "mine too");
        for target in [old, new] {
            assert!(matches!(replace(&target, b"x"), Err(FileError::Changed { .. })));
        }
        assert_eq!(std::fs::read(folder.at("a")).expect("read"), b"mine");
        assert_eq!(std::fs::read(folder.at("b")).expect("read"), b"mine too");
        assert_eq!(entries(&folder.base), 2, "nothing is left behind");
    }

    #[test]
    fn a_link_that_came_in_its_place_is_not_followed() {
        let folder = TestFolder::new();
        let other = folder.file("precious", "kept");
        let target = seen(&folder.base, "a");
        std::os::unix::fs::symlink(&other, folder.at("a")).expect("linked");
        assert!(matches!(replace(&target, b"x"), Err(FileError::Changed { .. })));
        assert_eq!(std::fs::read(&other).expect("read"), b"kept");
    }
}
