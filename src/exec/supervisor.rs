//! The supervisor: starts one program, enforces its limits, kills it when necessary, and leaves none of its processes
//! behind.
//!
//! It is a process of its own (`sayso __run`), single-threaded, and sleeps while nothing happens. Every orphan of the
//! program becomes its child, so that a process that left its group and session is still found. When its socket is
//! closed (because sayso ended, even by `kill -9`), it kills everything and ends. It never sees any output.

mod bounds;
mod count;
mod kill_all;
mod measure;
mod pause;
mod shells;
mod start;
mod watched_run;

use super::frames::FrameDecoder;
use super::helper_wire::{HelperMessage, HelperOrder, MAX_MESSAGE_BYTES, ProgramSpec, WireMessage as _};
use super::link::send_all;
use super::sandbox::confinement::Limit;
use kill_all::kill_all;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags};
use rustix::process::{Pid, Signal, WaitOptions};
use start::start;
use std::io::IoSliceMut;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::time::Instant;
use watched_run::WatchedRun;

struct Supervisor {
    socket: OwnedFd,
    decoder: FrameDecoder,
    inherited: Vec<OwnedFd>,
    program: Option<RunningProgram>,
    watch: Option<WatchedRun>,
    /// When to stop the program, unless a run begins before.
    pause_at: Option<Instant>,
    /// Whether the program is stopped until the next run.
    paused: bool,
    /// Becomes readable when a child stops, continues or ends.
    children: UnixStream,
    own: i32,
    /// The limits that the program was started with.
    started_with: Vec<Limit>,
}

struct RunningProgram {
    pid: Pid,
    ended: OwnedFd,
    /// The device of its terminal, if it has one.
    terminal: Option<u64>,
    /// Whether the executor was told that a process waits for input from the terminal.
    asks: bool,
}

/// What has happened.
struct ReadyWork {
    socket: bool,
    /// A child stopped, continued or ended.
    child: bool,
    program_ended: bool,
}

enum StopReason {
    SocketEnded,
    ProgramEnded,
}

/// Serves the socket until it is closed or the program ends.
pub(super) fn supervise(socket: OwnedFd) -> ExitCode {
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let decoder = FrameDecoder::new(MAX_MESSAGE_BYTES);
    let inherited = Vec::new();
    let Ok(children) = pause::children() else { return ExitCode::FAILURE };
    let mut supervisor = Supervisor {
        socket,
        decoder,
        inherited,
        program: None,
        watch: None,
        pause_at: None,
        paused: false,
        children,
        own,
        started_with: Vec::new(),
    };
    let stop = supervisor.serve();
    if matches!(stop, StopReason::SocketEnded) {
        supervisor.end_all();
    }
    ExitCode::SUCCESS
}

impl Supervisor {
    fn serve(&mut self) -> StopReason {
        loop {
            let ready = match self.wait() {
                Ok(ready) => ready,
                Err(Errno::INTR) => continue,
                Err(_) => return StopReason::SocketEnded,
            };
            if ready.child {
                self.on_child();
            }
            if ready.program_ended {
                self.report_end();
                return StopReason::ProgramEnded;
            }
            if ready.socket {
                match self.receive() {
                    Ok(true) => {}
                    Ok(false) | Err(_) => return StopReason::SocketEnded,
                }
            }
            self.on_time();
        }
    }

    /// Sleeps until something happens. Returns what.
    fn wait(&self) -> rustix::io::Result<ReadyWork> {
        let mut fds =
            vec![PollFd::new(&self.socket, PollFlags::IN), PollFd::new(&self.children, PollFlags::IN)];
        if let Some(program) = &self.program {
            fds.push(PollFd::new(&program.ended, PollFlags::IN));
        }
        let watched = self.watch.as_ref().map(|w| {
            w.repeat_at.last().into_iter().chain([&w.look_at, &w.step_at]).min().copied().unwrap_or(w.look_at)
        });
        let due = watched.into_iter().chain(self.pause_at).min();
        let rest = due.map(|due| due.saturating_duration_since(Instant::now()));
        let timeout = rest.and_then(|rest| Timespec::try_from(rest).ok());
        poll(&mut fds, timeout.as_ref())?;
        let ready = |at: usize| fds.get(at).is_some_and(|fd| !fd.revents().is_empty());
        Ok(ReadyWork { socket: ready(0), child: ready(1), program_ended: ready(2) })
    }

