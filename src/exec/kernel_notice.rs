//! What happens to a kernel while nothing runs in it.

use crate::domain::DeadKernel;

/// Something that happened to a kernel by itself; words for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelNotice {
    /// It ended.
    Died(DeadKernel),
    /// Something is amiss with its server, which may pass: it does not answer at this moment.
    Warning(String),
    /// The server answers again; the kernel is as it was.
    Back(String),
}
