//! What a program takes upon itself before it starts: walls around files, refused system calls, limits. A pure value
//! that travels to the helper (`helper_wire`); `enter` acts on it.

use crate::domain::Limits;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Memory that threads and allocators set aside without using it, for each processor.
const RESERVED_PER_PROCESSOR: u64 = 48 << 20;

/// What a program takes upon itself; the default is nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Confinement {
    /// Rules for files and signals.
    pub(crate) file_rules: Option<FileRules>,
    pub(crate) calls: Option<SyscallRules>,
    /// Limits of each process.
    pub(crate) limits: Vec<Limit>,
}

/// Which folders and files can be reached at all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileRules {
    /// These can be read and started.
    #[serde(with = "crate::exec::helper_wire::paths")]
    pub(crate) read: Vec<PathBuf>,
    /// These can be read and written.
    #[serde(with = "crate::exec::helper_wire::paths")]
    pub(crate) write: Vec<PathBuf>,
    /// Whether connecting and listening by TCP is refused.
    pub(crate) no_tcp: bool,
}

/// Which families of sockets can be made; other dangerous calls are refused always.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SyscallRules {
    /// Internet sockets. In a network of its own they reach nobody else.
    pub(crate) inet: bool,
    /// Sockets that lie in folders. Pairs without a name are always allowed.
    pub(crate) unix: bool,
    /// The kernel's own network settings.
    pub(crate) netlink: bool,
}

/// A limit of each process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Limit {
    pub(crate) what: LimitedResource,
    pub(crate) soft: u64,
    /// Up to where the program can raise it.
    pub(crate) hard: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum LimitedResource {
    /// Memory of its own, in bytes.
    Data,
    /// Processes and threads of the same user in the same namespace.
    Processes,
    /// The size of each file that it writes.
    File,
    Open,
}

impl Limit {
    /// Whether nothing is limited: the entry is there for runs that come later and are.
    pub(crate) fn is_none(&self) -> bool {
        (self.soft, self.hard) == (u64::MAX, u64::MAX)
    }
}

/// The limits that each process is given. `own_users` tells that the user is counted for this run alone: else others of
/// the person's processes would count too, and nothing could be started any more. What is not limited has its entry too:
/// a program that is there for several runs can be given a limit for a later one.
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

/// The memory that one process may set aside under a limit on what all of them use. Who looks at the processes holds
/// the limit itself; this one turns a single huge request into an error that the program can tell.
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
