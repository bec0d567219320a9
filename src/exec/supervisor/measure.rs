//! What a run uses: by looking at its processes while they live, by what the system counted when they are gone.

use super::Supervisor;
use crate::exec::helper_wire::{Notification, ResourceUse};
use crate::exec::tree;
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use rustix::process::{Pid, WaitOptions};
use std::collections::HashMap;

/// At most so many are waited for in one look.
const MAX_ORPHANS: usize = 256;

impl Supervisor {
    /// Looks at every process of the run; returns their resident memory.
    pub(super) fn look(&mut self) -> u64 {
        let crowd = self.crowd();
        let Some(watch) = &mut self.watch else { return 0 };
        let most = watch.bounds.processes as usize;
        if most > 0 && crowd.len() > most {
            // What each of them uses would take long to find, and they are to end anyway.
            watch.now = u32::try_from(crowd.len()).unwrap_or(u32::MAX);
            watch.seen.extend(crowd);
            return 0;
        }
        let (mut sum, mut now, mut each) = (0, 0, HashMap::new());
        for pid in crowd {
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
            computed.look(each);
        }
        let together = watch.peak_together.max(sum);
        watch.peak_together = together;
        let _ = self.bury_orphans();
        sum
    }

    /// The processes of the run: no more than it may have, and one. Whoever looked for all of a crowd that forks would not
    /// come to the next look, which ends it.
    pub(super) fn crowd(&self) -> Vec<i32> {
        match self.watch.as_ref().map(|watch| watch.bounds.processes as usize) {
            Some(most) if most > 0 => tree::crowd(self.own, most),
            _ => tree::descendants(self.own),
        }
    }

    /// Waits for those that fell to the supervisor and died: whoever looks at all processes would look at them too.
    /// Whether there were any.
    pub(super) fn bury_orphans(&self) -> bool {
        let Some(program) = &self.program else { return false };
        for buried in 0..MAX_ORPHANS {
            let look = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
            let Some(pid) = waitid(Id::All, look).ok().and_then(|dead| dead.pid()) else {
                return buried > 0;
            };
            let pid = Pid::from_raw(pid.as_raw());
            // The status of the program itself is still wanted.
            if pid.is_none() || pid == Some(program.pid) {
                return buried > 0;
            }
            let _ = rustix::process::waitpid(pid, WaitOptions::NOHANG);
        }
        true
    }

    /// Tells whether a process waits for what is typed into the program's terminal, when that is otherwise than before.
    pub(super) fn send_asking(&mut self) {
        let Some((program, terminal)) =
            self.program.as_ref().and_then(|program| Some((program, program.terminal?)))
        else {
            return;
        };
        let asks = self.crowd().into_iter().any(|pid| tree::is_reading(pid, terminal));
        if asks != program.asks {
            self.send(&Notification::Asks(asks));
            self.program.iter_mut().for_each(|program| program.asks = asks);
        }
    }

    /// Processor time of everything below, living and waited for, microseconds.
    pub(super) fn cpu_now(&self) -> u64 {
        let living: u64 = self
            .crowd()
            .into_iter()
            .filter_map(tree::usage)
            .map(|usage| usage.cpu_us + usage.children_us)
            .sum();
        living + waited_for().0
    }

    pub(super) fn used(&self) -> ResourceUse {
        let Some(watch) = &self.watch else { return ResourceUse::default() };
        // The largest of those that were waited for: for a program that ended, the exact figure.
        let peak = if self.program.is_none() { waited_for().1 } else { 0 };
        ResourceUse {
            cpu_us: self.cpu_now().saturating_sub(watch.cpu_before),
            peak_rss_bytes: watch.peak_rss.max(peak).max(watch.peak_together),
            processes: u32::try_from(watch.seen.len()).unwrap_or(u32::MAX),
        }
    }
}

/// Processor time (microseconds) and the largest resident memory (bytes) of the children that were waited for.
fn waited_for() -> (u64, u64) {
    use nix::sys::resource::{UsageWho, getrusage};
    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else { return (0, 0) };
    let (user, system) = (usage.user_time(), usage.system_time());
    let us = |t: nix::sys::time::TimeVal| (t.tv_sec() * 1_000_000 + t.tv_usec()).unsigned_abs();
    (us(user) + us(system), usage.max_rss().unsigned_abs() * 1024)
}
