//! Which content a file had when it was read last, by what the system tells of it without reading: what is as it was is not
//! read again. Kept in a file beside the contents, which only grows until it is written anew.

use crate::domain::Sha256;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// More than a tick of the clock by which file systems tell the time: what changed later may change once more unseen.
const TICK: Duration = Duration::from_millis(50);
/// Files that are known at the most.
const MOST: usize = 200_000;
/// Bytes of one file in it.
const LINE: usize = 8 * 5 + 32;

/// What the system tells of a file. Nobody can set the time at which anything of it was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FileKey {
    device: u64,
    inode: u64,
    pub(super) size: u64,
    changed: (i64, i64),
}

impl FileKey {
    #[allow(clippy::unnecessary_cast)] // The types of these numbers differ among systems.
    pub(super) fn of_stat(stat: &rustix::fs::Stat) -> Self {
        Self {
            device: stat.st_dev as u64,
            inode: stat.st_ino as u64,
            size: stat.st_size as u64,
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        }
    }

    pub(super) fn of(info: &std::fs::Metadata) -> Self {
        Self {
            device: info.dev(),
            inode: info.ino(),
            size: info.len(),
            changed: (info.ctime(), info.ctime_nsec()),
        }
    }

    /// Whether its last change was well before this moment.
    pub(super) fn is_settled(&self, at: SystemTime) -> bool {
        let (seconds, nanos) = self.changed;
        let changed = Duration::new(u64::try_from(seconds).unwrap_or(0), u32::try_from(nanos).unwrap_or(0));
        changed + TICK < at.duration_since(UNIX_EPOCH).unwrap_or_default()
    }

    fn line(&self, sha256: Sha256) -> [u8; LINE] {
        let numbers = [
            self.device,
            self.inode,
            self.size,
            self.changed.0.cast_unsigned(),
            self.changed.1.cast_unsigned(),
        ];
        let mut line = [0; LINE];
        let bytes = numbers.into_iter().flat_map(u64::to_le_bytes).chain(sha256.0);
        line.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
        line
    }

    fn read(line: &[u8]) -> Option<(Self, Sha256)> {
        let number = |at: usize| Some(u64::from_le_bytes(line.get(8 * at..8 * at + 8)?.try_into().ok()?));
        let changed = (number(3)?.cast_signed(), number(4)?.cast_signed());
        let key = Self { device: number(0)?, inode: number(1)?, size: number(2)?, changed };
        Some((key, Sha256(line.get(40..LINE)?.try_into().ok()?)))
    }
}

/// The contents that are known.
#[derive(Debug)]
pub(super) struct Index {
    path: PathBuf,
    known: HashMap<FileKey, Sha256>,
    /// What is not in the file yet.
    news: Vec<u8>,
}

impl Index {
    /// What was known when it was written; a file that can't be read, or is none of these, is as good as none.
    pub(super) fn open(path: PathBuf) -> Self {
        let bytes = std::fs::read(&path).unwrap_or_default();
        let known = bytes.chunks_exact(LINE).filter_map(FileKey::read).collect();
        Self { path, known, news: Vec::new() }
    }

    pub(super) fn get(&self, key: &FileKey) -> Option<Sha256> {
        self.known.get(key).copied()
    }

    /// Notes the content of a file that was read at this moment.
    pub(super) fn note(&mut self, key: FileKey, sha256: Sha256, at: SystemTime) {
        if key.is_settled(at) && self.known.insert(key, sha256) != Some(sha256) {
            self.news.extend(key.line(sha256));
        }
    }

    /// Writes what is new. What fails is only read again another time.
    pub(super) fn save(&mut self) -> io::Result<()> {
        if self.news.is_empty() {
            return Ok(());
        }
        if self.known.len() > MOST {
            // Most of it is of files that are long gone.
            self.known.clear();
            File::options().write(true).open(&self.path)?.set_len(0)?;
        }
        let mut file = File::options().append(true).create(true).mode(0o600).open(&self.path)?;
        // Where another process was ended in the middle, its rest would shift all that follows.
        let rest = file.metadata()?.len() % LINE as u64;
        if rest > 0 {
            file.set_len(file.metadata()?.len() - rest)?;
        }
        file.write_all(&std::mem::take(&mut self.news))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_known_again_and_what_may_still_change_is_not_noted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index");
        std::fs::write(folder.path().join("a"), "one").unwrap();
        let key = FileKey::of(&std::fs::metadata(folder.path().join("a")).unwrap());
        let mut index = Index::open(path.clone());
        index.note(key, Sha256::of(b"one"), SystemTime::now());
        assert_eq!(index.get(&key), None, "it may change in the same tick");
        index.note(key, Sha256::of(b"one"), SystemTime::now() + TICK + TICK);
        index.save().unwrap();
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"rest").unwrap();
        let other = FileKey { size: 9, ..key };
        let mut again = Index::open(path.clone());
        assert_eq!(again.get(&key), Some(Sha256::of(b"one")));
        again.note(other, Sha256::of(b"two"), SystemTime::now() + TICK + TICK);
        again.save().unwrap();
        let third = Index::open(path);
        assert_eq!(
            (third.get(&key), third.get(&other)),
            (Some(Sha256::of(b"one")), Some(Sha256::of(b"two")))
        );
    }
}
