//! The private folder of a session: what its programs see as `/tmp` and as the writable parts of their home. Removed at
//! the end; what a killed sayso left behind is removed by the next one.

use crate::exec::blob::random;
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

const NAME: &str = "sayso-";
const LOCK: &str = "lock";
/// Parts of the home that can be written: caches and settings of programs. Its top can't be, so that nothing is lost
/// that was meant to be kept.
pub(super) const HOME_PARTS: [&str; 3] = [".cache", ".config", ".local"];
/// So often one is made anew where it is gone at once.
const ATTEMPTS: u32 = 5;
/// At most so many leftovers are looked at.
const SWEPT: usize = 256;

/// The folder. Dropping it removes it.
#[derive(Debug)]
pub(super) struct Scratch {
    folder: PathBuf,
    /// Held as long as this process lives; tells others that the folder is in use.
    _lock: File,
}

impl Scratch {
    /// Makes one in this folder, and removes those that nobody uses any more.
    ///
    /// # Errors
    /// When it can't be made.
    pub(super) fn make(parent: &Path) -> io::Result<Self> {
        sweep(parent);
        let mut made = Self::make_one(parent);
        for _ in 1..ATTEMPTS {
            if made.is_ok() {
                break;
            }
            // Another sayso that starts now may have taken it for one that is left over: its lock was not held yet.
            made = Self::make_one(parent);
        }
        made
    }

    fn make_one(parent: &Path) -> io::Result<Self> {
        let mark = random::<8>().map_err(io::Error::other)?;
        let mark = mark.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
        let folder = fs::canonicalize(parent)?.join(format!("{NAME}{mark}"));
        let make = |path: &Path| DirBuilder::new().mode(0o700).create(path);
        make(&folder)?;
        let lock = File::create_new(folder.join(LOCK))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        if lock.metadata()?.nlink() == 0 {
            return Err(io::ErrorKind::NotFound.into());
        }
        let made = Self { folder, _lock: lock };
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
        self.folder.join("tmp")
    }

    /// What programs see as their home.
    pub(super) fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    /// A place that no program may reach: what the self-test tries.
    pub(super) fn outside(&self) -> PathBuf {
        self.folder.join("outside")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove(&self.folder);
    }
}

/// Removes folders of processes that are gone.
fn sweep(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    let own = rustix::process::getuid().as_raw();
    let ours = entries.filter_map(|entry| {
        let path = entry.ok()?.path();
        let name = path.file_name()?.to_str()?.strip_prefix(NAME)?;
        let is_name = name.len() == 16 && name.bytes().all(|b| b.is_ascii_hexdigit());
        let meta = fs::symlink_metadata(&path).ok()?;
        (is_name && meta.is_dir() && meta.uid() == own).then_some(path)
    });
    for folder in ours.take(SWEPT) {
        // One without a lock is being made right now.
        let Ok(lock) = File::open(folder.join(LOCK)) else { continue };
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

    #[test]
    fn it_is_private_and_goes_with_its_owner() {
        let parent = tempfile::tempdir().unwrap();
        let scratch = Scratch::make(parent.path()).unwrap();
        let mode = fs::metadata(scratch.tmp().parent().unwrap()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        let hidden = scratch.tmp().join("deep/er");
        fs::create_dir_all(&hidden).unwrap();
        fs::set_permissions(hidden.parent().unwrap(), fs::Permissions::from_mode(0o000)).unwrap();
        drop(scratch);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_a_killed_process_left_is_swept_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let living = Scratch::make(parent.path()).unwrap();
        let left = parent.path().join("sayso-0123456789abcdef");
        fs::create_dir(&left).unwrap();
        fs::write(left.join(LOCK), "").unwrap();
        fs::create_dir(parent.path().join("sayso-notes")).unwrap();
        let other = Scratch::make(parent.path()).unwrap();
        assert!(!left.exists());
        assert!(living.tmp().exists() && other.tmp().exists() && parent.path().join("sayso-notes").exists());
    }
}
