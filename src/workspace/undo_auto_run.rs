//! Restores auto-run files to their state before a run, from copies that were made before it, and only if a file is
//! still as the run left it. Folders are held open on the way, and links are not followed.

use super::FileError;
use super::access::Access;
use super::held_path::{Folder, HeldPath};
use super::read::{open_plain, whole};
use super::staging::Staging;
use super::stamp::FileStamp;
use rustix::fs::{AtFlags, Mode, OFlags, symlinkat, unlinkat};
use std::fs::{File, Metadata};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MAX_COPY_BYTES: u64 = 256 << 10;

/// A copy of what a name referred to.
#[derive(Clone, Debug)]
pub(super) enum EntryCopy {
    /// A file's bytes and rights.
    File(Arc<[u8]>, Access),
    /// A link's target.
    Link(PathBuf),
}

impl EntryCopy {
    /// Copies what is at a path now; `None` if it is too large, or neither a file nor a link.
    pub(super) fn of(path: &Path, info: &Metadata) -> Option<Self> {
        if info.is_symlink() {
            return std::fs::read_link(path).ok().map(EntryCopy::Link);
        }
        if !info.is_file() || info.len() > MAX_COPY_BYTES {
            return None;
        }
        let file = open_plain(path, OFlags::NOFOLLOW).ok()?;
        let access = Access::of(&file).ok()?;
        let bytes = whole(file, path, MAX_COPY_BYTES).ok()?;
        Some(EntryCopy::File(bytes.into(), access))
    }

    /// The bytes of the copy, for the limit on all copies together.
    pub(super) fn size(&self) -> usize {
        match self {
            EntryCopy::File(bytes, _) => bytes.len(),
            EntryCopy::Link(_) => 0,
        }
    }
}

/// A change that can be taken back.
#[derive(Clone, Debug)]
pub(crate) struct RevertibleChange {
    pub(crate) path: PathBuf,
    /// The file before the run; `None` if it did not exist.
    pub(super) before: Option<EarlierFile>,
    /// The file as the run left it; `None` if it does not exist any more.
    pub(super) after: Option<FileStamp>,
}

#[derive(Clone, Debug)]
pub(super) enum EarlierFile {
    Kept(EntryCopy),
    /// No copy was made: the file was too large, or could not be read.
    NotKept,
}

impl RevertibleChange {
    /// Restores the file.
    ///
    /// # Errors
    /// When the file changed since the run, no copy was made, or the system refuses.
    pub(crate) fn undo(&self) -> Result<(), FileError> {
        let copy = match &self.before {
            Some(EarlierFile::NotKept) => return Err(FileError::NoCopy),
            Some(EarlierFile::Kept(copy)) => Some(copy),
            None => None,
        };
        if !self.is_as_left() {
            return Err(FileError::ChangedSince);
        }
        self.restore(copy)
    }

    fn is_as_left(&self) -> bool {
        match (std::fs::symlink_metadata(&self.path), &self.after) {
            (Ok(info), Some(after)) => FileStamp::of(&info).is_same_file(after),
            (Err(error), None) => error.kind() == io::ErrorKind::NotFound,
            _ => false,
        }
    }

    fn restore(&self, copy: Option<&EntryCopy>) -> Result<(), FileError> {
        let failed = |error: io::Error| FileError::io(&self.path, &error);
        let nowhere = || failed(io::ErrorKind::NotFound.into());
        let (name, parent) =
            (self.path.file_name().ok_or_else(nowhere)?, self.path.parent().ok_or_else(nowhere)?);
        let folder = match (Folder::find(parent), copy) {
            (Ok(folder), _) if folder.path() != parent => {
                return Err(FileError::Changed(self.path.clone()));
            }
            (Ok(folder), _) => folder.file().try_clone().map_err(failed)?,
            // The folder was deleted with the file.
            (Err(_), Some(_)) => HeldPath::find(&self.path)?.make_folders()?,
            (Err(error), None) => return Err(error),
        };
        let folder = &folder;
        match copy {
            None => remove(folder, name).map_err(failed),
            Some(EntryCopy::Link(to)) => {
                remove(folder, name).map_err(failed)?;
                symlinkat(to, folder, name).map_err(|errno| failed(errno.into()))
            }
            Some(EntryCopy::File(bytes, access)) => {
                let mut staging = Staging::new(folder, Mode::from_raw_mode(0o600)).map_err(failed)?;
                staging.file().write_all(bytes).map_err(failed)?;
                access.give(staging.file()).map_err(failed)?;
                staging.file().sync_all().map_err(failed)?;
                remove(folder, name).map_err(failed)?;
                staging.take_free(name).map_err(failed)
            }
        }
    }
}

