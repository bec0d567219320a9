//! Reads whole files up to a size limit.

use super::FileError;
use super::held_path::HeldPath;
use rustix::fs::OFlags;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// The bytes of a file that has at most `most` bytes. Devices and pipes are not read, because they may never end.
///
/// # Errors
/// When the file can't be read, is not a regular file, or is larger.
pub(crate) fn bounded(path: &Path, most: u64) -> Result<Vec<u8>, FileError> {
    let file = open_plain(path, OFlags::empty());
    whole(file.map_err(|e| FileError::io(path, &e))?, path, most)
}

/// Opens a regular file for reading. The opened file itself is checked: a pipe or a device in its place does not block.
pub(super) fn open_plain(path: &Path, more: OFlags) -> io::Result<File> {
    let flags = i32::try_from((more | OFlags::NONBLOCK).bits()).unwrap_or_default();
    let file = File::options().read(true).custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("not a plain file")) }
}

/// Like [`bounded`], without following a link and without saying why not.
pub(super) fn bounded_plain(path: &Path, most: u64) -> Option<Vec<u8>> {
    whole(open_plain(path, OFlags::NOFOLLOW).ok()?, path, most).ok()
}

/// The bytes of the file at an opened place, so that checks of its path hold for what is read.
///
/// # Errors
/// As [`bounded`]; also when the file is a link by now.
pub(crate) fn held(place: &HeldPath, most: u64) -> Result<Vec<u8>, FileError> {
    whole(place.open()?, &place.path(), most)
}

/// The bytes of an open file; `path` is only for errors.
pub(super) fn whole(file: File, path: &Path, most: u64) -> Result<Vec<u8>, FileError> {
    let info = file.metadata().map_err(|e| FileError::io(path, &e))?;
    if !info.is_file() {
        return Err(FileError::Io(path.to_path_buf(), "not a plain file".into()));
    }
    let mut bytes = Vec::new();
    // One byte more than allowed shows that the file is larger.
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(|e| FileError::io(path, &e))?;
    if bytes.len() as u64 > most {
        return Err(FileError::TooLarge {
            path: path.to_path_buf(),
            bytes: info.len().max(bytes.len() as u64),
            most,
        });
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_bound() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        std::fs::write(&path, b"12345").expect("written");
        assert_eq!(bounded(&path, 5).expect("fits"), b"12345");
        assert!(matches!(bounded(&path, 4), Err(FileError::TooLarge { bytes: 5, most: 4, .. })));
        assert!(matches!(bounded(folder.path(), 4), Err(FileError::Io { .. })));
        assert!(bounded(&folder.path().join("missing"), 4).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_not_read() {
        assert!(bounded(Path::new("/dev/zero"), 4).is_err());
    }
}
