//! Starts the program of a supervisor in a session of its own, tied to the supervisor's life.

use super::RunningProgram;
use crate::exec::helper_file::ITSELF;
use crate::exec::helper_part::EXEC;
use crate::exec::helper_wire::{FIRST_INHERITED_FD, ProcessSetup, ProgramSpec, WireMessage as _};
use crate::text::system_error::words;
use rustix::io::FdFlags;
use rustix::process::{Pid, PidfdFlags, WaitOptions};
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Why the program did not start. The text is sent over the socket.
#[derive(Debug, thiserror::Error)]
pub(super) enum StartError {
    #[error("the helper got no descriptors for its output")]
    NoOutput,
    #[error("descriptor {0} is taken")]
    Taken(i32),
    #[error("the folder {} is not there any more", .0.display())]
    NoFolder(PathBuf),
    #[error("no process id")]
    NoId,
    /// The process that should have become the program failed; what it reported.
    #[error("{}: {why}", program.display())]
    NotBegun { program: PathBuf, why: String },
    #[error("{}", words(.0))]
    System(#[from] std::io::Error),
}

/// Starts the program, and waits until it has started or failed.
pub(super) fn start(
    program: &ProgramSpec,
    fds: Vec<OwnedFd>,
    own: i32,
) -> Result<RunningProgram, StartError> {
    let mut fds = fds.into_iter();
    let (Some(stdout), Some(stderr)) = (fds.next(), fds.next()) else {
        return Err(StartError::NoOutput);
    };
    let mut inherited = Vec::new();
    for (fd, at) in fds.zip(FIRST_INHERITED_FD..) {
        let copy = rustix::io::fcntl_dupfd_cloexec(&fd, at).map_err(std::io::Error::from)?;
        rustix::io::fcntl_setfd(&copy, FdFlags::empty()).map_err(std::io::Error::from)?;
        if copy.as_raw_fd() != at {
            return Err(StartError::Taken(at));
        }
        inherited.push(copy);
    }
    if !program.cwd.is_dir() {
        return Err(StartError::NoFolder(program.cwd.clone()));
    }
    let device = || Ok::<_, std::io::Error>(File::from(stdout.try_clone()?).metadata()?.rdev());
    let terminal = program.terminal.then(device).transpose()?;
    let (mut socket, theirs) = UnixStream::pair()?;
    let child = Command::new(ITSELF)
        .args(["__run", EXEC])
        .arg(&program.executable)
        .args(&program.args)
        .env_clear()
        .envs(program.env.iter().map(|(k, v)| (k, v)))
        .current_dir(&program.cwd)
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::from(stdout))
        .stderr(Stdio::from(stderr))
        .spawn()?;
    drop(inherited);
    let setup = ProcessSetup {
        supervisor: own,
        terminal: program.terminal,
        confinement: program.confinement.clone(),
    };
    let told = socket.write_all(&setup.encode());
    let mut why = String::new();
    let _ = socket.read_to_string(&mut why);
    if let (Err(error), true) = (told, why.is_empty()) {
        why = words(&error);
    }
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or(StartError::NoId)?;
    if !why.is_empty() {
        let _ = rustix::process::waitpid(Some(pid), WaitOptions::empty());
        return Err(StartError::NotBegun { program: program.executable.clone(), why });
    }
    let ended = rustix::process::pidfd_open(pid, PidfdFlags::empty()).map_err(std::io::Error::from)?;
    Ok(RunningProgram { pid, ended, terminal, asks: false })
}
