//! Holds the large outputs and images of runs whose session is not stored, in a folder that is removed afterwards;
//! and removes what a killed process or a deleted session left behind.

use super::{blobs_of, disk, in_the_making};
use std::fs::{DirBuilder, File};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// The prefix of such folders in older versions.
const OLD_PREFIX: &str = "exec-";

/// The folder of a session that is not stored. Dropping this removes it.
#[derive(Debug)]
pub(crate) struct Scratch {
    session: PathBuf,
    /// While it is locked, no other process removes the folder as left behind.
    _lock: Option<File>,
}

impl Scratch {
    /// Creates the folder for the session with this id, which never gets a file. If the folder can't be created,
    /// large outputs are not kept at all.
    pub(crate) fn create(sessions: &Path, id: &str) -> Self {
        sweep(sessions);
        let session = sessions.join(format!("{id}.jsonl"));
        let blobs = blobs_of(&session);
        let made =
            DirBuilder::new().recursive(true).mode(0o700).create(&blobs).and_then(|()| File::open(&blobs));
        let lock = made.ok().filter(|folder| folder.try_lock().is_ok());
        Self { session, _lock: lock }
    }

    /// The path that the session's file would have.
    pub(super) fn session(&self) -> &Path {
        &self.session
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let blobs = blobs_of(&self.session);
        let _ = std::fs::remove_dir_all(&blobs);
        // Parent folders that were created for it are removed, too, unless they hold something else.
        let above = blobs.ancestors().skip(1).take(2);
        let _ = above.map(std::fs::remove_dir).find(Result::is_err);
    }
}

/// Removes output folders whose session is gone, and sessions whose creation was interrupted. Folders without the
/// name of a session belong to somebody else and stay.
pub fn sweep(sessions: &Path) {
    let names = |folder: &Path| -> Vec<String> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
    };
    let (files, folders) = (names(sessions), names(&sessions.join("blobs")));
    super::redact::sweep(sessions, files.iter().chain(&folders).map(String::as_str));
    for name in files {
        let path = sessions.join(&name);
        let is_part = path.file_stem().is_some_and(|stem| in_the_making(Path::new(stem)) == Path::new(&name));
        // The process that is creating it holds the lock.
        if is_part && let Ok(_locked) = disk::open_locked(&path) {
            std::fs::remove_file(&path).ok();
        }
    }
    for name in folders {
        let folder = sessions.join("blobs").join(&name);
        let is_session = uuid::Uuid::parse_str(name.strip_prefix(OLD_PREFIX).unwrap_or(&name)).is_ok();
        let is_folder = std::fs::symlink_metadata(&folder).is_ok_and(|info| info.is_dir());
        if !is_session
            || !is_folder
            || sessions.join(format!("{name}.jsonl")).exists()
            || in_the_making(&sessions.join(&name)).exists()
        {
            continue;
        }
        // A process that works in it holds the lock: a session that has no file yet may have a folder for packages
        // already.
        let Ok(lock) = File::open(&folder) else { continue };
        if lock.try_lock().is_ok() && std::fs::remove_dir_all(&folder).is_err() {
            tracing::warn!(folder = %folder.display(), "outputs of a removed session can't be removed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_of_it_and_what_others_left_is_removed() {
        let home = tempfile::tempdir().expect("a folder");
        let sessions = home.path().join("sessions");
        let id = |n: u128| uuid::Uuid::from_u128(n).to_string();
        let (left, kept, old) = (id(1), id(2), format!("exec-{}", id(3)));
        let blobs = sessions.join("blobs");
        std::fs::create_dir_all(blobs.join(id(6)).join("packages/bin")).expect("made");
        let used = blobs.join(id(7));
        std::fs::create_dir_all(used.join("packages/bin")).expect("made");
        let held = File::open(&used).expect("there");
        held.try_lock().expect("locked");
        for folder in [&left, &kept, &old, "someone's"] {
            crate::test_folder::write(&blobs.join(folder).join("run-1.out"), "much");
        }
        std::fs::write(sessions.join(format!("{kept}.jsonl")), "").expect("written");
        let first = Scratch::create(&sessions, &id(4));
        let second = Scratch::create(&sessions, &id(5));
        let there = || {
            let all = std::fs::read_dir(sessions.join("blobs")).expect("there").flatten();
            let mut names: Vec<_> = all.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
            names.sort();
            names
        };
        assert_eq!(there(), [kept.clone(), id(4), id(5), id(7), "someone's".into()]);
        // Unlocks explicitly: a program that another test starts at this moment holds a copy of the lock, so closing
        // the file would not release it.
        held.unlock().expect("let go");
        sweep(&sessions);
        assert_eq!(there(), [kept.clone(), id(4), id(5), "someone's".into()]);
        std::fs::write(blobs_of(first.session()).join("run-1.out"), "much").expect("written");
        drop((first, second));
        assert_eq!(there(), [kept, "someone's".to_owned()]);
    }

    #[test]
    fn folders_that_were_made_for_it_go_with_it() {
        let home = tempfile::tempdir().expect("a folder");
        drop(Scratch::create(&home.path().join("data/sessions"), &uuid::Uuid::from_u128(1).to_string()));
        assert!(!home.path().join("data/sessions").exists());
    }
}
