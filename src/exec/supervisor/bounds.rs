//! Holds the limits that the system does not hold by itself: looks often at what all processes of a run use together.

use super::Supervisor;
use crate::exec::helper_wire::{Bounds, Told};
use crate::exec::sandbox::{data_limit, processors};
use crate::exec::tree;
use rustix::process::{Resource, Rlimit};
use std::time::Duration;

/// The pause between two looks while there is something to hold.
pub(super) const WATCH: Duration = Duration::from_millis(20);

impl Supervisor {
    /// The program may set aside as much as this run may use, also when it was started for another.
    pub(super) fn widen(&self, bounds: &Bounds) {
        let Some(program) = &self.program else { return };
        if bounds.memory_bytes > 0 && self.limits_data {
            let wanted = data_limit(bounds.memory_bytes, processors());
            let limit = Rlimit { current: Some(wanted), maximum: None };
            let _ = rustix::process::prlimit(Some(program.pid), Resource::Data, limit);
        }
    }

    /// Ends the run when it is over a limit. `rss` is what all its processes have resident.
    pub(super) fn hold(&mut self, rss: u64) {
        let Some(watch) = self.watch.as_mut().filter(|watch| !watch.over) else { return };
        let bounds = watch.bounds;
        let too_much = bounds.memory_bytes > 0 && rss > bounds.memory_bytes;
        let too_many = bounds.processes > 0 && watch.now > bounds.processes;
        let what = if too_many {
            format!("processes: {} of {}", watch.now, bounds.processes)
        } else if too_much {
            // What several processes share was counted for each of them.
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
        self.tell(&Told::OverLimit(what));
        self.end_all();
    }
}

/// `2.1 of 2 GiB`.
fn amounts(used: u64, limit: u64) -> String {
    let (unit, word) = if limit >= 1 << 30 { (1u64 << 30, "GiB") } else { (1 << 20, "MiB") };
    let number = |bytes: u64| format!("{:.1}", bytes as f64 / unit as f64);
    let limit = number(limit);
    format!("{} of {} {word}", number(used), limit.strip_suffix(".0").unwrap_or(&limit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_in_words() {
        assert_eq!(amounts(2_200_000_000, 2 << 30), "2.0 of 2 GiB");
        assert_eq!(amounts(300 << 20, 256 << 20), "300.0 of 256 MiB");
        assert_eq!(amounts(2 << 30, 3 << 29), "2.0 of 1.5 GiB");
    }
}
