//! Stops the program between two runs, so that nothing of a run acts while a person decides.
//!
//! SIGSTOP can't be caught or ignored. Every process that could wake the program is killed first, and the program
//! counts as still only once every thread is seen stopped: stopped threads can't start again what was just killed.
//!
//! SIGCONT wakes it nevertheless, and a process can have the system send one later, by a timer or a watched file. That
//! can't be prevented, but it is noticed at once, and then the program is killed.

use super::Supervisor;
use super::kill_all::kill_all;
use crate::exec::helper_wire::{HelperMessage, PauseState};
use crate::exec::tree;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, waitid};
use std::io::{self, Read as _};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// How long to try to stop everything. A thread inside an uninterruptible system call stops only at the end of the
/// call.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);
const LOOK_INTERVAL: Duration = Duration::from_micros(100);
/// How long a program that no run uses may continue, to prepare or to answer.
const UNUSED_TIMEOUT: Duration = Duration::from_secs(3);

/// A socket that becomes readable each time a child stops, continues or ends.
pub(super) fn children() -> io::Result<UnixStream> {
    let (ours, theirs) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    signal_hook::low_level::pipe::register(Signal::CHILD.as_raw(), theirs)?;
    Ok(ours)
}

impl Supervisor {
    /// Stops the program, and kills all its descendants. Returns the state of the program.
    pub(super) fn pause(&mut self) -> PauseState {
        (self.pause_at, self.paused) = (None, true);
        let Some(pid) = self.program.as_ref().map(|program| program.pid) else {
            kill_all(self.own, None);
            return PauseState::default();
        };
        let raw = pid.as_raw_nonzero().get();
        let until = Instant::now() + STOP_TIMEOUT;
        loop {
            let _ = rustix::process::kill_process(pid, Signal::STOP);
            let alone = kill_all(self.own, Some(raw));
            // A process that was killed here may have woken the program, once or repeatedly. The system reports each
            // stop and continuation once: if nothing is reported any more, the program has stood still since before
            // this check.
            let still = alone
                && tree::is_still(raw)
                && tree::descendants_up_to(self.own, 1).len() <= 1
                && !self.stopped_or_went_on();
            if still || Instant::now() >= until {
                return PauseState { still, threads: tree::threads(raw) };
            }
            std::thread::sleep(LOOK_INTERVAL);
        }
    }

    /// Resumes the program if it was stopped here. A program that stopped itself stays stopped.
    pub(super) fn resume(&mut self) {
        self.pause_at = None;
        let stopped = std::mem::take(&mut self.paused);
        if let Some(program) = self.program.as_ref().filter(|_| stopped) {
            let _ = rustix::process::kill_process(program.pid, Signal::CONT);
        }
    }

    /// Stops the program and all its descendants without killing any, because a program that is not ours may need them.
    pub(super) fn pause_all(&mut self) -> PauseState {
        self.paused = true;
        let until = Instant::now() + STOP_TIMEOUT;
        loop {
            let all = self.signal_all(Signal::STOP);
            let still = all.iter().all(|pid| tree::is_still(*pid))
                && tree::descendants(self.own) == all
                && !self.reap_orphans()
                && !self.stopped_or_went_on();
            if still || Instant::now() >= until {
                return PauseState { still, threads: 0 };
            }
            std::thread::sleep(LOOK_INTERVAL);
        }
    }

    /// Resumes the program and all its descendants.
    pub(super) fn resume_all(&mut self) {
        self.paused = false;
        self.signal_all(Signal::CONT);
    }

    /// Reaps dead children. While the program is stopped, a child that died must have been active, and a program that
    /// was woken is: both lead to the end of everything.
    pub(super) fn on_child(&mut self) {
        // The number of signals does not matter: what happened to the program is asked from the system.
        let mut drained = [0; 64];
        while (&self.children).read(&mut drained).is_ok_and(|count| count > 0) {}
        let moved = self.reap_orphans() | self.stopped_or_went_on();
        if self.paused && moved {
            self.send(&HelperMessage::Woken);
            self.end_all();
        }
    }

    /// Whether the program stopped or continued since this was last called.
    fn stopped_or_went_on(&self) -> bool {
        let what = WaitIdOptions::STOPPED | WaitIdOptions::CONTINUED | WaitIdOptions::NOHANG;
        let told = |program: &super::RunningProgram| {
            waitid(WaitId::Pid(program.pid), what).is_ok_and(|told| told.is_some())
        };
        self.program.as_ref().is_some_and(told)
    }

    fn signal_all(&self, signal: Signal) -> Vec<i32> {
        let all = tree::descendants(self.own);
        for pid in all.iter().copied().filter_map(Pid::from_raw) {
            let _ = rustix::process::kill_process(pid, signal);
        }
        all
    }

    /// Lets a program that no run uses continue for a while.
    pub(super) fn resume_unused(&mut self) {
        if self.watch.is_none() {
            self.resume();
            self.pause_at = Some(Instant::now() + UNUSED_TIMEOUT);
        }
    }
}
