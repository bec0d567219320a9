//! Fits the limits of runs to the kernel. A limit of a process can be lowered for one run and raised again, but never
//! above the limit that the process was started with. So the kernel is started with the widest limits that were
//! approved.

use super::Local;
use crate::domain::Limits;
use crate::exec::ExecutorError;
use crate::exec::error::ExecError;
use crate::exec::helper_wire::{HelperMessage, HelperOrder};
use crate::exec::kernel::Kernel;
use crate::text::system_error::words;
use std::time::{Duration, Instant};

/// How long a helper may take to confirm that a run begins; it starts its program before that. Nothing runs without it.
const BEGIN_TIMEOUT: Duration = Duration::from_secs(5);

impl Local {
    /// Whether some of these limits are lower than those of the kernel, or of a new one (`new_kernel`). Changes
    /// nothing: this is asked for blocks that are not approved.
    ///
    /// # Errors
    /// When a kernel that has been used has no room for a run with these limits.
    pub(super) fn lower_than_kernel(&self, limits: &Limits, new_kernel: bool) -> Result<bool, ExecutorError> {
        let Some(kernel) = self.kernel.as_ref().filter(|_| !new_kernel) else {
            return Ok(exceeded_limit(limits, &widest(&self.kernel_limits, limits)).is_some());
        };
        match exceeded_limit(&kernel.limits, limits) {
            None => Ok(exceeded_limit(limits, &kernel.limits).is_some()),
            Some(what) if kernel.used => Err(ExecutorError::KernelLimit(what)),
            Some(_) => Ok(exceeded_limit(limits, &widest(&self.kernel_limits, limits)).is_some()),
        }
    }

    /// The kernel in which a run with these limits would take place; `None` if the current one has no room for them and
    /// would be replaced.
    pub(super) fn kernel_that_fits(&self, limits: &Limits) -> Option<&Kernel> {
        self.kernel.as_ref().filter(|kernel| exceeded_limit(&kernel.limits, limits).is_none())
    }

    /// Makes room for a run that begins: raises the limits of the next kernel, and ends the current one if it has no
    /// room (it is unused then).
    pub(super) fn widen_kernel_limits(&mut self, limits: &Limits) {
        self.kernel_limits = widest(&self.kernel_limits, limits);
        if self.kernel_that_fits(limits).is_none() {
            self.end_kernel();
        }
    }

    /// Begins a run in the kernel. If these limits may not be in force yet, waits until the helper confirms them,
    /// because the code is sent on another socket and must not overtake them.
    ///
    /// # Errors
    /// When a promised limit could not be set, or the helper does not confirm in time.
    pub(super) fn begin_with_limits(&mut self, limits: &Limits) -> Result<(), ExecError> {
        let kernel = self.kernel.as_mut().ok_or(ExecError::Ended)?;
        // Until the helper confirms, it is unknown which limits are in force.
        let before = kernel.fitted.take();
        if let Some(group) = &kernel.process.group {
            group.set(limits).map_err(|error| not_set(&words(&error)))?;
        }
        kernel.process.link.order(&HelperOrder::Begin(*limits));
        kernel.beginning += 1;
        if before.is_some_and(|before| Limits { wall_ms: limits.wall_ms, ..before } == *limits) {
            kernel.fitted = Some(*limits);
            return Ok(());
        }
        let until = Instant::now() + BEGIN_TIMEOUT;
        loop {
            let rest = until.saturating_duration_since(Instant::now());
            if rest.is_zero() || !self.helper_speaks_within(rest) {
                // If it begins late after all, it is ended before the next run.
                let kernel = self.kernel.as_ref().ok_or(ExecError::Ended)?;
                kernel.process.link.order(&HelperOrder::End);
                return Err(not_set("the helper of the kernel did not say in time that it is"));
            }
            let kernel = self.kernel.as_mut().ok_or(ExecError::Ended)?;
            let told = kernel.process.link.receive()?;
            // Answers come in order, so a late answer about an earlier run is not taken for this one.
            let mut answer = None;
            for told in told {
                answer = match &told {
                    HelperMessage::Begun => Some(Ok(())),
                    HelperMessage::NotBegun(why) => Some(Err(not_set(why))),
                    _ => answer,
                };
                self.on_helper_message(told, true);
            }
            let kernel = self.kernel.as_mut().ok_or(ExecError::Ended)?;
            if let Some(answer) = answer.filter(|_| kernel.beginning == 0) {
                kernel.fitted = answer.is_ok().then_some(*limits);
                return answer;
            }
        }
    }
}

fn not_set(why: &str) -> ExecError {
    ExecError::Limit(why.to_owned())
}

/// The name of the first wanted limit that exceeds the kernel's own; `None` if there is room.
fn exceeded_limit(own: &Limits, wanted: &Limits) -> Option<&'static str> {
    let above = |wanted: u64, own: u64| own != 0 && (wanted == 0 || wanted > own);
    if above(wanted.processes.into(), own.processes.into()) {
        Some("processes")
    } else if above(wanted.file_bytes, own.file_bytes) {
        Some("file size")
    } else if above(wanted.open_files.into(), own.open_files.into()) {
        Some("open files")
    } else {
        None
    }
}

/// The wider of each limit; 0 (no limit) is the widest.
fn widest(one: &Limits, other: &Limits) -> Limits {
    fn wider<T: Default + Ord>(one: T, other: T) -> T {
        let none = T::default();
        if one == none || other == none { none } else { one.max(other) }
    }
    Limits {
        processes: wider(one.processes, other.processes),
        file_bytes: wider(one.file_bytes, other.file_bytes),
        open_files: wider(one.open_files, other.open_files),
        ..*one
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_has_room_for_less_and_not_for_more() {
        let own = Limits::default();
        let with = |change: fn(&mut Limits)| {
            let mut limits = own;
            change(&mut limits);
            limits
        };
        assert_eq!(exceeded_limit(&own, &own), None);
        assert_eq!(exceeded_limit(&own, &with(|l| l.processes = 3)), None);
        assert_eq!(exceeded_limit(&own, &with(|l| l.wall_ms *= 9)), None);
        assert_eq!(exceeded_limit(&own, &with(|l| l.memory_bytes *= 9)), None);
        assert_eq!(exceeded_limit(&own, &with(|l| l.processes = 0)), Some("processes"));
        assert_eq!(exceeded_limit(&own, &with(|l| l.file_bytes += 1)), Some("file size"));
        assert_eq!(exceeded_limit(&own, &with(|l| l.open_files = 4096)), Some("open files"));
        assert_eq!(exceeded_limit(&with(|l| l.open_files = 0), &own), None);
    }

    #[test]
    fn the_widest_has_room_for_both() {
        let (a, b) = (
            Limits { processes: 3, file_bytes: 0, ..Limits::default() },
            Limits { open_files: 9, ..Limits::default() },
        );
        let both = widest(&a, &b);
        assert_eq!((exceeded_limit(&both, &a), exceeded_limit(&both, &b)), (None, None));
        assert_eq!((both.processes, both.file_bytes, both.open_files), (256, 0, 1024));
    }
}
