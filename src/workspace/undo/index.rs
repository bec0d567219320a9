//! Remembers the content hash of files by their metadata, so that unchanged files need not be read again. It is
//! stored in a file beside the copies, to which entries are appended until it is rewritten. Each entry has a
//! checksum, and damaged entries are ignored.

use super::objects::plain_file;
use crate::domain::Sha256;
use crate::workspace::shared_maps::MappedFiles;
use crate::workspace::stamp;
use rustix::fs::OFlags;
use std::collections::HashMap;
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

const MAX_FILES: usize = 200_000;
/// The bytes of one entry: numbers and hash, then their checksum.
const ENTRY_BYTES: usize = CHECKSUMMED_BYTES + 4;
const CHECKSUMMED_BYTES: usize = 8 * 5 + 32;

/// The metadata that identifies a content. Nobody can set the change time (`ctime`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FileKey {
    device: u64,
    inode: u64,
    pub(super) size: u64,
    changed: (i64, i64),
}

impl FileKey {
    #[allow(clippy::unnecessary_cast)] // the types of these numbers differ among systems
    pub(super) fn of_stat(stat: &rustix::fs::Stat) -> Self {
        Self {
            device: stat.st_dev as u64,
            inode: stat.st_ino as u64,
            size: stat.st_size as u64,
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        }
    }

    pub(super) fn of(file: &impl AsFd) -> io::Result<Self> {
        Ok(Self::of_stat(&rustix::fs::fstat(file)?))
    }

    /// Identifies the file, whatever its content.
    pub(super) fn node(&self) -> (u64, u64) {
        (self.device, self.inode)
    }

    /// Whether the last change was well before this moment.
    pub(super) fn is_settled(&self, at: SystemTime) -> bool {
        stamp::is_settled(self.changed, at)
    }

    fn line(&self, sha256: Sha256) -> [u8; ENTRY_BYTES] {
        let numbers = [
            self.device,
            self.inode,
            self.size,
            self.changed.0.cast_unsigned(),
            self.changed.1.cast_unsigned(),
        ];
        let mut line = [0; ENTRY_BYTES];
        let bytes = numbers.into_iter().flat_map(u64::to_le_bytes).chain(sha256.0);
        line.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
        if let Some((summed, sum)) = line.split_at_mut_checked(CHECKSUMMED_BYTES) {
            sum.copy_from_slice(&crc32fast::hash(summed).to_le_bytes());
        }
        line
    }

    fn read(line: &[u8]) -> Option<(Self, Sha256)> {
        let (summed, sum) = line.split_at_checked(CHECKSUMMED_BYTES)?;
        if crc32fast::hash(summed).to_le_bytes() != sum {
            return None;
        }
        let number = |at: usize| Some(u64::from_le_bytes(line.get(8 * at..8 * at + 8)?.try_into().ok()?));
        let changed = (number(3)?.cast_signed(), number(4)?.cast_signed());
        let key = Self { device: number(0)?, inode: number(1)?, size: number(2)?, changed };
        Some((key, Sha256(line.get(40..CHECKSUMMED_BYTES)?.try_into().ok()?)))
    }
}

/// The known contents of files.
#[derive(Debug)]
pub(super) struct Index {
    path: PathBuf,
    known: HashMap<FileKey, Sha256>,
    /// Entries that are not in the file yet.
    news: Vec<u8>,
    /// Files whose times prove nothing, because processes of runs have them mapped.
    mapped: MappedFiles,
    /// Whether the file is damaged and has to be rewritten.
    anew: bool,
}

impl Index {
    /// Reads the stored entries. A file that can't be read, or is not an index, counts as empty.
    pub(super) fn open(path: PathBuf) -> Self {
        let mut bytes = Vec::new();
        let read = plain_file(&path, OFlags::RDONLY).and_then(|mut file| file.read_to_end(&mut bytes));
        let known: HashMap<_, _> = bytes.chunks_exact(ENTRY_BYTES).filter_map(FileKey::read).collect();
        let is_missing = read.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        let anew = !is_missing
            && (read.is_err() || bytes.chunks_exact(ENTRY_BYTES).any(|line| FileKey::read(line).is_none()));
        Self { path, known, news: Vec::new(), mapped: MappedFiles::default(), anew }
    }

