//! Creates and opens session files and their folders: private, never through a link, never another user's. Also locks,
//! removes and links files, and syncs folders.
//!
//! What is in the files does not belong here; `reader` and `writer` read and write it.

use super::StoreError;
use rustix::fs::{Mode, OFlags};
use std::fs::{DirBuilder, File, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::time::{Duration, Instant};

/// Creates a folder (and those above it) with mode 0700. An existing one must belong to this user.
pub(super) fn make_folder(folder: &Path) -> Result<(), StoreError> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|error| StoreError::io(folder, "made", error))?;
    let owner = std::fs::metadata(folder).map_err(|error| StoreError::io(folder, "read", error))?.uid();
    check_owner(folder, owner)
}

/// Creates a new file and locks it.
pub(super) fn create_new(path: &Path) -> Result<File, StoreError> {
    let flags =
        OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = open_with(path, flags, "made")?;
    lock(path, &file)?;
    Ok(file)
}

/// Opens a session file for reading and appending, and locks it.
pub(super) fn open_locked(path: &Path) -> Result<File, StoreError> {
    let file = open_checked(path, OFlags::RDWR | OFlags::APPEND)?;
    lock(path, &file)?;
    Ok(file)
}

/// Opens a session file for reading, whether or not another process has locked it.
pub(super) fn open_read(path: &Path) -> Result<File, StoreError> {
    open_checked(path, OFlags::RDONLY)
}

/// Creates or empties a file beside the session, readable only for this user.
pub(super) fn replace(path: &Path) -> Result<File, StoreError> {
    // It is emptied only after it is known to be a regular file of this user.
    let file = open_checked(path, OFlags::WRONLY | OFlags::CREATE)?;
    file.set_len(0).map_err(|error| StoreError::io(path, "made", error))?;
    Ok(file)
}

/// Removes a file, if it exists.
pub(super) fn remove(path: &Path) -> Result<(), StoreError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::io(path, "deleted", error)),
        _ => Ok(()),
    }
}

/// Gives a file that never changes another name: a hard link, or a copy where none can be made.
pub(super) fn link_or_copy(from: &Path, to: &Path) -> Result<(), StoreError> {
    let made = std::fs::hard_link(from, to).or_else(|_| std::fs::copy(from, to).map(drop));
    made.map_err(|error| StoreError::io(to, "written", error))
}

/// Syncs a folder. Without that, a new name in it is not durable.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

fn open_checked(path: &Path, flags: OFlags) -> Result<File, StoreError> {
    // NONBLOCK: opening a pipe in the place of a session must not block.
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = open_with(path, flags, "opened")?;
    let meta = file.metadata().map_err(|error| StoreError::io(path, "read", error))?;
    if !meta.is_file() {
        return Err(StoreError::not_a_session(path, "it is not a plain file"));
    }
    check_owner(path, meta.uid())?;
    if meta.mode() & 0o077 != 0 {
        // It may be a copy that was made with a wide umask. A failure to narrow the mode of our own file does not
        // matter.
        file.set_permissions(std::fs::Permissions::from_mode(0o600)).ok();
    }
    Ok(file)
}

fn open_with(path: &Path, flags: OFlags, doing: &'static str) -> Result<File, StoreError> {
    match rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR) {
        Ok(fd) => Ok(File::from(fd)),
        Err(rustix::io::Errno::LOOP) => {
            Err(StoreError::unsafe_place(path, "is a symbolic link: sessions are not opened through links"))
        }
        Err(errno) => Err(StoreError::io(path, doing, errno.into())),
    }
}

fn check_owner(path: &Path, owner: u32) -> Result<(), StoreError> {
    let me = rustix::process::geteuid().as_raw();
    if owner == me {
        Ok(())
    } else {
        Err(StoreError::unsafe_place(
            path,
            format!("belongs to another user (id {owner}, you are {me}): choose another folder for sessions"),
        ))
    }
}

/// How long to wait for a lock that this process itself released: a program that is being started holds a copy of it
/// until it has begun.
const LOCK_TIMEOUT: Duration = Duration::from_millis(500);

/// Takes the exclusive lock.
fn lock(path: &Path, file: &File) -> Result<(), StoreError> {
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => {
                let pid = file.metadata().ok().and_then(|meta| Locks::read().holder(meta.ino()));
                // No holder: the lock was released since, or the system does not report it.
                let is_anothers = pid.is_some_and(|pid| pid != std::process::id());
                if is_anothers || begun.elapsed() >= LOCK_TIMEOUT {
                    return Err(StoreError::Locked { path: path.to_owned(), pid });
                }
                std::thread::park_timeout(Duration::from_millis(1));
            }
            Err(TryLockError::Error(error)) => return Err(StoreError::io(path, "locked", error)),
        }
    }
}

/// The holders of file locks, as the system reports them; empty if it does not.
#[derive(Debug, Default)]
pub(super) struct Locks(Vec<(u64, u32)>);

impl Locks {
    /// Asks the system once, for all files.
    pub(super) fn read() -> Self {
        let text = std::fs::read_to_string("/proc/locks").unwrap_or_default();
        Self(text.lines().filter_map(Self::line).collect())
    }

    /// Parses `1: FLOCK  ADVISORY  WRITE 1234 fe:01:5678 0 EOF`.
    fn line(line: &str) -> Option<(u64, u32)> {
        let mut words = line.split_whitespace().skip(1);
        if words.next()? != "FLOCK" || words.next()? != "ADVISORY" || words.next()? != "WRITE" {
            return None;
        }
        let pid = words.next()?.parse().ok()?;
        let inode = words.next()?.rsplit(':').next()?.parse().ok()?;
        Some((inode, pid))
    }

    /// The process that holds a lock on the file with this inode.
    pub(super) fn holder(&self, inode: u64) -> Option<u32> {
        self.0.iter().find(|(held, _)| *held == inode).map(|(_, pid)| *pid)
    }
}

/// Whether what is synced in this folder (or in the nearest existing one above it) survives a loss of power.
pub(super) fn is_durable(folder: &Path) -> bool {
    nearest(folder).is_none_or(is_durable_file_system)
}

/// Whether a file can be written in this folder, or in the nearest existing one above it. Leaves no file.
///
/// # Errors
/// Why not.
pub(super) fn check_writable(folder: &Path) -> Result<(), StoreError> {
    let place = nearest(folder).unwrap_or(folder);
    if place == folder {
        let owner = std::fs::metadata(place).map_err(|error| StoreError::io(place, "read", error))?.uid();
        check_owner(place, owner)?;
    }
    let written = tempfile::tempfile_in(place).and_then(|mut file| file.write_all(b"\n"));
    written.map_err(|error| StoreError::io(place, "written", error))
}

/// This folder, or the nearest existing one above it.
fn nearest(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|place| place.symlink_metadata().is_ok())
}

#[cfg(target_os = "linux")]
fn is_durable_file_system(place: &Path) -> bool {
    /// In memory: tmpfs, ramfs. Network and user space, where a sync promises little: NFS, SMB, CIFS, 9p, FUSE.
    const NON_DURABLE_FILE_SYSTEMS: [u32; 8] = [
        0x0102_1994,
        0x8584_58f6,
        0x0000_6969,
        0xfe53_4d42,
        0xff53_4d42,
        0x0000_517b,
        0x0102_1997,
        0x6573_5546,
    ];
    rustix::fs::statfs(place).map_or(true, |stat| !NON_DURABLE_FILE_SYSTEMS.contains(&(stat.f_type as u32)))
}

#[cfg(not(target_os = "linux"))]
fn is_durable_file_system(_place: &Path) -> bool {
    true
}
