//! Measures what a run uses: by sampling its processes while they live, and from the system's accounting once they have
//! ended.

use super::Supervisor;
use crate::exec::helper_wire::{HelperMessage, ResourceUse};
use crate::exec::tree;
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use rustix::process::{Pid, WaitOptions};
use std::collections::HashMap;

/// How many orphans are reaped at once, at most.
const MAX_ORPHANS: usize = 256;

impl Supervisor {
    /// Samples every process of the run. Returns their resident memory.
    pub(super) fn measure(&mut self) -> u64 {
        let processes = self.run_processes();
        let Some(watch) = &mut self.watch else { return 0 };
        let most = watch.bounds.processes as usize;
        if most > 0 && processes.len() > most {
            // Measuring each of them would take long, and they will be killed anyway.
            watch.now = u32::try_from(processes.len()).unwrap_or(u32::MAX);
            watch.seen.extend(processes);
            return 0;
        }
        let (mut sum, mut now, mut each) = (0, 0, HashMap::new());
        for pid in processes {
            watch.seen.insert(pid);
            if let Some(usage) = tree::usage(pid) {
                sum += usage.rss_bytes;
                now += usage.threads;
                each.insert(pid, usage.cpu_us);
                watch.peak_rss = watch.peak_rss.max(usage.peak_rss_bytes);
            }
        }
        watch.now = now;
        if let Some(computed) = &mut watch.computed {
            computed.note_sample(each);
        }
        let together = watch.peak_together.max(sum);
        watch.peak_together = together;
        let _ = self.reap_orphans();
        sum
    }

    /// The processes of the run: at most one more than it may have. A full scan of many processes that fork might never
    /// end, and the check that kills it would never happen.
    pub(super) fn run_processes(&self) -> Vec<i32> {
        match self.watch.as_ref().map(|watch| watch.bounds.processes as usize) {
            Some(most) if most > 0 => tree::descendants_up_to(self.own, most),
            _ => tree::descendants(self.own),
        }
    }

    /// Reaps dead processes that became children of the supervisor, since every scan would have to read them. Returns
    /// whether there were any.
    pub(super) fn reap_orphans(&self) -> bool {
        let Some(program) = &self.program else { return false };
        for buried in 0..MAX_ORPHANS {
            let options = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
            let Some(pid) = waitid(Id::All, options).ok().and_then(|dead| dead.pid()) else {
                return buried > 0;
            };
            let pid = Pid::from_raw(pid.as_raw());
            // The status of the program itself is still needed.
            if pid.is_none() || pid == Some(program.pid) {
                return buried > 0;
            }
            let _ = rustix::process::waitpid(pid, WaitOptions::NOHANG);
        }
        true
    }

    /// Reports whether a process waits for input from the program's terminal, if that has changed.
    pub(super) fn send_asking(&mut self) {
        let Some((program, terminal)) =
            self.program.as_ref().and_then(|program| Some((program, program.terminal?)))
        else {
            return;
        };
        let asks = self.run_processes().into_iter().any(|pid| tree::is_reading(pid, terminal));
        if asks != program.asks {
            self.send(&HelperMessage::Asks(asks));
            self.program.iter_mut().for_each(|program| program.asks = asks);
        }
    }

    /// Processor time of all processes below, both living and reaped, in microseconds.
    pub(super) fn cpu_now(&self) -> u64 {
        let living: u64 = self
            .run_processes()
            .into_iter()
            .filter_map(tree::usage)
            .map(|usage| usage.cpu_us + usage.children_us)
            .sum();
        living + waited_for().0
    }

    pub(super) fn used(&self) -> ResourceUse {
        let Some(watch) = &self.watch else { return ResourceUse::default() };
        // The peak of the largest reaped process. For a program that has ended this is exact.
        let peak = if self.program.is_none() { waited_for().1 } else { 0 };
        ResourceUse {
            cpu_us: self.cpu_now().saturating_sub(watch.cpu_before),
            peak_rss_bytes: watch.peak_rss.max(peak).max(watch.peak_together),
            processes: u32::try_from(watch.seen.len()).unwrap_or(u32::MAX),
        }
    }
}

/// Processor time (in microseconds) and largest resident memory (in bytes) of all reaped children.
fn waited_for() -> (u64, u64) {
    use nix::sys::resource::{UsageWho, getrusage};
    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else { return (0, 0) };
    let (user, system) = (usage.user_time(), usage.system_time());
    let us = |t: nix::sys::time::TimeVal| (t.tv_sec() * 1_000_000 + t.tv_usec()).unsigned_abs();
    (us(user) + us(system), usage.max_rss().unsigned_abs() * 1024)
}
