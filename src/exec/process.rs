//! A started program: its helper, its pipes, and the descriptors that it is given.

use super::blob::random;
use super::cgroup::Group;
use super::error::ExecError;
use super::link::Link;
use super::pipes::Pipes;
use super::plan::{Given, Invocation, MARK, set};
use super::sandbox::Cell;
use crate::domain::Limits;
use rustix::fs::{MemfdFlags, SealFlags};
use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

/// A program under its helper.
#[derive(Debug)]
pub struct Process {
    /// The helper. First, so that it ends the program before the pipes close.
    pub link: Link,
    /// The program's output.
    pub pipes: Pipes,
    /// The control group of all its processes. Last: then nothing is in it any more.
    pub group: Option<Group>,
}

/// Starts what an invocation says; `provide` makes each descriptor that it is given.
///
/// # Errors
/// When the helper can't be started; a program that can't be started is told by the helper.
pub fn start(
    cell: &Cell,
    limits: &Limits,
    mut invocation: Invocation,
    mut provide: impl FnMut(Given) -> Result<OwnedFd, ExecError>,
) -> Result<Process, ExecError> {
    let mark = random::<8>()?.iter().fold(String::new(), |hex, b| hex + &format!("{b:02x}"));
    set(&mut invocation.program.env, MARK, &mark);
    let given = invocation.given.iter().map(|g| provide(*g)).collect::<Result<Vec<_>, _>>()?;
    let (pipes, writing) = Pipes::new()?;
    invocation.program.confinement = cell.confinement(limits);
    let group = match &cell.scope {
        Some(scope) => Some(scope.group(limits).map_err(|error| {
            ExecError::Sandbox(format!("the control group of the run could not be made: {error}"))
        })?),
        None => None,
    };
    let entry = group.as_ref().map(|group| group.entry(&cell.entry));
    let link = Link::open(entry.as_ref().unwrap_or(&cell.entry), format!("{MARK}={mark}").into_bytes())?;
    let fds: Vec<BorrowedFd<'_>> = writing.iter().chain(&given).map(|fd| fd.as_fd()).collect();
    link.spawn(&invocation.program, &fds)?;
    Ok(Process { link, pipes, group })
}

/// A file without a name that holds exactly these bytes and can't be changed any more, by nobody.
///
/// # Errors
/// When the system has no memory or descriptors for it.
pub fn sealed(bytes: &[u8]) -> Result<OwnedFd, ExecError> {
    let fd = rustix::fs::memfd_create("sayso", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
    let mut file = File::from(fd);
    file.write_all(bytes)?;
    file.seek(SeekFrom::Start(0))?;
    let seals = SealFlags::WRITE | SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL;
    rustix::fs::fcntl_add_seals(&file, seals)?;
    Ok(file.into())
}

/// An empty file without a name, to be written by the program and read afterwards.
///
/// # Errors
/// When the system has no memory or descriptors for it.
pub fn empty() -> Result<File, ExecError> {
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
