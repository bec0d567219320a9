//! Private folders for data that does not outlive sayso: what its programs see as `/tmp`, sockets of kernels, texts
//! that are built or edited. Each is locked while in use. A later sayso removes what a killed one left behind.
//!
//! Never removes a folder that is locked, belongs to another account or has another kind of name, and never follows a
//! link.

use rustix::fs::{FileType, FlockOperation, Mode, OFlags, flock};
use rustix::io::{Errno, FdFlags, fcntl_setfd};
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

const NAME_PREFIX: &str = "sayso-";
/// Number of random characters after the prefix, so that nobody can guess the name.
const RANDOM_LENGTH: usize = 16;
const LOCK: &str = "lock";
/// How often to try again when another sayso removed the new folder before it was locked.
const MAX_ATTEMPTS: u32 = 5;
const MAX_LEFTOVERS: usize = 256;
/// An unlocked folder older than this is not being made any more, so it can be removed.
const MAX_UNLOCKED_AGE: Duration = Duration::from_secs(3600);
/// How deep `open_up` descends.
const MAX_DEPTH: usize = 64;
/// Opens a handle that names a folder without reading it, and never follows a link.
const HANDLE_FLAGS: OFlags =
    OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// A folder that only this account can enter. Dropping it removes it.
#[derive(Debug)]
pub(crate) struct PrivateFolder {
    path: PathBuf,
    /// Stays open and locked while this process lives, which shows others that the folder is in use.
    lock: File,
}

impl PrivateFolder {
    /// Makes a private folder in the system's temporary folder.
    ///
    /// # Errors
    /// When it can't be made.
    pub(crate) fn make() -> io::Result<Self> {
        Self::make_in(&temporary_folder())
    }

    /// Makes a private folder in `parent`.
    ///
    /// # Errors
    /// When it can't be made.
    pub(crate) fn make_in(parent: &Path) -> io::Result<Self> {
        let parent = fs::canonicalize(parent)?;
        let mut made = Self::make_one(&parent);
        for _ in 1..MAX_ATTEMPTS {
            if made.is_ok() {
                break;
            }
            // Another sayso that is starting may have removed it as a leftover before its lock was held.
            made = Self::make_one(&parent);
        }
        made
    }

