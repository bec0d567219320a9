//! What can go wrong in execution. Each text says what to do next.

use super::frames::FrameError;
use super::sandbox::SandboxError;
use crate::domain::BlockTextError;
use crate::text::system_error::words;
use std::io;
use std::path::PathBuf;

/// Why a program could not be started or followed.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// The helper could not be started.
    #[error("the helper {} could not be started: {}", path.display(), words(source))]
    Helper {
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A descriptor, pipe or socket could not be made.
    #[error("a channel to the program could not be made: {}; close some programs and approve again", words(.0))]
    Channel(#[from] io::Error),
    /// The helper or the kernel sent something that is not a message.
    #[error("the channel to the program is broken: {0}")]
    Broken(#[from] FrameError),
    /// The list of packages can't be parsed.
    #[error("the list of packages is not clear: {0}")]
    Packages(#[from] BlockTextError),
    /// The sandbox can't be set up.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// A control group for its processes can't be made.
    #[error("the control group of the run could not be made: {}", words(.0))]
    Group(io::Error),
    /// A promised limit can't be set.
    #[error("a limit could not be set: {0}")]
    Limit(String),
    /// The other end of the socket is closed.
    #[error("the helper ended")]
    Ended,
}

impl From<rustix::io::Errno> for ExecError {
    fn from(errno: rustix::io::Errno) -> Self {
        ExecError::Channel(errno.into())
    }
}
