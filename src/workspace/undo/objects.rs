//! Stores contents of files, each under its SHA-256, in a folder of sayso's own that nobody else can read. A content
//! is hashed again when it is read: a damaged one counts as missing.

mod eviction;

use crate::domain::Sha256;
use crate::domain::sentences::undo::DAMAGED;
use rustix::fs::{FallocateFlags, Mode, OFlags};
use sha2::Digest as _;
use std::cell::Cell;
use std::fs::{DirBuilder, File};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const CHUNK_BYTES: usize = 128 << 10;
/// Files from this size on share their blocks with their copy, if the file system supports that.
const MIN_SHARED_BYTES: u64 = 64 << 10;
/// How old the noted time of last use must be before it is updated.
const NOTE_INTERVAL: Duration = Duration::from_secs(3600);

#[derive(Debug)]
pub(super) struct Objects {
    folder: PathBuf,
    /// The bytes counted last; and the bytes and the number of objects added since.
    counted: Cell<Option<u64>>,
    added: Cell<(u64, usize)>,
}

impl Objects {
    /// Opens the store; creates its folder if necessary.
    pub(super) fn open(folder: PathBuf) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        Ok(Self { folder, counted: Cell::new(None), added: Cell::default() })
    }

    fn path(&self, sha256: Sha256) -> PathBuf {
        let hex = sha256.to_string();
        let (head, tail) = hex.split_at(2);
        self.folder.join(head).join(tail)
    }

    /// Whether a content of this size is stored; asking also marks it as used. A shorter file was not written
    /// completely and does not count.
    pub(super) fn has_and_touch(&self, sha256: Sha256, bytes: u64) -> bool {
        let path = self.path(sha256);
        let Ok(info) = std::fs::symlink_metadata(&path) else { return false };
        if info.len() != bytes || !info.is_file() {
            return false;
        }
        let old =
            info.modified().ok().and_then(|at| at.elapsed().ok()).is_some_and(|age| age > NOTE_INTERVAL);
        if old {
            let opened = plain_file(&path, OFlags::WRONLY);
            opened.and_then(|file| file.set_modified(SystemTime::now())).ok();
        }
        true
    }

    /// Whether a content is stored and undamaged. A damaged one is removed.
    pub(super) fn holds(&self, sha256: Sha256, bytes: u64) -> bool {
        self.has_and_touch(sha256, bytes)
            && self.verify_or_remove(sha256, |from| Ok(hash(from, u64::MAX, |_| Ok(()))?.0)).is_ok()
    }

    /// Reads a content and checks its hash. A damaged one is removed, so that it can be stored again.
    fn verify_or_remove(
        &self,
        sha256: Sha256,
        read: impl FnOnce(&mut File) -> io::Result<Sha256>,
    ) -> io::Result<()> {
        let path = self.path(sha256);
        let mut from = plain_file(&path, OFlags::RDONLY)?;
        if read(&mut from)? == sha256 {
            return Ok(());
        }
        std::fs::remove_file(&path).ok();
        Err(damaged_error())
    }

    fn name(&self, part: UnfinishedObject, sha256: Sha256, bytes: u64) -> io::Result<()> {
        part.name(&self.path(sha256))?;
        self.count(bytes);
        Ok(())
    }

    pub(super) fn put(&self, bytes: &[u8]) -> io::Result<Sha256> {
        let (sha256, size) = (Sha256::of(bytes), bytes.len() as u64);
        if self.has_and_touch(sha256, size) {
            return Ok(sha256);
        }
        // Small objects are many, so they are written under their final name: a temporary one would double the time.
        let path = self.path(sha256);
        let made = new_file(&path).or_else(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Err(error),
            _ => make_parent(&path).and_then(|()| new_file(&path)),
        });
        match made {
            Ok(mut file) => {
                file.write_all(bytes).inspect_err(|_| drop(std::fs::remove_file(&path)))?;
                self.count(size);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let mut part = UnfinishedObject::new(&self.folder)?;
                part.file.write_all(bytes)?;
                self.name(part, sha256, size)?;
            }
            Err(error) => return Err(error),
        }
        Ok(sha256)
    }

    /// Stores the content of a file. Fails if it has more than `most` bytes.
    pub(super) fn put_file(&self, file: &File, most: u64) -> io::Result<(Sha256, u64)> {
        let size = file.metadata()?.len();
        if size < MIN_SHARED_BYTES {
            let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
            file.take(MIN_SHARED_BYTES).read_to_end(&mut bytes)?;
            if (bytes.len() as u64) < MIN_SHARED_BYTES {
                return Ok((self.put(&bytes)?, bytes.len() as u64));
            }
            (&*file).rewind()?;
        }
        let mut part = UnfinishedObject::new(&self.folder)?;
        let (sha256, bytes) = if share(&part.file, file) {
            hash(&mut part.file, most, |_| Ok(()))?
        } else {
            let to = &mut part.file;
            hash(&mut &*file, most, |piece| to.write_all(piece))?
        };
        if !self.has_and_touch(sha256, bytes) {
            self.name(part, sha256, bytes)?;
        }
        Ok((sha256, bytes))
    }

    /// Writes a content into an empty file.
    pub(super) fn copy_to(&self, sha256: Sha256, to: &mut File) -> io::Result<()> {
        self.verify_or_remove(sha256, |from| {
            let found = if from.metadata()?.len() >= MIN_SHARED_BYTES && share(to, from) {
                hash(to, u64::MAX, |_| Ok(()))?
            } else {
                hash(from, u64::MAX, |piece| to.write_all(piece))?
            };
            Ok(found.0)
        })
    }

    /// A content of at most `most` bytes.
    pub(super) fn get(&self, sha256: Sha256, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.verify_or_remove(sha256, |from| {
            if from.metadata()?.len() > most {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            from.take(most).read_to_end(&mut bytes)?;
            Ok(Sha256::of(&bytes))
        })?;
        Ok(bytes)
    }

    /// Syncs all that was written here to the disk.
    pub(super) fn sync(&self) {
        sync(&self.folder);
    }

    /// Allocates so many bytes, so that something can be stored even if the disk is full by then. Dropping the result
    /// frees them. `None` if there is no room, or the file system does not support it.
    pub(super) fn reserve(&self, bytes: u64) -> Option<UnfinishedObject> {
        let part = UnfinishedObject::new(&self.folder).ok()?;
        rustix::fs::fallocate(&part.file, FallocateFlags::empty(), 0, bytes).ok()?;
        Some(part)
    }

    /// The free bytes on the disk of this folder.
    pub(super) fn free(&self) -> u64 {
        rustix::fs::statvfs(&self.folder).map_or(0, |info| info.f_bavail.saturating_mul(info.f_frsize))
    }
}

