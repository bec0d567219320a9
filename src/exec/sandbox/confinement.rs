//! The restrictions that a program enters before it starts: file rules, refused system calls, limits. A pure value that
//! is sent to the helper (`helper_wire`); `enter` applies it.

use crate::domain::Limits;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Memory that threads and allocators reserve without using it, for each processor.
const RESERVED_PER_PROCESSOR: u64 = 48 << 20;

/// The restrictions that a program enters. The default is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Confinement {
    /// Rules for files, signals and TCP.
    pub(crate) file_rules: Option<FileRules>,
    pub(crate) calls: Option<SyscallRules>,
    pub(crate) limits: Vec<Limit>,
}

impl Confinement {
    /// Whether the program has namespaces of its own, among them one for what programs share by number or name. Only
    /// there its processes are counted for it alone, so only there they have a limit; see [`limits`].
    #[cfg(target_os = "linux")]
    pub(crate) fn has_own_namespaces(&self) -> bool {
        self.limits.iter().any(|limit| limit.what == LimitedResource::Processes)
    }
}

/// Which folders and files can be accessed at all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileRules {
    /// Readable and executable.
    #[serde(with = "crate::exec::helper_wire::paths")]
    pub(crate) read: Vec<PathBuf>,
    /// Readable and writable.
    #[serde(with = "crate::exec::helper_wire::paths")]
    pub(crate) write: Vec<PathBuf>,
    /// Whether connecting and listening by TCP is refused.
    pub(crate) no_tcp: bool,
}

/// Which families of sockets can be made. Other dangerous calls are always refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SyscallRules {
    /// Internet sockets. In a network namespace they reach nobody outside.
    pub(crate) inet: bool,
    /// Unix sockets. Unnamed pairs are always allowed.
    pub(crate) unix: bool,
    /// Netlink sockets, for the kernel's network settings.
    pub(crate) netlink: bool,
}

/// A limit of each process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Limit {
    pub(crate) what: LimitedResource,
    pub(crate) soft: u64,
    /// The limit up to which the program can raise `soft`.
    pub(crate) hard: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum LimitedResource {
    /// Private memory, in bytes.
    Data,
    /// Processes and threads of the same user in the same namespace.
    Processes,
    /// The size of each file that it writes.
    File,
    Open,
}

impl Limit {
    /// Whether it limits nothing. Such an entry allows a later run to have a limit.
    pub(crate) fn is_none(&self) -> bool {
        (self.soft, self.hard) == (u64::MAX, u64::MAX)
    }
}

/// The limits of each process. `own_users` says that the user's processes are counted for this run alone; otherwise the
/// person's other processes would count too, and nothing could be started any more. A resource without a limit has an
/// entry too, so that a program that serves several runs can get a limit for a later one.
pub(crate) fn limits(limits: &Limits, own_users: bool, processors: u64) -> Vec<Limit> {
    let same = |what, amount: u64| {
        let amount = if amount > 0 { amount } else { u64::MAX };
        Limit { what, soft: amount, hard: amount }
    };
    let data = match limits.memory_bytes {
        0 => u64::MAX,
        memory => data_limit(memory, processors),
    };
    let mut all = vec![Limit { what: LimitedResource::Data, soft: data, hard: u64::MAX }];
    if own_users {
        all.push(same(LimitedResource::Processes, limits.processes.into()));
    }
    all.push(same(LimitedResource::File, limits.file_bytes));
    all.push(same(LimitedResource::Open, limits.open_files.into()));
    all
}

/// The memory that one process may reserve under a limit on what all of them use. The supervisor enforces that limit;
/// this one turns a single huge request into an error that the program can report.
pub(crate) fn data_limit(memory_bytes: u64, processors: u64) -> u64 {
    memory_bytes.saturating_add(RESERVED_PER_PROCESSOR.saturating_mul(processors))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_that_are_not_set_can_be_set_later() {
        let none =
            Limits { memory_bytes: 0, processes: 0, file_bytes: 0, open_files: 0, ..Limits::default() };
        let open = limits(&none, true, 2);
        assert!(open.len() == 4 && open.iter().all(Limit::is_none), "{open:?}");
        assert!(!limits(&Limits::default(), true, 2).iter().any(Limit::is_none));
        assert!(
            limits(&Limits::default(), false, 2).iter().all(|limit| limit.what != LimitedResource::Processes)
        );
    }
}
