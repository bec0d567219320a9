//! The program between two runs: it stands still, so that nothing of a run acts while a person decides.
//!
//! SIGSTOP can't be caught or ignored. All that could wake the program again is ended first, and it counts as still only
//! once every thread is seen stopped; threads of a pool that were stopped can't start what was just ended anew.
//!
//! SIGCONT wakes it all the same, and a process can have the system send it one later: by a timer, by a file that is
//! watched. That can't be hindered, but it is noticed at once, and then the program is ended.

use super::Supervisor;
use super::hunt::hunt;
use crate::exec::helper_wire::{Notification, RestState};
use crate::exec::tree;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, waitid};
use std::io::{self, Read as _};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// How long it is tried to bring all to a stand. A thread inside a call that can't be broken off stops at its end only.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);
const LOOK_INTERVAL: Duration = Duration::from_micros(100);
/// How long a program that no run uses may go on by itself, to get ready or to answer.
const UNUSED_TIMEOUT: Duration = Duration::from_secs(3);

/// What is readable each time a child stops, goes on or ends.
pub(super) fn children() -> io::Result<UnixStream> {
    let (ours, theirs) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    signal_hook::low_level::pipe::register(Signal::CHILD.as_raw(), theirs)?;
    Ok(ours)
}

impl Supervisor {
    /// Stops the program and ends all else that descends from it; how it then stands.
    pub(super) fn rest(&mut self) -> RestState {
        (self.rest_at, self.resting) = (None, true);
        let Some(pid) = self.program.as_ref().map(|program| program.pid) else {
            hunt(self.own, None);
            return RestState::default();
        };
        let raw = pid.as_raw_nonzero().get();
        let until = Instant::now() + STOP_TIMEOUT;
        loop {
            let _ = rustix::process::kill_process(pid, Signal::STOP);
            let alone = hunt(self.own, Some(raw));
            // What was ended by this hunt may have woken it: alone and stopped at once, or again. That it stopped or went
            // on is told once: where nothing is told any more, it stands since before this look.
            let still = alone
                && tree::is_still(raw)
                && tree::crowd(self.own, 1).len() <= 1
                && !self.stopped_or_went_on();
            if still || Instant::now() >= until {
                return RestState { still, threads: tree::threads(raw) };
            }
            std::thread::sleep(LOOK_INTERVAL);
        }
    }

    /// Lets the program go on that was stopped here; one that stopped itself stays as it wanted.
    pub(super) fn resume(&mut self) {
        self.rest_at = None;
        let stopped = std::mem::take(&mut self.resting);
        if let Some(program) = self.program.as_ref().filter(|_| stopped) {
            let _ = rustix::process::kill_process(program.pid, Signal::CONT);
        }
    }

    /// Stops the program and all that descends from it, of which nothing is ended: a program that is not ours may need it.
    pub(super) fn pause_all(&mut self) -> RestState {
        self.resting = true;
        let until = Instant::now() + STOP_TIMEOUT;
        loop {
            let all = self.signal_all(Signal::STOP);
            let still = all.iter().all(|pid| tree::is_still(*pid))
                && tree::descendants(self.own) == all
                && !self.bury_orphans()
                && !self.stopped_or_went_on();
            if still || Instant::now() >= until {
                return RestState { still, threads: 0 };
            }
            std::thread::sleep(LOOK_INTERVAL);
        }
    }

    /// Lets the program and all that descends from it go on.
    pub(super) fn resume_all(&mut self) {
        self.resting = false;
        self.signal_all(Signal::CONT);
    }

    /// Buries the dead. Where nothing was to move, something that died did, and a program that was woken can: both end.
    pub(super) fn on_child(&mut self) {
        // However many there were: they are counted by what the system tells of the program.
        let mut drained = [0; 64];
        while (&self.children).read(&mut drained).is_ok_and(|count| count > 0) {}
        let moved = self.bury_orphans() | self.stopped_or_went_on();
        if self.resting && moved {
            self.send(&Notification::Woken);
            self.end_all();
        }
    }

    /// Whether the program stopped or went on since this was last asked.
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

    /// Lets a program that no run uses go on for a while.
    pub(super) fn resume_unused(&mut self) {
        if self.watch.is_none() {
            self.resume();
            self.rest_at = Some(Instant::now() + UNUSED_TIMEOUT);
        }
    }
}
