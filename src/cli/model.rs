//! Command line options for where replies come from, where to work, and how runs are confined.

use crate::config::ExecutorChoice;
use crate::domain::SandboxLevel;
use clap::Args;
use std::path::PathBuf;

/// The story of `--demo` without a name.
pub(crate) const DEFAULT_STORY: &str = "tour";

/// Where replies come from, and where to work.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ModelArgs {
    /// Play a story instead of asking a model: a shipped one by its name, or a file
    #[arg(long, value_name = "STORY", num_args = 0..=1, default_missing_value = DEFAULT_STORY)]
    pub(crate) demo: Option<String>,
    /// The model, as PROVIDER/MODEL
    #[arg(long, value_name = "PROVIDER/MODEL")]
    pub(crate) model: Option<String>,
    /// The address of the model's server
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// The working folder
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// What carries out runs: local, container, container:IMAGE, jupyter, jupyter:KERNEL
    #[arg(long, value_name = "NAME")]
    pub(crate) executor: Option<ExecutorChoice>,
    /// How runs are confined
    #[command(flatten)]
    pub(crate) confine: ConfineArgs,
}

impl ModelArgs {
    /// These options, else those before the subcommand.
    #[must_use]
    pub(crate) fn or(self, outer: &ModelArgs) -> Self {
        Self {
            demo: self.demo.or_else(|| outer.demo.clone()),
            model: self.model.or_else(|| outer.model.clone()),
            base_url: self.base_url.or_else(|| outer.base_url.clone()),
            cwd: self.cwd.or_else(|| outer.cwd.clone()),
            executor: self.executor.or_else(|| outer.executor.clone()),
            confine: self.confine.or(&outer.confine),
        }
    }
}

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
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
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
