//! What a run uses: by looking at its processes while they live, by what the system counted when they are gone.

use super::Supervisor;
use crate::exec::helper_wire::Used;
use crate::exec::tree;

impl Supervisor {
    /// Looks at every process of the run; returns their resident memory.
    pub(super) fn look(&mut self) -> u64 {
        let Some(watch) = &mut self.watch else { return 0 };
        let (mut sum, mut now) = (0, 0);
        for pid in tree::descendants(self.own) {
            watch.seen.insert(pid);
            if let Some(usage) = tree::usage(pid) {
                sum += usage.rss_bytes;
                now += usage.threads;
                watch.peak_rss = watch.peak_rss.max(usage.peak_rss_bytes);
            }
        }
        watch.now = now;
        watch.peak_together = watch.peak_together.max(sum);
        sum
    }

    /// Processor time of everything below, living and waited for, microseconds.
    pub(super) fn cpu_now(&self) -> u64 {
        let living: u64 = tree::descendants(self.own)
            .into_iter()
            .filter_map(tree::usage)
            .map(|usage| usage.cpu_us + usage.children_us)
            .sum();
        living + waited_for().0
    }

    pub(super) fn used(&self) -> Used {
        let Some(watch) = &self.watch else { return Used::default() };
        // The largest of those that were waited for: for a program that ended, the exact figure.
        let peak = if self.program.is_none() { waited_for().1 } else { 0 };
        Used {
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
