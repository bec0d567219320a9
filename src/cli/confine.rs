//! Command line options for how runs are confined.

use crate::domain::SandboxLevel;
use clap::Args;
use std::path::PathBuf;

/// How runs are confined.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ConfineArgs {
    /// How runs are confined; if you name a level and it can't be enforced for files, nothing runs
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) sandbox: Option<SandboxLevel>,
    /// Let runs read this folder too
    #[arg(long, value_name = "DIR")]
    pub(crate) allow_read: Vec<PathBuf>,
    /// Let runs write this folder too
    #[arg(long, value_name = "DIR")]
    pub(crate) allow_write: Vec<PathBuf>,
    /// Open the network to runs
    #[arg(long)]
    pub(crate) allow_network: bool,
    /// Memory of all processes of a run together, in MiB
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub(crate) memory: Option<u64>,
    /// Processes and threads of a run at the same time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub(crate) processes: Option<u32>,
}

impl ConfineArgs {
    /// These options, else those before the subcommand; folders of both are joined.
    #[must_use]
    pub(crate) fn or(self, outer: &ConfineArgs) -> Self {
        let both = |here: Vec<PathBuf>, outer: &[PathBuf]| outer.iter().cloned().chain(here).collect();
        Self {
            sandbox: self.sandbox.or(outer.sandbox),
            allow_read: both(self.allow_read, &outer.allow_read),
            allow_write: both(self.allow_write, &outer.allow_write),
            allow_network: self.allow_network || outer.allow_network,
            memory: self.memory.or(outer.memory),
            processes: self.processes.or(outer.processes),
        }
    }
}
