//! The run that goes on in the program: its beginning, its interrupts, what is due by the clock, its end.

use super::bounds::WATCH_INTERVAL;
use super::count::ComputedTime;
use super::{Supervisor, shells};
use crate::exec::helper_wire::{Notification, WatchedLimits};
use crate::exec::tree;
use rustix::process::{Pid, Signal};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// From SIGINT at the time limit to SIGTERM, and from there to SIGKILL: together well under the 2 s that are promised.
const SIGNAL_DELAYS: [Duration; 2] = [Duration::from_millis(700), Duration::from_millis(500)];
/// When an interrupt is looked after: a process that was just being born loses it.
const REPEAT_DELAYS: [Duration; 5] = [
    Duration::from_millis(40),
    Duration::from_millis(160),
    Duration::from_millis(400),
    Duration::from_millis(1000),
    Duration::from_millis(2500),
];
/// The first and the longest pause between two reports of what a run uses.
const REPORT_INTERVALS: (Duration, Duration) = (Duration::from_millis(15), Duration::from_millis(240));

/// What is kept of a run while it goes on.
pub(super) struct WatchedRun {
    pub(super) step_at: Instant,
    pub(super) step: usize,
    /// What was computed, where the time limit counts that alone.
    pub(super) computed: Option<ComputedTime>,
    pub(super) bounds: WatchedLimits,
    /// Whether a limit was passed: the run is being ended.
    pub(super) over: bool,
    /// When its processes are looked at again, and when that is told.
    pub(super) look_at: Instant,
    pub(super) tell_at: Instant,
    pub(super) pause: Duration,
    pub(super) cpu_before: u64,
    pub(super) peak_rss: u64,
    /// The most that all its processes had together, as it was seen.
    pub(super) peak_together: u64,
    /// Processes and threads at the last look.
    pub(super) now: u32,
    pub(super) seen: BTreeSet<i32>,
    /// When interrupts are repeated, latest first.
    pub(super) repeat_at: Vec<Instant>,
    /// The processes that were there at the last interrupt.
    pub(super) interrupted: BTreeSet<i32>,
}

impl Supervisor {
    pub(super) fn begin(&mut self, bounds: WatchedLimits) {
        if let Err(why) = self.apply_limits(&bounds) {
            return self.send(&Notification::NotBegun(why.to_string()));
        }
        let now = Instant::now();
        self.watch = Some(WatchedRun {
            step_at: bounds.ends(now),
            step: 0,
            computed: None,
            bounds,
            over: false,
            look_at: now + REPORT_INTERVALS.0,
            tell_at: now + REPORT_INTERVALS.0,
            pause: REPORT_INTERVALS.0,
            now: 0,
            cpu_before: self.cpu_now(),
            peak_rss: 0,
            peak_together: 0,
            seen: BTreeSet::new(),
            repeat_at: Vec::new(),
            interrupted: BTreeSet::new(),
        });
        self.resume();
        self.send(&Notification::Begun);
    }

    pub(super) fn interrupt(&mut self) {
        let Some(group) = self.program.as_ref().map(|program| program.pid) else { return };
        let there = || tree::descendants(self.own).into_iter().collect();
        // Those that stand still meet the signal first: what is born after it has its own reasons.
        let standing = shells::stop_before_interrupt(self.own, group).then(there);
        self.signal_group(Signal::INT);
        let there = standing.unwrap_or_else(there);
        if let Some(watch) = &mut self.watch {
            let now = Instant::now();
            watch.repeat_at = REPEAT_DELAYS.iter().rev().map(|after| now + *after).collect();
            watch.interrupted = there;
        }
    }

    /// A process that is alive although the interrupt would have ended it was not reached by it: between its birth and
    /// its own start, a child of a shell still has the shell's way with signals. It gets the interrupt again; who catches
    /// or ignores it does not, and neither does what was born since, which may clean up.
    ///
    /// Our own Python kernel catches it, and can still miss it: the interpreter takes note of the signal, and when it was
    /// about to wait (`time.sleep`) it looks at the note only after that. It gets another signal, which does nothing but
    /// end the waiting; a handler of the code is not called twice, and who has looked already goes on waiting.
    pub(super) fn repeat_interrupt(&self, there: &BTreeSet<i32>) {
        let Some(program) = &self.program else { return };
        let group = program.pid.as_raw_nonzero().get();
        if tree::handles_signals(group, &[Signal::INT.as_raw(), Signal::URG.as_raw()]) {
            let _ = rustix::process::kill_process(program.pid, Signal::URG);
        }
        let alive = tree::interruptible(self.own, group).into_iter();
        for pid in alive.filter(|pid| there.contains(pid)).filter_map(Pid::from_raw) {
            let _ = rustix::process::kill_process(pid, Signal::INT);
        }
    }

    /// What is due by the clock: the next step of the ladder, the next look.
    pub(super) fn on_time(&mut self) {
        let now = Instant::now();
        if self.rest_at.is_some_and(|at| now >= at) {
            self.rest();
        }
        let Some(watch) = &mut self.watch else { return };
        if watch.repeat_at.pop_if(|at| now >= *at).is_some() {
            let there = watch.interrupted.clone();
            self.repeat_interrupt(&there);
        }
        self.postpone(now);
        let Some(watch) = &mut self.watch else { return };
        if now >= watch.step_at {
            let step = watch.step;
            watch.step += 1;
            watch.step_at = now + SIGNAL_DELAYS.get(step).copied().unwrap_or(Duration::from_secs(1));
            match step {
                0 => {
                    self.send(&Notification::OutOfTime);
                    self.interrupt();
                }
                1 => self.signal_group(Signal::TERM),
                _ => self.end_all(),
            }
        }
        if self.watch.as_ref().is_some_and(|w| now >= w.look_at) {
            let rss_bytes = self.look();
            self.enforce_limits(rss_bytes);
            let Some(watch) = &mut self.watch else { return };
            let held = watch.bounds.memory_bytes > 0 || watch.bounds.processes > 0;
            watch.look_at = now + if held { WATCH_INTERVAL } else { watch.pause };
            if now >= watch.tell_at {
                watch.pause = (watch.pause * 2).min(REPORT_INTERVALS.1);
                watch.tell_at = now + watch.pause;
                self.send_usage(rss_bytes);
                self.send_asking();
            }
        }
    }

    pub(super) fn send_usage(&self, rss_bytes: u64) {
        let before = self.watch.as_ref().map_or(0, |watch| watch.cpu_before);
        let cpu_us = (self.cpu_now() + self.uncounted()).saturating_sub(before);
        self.send(&Notification::Usage { rss_bytes, cpu_us });
    }

    /// The run is over by the kernel's word: the program stops, what else the run left behind ends.
    pub(super) fn end_run(&mut self) {
        self.look();
        let rest = self.rest();
        let used = self.used();
        self.watch = None;
        self.send(&Notification::Finished(used, rest));
    }
}
