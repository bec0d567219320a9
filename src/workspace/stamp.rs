//! Detects changes of a file or folder, even if its size and modification time were put back.
//!
//! The change time (`ctime`) can't be set, but it moves in ticks: if something changed right before a snapshot,
//! another change in the same tick would not show. In that case the content of a small file is hashed, too. So is that
//! of a file that a process of a run has mapped: stores into the mapping need not move any time.

use super::read::open_plain;
use super::shared_maps::MappedFiles;
use crate::domain::Sha256;
use rustix::fs::OFlags;
use std::fs::Metadata;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Longer than a tick of the clock that file systems use.
pub(super) const CLOCK_TICK: Duration = Duration::from_millis(50);
const SMALL_FILE_BYTES: u64 = 64 << 10;
/// The largest mapped file that is hashed.
const MAPPED_FILE_BYTES: u64 = 64 << 20;

/// The state of a file or folder at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileStamp {
    inode: u64,
    pub(super) size: u64,
    /// `mtime` and `ctime`, each in seconds and nanoseconds.
    modified: (i64, i64),
    changed: (i64, i64),
    /// The hash of the content, if the times could hide a change.
    hash: Option<Sha256>,
    /// How many names the file has. They can change without a change of the file.
    links: u64,
}

impl FileStamp {
    /// The stamp of a folder, or of a file for which the times are enough.
    pub(super) fn of(info: &Metadata) -> Self {
        Self {
            inode: info.ino(),
            size: info.size(),
            modified: (info.mtime(), info.mtime_nsec()),
            changed: (info.ctime(), info.ctime_nsec()),
            hash: None,
            links: info.nlink(),
        }
    }

    /// Like `of`, from the result of `stat`.
    #[allow(clippy::unnecessary_cast)] // the types of these numbers differ among systems
    pub(super) fn of_stat(stat: &rustix::fs::Stat) -> Self {
        Self {
            inode: stat.st_ino as u64,
            size: stat.st_size as u64,
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            hash: None,
            links: stat.st_nlink as u64,
        }
    }

    /// How many names a file has besides one. A link or a folder counts as having none.
    pub(super) fn other_names(&self) -> u32 {
        u32::try_from(self.links.saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// The stamp of a file at the moment `at`, at which these files are mapped.
    pub(super) fn of_file(path: &Path, info: &Metadata, at: SystemTime, mapped: &MappedFiles) -> Self {
        let stamp = Self::of(info);
        let hash = if mapped.contains(stamp.inode) {
            hash(path, info, MAPPED_FILE_BYTES)
        } else if stamp.is_settled(Some(at)) {
            None
        } else {
            hash(path, info, SMALL_FILE_BYTES)
        };
        Self { hash, ..stamp }
    }

    /// The stamp of the same file later. Its content is hashed again if it was hashed before.
    pub(super) fn again(&self, path: &Path, at: SystemTime, mapped: &MappedFiles) -> io::Result<Self> {
        let info = std::fs::symlink_metadata(path)?;
        let now = Self::of_file(path, &info, at, mapped);
        Ok(if self.hash.is_some() && now.hash.is_none() {
            Self { hash: hash(path, &info, MAPPED_FILE_BYTES), ..now }
        } else {
            now
        })
    }

    /// Whether nothing changed since the earlier stamp. If that one has a hash, this one has one, too
    /// ([`FileStamp::again`]), unless it differs anyway.
    pub(super) fn is_as(&self, before: &Self) -> bool {
        let is_other = matches!((self.hash, before.hash), (Some(now), Some(then)) if now != then);
        self.is_same_file(before) && !is_other
    }

    /// Whether inode, size and times are the same, whatever is known of the content.
    pub(super) fn is_same_file(&self, other: &Self) -> bool {
        let key = |stamp: &Self| (stamp.inode, stamp.size, stamp.modified, stamp.changed);
        key(self) == key(other)
    }

    /// Whether the last change was well before that moment.
    pub(super) fn is_settled(&self, at: Option<SystemTime>) -> bool {
        at.is_some_and(|at| is_settled(self.changed, at))
    }
}

/// Whether an error says that nothing has the name any more.
pub(super) fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Whether this change time (seconds and nanoseconds) was well before that moment.
pub(super) fn is_settled((seconds, nanos): (i64, i64), at: SystemTime) -> bool {
    let changed = Duration::new(u64::try_from(seconds).unwrap_or(0), u32::try_from(nanos).unwrap_or(0));
    changed + CLOCK_TICK < at.duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// The hash of a regular file of at most `most` bytes. Does not block on a pipe that replaced it, and follows no link.
fn hash(path: &Path, info: &Metadata, most: u64) -> Option<Sha256> {
    if !info.is_file() || info.size() > most {
        return None;
    }
    let file = open_plain(path, OFlags::NOFOLLOW).ok()?;
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).ok()?;
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
        let (now, none) = (SystemTime::now(), MappedFiles::default());
        let before = FileStamp::of_file(&path, &info, now, &none);
        assert!(before.hash.is_some() && before.again(&path, now, &none).expect("there").is_as(&before));
        // As if the clock stood still: the same times, another content.
        let other = FileStamp { hash: Some(Sha256::of(b"two")), ..before };
        assert!(!other.is_as(&before));
        let later = now + Duration::from_secs(1);
        assert!(
            before.again(&path, later, &none).expect("there").is_as(&before),
            "it is looked into once more"
        );
        let settled = FileStamp::of_file(&path, &info, later, &none);
        assert!(settled.hash.is_none() && before.is_as(&settled));
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo");
        assert!(made.success());
        let info = std::fs::symlink_metadata(&path).expect("there");
        assert!(FileStamp::of_file(&path, &info, SystemTime::now(), &MappedFiles::default()).hash.is_none());
    }
}