fn remove(folder: &File, name: &std::ffi::OsStr) -> io::Result<()> {
    match unlinkat(folder, name, AtFlags::empty()) {
        Ok(()) | Err(rustix::io::Errno::NOENT) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::auto_run::tests::of;
    use super::*;
    use crate::test_folder::{TestFolder, mode};
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn all_that_a_run_did_to_obeyed_names_is_taken_back() {
        let folder = TestFolder::new();
        folder.program(".git/hooks/pre-commit", "mine");
        folder.file(".vscode/tasks.json", "mine");
        symlink("/dev/null", folder.at(".zshenv")).expect("linked");
        let before = of(&folder.base);
        // Does what a run might do.
        for name in [".git/hooks/pre-commit", ".git/commondir"] {
            folder.file(name, "evil");
        }
        symlink("/bin/sh", folder.at(".envrc")).expect("linked");
        fs::remove_file(folder.at(".zshenv")).expect("removed");
        fs::remove_dir_all(folder.at(".vscode")).expect("removed");
        folder.file("Makefile", "all:");
        let changes = before.rescan().revertible(&before);
        assert_eq!(changes.len(), 5, "{changes:?}");
        for change in &changes {
            assert_eq!(change.undo(), Ok(()), "{change:?}");
        }
        let read = |name: &str| fs::read_to_string(folder.at(name)).expect("there");
        let expected = ("mine".into(), "mine".into());
        assert_eq!((read(".git/hooks/pre-commit"), read(".vscode/tasks.json")), expected);
        assert_eq!(mode(&folder.at(".git/hooks/pre-commit")), 0o755);
        assert_eq!(fs::read_link(folder.at(".zshenv")).expect("a link"), Path::new("/dev/null"));
        assert!(!folder.at(".git/commondir").exists() && fs::symlink_metadata(folder.at(".envrc")).is_err());
        assert!(folder.at("Makefile").exists(), "code of the project is left alone");
    }

    /// The list gives another user `rw-` and the group nothing, and the mode shows `rw-` for the group.
    #[test]
    #[cfg(target_os = "linux")]
    fn without_its_access_list_a_file_gives_its_group_no_more_than_everybody() {
        use super::super::access::{ACCESS_LIST, tests::set_list};
        let folder = TestFolder::new();
        let path = folder.file(".envrc", "mine");
        if !set_list(&path, ACCESS_LIST, (6, 0)) {
            return; // This file system has no access lists.
        }
        assert_eq!(mode(&path), 0o660);
        let before = of(&folder.base);
        fs::write(&path, "evil").expect("written");
        let changes = before.rescan().revertible(&before);
        assert_eq!(changes.iter().map(RevertibleChange::undo).collect::<Vec<_>>(), [Ok(())]);
        assert_eq!((fs::read_to_string(&path).expect("there"), mode(&path)), ("mine".to_owned(), 0o600));
    }

    #[test]
    fn what_changed_since_or_was_never_kept_stays_as_it_is() {
        let folder = TestFolder::new();
        folder.file(".bashrc", &"x".repeat(usize::try_from(MAX_COPY_BYTES).expect("a size") + 1));
        let before = of(&folder.base);
        for name in [".envrc", ".bashrc"] {
            folder.file(name, "evil");
        }
        let changes = before.rescan().revertible(&before);
        fs::write(folder.at(".envrc"), "mine by now").expect("written");
        let told: Vec<_> = changes.iter().map(RevertibleChange::undo).collect();
        assert_eq!(told, [Err(FileError::NoCopy), Err(FileError::ChangedSince)]);
        assert_eq!(fs::read_to_string(folder.at(".envrc")).expect("there"), "mine by now");
    }

    #[test]
    fn nothing_is_put_back_through_a_link() {
        let folder = TestFolder::new();
        fs::create_dir(folder.at("outside")).expect("made");
        folder.file("work/.vscode/a.json", "mine");
        let before = of(&folder.at("work"));
        fs::remove_dir_all(folder.at("work/.vscode")).expect("removed");
        symlink(folder.at("outside"), folder.at("work/.vscode")).expect("linked");
        let changes = before.rescan().revertible(&before);
        let lost = changes.iter().find(|change| change.path.ends_with("a.json")).expect("told");
        assert!(lost.undo().is_err());
        assert!(!folder.at("outside/a.json").exists());
    }
}
