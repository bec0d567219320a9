//! Makes unnamed files in memory, for what a program reads and what it writes.

use super::error::ExecError;
use rustix::fs::{MemfdFlags, SealFlags};
use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::os::fd::OwnedFd;

/// An unnamed file that holds exactly these bytes and that nobody can change any more.
///
/// # Errors
/// When the system has no memory or descriptors for it.
pub(super) fn sealed(bytes: &[u8]) -> Result<OwnedFd, ExecError> {
    let fd = rustix::fs::memfd_create("sayso", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
    let mut file = File::from(fd);
    file.write_all(bytes)?;
    file.seek(SeekFrom::Start(0))?;
    let seals = SealFlags::WRITE | SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL;
    rustix::fs::fcntl_add_seals(&file, seals)?;
    Ok(file.into())
}

/// An empty unnamed file that the program writes and sayso reads afterwards.
///
/// # Errors
/// When the system has no memory or descriptors for it.
pub(super) fn empty() -> Result<File, ExecError> {
    Ok(File::from(rustix::fs::memfd_create("sayso", MemfdFlags::CLOEXEC)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;

    #[test]
    fn sealed_bytes_can_be_read_and_not_changed() {
        let mut file = File::from(sealed(b"exactly\r\n  this").unwrap());
        let mut text = Vec::new();
        file.read_to_end(&mut text).unwrap();
        assert_eq!(text, b"exactly\r\n  this");
        assert!(file.write_all(b"more").is_err());
        assert!(file.set_len(0).is_err());
        let path = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&file));
        let again = File::options().write(true).open(path);
        assert!(again.map_or(true, |mut f| f.write_all(b"x").is_err()));
    }
}
