//! Enforces the limits that the system does not enforce itself, by checking often what all processes of a run use
//! together.

use super::Supervisor;
use crate::domain::Limits;
use crate::exec::helper_wire::HelperMessage;
use crate::exec::sandbox::confinement::{Limit, LimitedResource};
use crate::exec::sandbox::{data_limit, processors, resource};
use crate::exec::tree;
use crate::text::system_error::words;
use rustix::io::Errno;
use rustix::process::{Pid, Rlimit};
use std::time::Duration;

/// The time between two checks while there is a limit to enforce.
pub(super) const WATCH_INTERVAL: Duration = Duration::from_millis(20);

/// A limit of a run that could not be set. Contains its name in `/proc/PID/limits`.
#[derive(Debug, thiserror::Error)]
#[error("{0}: {why}", why = words(.1))]
pub(super) struct LimitError(&'static str, Errno);

impl Supervisor {
    /// Sets the limits of the program to those of this run, even if it was started for another one. The limits it was
    /// started with are the maximum, because nobody can raise those.
    ///
    /// # Errors
    /// The limit that could not be set, and why.
    pub(super) fn apply_limits(&self, bounds: &Limits) -> Result<(), LimitError> {
        let Some(program) = &self.program else { return Ok(()) };
        let limits = tree::limits(program.pid.as_raw_nonzero().get());
        for limit in &self.started_with {
            let hard = still_open(&limits, limit);
            let soft = match limit.what {
                LimitedResource::Data if bounds.memory_bytes == 0 => limit.hard,
                LimitedResource::Data => data_limit(bounds.memory_bytes, processors()).min(limit.hard),
                _ => wanted_limit(limit, bounds).unwrap_or(limit.soft),
            };
            let wanted = rlimit(soft.min(hard), hard);
            match rustix::process::prlimit(Some(program.pid), resource(limit.what), wanted) {
                // It has ended, which is reported separately.
                Ok(_) | Err(Errno::SRCH) => {}
                Err(error) => return Err(LimitError(label(limit.what), error)),
            }
        }
        Ok(())
    }

    /// The code can raise a limit that is lower for this run than for the program. Sets it again, and sets it for good
    /// in other processes that the code started.
    fn reapply_limits(&self) {
        let (Some(watch), Some(program)) = (&self.watch, &self.program) else { return };
        let lower: Vec<(&Limit, u64)> = self
            .started_with
            .iter()
            .filter(|limit| limit.what != LimitedResource::Data)
            .filter_map(|limit| Some((limit, wanted_limit(limit, &watch.bounds)?)))
            .filter(|(limit, soft)| *soft < limit.hard)
            .collect();
        if lower.is_empty() {
            return;
        }
        for pid in tree::descendants(self.own).into_iter().filter_map(Pid::from_raw) {
            let limits = tree::limits(pid.as_raw_nonzero().get());
            for (limit, soft) in &lower {
                if tree::soft_limit(&limits, label(limit.what)).is_some_and(|now| now > *soft) {
                    let hard = if pid == program.pid { limit.hard } else { *soft };
                    let hard = hard.min(still_open(&limits, limit));
                    let _ = rustix::process::prlimit(
                        Some(pid),
                        resource(limit.what),
                        rlimit((*soft).min(hard), hard),
                    );
                }
            }
        }
    }

    /// Kills the run if it exceeds a limit. `rss` is the resident memory of all its processes together.
    pub(super) fn enforce_limits(&mut self, rss: u64) {
        self.reapply_limits();
        let Some(watch) = self.watch.as_mut().filter(|watch| !watch.over) else { return };
        let bounds = watch.bounds;
        let too_much = bounds.memory_bytes > 0 && rss > bounds.memory_bytes;
        let too_many = bounds.processes > 0 && watch.now > bounds.processes;
        let what = if too_many {
            format!("processes: {} of {}", watch.now, bounds.processes)
        } else if too_much {
            // Memory shared by several processes was counted once for each of them.
            let shared_once: u64 =
                tree::descendants(self.own).into_iter().filter_map(tree::proportional).sum();
            if shared_once <= bounds.memory_bytes {
                return;
            }
            format!("memory: {}", amounts(shared_once, bounds.memory_bytes))
        } else {
            return;
        };
        watch.over = true;
        self.send(&HelperMessage::OverLimit(what));
        self.end_all();
    }
}

/// The real limits of a program: inherited ones can be lower, and nobody raises those.
pub(super) fn inherited(limits: &[Limit]) -> Vec<Limit> {
    let as_here = |limit: &Limit| {
        let here = rustix::process::getrlimit(resource(limit.what));
        let hard = limit.hard.min(here.maximum.unwrap_or(u64::MAX));
        // Without a limit, the inherited value stays.
        let soft = if limit.is_none() { here.current.unwrap_or(u64::MAX) } else { limit.soft };
        Limit { soft: soft.min(hard), hard, ..*limit }
    };
    limits.iter().map(as_here).collect()
}

/// How far a process's limit can still be raised, according to its [`tree::limits`]: the code may have lowered the hard
/// limit itself.
fn still_open(limits: &str, limit: &Limit) -> u64 {
    limit.hard.min(tree::hard_limit(limits, label(limit.what)).unwrap_or(u64::MAX))
}

/// What this run may use of a resource that the program has a limit on; `None` means no limit.
fn wanted_limit(limit: &Limit, bounds: &Limits) -> Option<u64> {
    let amount = match limit.what {
        LimitedResource::Data => bounds.memory_bytes,
        LimitedResource::Processes => bounds.processes.into(),
        LimitedResource::File => bounds.file_bytes,
        LimitedResource::Open => bounds.open_files.into(),
    };
    (amount > 0).then(|| amount.min(limit.hard))
}

/// The name of a limit in `/proc/PID/limits`.
fn label(what: LimitedResource) -> &'static str {
    match what {
        LimitedResource::Data => "Max data size",
        LimitedResource::Processes => "Max processes",
        LimitedResource::File => "Max file size",
        LimitedResource::Open => "Max open files",
    }
}

fn rlimit(soft: u64, hard: u64) -> Rlimit {
    let amount = |n: u64| (n != u64::MAX).then_some(n);
    Rlimit { current: amount(soft), maximum: amount(hard) }
}

/// Text such as `2.1 of 2 GiB`.
fn amounts(used: u64, limit: u64) -> String {
    let (unit, word) = match limit {
        limit if limit >= 1 << 30 => (1u64 << 30, "GiB"),
        limit if limit >= 1 << 20 => (1 << 20, "MiB"),
        limit if limit >= 1 << 10 => (1 << 10, "KiB"),
        _ => (1, "B"),
    };
    let number = |bytes: u64| format!("{:.1}", bytes as f64 / unit as f64);
    let limit = number(limit);
    format!("{} of {} {word}", number(used), limit.strip_suffix(".0").unwrap_or(&limit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_can_not_be_set_is_told_in_words() {
        assert_eq!(
            LimitError("Max data size", Errno::PERM).to_string(),
            "Max data size: Operation not permitted"
        );
    }

    #[test]
    fn amounts_in_words() {
        assert_eq!(amounts(2_200_000_000, 2 << 30), "2.0 of 2 GiB");
        assert_eq!(amounts(300 << 20, 256 << 20), "300.0 of 256 MiB");
        assert_eq!(amounts(2 << 30, 3 << 29), "2.0 of 1.5 GiB");
        assert_eq!(amounts(12 << 10, 1 << 10), "12.0 of 1 KiB");
        assert_eq!(amounts(12 << 10, 20), "12288.0 of 20 B");
    }
}
