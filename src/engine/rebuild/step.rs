//! One run of the previous kernel, and what becomes of it.

use crate::domain::{BlockId, RunId};
use std::collections::BTreeSet;

/// What becomes of a run of the previous kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StepState {
    /// It ran again in the current kernel.
    Live,
    /// It touched nothing but the kernel: it is merged with its neighbours into one decision.
    Restorable,
    /// It takes a decision of its own; the reason.
    RunAgain(String),
    /// It can't be repeated; the reason.
    LeftOut(String),
}

/// One step of a plan: a run of the previous kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RebuildStep {
    pub(crate) run: RunId,
    pub(crate) block: BlockId,
    /// The first line of its text.
    pub(crate) first_line: String,
    /// How long it took, in microseconds.
    pub(crate) wall_us: u64,
    /// What it touched besides the kernel, in words; empty if nothing is known.
    pub(crate) touched: Vec<String>,
    /// The names that it sets.
    pub(crate) names: Vec<String>,
    pub(crate) state: StepState,
    /// The names in its text.
    pub(super) used: BTreeSet<String>,
    /// The size of its text in bytes.
    pub(super) size: usize,
    /// Its time limit, in milliseconds.
    pub(super) wall_ms: u64,
}

impl RebuildStep {
    /// Whether it can be repeated.
    pub(crate) fn is_offered(&self) -> bool {
        matches!(self.state, StepState::Restorable | StepState::RunAgain(_))
    }
}
