//! Command line options for where replies come from, where to work, and what carries out runs.

use super::confine::ConfineArgs;
use crate::config::ExecutorChoice;
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