/// An object in the making. Dropping it removes it.
#[derive(Debug)]
pub(super) struct UnfinishedObject {
    file: File,
    path: Option<PathBuf>,
}

impl UnfinishedObject {
    fn new(folder: &Path) -> io::Result<Self> {
        let path = folder.join(format!("{}.part", uuid::Uuid::now_v7().simple()));
        Ok(Self { file: new_file(&path)?, path: Some(path) })
    }

    fn name(mut self, name: &Path) -> io::Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        if let Err(error) = std::fs::rename(path, name) {
            match error.kind() {
                // Something that is not an object is moved out of the way.
                io::ErrorKind::IsADirectory => std::fs::rename(name, path.with_extension("left"))?,
                _ => make_parent(name)?,
            }
            std::fs::rename(path, name)?;
        }
        self.path = None;
        Ok(())
    }
}

impl Drop for UnfinishedObject {
    fn drop(&mut self) {
        self.path.take().map(std::fs::remove_file);
    }
}

fn new_file(path: &Path) -> io::Result<File> {
    plain_file(path, OFlags::RDWR | OFlags::CREATE | OFlags::EXCL)
}

/// Creates the folder of an object. Anything else under its name is removed.
fn make_parent(path: &Path) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    if std::fs::symlink_metadata(folder).is_ok_and(|info| !info.is_dir()) {
        std::fs::remove_file(folder)?;
    }
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Opens a regular file of sayso's own. Follows no link, and does not block on a pipe in its place.
pub(super) fn plain_file(path: &Path, flags: OFlags) -> io::Result<File> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)?);
    if file.metadata()?.is_file() { Ok(file) } else { Err(damaged_error()) }
}

fn damaged_error() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, DAMAGED)
}

