//! What is kept of a stretch that may run several times while it is read, and how its values are compared.

use crate::review::items::values;
use crate::review::value::{Value, ValueKind};
use std::collections::{HashMap, HashSet};
use tree_sitter::Node;

/// A stretch of the text that may run several times.
pub(super) struct RepeatedStretch {
    pub(super) node: usize,
    pub(super) frame: usize,
    /// Around how many nodes it lies that may not run, or may run several times.
    pub(super) branches: u32,
    /// How many acts were read before it.
    pub(super) acts: usize,
    pub(super) folder: Option<Value>,
    /// How many changes of names were noted before it.
    pub(super) changes: usize,
    /// How many frames there were before it.
    pub(super) frames: usize,
}

/// A loop that is being read again, with the values that names had at its end.
pub(super) struct LoopRound {
    pub(super) node: usize,
    /// How many calls were being followed where it stands.
    pub(super) depth: usize,
    /// The names that it changed when it was read first, with their frames, and what they held then.
    pub(super) held: HashMap<(usize, String), Value>,
    /// The names that changed again, so that they became unknown; empty in the second round.
    pub(super) widened: HashSet<(usize, String)>,
}

/// A name that holds something else behind a node.
pub(super) struct NameBehind {
    pub(super) frame: usize,
    pub(super) name: String,
    pub(super) value: ValueAfter,
}

/// What a name holds behind a node.
pub(super) enum ValueAfter {
    /// What it held before; `None` if it had no value.
    Exactly(Option<Value>),
    /// This, or what it holds then.
    OrNow(Value),
}

pub(super) fn is_loop(node: Node<'_>) -> bool {
    matches!(node.kind(), "for_statement" | "while_statement" | "for_in_statement" | "do_statement")
}

/// Whether a value can be nothing but what it could be before. A part of a named thing counts as the thing.
pub(super) fn is_covered(value: &Value, before: &Value) -> bool {
    let before = values(before);
    let is_part = |value: &Value| match &value.kind {
        ValueKind::Name { path, about: None } => {
            before.iter().any(|held| held.as_name().is_some_and(|whole| path.starts_with(whole)))
        }
        _ => false,
    };
    values(value).iter().all(|value| before.contains(value) || is_part(value))
}
