//! The private folder of a session, or of one installation: what its programs see as `/tmp` and as the writable parts
//! of their home. It is removed at the end; the next sayso removes what a killed one left behind.

use super::error::SandboxError;
use crate::launch::PrivateFolder;
use crate::launch::private_folder::temporary_folder;
use crate::text::system_error::words;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// The writable parts of the home, for caches and settings of programs. The home folder itself is not writable, so that
/// nobody saves a file there that would be lost.
pub(super) const HOME_PARTS: [&str; 3] = [".cache", ".config", ".local"];

#[derive(Debug)]
pub(in crate::exec) struct Scratch(PrivateFolder);

impl Scratch {
    /// Makes the folder in the system's temporary folder.
    ///
    /// # Errors
    /// When it can't be made: then nothing runs.
    pub(super) fn of_session() -> Result<Self, SandboxError> {
        Self::for_session_in(&temporary_folder())
    }

    fn for_session_in(parent: &Path) -> Result<Self, SandboxError> {
        Self::make(parent).map_err(|error| SandboxError::NoPrivateFolder(parent.into(), words(&error)))
    }

    /// Makes the folder in `parent`.
    ///
    /// # Errors
    /// When it can't be made.
    pub(super) fn make(parent: &Path) -> io::Result<Self> {
        let make = |path: &Path| DirBuilder::new().mode(0o700).create(path);
        let made = Self(PrivateFolder::make_in(parent)?);
        for part in [made.tmp(), made.home(), made.outside()] {
            make(&part)?;
        }
        for part in HOME_PARTS {
            make(&made.home().join(part))?;
        }
        Ok(made)
    }

    /// What programs see as `/tmp`.
    pub(super) fn tmp(&self) -> PathBuf {
        self.0.path().join("tmp")
    }

    /// What programs see as their home.
    pub(super) fn home(&self) -> PathBuf {
        self.0.path().join("home")
    }

    /// A folder that no program may reach; the self-test tries to.
    pub(super) fn outside(&self) -> PathBuf {
        self.0.path().join("outside")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::{mode, set_mode};
    use std::fs;

    #[test]
    fn who_starts_beside_others_keeps_its_folder() {
        let parent = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let scratch = Scratch::make(parent.path()).unwrap();
                        assert!(scratch.home().join(".cache").is_dir() && scratch.tmp().is_dir());
                    }
                });
            }
        });
    }

    /// Such an error is none of a level that can't be had, after which runs would have no sandbox.
    #[test]
    fn where_it_can_not_be_made_nothing_runs() {
        let parent = tempfile::tempdir().unwrap();
        let gone = parent.path().join("gone");
        let why = Scratch::for_session_in(&gone).unwrap_err();
        assert!(matches!(&why, SandboxError::NoPrivateFolder(place, _) if *place == gone), "{why:?}");
        assert!(why.to_string().contains("let TMPDIR name another folder"), "{why}");
    }

    #[test]
    fn it_is_private_and_goes_with_its_owner() {
        let parent = tempfile::tempdir().unwrap();
        let scratch = Scratch::make(parent.path()).unwrap();
        assert_eq!(mode(scratch.tmp().parent().unwrap()), 0o700);
        let hidden = scratch.tmp().join("deep/er");
        fs::create_dir_all(&hidden).unwrap();
        set_mode(hidden.parent().unwrap(), 0o000);
        drop(scratch);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }
}