    pub(super) fn get(&self, key: &FileKey) -> Option<Sha256> {
        self.known.get(key).copied().filter(|_| !self.is_mapped(key))
    }

    /// Looks which files are mapped now. Those of `before` count as well.
    pub(super) fn look_at_mappings(&mut self, before: &MappedFiles) -> MappedFiles {
        self.mapped = MappedFiles::now().and(before);
        self.mapped.clone()
    }

    /// Whether the times of this file prove nothing.
    pub(super) fn is_mapped(&self, key: &FileKey) -> bool {
        self.mapped.contains(key.inode)
    }

    /// Notes the content of a file that was read at this moment.
    pub(super) fn note(&mut self, key: FileKey, sha256: Sha256, at: SystemTime) {
        if key.is_settled(at) && !self.is_mapped(&key) && self.known.insert(key, sha256) != Some(sha256) {
            self.news.extend(key.line(sha256));
        }
    }

    /// Appends the new entries. If that fails, the files are only read again another time.
    pub(super) fn save(&mut self) {
        if self.known.len() > MAX_FILES {
            // Most of the entries are of files that are long gone.
            self.known.clear();
            self.anew = true;
        }
        let saved = if std::mem::take(&mut self.anew) { self.write_anew() } else { self.add() };
        self.news.clear();
        if let Err(error) = saved {
            tracing::warn!(%error, "what is known of remembered files can't be written down: they are read again");
        }
    }

    fn add(&self) -> io::Result<()> {
        if self.news.is_empty() {
            return Ok(());
        }
        let mut file = plain_file(&self.path, OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE)?;
        // If another process was interrupted, its incomplete entry would shift all that follow.
        let rest = file.metadata()?.len() % ENTRY_BYTES as u64;
        if rest > 0 {
            file.set_len(file.metadata()?.len() - rest)?;
        }
        file.write_all(&self.news)
    }

    fn write_anew(&self) -> io::Result<()> {
        let new = self.path.with_extension(uuid::Uuid::now_v7().simple().to_string());
        let lines: Vec<u8> = self.known.iter().flat_map(|(key, sha256)| key.line(*sha256)).collect();
        let mut file = plain_file(&new, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL)?;
        let named = file.write_all(&lines).and_then(|()| replace(&new, &self.path));
        named.inspect_err(|_| drop(std::fs::remove_file(&new)))
    }
}

/// Renames a file over another one; a folder that has the name is renamed first and stays.
fn replace(new: &Path, name: &Path) -> io::Result<()> {
    match std::fs::rename(new, name) {
        Err(error) if error.kind() == io::ErrorKind::IsADirectory => {
            std::fs::rename(name, name.with_extension(uuid::Uuid::now_v7().simple().to_string()))?;
            std::fs::rename(new, name)
        }
        done => done,
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
        let key = FileKey::of(&std::fs::File::open(folder.path().join("a")).unwrap()).unwrap();
        let mut index = Index::open(path.clone());
        index.note(key, Sha256::of(b"one"), SystemTime::now());
        assert_eq!(index.get(&key), None, "it may change in the same tick");
        index.note(key, Sha256::of(b"one"), SystemTime::now() + stamp::CLOCK_TICK * 2);
        index.save();
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"rest").unwrap();
        let other = FileKey { size: 9, ..key };
        let mut again = Index::open(path.clone());
        assert_eq!(again.get(&key), Some(Sha256::of(b"one")));
        again.note(other, Sha256::of(b"two"), SystemTime::now() + stamp::CLOCK_TICK * 2);
        again.save();
        let third = Index::open(path);
        let expected = [b"one", b"two"].map(|text| Some(Sha256::of(text)));
        assert_eq!([third.get(&key), third.get(&other)], expected);
    }
}
