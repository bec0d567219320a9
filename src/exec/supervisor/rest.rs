//! The program between two runs: it stands still, so that nothing of a run acts while a person decides.
//!
//! SIGSTOP can't be caught or ignored. All that could wake the program again is ended first, and it counts as still only
//! once every thread is seen stopped; threads of a pool that were stopped can't start what was just ended anew.

use super::Supervisor;
use super::hunt::hunt;
use crate::exec::helper_wire::Rest;
use crate::exec::tree;
use rustix::process::{Pid, Signal};
use std::time::{Duration, Instant};

/// How long it is tried to bring all to a stand. A thread inside a call that can't be broken off stops at its end only.
const PATIENCE: Duration = Duration::from_secs(2);
/// The pause between two looks.
const PAUSE: Duration = Duration::from_micros(100);
/// How long a program that no run uses may go on by itself, to get ready or to answer.
const UNUSED: Duration = Duration::from_secs(3);

impl Supervisor {
    /// Stops the program and ends all else that descends from it; how it then stands.
    pub(super) fn rest(&mut self) -> Rest {
        (self.rest_at, self.resting) = (None, true);
        let Some(pid) = self.program.as_ref().map(|program| program.pid) else {
            hunt(self.own, None);
            return Rest::default();
        };
        let raw = pid.as_raw_nonzero().get();
        let until = Instant::now() + PATIENCE;
        loop {
            let _ = rustix::process::kill_process(pid, Signal::STOP);
            hunt(self.own, Some(raw));
            // What was ended by this hunt may have woken it: alone and stopped at once, or again.
            let still = tree::is_still(raw) && tree::crowd(self.own, 1).len() <= 1;
            if still || Instant::now() >= until {
                return Rest { still, threads: tree::threads(raw) };
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Lets the program go on.
    pub(super) fn go_on(&mut self) {
        (self.rest_at, self.resting) = (None, false);
        if let Some(program) = &self.program {
            let _ = rustix::process::kill_process(program.pid, Signal::CONT);
        }
    }

    /// Stops the program and all that descends from it, of which nothing is ended: a program that is not ours may need it.
    pub(super) fn pause_all(&mut self) -> Rest {
        self.resting = true;
        let until = Instant::now() + PATIENCE;
        loop {
            let all = self.signal_all(Signal::STOP);
            let still = all.iter().all(|pid| tree::is_still(*pid)) && tree::descendants(self.own) == all;
            if still || Instant::now() >= until {
                return Rest { still, threads: 0 };
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Lets the program and all that descends from it go on.
    pub(super) fn go_on_all(&mut self) {
        self.resting = false;
        self.signal_all(Signal::CONT);
    }

    fn signal_all(&self, signal: Signal) -> Vec<i32> {
        let all = tree::descendants(self.own);
        for pid in all.iter().copied().filter_map(Pid::from_raw) {
            let _ = rustix::process::kill_process(pid, signal);
        }
        all
    }

    /// Lets a program that no run uses go on for a while.
    pub(super) fn go_on_unused(&mut self) {
        if self.watch.is_none() {
            self.go_on();
            self.rest_at = Some(Instant::now() + UNUSED);
        }
    }
}