    fn make_one(parent: &Path) -> io::Result<Self> {
        let private = fs::Permissions::from_mode(0o700);
        let mut made = tempfile::Builder::new();
        let folder =
            made.prefix(NAME_PREFIX).rand_bytes(RANDOM_LENGTH).permissions(private).tempdir_in(parent)?;
        let lock = File::create_new(folder.path().join(LOCK))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        if lock.metadata()?.nlink() == 0 {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(Self { path: folder.keep(), lock })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// From now on, processes that are started inherit the lock, so the folder counts as in use while they live, even
    /// after sayso ends.
    pub(crate) fn lend(&self) {
        // If this fails, the folder is removed when sayso ends.
        let _ = fcntl_setfd(&self.lock, FdFlags::empty());
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// The system's temporary folder. An empty `TMPDIR` names none, as for other programs.
pub(crate) fn temporary_folder() -> PathBuf {
    named_or_usual(std::env::temp_dir())
}

fn named_or_usual(named: PathBuf) -> PathBuf {
    if named.as_os_str().is_empty() { "/tmp".into() } else { named }
}

/// Removes the private folders of processes that have ended from the system's temporary folder.
pub(crate) fn sweep() {
    sweep_in(&temporary_folder());
}

fn sweep_in(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    let own = rustix::process::getuid().as_raw();
    let ours = entries.filter_map(|entry| {
        let path = entry.ok()?.path();
        let digits = path.file_name()?.to_str()?.strip_prefix(NAME_PREFIX)?;
        let is_name = digits.len() == RANDOM_LENGTH && digits.bytes().all(|b| b.is_ascii_alphanumeric());
        let meta = is_name.then(|| fs::symlink_metadata(&path).ok()).flatten()?;
        (meta.is_dir() && meta.uid() == own).then(|| (path, meta.modified()))
    });
    for (folder, changed) in ours.take(MAX_LEFTOVERS) {
        // NONBLOCK: something else in place of the lock, such as a pipe, must not block this.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        match rustix::fs::open(folder.join(LOCK), flags, Mode::empty()) {
            Ok(lock) if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok() => remove(&folder),
            // A folder without a lock is being made, or its removal was interrupted.
            Err(Errno::NOENT)
                if changed.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > MAX_UNLOCKED_AGE)) =>
            {
                remove(&folder);
            }
            _ => {}
        }
    }
}

/// Removes a folder, even if a program took away the permission to list parts of it. Does not follow links.
fn remove(folder: &Path) {
    if fs::remove_dir_all(folder).is_ok() {
        return;
    }
    if let Ok(handle) = rustix::fs::open(folder, HANDLE_FLAGS, Mode::empty()) {
        let _ = open_up(&handle, MAX_DEPTH);
    }
    let _ = fs::remove_dir_all(folder);
}

/// Makes a folder and everything below it listable. Works on handles only, so a link that is put in place of a folder
/// meanwhile has no effect.
fn open_up(handle: &OwnedFd, depth: usize) -> io::Result<()> {
    // An `O_PATH` handle allows changes only by this name, which can't lead anywhere else.
    let name = format!("/proc/self/fd/{}", handle.as_raw_fd());
    fs::set_permissions(name, fs::Permissions::from_mode(0o700))?;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let listed = rustix::fs::openat(handle, ".", flags, Mode::empty())?;
    for entry in rustix::fs::Dir::read_from(&listed)?.flatten() {
        let is_own = [c".", c".."].contains(&entry.file_name());
        let may_be_folder = matches!(entry.file_type(), FileType::Directory | FileType::Unknown);
        if is_own || depth == 0 || !may_be_folder {
            continue;
        }
        if let Ok(inner) = rustix::fs::openat(handle, entry.file_name(), HANDLE_FLAGS, Mode::empty()) {
            let _ = open_up(&inner, depth - 1);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::{TestFolder, mode, set_mode};
    use std::os::unix::fs::symlink;

    #[test]
    fn an_empty_name_names_no_temporary_folder() {
        assert_eq!(named_or_usual(PathBuf::new()), Path::new("/tmp"));
        assert_eq!(named_or_usual("/var/tmp".into()), Path::new("/var/tmp"));
    }

    #[test]
    fn what_a_killed_process_left_is_swept_and_nothing_else() {
        let parent = TestFolder::new();
        let at = |name: &str| parent.at(name);
        let living = PrivateFolder::make_in(&parent.base).unwrap();
        parent.file("sayso-0123456789abcdef/lock", "");
        let left = at("sayso-0123456789abcdef");
        // Not made by sayso, or being made right now.
        let kept = ["sayso-notes", "sayso-0123456789abcde", "sayso-0123456789abcdeg", "other"];
        for name in kept {
            fs::create_dir(at(name)).unwrap();
        }
        parent.file("sayso-notes/lock", "");
        // A link, a folder whose lock is a link, and one with a pipe in place of the lock, on which a plain open would
        // block.
        symlink(at("other"), at("sayso-1123456789abcdef")).unwrap();
        parent.file("other/lock", "");
        fs::create_dir(at("sayso-2123456789abcdef")).unwrap();
        symlink(at("other").join(LOCK), at("sayso-2123456789abcdef").join(LOCK)).unwrap();
        // A link inside a removed folder: its target must stay.
        symlink(at("other"), left.join("away")).unwrap();
        sweep_in(&parent.base);
        assert!(!left.exists());
        assert!(living.path().join(LOCK).exists());
        assert!(kept.iter().all(|name| at(name).is_dir()));
        assert!(at("other").join(LOCK).exists() && at("sayso-2123456789abcdef").is_dir());
    }

    #[test]
    fn what_nobody_may_look_into_goes_too_and_no_link_is_opened_up() {
        let parent = TestFolder::new();
        let (other, left) = (parent.at("other"), parent.at("left"));
        fs::create_dir(&other).unwrap();
        set_mode(&other, 0o500);
        fs::create_dir_all(left.join("a/b/c")).unwrap();
        symlink(&other, left.join("a/away")).unwrap();
        for shut in ["a/b/c", "a/b"] {
            set_mode(&left.join(shut), 0o0);
        }
        let handle = rustix::fs::open(&left, HANDLE_FLAGS, Mode::empty()).unwrap();
        open_up(&handle, MAX_DEPTH).unwrap();
        assert_eq!((mode(&left.join("a/b/c")), mode(&other)), (0o700, 0o500));
        remove(&left);
        assert!(!left.exists() && other.exists());
    }

    #[test]
    fn one_whose_removal_was_broken_off_goes_after_a_while() {
        let parent = TestFolder::new();
        let left = parent.at("sayso-0123456789abcdef");
        fs::create_dir(&left).unwrap();
        sweep_in(&parent.base);
        assert!(left.exists(), "it may be being made");
        let before = std::time::SystemTime::now() - MAX_UNLOCKED_AGE * 2;
        File::open(&left).unwrap().set_modified(before).unwrap();
        sweep_in(&parent.base);
        assert!(!left.exists());
    }

    #[test]
    fn it_stays_in_use_as_long_as_a_program_that_was_given_it() {
        let parent = TestFolder::new();
        let folder = PrivateFolder::make_in(&parent.base).unwrap();
        folder.lend();
        let held = rustix::io::fcntl_getfd(&folder.lock).unwrap();
        assert!(!held.contains(FdFlags::CLOEXEC));
    }
}