/// Reads the rest of a file, passes it on piece by piece, and returns its hash and size.
pub(in crate::workspace) fn hash(
    from: &mut (impl io::Read + ?Sized),
    most: u64,
    mut to: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<(Sha256, u64)> {
    let (mut hasher, mut bytes, mut piece) = (sha2::Sha256::new(), 0, vec![0; CHUNK_BYTES]);
    loop {
        let count = match from.read(&mut piece) {
            Ok(0) => return Ok((Sha256(hasher.finalize().into()), bytes)),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        bytes += count as u64;
        if bytes > most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let read = piece.get(..count).unwrap_or_default();
        hasher.update(read);
        to(read)?;
    }
}

/// Lets an empty file share the blocks of another; false if the file system can't.
#[cfg(target_os = "linux")]
fn share(to: &File, from: &File) -> bool {
    rustix::fs::ioctl_ficlone(to, from).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn share(_: &File, _: &File) -> bool {
    false
}

/// Syncs the file system of a folder to the disk.
pub(super) fn sync(folder: &Path) {
    #[cfg(target_os = "linux")]
    if let Ok(folder) = File::open(folder) {
        let _ = rustix::fs::syncfs(folder);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = folder;
}

#[cfg(test)]
mod tests {
    use super::eviction::BLOCK_BYTES;
    use super::*;
    use std::collections::HashSet;
    use std::os::unix::fs::MetadataExt as _;

    #[test]
    fn contents_are_kept_once_checked_and_the_oldest_dropped_first() {
        let folder = tempfile::tempdir().unwrap();
        let objects = Objects::open(folder.path().join("objects")).unwrap();
        let large = vec![7; 300 << 10];
        let source = folder.path().join("large");
        std::fs::write(&source, &large).unwrap();
        let file = File::open(&source).unwrap();
        assert!(objects.put_file(&file, 1000).is_err(), "it is larger than may be kept");
        let (sha256, bytes) = objects.put_file(&File::open(&source).unwrap(), u64::MAX).unwrap();
        assert_eq!((sha256, bytes), (Sha256::of(&large), large.len() as u64));
        assert_eq!(objects.get(sha256, u64::MAX).unwrap(), large);
        let mut to =
            File::options().read(true).write(true).create_new(true).open(folder.path().join("to")).unwrap();
        objects.copy_to(sha256, &mut to).unwrap();
        assert_eq!(std::fs::read(folder.path().join("to")).unwrap(), large);
        let small = objects.put(b"small").unwrap();
        assert_eq!(objects.put(b"small").unwrap(), small);
        let mode = std::fs::metadata(objects.path(small)).unwrap().mode();
        assert_eq!(mode & 0o7777, 0o600);
        // An incomplete object is written again; a damaged one does not count as a copy.
        std::fs::write(objects.path(small), "sm").unwrap();
        assert!(!objects.has_and_touch(small, 5));
        assert_eq!(objects.put(b"small").unwrap(), small);
        assert_eq!(objects.get(small, 10).unwrap(), b"small");
        std::fs::write(objects.path(small), "smell").unwrap();
        assert!(objects.get(small, 10).is_err());
        // A file, or a link to itself, in the place of an object's folder is replaced.
        for is_link in [true, false] {
            let place = objects.path(small).parent().unwrap().to_owned();
            std::fs::remove_dir_all(&place).unwrap();
            if is_link {
                std::os::unix::fs::symlink(&place, &place).unwrap();
            } else {
                std::fs::write(&place, "").unwrap();
            }
            assert_eq!(objects.put(b"small").unwrap(), small);
            assert_eq!(objects.get(small, 10).unwrap(), b"small");
            let place = objects.path(sha256).parent().unwrap().to_owned();
            std::fs::remove_dir_all(&place).unwrap();
            std::fs::write(&place, "").unwrap();
            assert_eq!(objects.put_file(&File::open(&source).unwrap(), u64::MAX).unwrap().0, sha256);
        }
        let new = objects.put(b"new").unwrap();
        let old = File::options().write(true).open(objects.path(sha256)).unwrap();
        old.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        objects.evict_to(4 * BLOCK_BYTES, &HashSet::from([sha256]));
        assert!(objects.has_and_touch(sha256, bytes), "what is needed stays");
        let old = File::options().write(true).open(objects.path(sha256)).unwrap();
        old.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        objects.put(b"newer").unwrap();
        objects.put(b"new").unwrap();
        objects.evict_to(4 * BLOCK_BYTES, &HashSet::new());
        assert!(!objects.has_and_touch(sha256, bytes) && objects.has_and_touch(new, 3));
        let mut left = std::fs::read_dir(&objects.folder).unwrap().flatten();
        assert!(left.all(|entry| entry.path().is_dir()), "nothing is left");
    }
}
