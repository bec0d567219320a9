//! The executor's end of a helper: starts it, sends orders, reads its messages, and makes sure that it ends.

use super::entry::HelperEntry;
use super::error::ExecError;
use super::frames::FrameDecoder;
use super::helper_wire::{HelperMessage, HelperOrder, MAX_MESSAGE_BYTES, ProgramSpec, WireMessage as _};
use super::tree;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, retry_on_intr};
use rustix::net::{RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags};
use rustix::process::{Pid, PidfdFlags, Signal};
use std::fs::File;
use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Stdio};
use std::time::Duration;

/// How long a helper may take to clean up after its socket was closed.
const CLEANUP_TIMEOUT: Duration = Duration::from_secs(3);

/// A helper and the socket to it. Dropping it ends the helper and everything that it started.
#[derive(Debug)]
pub(super) struct Link {
    socket: Option<OwnedFd>,
    helper: Child,
    decoder: FrameDecoder,
    mark: Vec<u8>,
    /// Whether the helper is in the same process namespace, so that its process ids are valid here.
    plain: bool,
    /// The session id of its program, if process ids are valid here.
    session: Option<i32>,
    clean: bool,
    /// Whether it sent any message. If it ends before that, it could not enter its sandbox.
    spoke: bool,
    /// Its standard error: a file, so that it never blocks on a reader.
    errors: File,
}

