//! How a file or folder stood at a look, so that a change shows also where its size and time of change were put back.
//!
//! The time at which anything of a file was changed (`ctime`) can't be set. It moves in ticks, though: of what changed right
//! before a look, another change in the same tick would not show. Of small files the content is told apart then.

use crate::domain::Sha256;
use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// More than a tick of the clock by which file systems tell the time.
const CLOCK_TICK: Duration = Duration::from_millis(50);
const SMALL_FILE_BYTES: u64 = 64 << 10;

/// How a file or folder stood.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileStamp {
    inode: u64,
    pub(super) size: u64,
    /// Seconds and nanoseconds: when its content was changed, and when anything of it was.
    modified: (i64, i64),
    changed: (i64, i64),
    /// Its content, where the times could hide a change.
    hash: Option<Sha256>,
}

impl FileStamp {
    /// Of a folder, or of a file whose times are enough.
    pub(super) fn of(info: &Metadata) -> Self {
        Self {
            inode: info.ino(),
            size: info.size(),
            modified: (info.mtime(), info.mtime_nsec()),
            changed: (info.ctime(), info.ctime_nsec()),
            hash: None,
        }
    }

    /// The same, by what the system calls it.
    #[allow(clippy::unnecessary_cast)] // The types of these numbers differ among systems.
    pub(super) fn of_stat(stat: &rustix::fs::Stat) -> Self {
        Self {
            inode: stat.st_ino as u64,
            size: stat.st_size as u64,
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            hash: None,
        }
    }

    /// Of a file as it stands at this moment.
    pub(super) fn of_file(path: &Path, info: &Metadata, at: SystemTime) -> Self {
        let stamp = Self::of(info);
        let hash = if stamp.is_settled(Some(at)) { None } else { hash(path, info) };
        Self { hash, ..stamp }
    }

    /// The same file as it stands later; its content is looked at again where it was before.
    pub(super) fn again(&self, path: &Path, at: SystemTime) -> io::Result<Self> {
        let info = std::fs::symlink_metadata(path)?;
        let now = Self::of_file(path, &info, at);
        Ok(if self.hash.is_some() && now.hash.is_none() {
            Self { hash: hash(path, &info), ..now }
        } else {
            now
        })
    }

    /// Whether nothing changed since an earlier look. Where the content of that look counts, this one has it as well
    /// ([`Stamp::again`]), unless something else is different already.
    pub(super) fn is_as(&self, before: &Self) -> bool {
        let is_other = matches!((self.hash, before.hash), (Some(now), Some(then)) if now != then);
        self.is_same_file(before) && !is_other
    }

    /// Whether it is the same file with the same times, whatever is known of its content.
    pub(super) fn is_same_file(&self, other: &Self) -> bool {
        let key = |stamp: &Self| (stamp.inode, stamp.size, stamp.modified, stamp.changed);
        key(self) == key(other)
    }

    /// Whether its last change was well before that moment.
    pub(super) fn is_settled(&self, at: Option<SystemTime>) -> bool {
        let (seconds, nanos) = self.changed;
        let changed = Duration::new(u64::try_from(seconds).unwrap_or(0), u32::try_from(nanos).unwrap_or(0));
        let at = at.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        changed + CLOCK_TICK < at
    }
}

/// The content of a small plain file. What was put in its place meanwhile is not waited for, and no link is followed.
fn hash(path: &Path, info: &Metadata) -> Option<Sha256> {
    if !info.is_file() || info.size() > SMALL_FILE_BYTES {
        return None;
    }
    let flags = (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits();
    let file = File::options().read(true).custom_flags(i32::try_from(flags).ok()?).open(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(SMALL_FILE_BYTES + 1).read_to_end(&mut bytes).ok()?;
    Some(Sha256::of(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_in_the_same_tick_shows_by_its_content() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        std::fs::write(&path, "one").expect("written");
        let info = std::fs::metadata(&path).expect("there");
        let now = SystemTime::now();
        let before = FileStamp::of_file(&path, &info, now);
        assert!(before.hash.is_some() && before.again(&path, now).expect("there").is_as(&before));
        // A clock that stands still: the same times, another content.
        let other = FileStamp { hash: Some(Sha256::of(b"two")), ..before };
        assert!(!other.is_as(&before));
        let later = now + Duration::from_secs(1);
        assert!(before.again(&path, later).expect("there").is_as(&before), "it is looked into once more");
        let settled = FileStamp::of_file(&path, &info, later);
        assert!(settled.hash.is_none() && before.is_as(&settled));
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo");
        assert!(made.success());
        let info = std::fs::symlink_metadata(&path).expect("there");
        assert!(FileStamp::of_file(&path, &info, SystemTime::now()).hash.is_none());
    }
}
