//! What happens to a kernel while nothing runs in it.

/// Something that happened to a kernel by itself; words for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelNotice {
    /// It ended, and what is known of the cause.
    Died(String),
    /// Its server does not answer at this moment.
    Unreachable(String),
    /// The server answers again; the kernel is as it was.
    Back(String),
}
