//! Room in a kernel for the limits of its runs. A limit of a process can be lowered for one run and put back; above what
//! the process was started with nobody can raise it. So the kernel is started with the widest that was asked for.

use super::Actor;
use crate::domain::Limits;
use crate::exec::error::ExecError;
use crate::exec::helper_wire::{Bounds, Order, Told};
use std::time::{Duration, Instant};

/// How long a helper may take to say that a run begins: it starts its program before that.
const PATIENCE: Duration = Duration::from_secs(1);

impl Actor {
    /// Makes room for a run with these limits; tells whether some are lower than the kernel's own. A kernel that was
    /// given nothing yet makes way for a wider one.
    pub(super) fn room_for(&mut self, limits: &Limits) -> Result<bool, String> {
        self.kernel_limits = widest(&self.kernel_limits, limits);
        if let Some(kernel) = &self.kernel
            && let Some(what) = narrow(&kernel.limits, limits)
        {
            if kernel.used {
                return Err(format!(
                    "the limit on {what} is higher than its kernel was started with, and can't be raised in it: \
                     /restart begins a kernel that has room, t sets a lower limit"
                ));
            }
            self.end_kernel();
        }
        let own = self.kernel.as_ref().map_or(&self.kernel_limits, |kernel| &kernel.limits);
        Ok(narrow(limits, own).is_some())
    }

    /// Begins a run in the kernel. Where its limits are not those of the run before, they are in force on return: its
    /// code comes on another socket, and must not be faster.
    ///
    /// # Errors
    /// When a limit could not be set that is said to hold.
    pub(super) fn fit_kernel(&mut self, limits: &Limits) -> Result<(), ExecError> {
        let kernel = self.kernel.as_mut().ok_or(ExecError::Ended)?;
        if let Some(group) = &kernel.process.group {
            group
                .set(limits)
                .map_err(|error| ExecError::Sandbox(format!("a limit could not be set: {error}")))?;
        }
        kernel.process.link.order(&Order::Begin(Bounds::from(limits)));
        let before = std::mem::replace(&mut kernel.fitted, *limits);
        if (Limits { wall_ms: limits.wall_ms, ..before }) == *limits {
            return Ok(());
        }
        let until = Instant::now() + PATIENCE;
        while let Some(rest) = until.checked_duration_since(Instant::now())
            && self.helper_speaks_within(rest)
        {
            let kernel = self.kernel.as_mut().ok_or(ExecError::Ended)?;
            let told = kernel.process.link.receive()?;
            let begun = told.contains(&Told::Begun);
            for told in told {
                self.on_told(told, true);
            }
            if begun {
                break;
            }
        }
        Ok(())
    }
}

/// What of these limits has no room in a kernel with those of its own.
fn narrow(own: &Limits, wanted: &Limits) -> Option<&'static str> {
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

/// For each limit the wider one; what is not limited is the widest.
fn widest(one: &Limits, other: &Limits) -> Limits {
    let small = |a: u32, b: u32| if a == 0 || b == 0 { 0 } else { a.max(b) };
    Limits {
        processes: small(one.processes, other.processes),
        file_bytes: if one.file_bytes == 0 || other.file_bytes == 0 {
            0
        } else {
            one.file_bytes.max(other.file_bytes)
        },
        open_files: small(one.open_files, other.open_files),
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
        assert_eq!(narrow(&own, &own), None);
        assert_eq!(narrow(&own, &with(|l| l.processes = 3)), None);
        assert_eq!(narrow(&own, &with(|l| l.wall_ms *= 9)), None);
        assert_eq!(narrow(&own, &with(|l| l.memory_bytes *= 9)), None);
        assert_eq!(narrow(&own, &with(|l| l.processes = 0)), Some("processes"));
        assert_eq!(narrow(&own, &with(|l| l.file_bytes += 1)), Some("file size"));
        assert_eq!(narrow(&own, &with(|l| l.open_files = 4096)), Some("open files"));
        assert_eq!(narrow(&with(|l| l.open_files = 0), &own), None);
    }

    #[test]
    fn the_widest_has_room_for_both() {
        let (a, b) = (
            Limits { processes: 3, file_bytes: 0, ..Limits::default() },
            Limits { open_files: 9, ..Limits::default() },
        );
        let both = widest(&a, &b);
        assert_eq!((narrow(&both, &a), narrow(&both, &b)), (None, None));
        assert_eq!((both.processes, both.file_bytes, both.open_files), (256, 0, 1024));
    }
}