impl Link {
    /// Starts a helper. `mark` is the `NAME=VALUE` in the environment by which its processes are recognized.
    ///
    /// # Errors
    /// When it can't be started.
    pub(super) fn open(entry: &HelperEntry, mark: Vec<u8>) -> Result<Self, ExecError> {
        let errors = super::memory_file::empty()?;
        let (ours, theirs) = UnixStream::pair()?;
        let not_started = |source| ExecError::Helper { path: entry.starts(), source };
        let (mut command, lent) = entry.command().map_err(not_started)?;
        if entry.apart {
            // Ctrl-C of a terminal reaches its whole foreground group. It would end the outer layer, and with it the
            // helper and its kernel. The helper itself has a session of its own.
            command.process_group(0);
        }
        let helper = command
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::from(errors.try_clone()?))
            .spawn()
            .map_err(not_started)?;
        drop(lent);
        let decoder = FrameDecoder::new(MAX_MESSAGE_BYTES);
        let plain = !entry.apart;
        let socket = Some(ours.into());
        Ok(Self { socket, helper, decoder, mark, plain, session: None, clean: false, spoke: false, errors })
    }

    /// Orders the helper to start a program. `fds` are its standard output, its standard error and the descriptors
    /// passed to it.
    ///
    /// # Errors
    /// When the helper has ended.
    pub(super) fn spawn(&self, program: &ProgramSpec, fds: &[BorrowedFd<'_>]) -> Result<(), ExecError> {
        let bytes = HelperOrder::Spawn(program.clone()).encode();
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(8))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        control.push(SendAncillaryMessage::ScmRights(fds));
        let socket = self.socket.as_ref().ok_or(ExecError::Ended)?;
        let sent = rustix::net::sendmsg(socket, &[IoSlice::new(&bytes)], &mut control, SendFlags::NOSIGNAL)?;
        self.send(bytes.get(sent..).unwrap_or_default())
    }

    /// Sends an order. If the helper has ended, the next [`Link::receive`] reports that.
    pub(super) fn order(&self, order: &HelperOrder) {
        let _ = self.send(&order.encode());
    }

    /// The messages since the last call; never waits.
    ///
    /// # Errors
    /// When the helper has ended, or its bytes are not a message.
    pub(super) fn receive(&mut self) -> Result<Vec<HelperMessage>, ExecError> {
        let mut told = Vec::new();
        let mut buffer = [0u8; 4096];
        loop {
            while let Some(frame) = self.decoder.next_frame()? {
                let one = HelperMessage::decode(&frame)?;
                self.clean |= one.is_end();
                self.spoke = true;
                if let (HelperMessage::Spawned { pid }, true) = (&one, self.plain) {
                    self.session = Some(*pid);
                }
                told.push(one);
            }
            let socket = self.socket.as_ref().ok_or(ExecError::Ended)?;
            match rustix::net::recv(socket, &mut buffer, RecvFlags::DONTWAIT) {
                // Messages that it sent before it ended are returned first.
                Ok((_, count)) if count > 0 => self.decoder.push(buffer.get(..count).unwrap_or_default()),
                Err(Errno::AGAIN) => return Ok(told),
                Err(Errno::INTR) => {}
                Ok(_) | Err(_) if told.is_empty() => return self.on_socket_closed(),
                Ok(_) | Err(_) => return Ok(told),
            }
        }
    }

    /// The socket was closed. If no message ever arrived, the helper did not come to start the program.
    fn on_socket_closed(&mut self) -> Result<Vec<HelperMessage>, ExecError> {
        if self.spoke {
            return Err(ExecError::Ended);
        }
        self.spoke = true;
        let mut said = vec![0; 4096];
        let count = self.errors.read_at(&mut said, 0).unwrap_or(0);
        let said = String::from_utf8_lossy(said.get(..count).unwrap_or_default()).into_owned();
        let why = said.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it ended at once");
        Ok(vec![HelperMessage::NotSpawned(format!("the helper could not be started: {why}"))])
    }

    /// Kills a helper that does not answer. Its program dies with it; the other processes that it started are searched
    /// for.
    pub(super) fn cut(&mut self) {
        let _ = self.helper.kill();
        self.clean = false;
    }

    /// Whether its processes are in the process namespace of this one. If it ends without a report, one of them that is
    /// not found lives on.
    pub(super) fn shares_namespace(&self) -> bool {
        self.plain
    }

    /// The descriptor to wait on.
    pub(super) fn socket(&self) -> Option<BorrowedFd<'_>> {
        self.socket.as_ref().map(AsFd::as_fd)
    }

    fn send(&self, bytes: &[u8]) -> Result<(), ExecError> {
        let socket = self.socket.as_ref().ok_or(ExecError::Ended)?;
        send_all(socket, bytes).map_err(|_| ExecError::Ended)
    }

    /// Kills what a helper left behind when it ended without cleaning up (because something killed it). Its program
    /// dies with it; the other processes are found by their sessions and their mark.
    fn kill_strays(&self) {
        let own = i32::try_from(self.helper.id()).ok();
        let sessions: Vec<i32> = own.into_iter().chain(self.session).collect();
        for _ in 0..50 {
            let strays = tree::strays(&sessions, &self.mark);
            if strays.is_empty() {
                return;
            }
            for pid in strays.into_iter().filter_map(Pid::from_raw) {
                let _ = rustix::process::kill_process(pid, Signal::KILL);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        drop(self.socket.take());
        if !ends_within(&self.helper, CLEANUP_TIMEOUT) {
            let _ = self.helper.kill();
            self.clean = false;
        }
        let status = self.helper.wait();
        if !self.clean && !status.is_ok_and(|s| s.success()) {
            self.kill_strays();
        }
    }
}

fn ends_within(child: &Child, patience: Duration) -> bool {
    let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else { return true };
    let Ok(ended) = rustix::process::pidfd_open(pid, PidfdFlags::empty()) else { return true };
    let timeout = Timespec::try_from(patience).ok();
    let wait = || poll(&mut [PollFd::new(&ended, PollFlags::IN)], timeout.as_ref());
    retry_on_intr(wait).is_ok_and(|count| count > 0)
}

/// Sends all of these bytes. If the other end is closed, that is an error and no signal.
pub(super) fn send_all(socket: &OwnedFd, mut bytes: &[u8]) -> rustix::io::Result<()> {
    while !bytes.is_empty() {
        let sent = retry_on_intr(|| rustix::net::send(socket, bytes, SendFlags::NOSIGNAL))?;
        bytes = bytes.get(sent..).unwrap_or_default();
    }
    Ok(())
}
