//! How a command of a shell is started: with which input, and inside how many wrappers.

use crate::review::value::Argument;
use std::ops::Range;

/// How a command is started.
pub(super) struct CommandStart<'s> {
    /// Its standard input.
    pub(super) input: Option<Argument>,
    pub(super) span: &'s Range<usize>,
    /// How many wrappers there are around it.
    pub(super) depth: u32,
}

impl<'s> CommandStart<'s> {
    /// A command with nothing around it.
    pub(super) fn at(span: &'s Range<usize>, input: Option<Argument>) -> Self {
        Self { input, span, depth: 0 }
    }

    /// The same for the command that this one runs.
    pub(super) fn inner(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }
}
