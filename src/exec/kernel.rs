//! The persistent Python kernel: its process, and the messages on its control socket.
//!
//! How a block ended is decided by what the kernel says, how its process ended by what the helper says.

use super::backend::BackendRun;
use super::environment::Environment;
use super::error::ExecError;
use super::frames::FrameDecoder;
use super::helper_wire::HelperOrder;
use super::kernel_wire::{self, FrameToken, KernelMessage};
use super::memory_file;
use super::outbox::Outbox;
use super::plan::{self, InheritedFd};
use super::process::{self, Process};
use super::sandbox::Enclosure;
use crate::domain::{KernelRef, Limits, SharedState};
use rustix::io::Errno;
use rustix::net::RecvFlags;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

/// How much is received before what was received is handled.
const MAX_BYTES_AT_ONCE: usize = 16 << 20;

#[derive(Debug)]
pub(super) struct Kernel {
    pub(crate) process: Process,
    pub(crate) interpreter: PathBuf,
    /// Its generation, and its variables as last reported.
    pub(crate) state: KernelRef,
    /// Its working folder, as last reported.
    pub(crate) cwd: PathBuf,
    /// The blocks that ran in it, and what they were last found to have changed.
    pub(crate) shared: SharedState,
    /// Its module search path, as last reported.
    pub(crate) module_path: Vec<u8>,
    /// Whether it has reported that it is ready.
    pub(crate) ready: bool,
    /// Whether it has been given a block.
    pub(crate) used: bool,
    /// The limits that it was started with. A run in it can't have higher ones.
    pub(crate) limits: Limits,
    /// The limits that are set for its process now; `None` while that is not known.
    pub(crate) fitted: Option<Limits>,
    /// Runs that its helper was told to begin and has not confirmed yet.
    pub(crate) beginning: u32,
    /// Whether it was ordered to end because its control socket failed.
    pub(crate) cut_off: bool,
    /// Whether its helper killed it because it was woken between two runs.
    pub(crate) woken: bool,
    control: OwnedFd,
    decoder: FrameDecoder,
    outbox: Outbox,
}

impl Kernel {
    /// Starts an empty kernel.
    ///
    /// # Errors
    /// When its helper can't be started.
    pub(super) fn start(
        (enclosure, limits): (&Enclosure, &Limits),
        interpreter: &Path,
        cwd: &Path,
        env: Environment,
        generation: u32,
    ) -> Result<Self, ExecError> {
        let (control, theirs) = UnixStream::pair()?;
        let mut theirs = Some(OwnedFd::from(theirs));
        let process =
            process::start(enclosure, limits, plan::kernel(interpreter, cwd, env), |fd| match fd {
                InheritedFd::Control => theirs.take().ok_or(ExecError::Ended),
                _ => memory_file::sealed(plan::KERNEL.as_bytes()),
            })?;
        // No run uses it yet: it prepares itself and is then stopped.
        process.link.order(&HelperOrder::GoOn);
        Ok(Self {
            process,
            interpreter: interpreter.into(),
            state: KernelRef { generation, variables: 0, keeps_running: false },
            cwd: cwd.into(),
            shared: SharedState::default(),
            module_path: Vec::new(),
            ready: false,
            used: false,
            limits: *limits,
            fitted: Some(*limits),
            beginning: 0,
            cut_off: false,
            woken: false,
            control: control.into(),
            decoder: kernel_wire::decoder(),
            outbox: Outbox::default(),
        })
    }

    /// Hands a block over to it, or a file of the person's functions.
    pub(super) fn run(&mut self, job: &BackendRun) {
        self.used = true;
        self.outbox.push(job.kernel_order());
        self.send();
    }

    /// Tells it whether to run the source after this part.
    pub(super) fn after_part(&mut self, token: &FrameToken, part: u32, goes_on: bool) {
        self.outbox.push_answer(kernel_wire::after_part(token, part, goes_on));
        self.send();
    }

    /// Asks which of the imported modules and the given packages it lacks, for this folder and module search path. Only
    /// for a kernel that is not in use: it continues until the answer has arrived.
    pub(super) fn ask_lacking(
        &mut self,
        token: &FrameToken,
        source: &str,
        place: (&Path, &[u8]),
        packages: &[String],
    ) {
        self.process.link.order(&HelperOrder::GoOn);
        self.outbox.push(kernel_wire::lacking(token, source, place, packages));
        self.send();
    }

    /// Sends what fits into the socket; never waits. If the kernel is gone, [`Kernel::receive`] reports that.
    pub(super) fn send(&mut self) {
        self.outbox.send(&self.control);
    }

    /// Whether something waits for space in the socket.
    pub(super) fn has_unsent(&self) -> bool {
        !self.outbox.is_empty()
    }

    /// The messages since the last call; never waits.
    ///
    /// # Errors
    /// When the socket is closed, or the bytes are not a message.
    pub(super) fn receive(&mut self) -> Result<Vec<(FrameToken, KernelMessage)>, ExecError> {
        let (mut said, mut received) = (Vec::new(), 0);
        let mut buffer = vec![0u8; 64 << 10];
        loop {
            while let Some(frame) = self.decoder.next_frame()? {
                said.push(kernel_wire::decode(frame)?);
            }
            // A kernel that never stops sending does not keep this from returning; the rest follows.
            if received >= MAX_BYTES_AT_ONCE {
                return Ok(said);
            }
            match rustix::net::recv(&self.control, &mut buffer[..], RecvFlags::DONTWAIT) {
                Ok((_, 0)) if said.is_empty() => return Err(ExecError::Ended),
                Ok((_, 0)) => return Ok(said),
                Ok((_, count)) => {
                    received += count;
                    self.decoder.push(buffer.get(..count).unwrap_or_default());
                }
                Err(Errno::AGAIN) => return Ok(said),
                Err(Errno::INTR) => {}
                Err(_) if said.is_empty() => return Err(ExecError::Ended),
                Err(_) => return Ok(said),
            }
        }
    }

    /// The descriptor to wait on.
    pub(super) fn control(&self) -> BorrowedFd<'_> {
        self.control.as_fd()
    }
}
