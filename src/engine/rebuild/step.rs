//! One run of an earlier kernel, and what becomes of it.

use crate::domain::{BlockId, RunId};
use std::collections::BTreeSet;

/// What becomes of the run of an earlier kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StepState {
    /// It ran again in the kernel that is there.
    Live,
    /// It touched nothing but the kernel: it comes back together with those beside it, by one decision.
    Restorable,
    /// It is decided for by itself, and why.
    RunAgain(String),
    /// It can't be repeated, and why.
    LeftOut(String),
}

/// One step of a plan: a run that would be repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RebuildStep {
    pub(crate) run: RunId,
    pub(crate) block: BlockId,
    /// The first line of its text.
    pub(crate) first_line: String,
    /// How long it took, in microseconds.
    pub(crate) wall_us: u64,
    /// What it touched beside the kernel, in words; empty where nothing of the kind is known.
    pub(crate) touched: Vec<String>,
    /// The names that it sets.
    pub(crate) names: Vec<String>,
    pub(crate) state: StepState,
    /// Names that stand in its text.
    pub(super) used: BTreeSet<String>,
    /// Bytes of its text.
    pub(super) size: usize,
    /// How long it was allowed to take, in milliseconds.
    pub(super) wall_ms: u64,
}

impl RebuildStep {
    /// Whether it would be repeated.
    pub(crate) fn is_offered(&self) -> bool {
        matches!(self.state, StepState::Restorable | StepState::RunAgain(_))
    }
}