    /// Reads from the socket and carries out its orders. Returns false when it is closed or invalid.
    fn receive(&mut self) -> rustix::io::Result<bool> {
        let mut buffer = [0u8; 8 << 10];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(8))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let received = rustix::net::recvmsg(
            &self.socket,
            &mut [IoSliceMut::new(&mut buffer)],
            &mut control,
            RecvFlags::CMSG_CLOEXEC,
        )?;
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(fds) = message {
                self.inherited.extend(fds);
            }
        }
        if received.bytes == 0 {
            return Ok(false);
        }
        self.decoder.push(buffer.get(..received.bytes).unwrap_or_default());
        loop {
            match self.decoder.next_frame() {
                Ok(None) => return Ok(true),
                Ok(Some(frame)) => match HelperOrder::decode(&frame) {
                    Ok(order) => self.obey(order),
                    Err(_) => return Ok(false),
                },
                Err(_) => return Ok(false),
            }
        }
    }

    fn obey(&mut self, order: HelperOrder) {
        match order {
            HelperOrder::Spawn(program) => self.spawn(&program),
            HelperOrder::Begin(bounds) => self.begin(bounds),
            HelperOrder::End => self.end_run(),
            HelperOrder::Pause if self.watch.is_none() => drop(self.pause()),
            HelperOrder::GoOn => self.resume_unused(),
            HelperOrder::SetCountedTime(what) => self.count(what),
            // No run is going on, so a late interrupt must not wake the program.
            HelperOrder::Interrupt if !self.paused => self.interrupt(),
            HelperOrder::Pause | HelperOrder::Interrupt => {}
            HelperOrder::PauseAll => {
                let pause = self.pause_all();
                self.send(&HelperMessage::Paused(pause));
            }
            HelperOrder::GoOnAll => self.resume_all(),
            HelperOrder::Kill => self.end_all(),
        }
    }

    fn spawn(&mut self, program: &ProgramSpec) {
        let inherited = std::mem::take(&mut self.inherited);
        let told = if self.program.is_some() {
            HelperMessage::NotSpawned("the helper has a program already".into())
        } else {
            // The program may end this process before it can send anything else.
            self.send(&HelperMessage::Spawning);
            match start(program, inherited, self.own) {
                Ok(running) => {
                    let pid = running.pid.as_raw_nonzero().get();
                    self.program = Some(running);
                    self.started_with = bounds::inherited(&program.confinement.limits);
                    HelperMessage::Spawned { pid }
                }
                Err(why) => HelperMessage::NotSpawned(why.to_string()),
            }
        };
        self.send(&told);
    }

    /// The program ended, so all its descendants are killed too.
    fn report_end(&mut self) {
        let Some(program) = self.program.take() else { return };
        let own = program.pid.as_raw_nonzero().get();
        if let Some(watch) = &mut self.watch {
            watch.seen.insert(own);
        }
        let status = rustix::process::waitpid(Some(program.pid), WaitOptions::empty());
        kill_all(self.own, None);
        let (code, signal) = match status {
            Ok(Some((_, status))) => (status.exit_status(), status.terminating_signal()),
            _ => (None, None),
        };
        let used = self.used();
        self.send(&HelperMessage::Exited { code, signal, used });
    }

    fn end_all(&mut self) {
        if let Some(program) = &self.program {
            let _ = rustix::process::kill_process_group(program.pid, Signal::KILL);
            let _ = rustix::process::kill_process(program.pid, Signal::KILL);
            // `report_end` waits for the program itself, because its status is still needed.
            kill_all(self.own, Some(program.pid.as_raw_nonzero().get()));
        }
    }

    /// Sends a signal to the program's group, and wakes stopped processes so that they receive it.
    fn signal_group(&self, signal: Signal) {
        if let Some(program) = &self.program {
            let _ = rustix::process::kill_process_group(program.pid, signal);
            let _ = rustix::process::kill_process_group(program.pid, Signal::CONT);
        }
    }

    /// Sends a message to the executor. If the socket is closed, the next read shows that.
    fn send(&self, told: &HelperMessage) {
        let _ = send_all(&self.socket, &told.encode());
    }
}
