//! Private folders for what does not outlive sayso: what its programs see as `/tmp`, sockets of kernels, texts that are built
//! or edited. Each is locked as long as somebody uses it; what a killed sayso left behind is removed by the next one.
//!
//! Nothing is removed that is locked, that belongs to another account, or that is called otherwise, and no link is followed.

use rustix::fs::{FileType, FlockOperation, Mode, OFlags, flock};
use rustix::io::{Errno, FdFlags, fcntl_setfd};
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

const NAME_PREFIX: &str = "sayso-";
/// Behind it, so many letters and digits that nobody can know before.
const RANDOM_LENGTH: usize = 16;
const LOCK: &str = "lock";
/// So often one is made anew where it is gone at once.
const MAX_ATTEMPTS: u32 = 5;
const MAX_LEFTOVERS: usize = 256;
/// A folder that has no lock for so long is not being made.
const MAX_UNLOCKED_AGE: Duration = Duration::from_secs(3600);
/// So deep folders are looked into that nobody may look into.
const MAX_DEPTH: usize = 64;
/// Names a folder, and is no right to read it; never what a link leads to.
const HANDLE_FLAGS: OFlags =
    OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// A folder that only this account can enter. Dropping it removes it.
#[derive(Debug)]
pub(crate) struct PrivateFolder {
    path: PathBuf,
    /// Held as long as this process lives; tells others that the folder is in use.
    lock: File,
}

impl PrivateFolder {
    /// Makes one where files for a while belong.
    ///
    /// # Errors
    /// When it can't be made.
    pub(crate) fn make() -> io::Result<Self> {
        Self::make_in(&std::env::temp_dir())
    }

    /// Makes one in this folder.
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
            // Another sayso that starts now may have taken it for one that is left over: its lock was not held yet.
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

    /// From now on the folder stays in use as long as programs live that are started: they work in it, also without sayso.
    pub(crate) fn lend(&self) {
        // Where that can't be, it goes with sayso.
        let _ = fcntl_setfd(&self.lock, FdFlags::empty());
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// Removes what processes that are gone have left where files for a while belong.
pub(crate) fn sweep() {
    sweep_in(&std::env::temp_dir());
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
        // What lies there in place of the lock is not waited for.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        match rustix::fs::open(folder.join(LOCK), flags, Mode::empty()) {
            Ok(lock) if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok() => remove(&folder),
            // One without a lock is being made, or its removal was broken off.
            Err(Errno::NOENT)
                if changed.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > MAX_UNLOCKED_AGE)) =>
            {
                remove(&folder);
            }
            _ => {}
        }
    }
}

/// Removes a folder, also when a program took away the right to look into parts of it. Links are not followed.
fn remove(folder: &Path) {
    if fs::remove_dir_all(folder).is_ok() {
        return;
    }
    if let Ok(handle) = rustix::fs::open(folder, HANDLE_FLAGS, Mode::empty()) {
        let _ = open_up(&handle, MAX_DEPTH);
    }
    let _ = fs::remove_dir_all(folder);
}

/// Gives the right to look into a folder and all below it, by handles alone: whoever puts a link in the place of one
/// meanwhile changes nothing.
fn open_up(handle: &OwnedFd, depth: usize) -> io::Result<()> {
    // A handle gives no right to change what it names but by this name, which leads to nothing else.
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
    use std::os::unix::fs::symlink;

    #[test]
    fn what_a_killed_process_left_is_swept_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let at = |name: &str| parent.path().join(name);
        let living = PrivateFolder::make_in(parent.path()).unwrap();
        let left = at("sayso-0123456789abcdef");
        fs::create_dir(&left).unwrap();
        fs::write(left.join(LOCK), "").unwrap();
        // Of somebody else, or being made right now.
        let kept = ["sayso-notes", "sayso-0123456789abcde", "sayso-0123456789abcdeg", "other"];
        for name in kept {
            fs::create_dir(at(name)).unwrap();
        }
        fs::write(at("sayso-notes").join(LOCK), "").unwrap();
        // A link, a lock that is one, and a pipe in its place, on which a plain look would wait for ever.
        symlink(at("other"), at("sayso-1123456789abcdef")).unwrap();
        fs::write(at("other").join(LOCK), "").unwrap();
        fs::create_dir(at("sayso-2123456789abcdef")).unwrap();
        symlink(at("other").join(LOCK), at("sayso-2123456789abcdef").join(LOCK)).unwrap();
        // A link in what goes leads to nothing that does.
        symlink(at("other"), left.join("away")).unwrap();
        sweep_in(parent.path());
        assert!(!left.exists());
        assert!(living.path().join(LOCK).exists());
        assert!(kept.iter().all(|name| at(name).is_dir()));
        assert!(at("other").join(LOCK).exists() && at("sayso-2123456789abcdef").is_dir());
    }

    #[test]
    fn what_nobody_may_look_into_goes_too_and_no_link_is_opened_up() {
        let parent = tempfile::tempdir().unwrap();
        let other = parent.path().join("other");
        fs::create_dir(&other).unwrap();
        fs::set_permissions(&other, fs::Permissions::from_mode(0o500)).unwrap();
        let left = parent.path().join("left");
        fs::create_dir_all(left.join("a/b/c")).unwrap();
        symlink(&other, left.join("a/away")).unwrap();
        for shut in ["a/b/c", "a/b"] {
            fs::set_permissions(left.join(shut), fs::Permissions::from_mode(0o0)).unwrap();
        }
        let handle = rustix::fs::open(&left, HANDLE_FLAGS, Mode::empty()).unwrap();
        open_up(&handle, MAX_DEPTH).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&left.join("a/b/c")), mode(&other)), (0o700, 0o500));
        remove(&left);
        assert!(!left.exists() && other.exists());
    }

    #[test]
    fn one_whose_removal_was_broken_off_goes_after_a_while() {
        let parent = tempfile::tempdir().unwrap();
        let left = parent.path().join("sayso-0123456789abcdef");
        fs::create_dir(&left).unwrap();
        sweep_in(parent.path());
        assert!(left.exists(), "it may be being made");
        let before = std::time::SystemTime::now() - MAX_UNLOCKED_AGE * 2;
        File::open(&left).unwrap().set_modified(before).unwrap();
        sweep_in(parent.path());
        assert!(!left.exists());
    }

    #[test]
    fn it_stays_in_use_as_long_as_a_program_that_was_given_it() {
        let parent = tempfile::tempdir().unwrap();
        let folder = PrivateFolder::make_in(parent.path()).unwrap();
        folder.lend();
        let held = rustix::io::fcntl_getfd(&folder.lock).unwrap();
        assert!(!held.contains(FdFlags::CLOEXEC));
    }
}
