//! Follows the current run of the program: its beginning, its interrupts, what is due by the clock, its end.

use super::bounds::WATCH_INTERVAL;
use super::count::{ComputedTime, end_of_time};
use super::{Supervisor, shells};
use crate::domain::Limits;
use crate::exec::helper_wire::HelperMessage;
use crate::exec::tree;
use rustix::process::{Pid, Signal};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// The time from SIGINT at the time limit to SIGTERM, and from there to SIGKILL; together well below the 2 s that are
/// promised.
const SIGNAL_DELAYS: [Duration; 2] = [Duration::from_millis(700), Duration::from_millis(500)];
/// When to check whether an interrupt must be repeated: a process that was just being started loses it.
const REPEAT_DELAYS: [Duration; 5] = [
    Duration::from_millis(40),
    Duration::from_millis(160),
    Duration::from_millis(400),
    Duration::from_millis(1000),
    Duration::from_millis(2500),
];
/// The shortest and the longest time between two reports of what a run uses.
const REPORT_INTERVALS: (Duration, Duration) = (Duration::from_millis(15), Duration::from_millis(240));

pub(super) struct WatchedRun {
    pub(super) step_at: Instant,
    pub(super) step: usize,
    /// The computing time, if the time limit counts that.
    pub(super) computed: Option<ComputedTime>,
    pub(super) bounds: Limits,
    /// Whether a limit was exceeded, so that the run is being killed.
    pub(super) over: bool,
    /// When to sample its processes again, and when to report the result.
    pub(super) look_at: Instant,
    pub(super) tell_at: Instant,
    pub(super) pause: Duration,
    pub(super) cpu_before: u64,
    pub(super) peak_rss: u64,
    /// The highest sum of memory over all its processes that was seen.
    pub(super) peak_together: u64,
    /// Processes and threads at the last sample.
    pub(super) now: u32,
    pub(super) seen: BTreeSet<i32>,
    /// When to repeat the interrupt, latest first.
    pub(super) repeat_at: Vec<Instant>,
    /// The processes that existed at the last interrupt.
    pub(super) interrupted: BTreeSet<i32>,
}

impl Supervisor {
    pub(super) fn begin(&mut self, bounds: Limits) {
        if let Err(why) = self.apply_limits(&bounds) {
            return self.send(&HelperMessage::NotBegun(why.to_string()));
        }
        let now = Instant::now();
        self.watch = Some(WatchedRun {
            step_at: end_of_time(&bounds, now),
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
        self.send(&HelperMessage::Begun);
    }

    pub(super) fn interrupt(&mut self) {
        let Some(group) = self.program.as_ref().map(|program| program.pid) else { return };
        let there = || tree::descendants(self.own).into_iter().collect();
        // Those that are stopped receive the signal first; what they start after that was started on purpose.
        let standing = shells::stop_before_interrupt(self.own, group).then(there);
        self.signal_group(Signal::INT);
        let there = standing.unwrap_or_else(there);
        if let Some(watch) = &mut self.watch {
            let now = Instant::now();
            watch.repeat_at = REPEAT_DELAYS.iter().rev().map(|after| now + *after).collect();
            watch.interrupted = there;
        }
    }

    /// Repeats the interrupt for processes that it did not reach, that is, those still alive although it would end
    /// them: between its fork and its start, a shell's child still has the shell's signal handling. Processes that
    /// catch or ignore the interrupt do not get it again, nor do those that were started since, which may be cleaning
    /// up.
    ///
    /// Our own Python kernel catches the interrupt, and can still miss it: the interpreter notes the signal, and if it
    /// was about to wait (`time.sleep`), it looks at the note only after the wait. It gets another signal that only
    /// ends the wait. A handler of the code is not called twice, and a Python that has already looked continues to
    /// wait.
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

    /// Does what is due by the clock: the next signal after the time limit, the next sample.
    pub(super) fn on_time(&mut self) {
        let now = Instant::now();
        if self.pause_at.is_some_and(|at| now >= at) {
            self.pause();
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
                    self.send(&HelperMessage::OutOfTime);
                    self.interrupt();
                }
                1 => self.signal_group(Signal::TERM),
                _ => self.end_all(),
            }
        }
        if self.watch.as_ref().is_some_and(|w| now >= w.look_at) {
            let rss_bytes = self.measure();
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
        self.send(&HelperMessage::Usage { rss_bytes, cpu_us });
    }

    /// The kernel reported the end of the run: stops the program, and kills the other processes that the run left.
    pub(super) fn end_run(&mut self) {
        self.measure();
        let pause = self.pause();
        let used = self.used();
        self.watch = None;
        self.send(&HelperMessage::Finished(used, pause));
    }
}
