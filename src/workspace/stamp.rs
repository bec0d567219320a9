//! Detects changes of a file or folder, even if its size and modification time were put back.
//!
//! The change time (`ctime`) can't be set, but it moves in ticks: if something changed right before a snapshot,
//! another change in the same tick would not show. In that case the content of a small file is hashed, too. So is that
//! of a file that a process of a run has mapped: stores into the mapping need not move any time. On a file system in
//! memory (tmpfs) they never do, so there what a run stored through a mapping that it closed again is not noticed.

use super::read::open_plain;
use super::shared_maps::MappedFiles;
use crate::domain::Sha256;
use rustix::fs::{FileType, OFlags};
use std::collections::BTreeSet;
use std::fs::Metadata;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Longer than a tick of the clock that file systems use.
pub(super) const CLOCK_TICK: Duration = Duration::from_millis(50);
const SMALL_FILE_BYTES: u64 = 64 << 10;
/// The most bytes of mapped files that are hashed for one snapshot, besides small ones.
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
    /// How many names the file has; 1 for a folder.
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
            links: if info.is_dir() { 1 } else { info.nlink() },
        }
    }

    /// Like `of`, from the result of `stat`.
    #[allow(clippy::unnecessary_cast)] // the types of these numbers differ among systems
    pub(super) fn of_stat(stat: &rustix::fs::Stat) -> Self {
        let is_folder = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
        Self {
            inode: stat.st_ino as u64,
            size: stat.st_size as u64,
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            hash: None,
            links: if is_folder { 1 } else { stat.st_nlink as u64 },
        }
    }

    /// How many names a file has besides one.
    pub(super) fn other_names(&self) -> u32 {
        u32::try_from(self.links.saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// Whether nothing changed since the earlier stamp. If that one has a hash, this one has one, too
    /// ([`Stamping::again`]), unless it differs anyway or its file is reported as not read.
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

/// Makes the stamps of one snapshot.
#[derive(Clone, Debug)]
pub(super) struct Stamping {
    at: SystemTime,
    mapped: MappedFiles,
    /// How many bytes of mapped files may still be read.
    left: u64,
    /// Files whose times prove nothing, and that were not read because they are too large.
    pub(super) unread: BTreeSet<PathBuf>,
}

impl Stamping {
    /// For a snapshot that begins now.
    pub(super) fn begin() -> Self {
        Self::at(SystemTime::now(), MappedFiles::now())
    }

    /// For a snapshot at the moment `at`, at which these files are mapped.
    pub(super) fn at(at: SystemTime, mapped: MappedFiles) -> Self {
        Self { at, mapped, left: MAPPED_FILE_BYTES, unread: BTreeSet::new() }
    }

    /// The moment of the snapshot.
    pub(super) fn moment(&self) -> SystemTime {
        self.at
    }

    /// Whether a program of a run keeps its memory from being looked at, so that what it has mapped is not known.
    pub(super) fn is_kept_out(&self) -> bool {
        self.mapped.is_kept_out()
    }

    /// Whether a process of a run has this file mapped, so that its stamp may take long.
    pub(super) fn is_mapped(&self, info: &Metadata) -> bool {
        self.mapped.contains(info.ino())
    }

    /// The stamp of a file.
    pub(super) fn stamp(&mut self, path: &Path, info: &Metadata) -> FileStamp {
        let stamp = FileStamp::of(info);
        let hash = if self.is_mapped(info) {
            self.hash_unless_large(path, info)
        } else if stamp.is_settled(Some(self.at)) {
            None
        } else {
            hash(path, info, SMALL_FILE_BYTES)
        };
        FileStamp { hash, ..stamp }
    }

    /// The stamp of the same file later. Its content is hashed again if it was hashed before.
    pub(super) fn again(&mut self, then: &FileStamp, path: &Path) -> io::Result<FileStamp> {
        let info = std::fs::symlink_metadata(path)?;
        let now = self.stamp(path, &info);
        let is_wanted = then.hash.is_some() && now.hash.is_none() && !self.is_mapped(&info);
        Ok(if is_wanted { FileStamp { hash: self.hash_unless_large(path, &info), ..now } } else { now })
    }

    fn hash_unless_large(&mut self, path: &Path, info: &Metadata) -> Option<Sha256> {
        if info.is_file() && info.size() > SMALL_FILE_BYTES {
            let Some(left) = self.left.checked_sub(info.size()) else {
                self.unread.insert(path.to_path_buf());
                return None;
            };
            self.left = left;
        }
        hash(path, info, MAPPED_FILE_BYTES)
    }
}

/// Whether a path is that of a folder, not of a link to one.
pub(super) fn is_folder(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|info| info.is_dir())
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
        let now = SystemTime::now();
        let stamping = |at| Stamping::at(at, MappedFiles::default());
        let before = stamping(now).stamp(&path, &info);
        assert!(before.hash.is_some() && stamping(now).again(&before, &path).expect("there").is_as(&before));
        // As if the clock stood still: the same times, another content.
        let other = FileStamp { hash: Some(Sha256::of(b"two")), ..before };
        assert!(!other.is_as(&before));
        let later = now + Duration::from_secs(1);
        let again = stamping(later).again(&before, &path).expect("there");
        assert!(again.hash.is_some() && again.is_as(&before), "it is looked into once more");
        let settled = stamping(later).stamp(&path, &info);
        assert!(settled.hash.is_none() && before.is_as(&settled));
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("pipe");
        crate::test_folder::make_pipe(&path);
        let info = std::fs::symlink_metadata(&path).expect("there");
        assert!(Stamping::at(SystemTime::now(), MappedFiles::default()).stamp(&path, &info).hash.is_none());
    }

    #[test]
    fn of_large_mapped_files_only_some_are_read_and_the_others_are_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = ["a", "b", "c"].map(|name| {
            let path = folder.path().join(name);
            let size = if name == "c" { 1 } else { SMALL_FILE_BYTES + 1 };
            std::fs::File::create(&path).and_then(|file| file.set_len(size)).expect("made");
            let info = std::fs::metadata(&path).expect("there");
            (path, info)
        });
        let mapped = MappedFiles::of(files.iter().map(|(_, info)| info.ino()));
        let later = SystemTime::now() + Duration::from_secs(1);
        let mut stamping = Stamping { left: SMALL_FILE_BYTES + 1, ..Stamping::at(later, mapped) };
        let hashed = files.each_ref().map(|(path, info)| stamping.stamp(path, info).hash.is_some());
        assert_eq!(hashed, [true, false, true]);
        assert_eq!(stamping.unread, [folder.path().join("b")].into());
    }

    #[test]
    fn the_folders_in_a_folder_are_no_names_of_it() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("sub")).expect("made");
        let info = std::fs::metadata(folder.path()).expect("there");
        let stat = rustix::fs::stat(folder.path()).expect("there");
        assert_eq!((FileStamp::of(&info).other_names(), FileStamp::of_stat(&stat).other_names()), (0, 0));
    }
}
