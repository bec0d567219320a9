//! Reports what happens to a kernel while nothing runs in it.

use crate::domain::DeadKernel;

/// An event of a kernel outside of runs. Texts are for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelNotice {
    /// It ended.
    Died(DeadKernel),
    /// Its server does not answer now, which may pass.
    Warning(String),
    /// The server answers again; the kernel is unchanged.
    Back(String),
    /// The thread of the executor broke off, and the kernels of all languages ended with it.
    AllLost,
}
