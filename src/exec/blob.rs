//! Writes files beside the session: the whole output of a run that printed much, and its images.
//!
//! Each file is new, is readable by this account alone, and is never written through a link. Of output over its limit,
//! the beginning and the last megabytes are kept; a line in the file says how many bytes between them are left out.

use super::error::ExecError;
use crate::domain::MaskedValue;
use crate::text::number::hex;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// How many bytes of the end are kept when the middle is left out; at most a quarter of the limit.
const MAX_TAIL_BYTES: u64 = 16 << 20;

/// Output that is being kept on disk.
#[derive(Debug)]
pub(super) struct Blob {
    path: PathBuf,
    file: File,
    /// How many bytes of the output go into the head; the tail follows.
    head_limit: u64,
    tail_limit: u64,
    head: u64,
    tail: Option<File>,
    tail_total: u64,
    /// A write failed (the disk is full): the file is removed at the end.
    failed: bool,
}

impl Blob {
    /// A new file for at most `limit` bytes of the output of a run.
    ///
    /// # Errors
    /// When it can't be made.
    pub(super) fn create(folder: &Path, name: &str, limit: u64) -> Result<Self, ExecError> {
        let (path, file) = new_file(folder, name)?;
        let tail_limit = MAX_TAIL_BYTES.min(limit / 4);
        Ok(Self {
            path,
            file,
            head_limit: limit - tail_limit,
            tail_limit,
            head: 0,
            tail: None,
            tail_total: 0,
            failed: false,
        })
    }

    /// Appends output that is already free of keys. If it can't be written there is no file in the end, and the run
    /// continues.
    pub(super) fn write(&mut self, bytes: &MaskedValue<Vec<u8>>) {
        if !self.failed && self.try_write(bytes).is_err() {
            self.failed = true;
        }
    }

    /// Completes the file and returns its path; if something could not be written, removes the file: nobody shall
    /// take a part for the whole.
    pub(super) fn finish(mut self) -> Option<PathBuf> {
        if !self.failed && self.append_tail().is_ok() {
            return Some(self.path);
        }
        let _ = std::fs::remove_file(&self.path);
        None
    }

    fn try_write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let room = usize::try_from(self.head_limit - self.head).unwrap_or(usize::MAX).min(bytes.len());
        let (first, rest) = bytes.split_at(room);
        self.file.write_all(first)?;
        self.head += first.len() as u64;
        if rest.is_empty() { Ok(()) } else { self.write_tail(rest) }
    }

    /// Writes to the tail, a ring buffer in an unnamed file.
    fn write_tail(&mut self, bytes: &[u8]) -> io::Result<()> {
        let limit = self.tail_limit;
        if limit == 0 {
            self.tail_total += bytes.len() as u64;
            return Ok(());
        }
        let tail = match &mut self.tail {
            Some(tail) => tail,
            none => none.insert(tempfile::tempfile_in(self.path.parent().unwrap_or(Path::new("/")))?),
        };
        let skip = (bytes.len() as u64).saturating_sub(limit);
        self.tail_total += skip;
        let mut rest = bytes.get(usize::try_from(skip).unwrap_or(usize::MAX)..).unwrap_or_default();
        while !rest.is_empty() {
            let at = self.tail_total % limit;
            let room = usize::try_from(limit - at).unwrap_or(usize::MAX).min(rest.len());
            let (now, later) = rest.split_at(room);
            tail.seek(SeekFrom::Start(at))?;
            tail.write_all(now)?;
            self.tail_total += now.len() as u64;
            rest = later;
        }
        Ok(())
    }

    fn append_tail(&mut self) -> io::Result<()> {
        let left_out = self.tail_total.saturating_sub(self.tail_limit);
        if left_out > 0 {
            write!(self.file, "\n[sayso: {left_out} bytes of the output are left out here]\n")?;
        }
        let Some(tail) = &mut self.tail else { return Ok(()) };
        let start = if left_out > 0 { self.tail_total % self.tail_limit } else { 0 };
        let end = self.tail_total.min(self.tail_limit);
        tail.seek(SeekFrom::Start(start))?;
        io::copy(&mut tail.take(end - start), &mut self.file)?;
        tail.seek(SeekFrom::Start(0))?;
        io::copy(&mut tail.take(start), &mut self.file)?;
        Ok(())
    }
}

