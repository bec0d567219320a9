//! Private folders for what does not outlive sayso: what its programs see as `/tmp`, sockets of kernels, texts that are built
//! or edited. Each is locked as long as somebody uses it; what a killed sayso left behind is removed by the next one.
//!
//! Nothing is removed that is locked, that belongs to another account, or that is called otherwise, and no link is followed.

use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::io::{FdFlags, fcntl_setfd};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

const NAME: &str = "sayso-";
/// Behind it, so many letters and digits that nobody can know before.
const DIGITS: usize = 16;
const LOCK: &str = "lock";
/// So often one is made anew where it is gone at once.
const ATTEMPTS: u32 = 5;
/// At most so many leftovers are looked at.
const SWEPT: usize = 256;

/// A folder that only this account can enter. Dropping it removes it.
#[derive(Debug)]
pub struct PrivateFolder {
    path: PathBuf,
    /// Held as long as this process lives; tells others that the folder is in use.
    lock: File,
}

impl PrivateFolder {
    /// Makes one where files for a while belong.
    ///
    /// # Errors
    /// When it can't be made.
    pub fn make() -> io::Result<Self> {
        Self::make_in(&std::env::temp_dir())
    }

    /// Makes one in this folder.
    ///
    /// # Errors
    /// When it can't be made.
    pub fn make_in(parent: &Path) -> io::Result<Self> {
        let parent = fs::canonicalize(parent)?;
        let mut made = Self::make_one(&parent);
        for _ in 1..ATTEMPTS {
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
        let path = made.prefix(NAME).rand_bytes(DIGITS).permissions(private).tempdir_in(parent)?.keep();
        let lock = File::create_new(path.join(LOCK))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        if lock.metadata()?.nlink() == 0 {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(Self { path, lock })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// From now on the folder stays in use as long as programs live that are started: they work in it, also without sayso.
    pub fn lend(&self) {
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
pub fn sweep() {
    sweep_in(&std::env::temp_dir());
}

fn sweep_in(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    let own = rustix::process::getuid().as_raw();
    let ours = entries.filter_map(|entry| {
        let path = entry.ok()?.path();
        let digits = path.file_name()?.to_str()?.strip_prefix(NAME)?;
        let is_name = digits.len() == DIGITS && digits.bytes().all(|b| b.is_ascii_alphanumeric());
        let meta = is_name.then(|| fs::symlink_metadata(&path).ok()).flatten()?;
        (meta.is_dir() && meta.uid() == own).then_some(path)
    });
    for folder in ours.take(SWEPT) {
        // One without a lock is being made right now. What lies there in its place is not waited for.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let Ok(lock) = rustix::fs::open(folder.join(LOCK), flags, Mode::empty()) else { continue };
        if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok() {
            remove(&folder);
        }
    }
}

/// Removes a folder, also when a program took away the right to look into parts of it. Links are not followed.
fn remove(folder: &Path) {
    if fs::remove_dir_all(folder).is_ok() {
        return;
    }
    let mut todo = vec![folder.to_owned()];
    while let Some(path) = todo.pop() {
        let _ = fs::set_permissions(&path, fs::Permissions::from_mode(0o700));
        let inner = fs::read_dir(&path).into_iter().flatten().filter_map(Result::ok);
        todo.extend(inner.filter(|e| e.file_type().is_ok_and(|t| t.is_dir())).map(|e| e.path()));
    }
    let _ = fs::remove_dir_all(folder);
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
    fn it_stays_in_use_as_long_as_a_program_that_was_given_it() {
        let parent = tempfile::tempdir().unwrap();
        let folder = PrivateFolder::make_in(parent.path()).unwrap();
        folder.lend();
        let held = rustix::io::fcntl_getfd(&folder.lock).unwrap();
        assert!(!held.contains(FdFlags::CLOEXEC));
    }
}