/// Makes a folder for this account alone, if it does not exist.
///
/// # Errors
/// When it can't be made.
pub(super) fn make_folder(folder: &Path) -> Result<(), ExecError> {
    Ok(DirBuilder::new().recursive(true).mode(0o700).create(folder)?)
}

/// Keeps an image in a new file.
///
/// # Errors
/// When it can't be written.
pub(super) fn keep_image(folder: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, ExecError> {
    let (path, mut file) = new_file(folder, name)?;
    file.write_all(bytes)?;
    Ok(path)
}

/// Makes a new file under an unused name, and its folder if needed.
fn new_file(folder: &Path, name: &str) -> Result<(PathBuf, File), ExecError> {
    make_folder(folder)?;
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, "bin"));
    let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
    for _ in 0..8 {
        let path = folder.join(format!("{stem}-{}.{extension}", hex(&random::<4>()?)));
        match make_file(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
            Err(error) => return Err(error.into()),
        }
    }
    Err(last.into())
}

/// Makes a new file for this account alone. Follows no link, and fails if the file exists.
///
/// # Errors
/// When it can't be made.
pub(super) fn make_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Random bytes from the system.
///
/// # Errors
/// When the system has none.
pub(super) fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Whether the folder that should hold this file is a link.
pub(super) fn is_in_linked_folder(path: &Path) -> bool {
    path.parent().is_some_and(|folder| std::fs::symlink_metadata(folder).is_ok_and(|meta| meta.is_symlink()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Masker;
    use crate::test_folder::mode;
    use proptest::prelude::*;

    fn written(limit: u64, pieces: &[Vec<u8>]) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let mut blob = Blob::create(&folder.path().join("blobs"), "run-1.out", limit).unwrap();
        for piece in pieces {
            blob.write(&Masker::default().mask(piece.clone()));
        }
        let path = blob.finish().unwrap();
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        std::fs::read(path).unwrap()
    }

    #[test]
    fn no_file_is_left_of_what_could_not_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let blob = || Blob::create(folder.path(), "run-1.out", 8).unwrap();
        let some = || Masker::default().mask(b"more than the limit".to_vec());
        let unwritable = || File::open("/dev/null").unwrap();
        let mut whole = blob();
        whole.write(&some());
        let path = whole.finish().unwrap();
        std::fs::remove_file(path).unwrap();

        let mut head = Blob { file: unwritable(), ..blob() };
        head.write(&some());
        assert_eq!(head.finish(), None);
        let mut tail = blob();
        tail.write(&some());
        tail.file = unwritable();
        assert_eq!(tail.finish(), None);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    proptest! {
        #![proptest_config(crate::test_cases::cases(48))]
        /// The whole output up to the limit; beyond it the beginning, a line with the count, and the end.
        #[test]
        fn the_middle_is_left_out(limit in 0u64..80, sizes in prop::collection::vec(0usize..50, 0..8)) {
            let mut next = 0u8;
            let pieces: Vec<Vec<u8>> = sizes
                .iter()
                .map(|size| (0..*size).map(|_| { next = next.wrapping_add(1); next }).collect())
                .collect();
            let all: Vec<u8> = pieces.concat();
            let got = written(limit, &pieces);
            if all.len() as u64 <= limit {
                prop_assert_eq!(got, all);
            } else {
                let tail = usize::try_from(limit / 4).unwrap();
                let head = usize::try_from(limit).unwrap() - tail;
                let mut expected = all[..head].to_vec();
                let count = all.len() - head - tail;
                expected.extend(format!("\n[sayso: {count} bytes of the output are left out here]\n").bytes());
                expected.extend(&all[all.len() - tail..]);
                prop_assert_eq!(got, expected);
            }
        }
    }
}
