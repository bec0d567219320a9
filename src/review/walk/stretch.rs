//! What is kept of a stretch that may run several times while it is read, and how its values are compared.

use crate::review::items::values;
use crate::review::syntax::{each, last_child, text};
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
    /// The names that changed again, so that they may hold anything; empty in the second round.
    pub(super) widened: HashSet<(usize, String)>,
    /// In how many rounds names were added to these.
    pub(super) widenings: usize,
}

/// A block of statements that is being read.
pub(super) struct OpenBlock {
    pub(super) node: usize,
    /// Its `WalkStep::branches`.
    pub(super) branches: u32,
    /// Whether it runs whenever the block around it does: the body of `with`, or braces alone.
    pub(super) is_plain: bool,
    /// Whether it lies in what `try` runs.
    pub(super) is_tried: bool,
    /// Whether what follows it may run after any of its statements: it is tried, or it ends a loop or its round.
    pub(super) may_end_early: bool,
}

/// Whether a block may end a loop around it, or its round, before the last of its statements.
pub(super) fn may_leave_loop(block: Node<'_>, source: &str) -> bool {
    let written = text(block, source);
    if !written.contains("break") && !written.contains("continue") {
        return false;
    }
    let is_leave = |kind: &str| matches!(kind, "break_statement" | "continue_statement");
    let last = last_child(block).filter(|node| is_leave(node.kind())).map(|node| node.id());
    // A label may name a loop farther out.
    let has_label =
        |after: &str| after.starts_with(|first: char| first.is_alphabetic() || "_$".contains(first));
    let has_labels = ["break ", "continue "].iter().any(|word| written.split(word).skip(1).any(has_label));
    let mut found = false;
    each(block, |node, _| {
        found |= is_leave(node.kind()) && Some(node.id()) != last;
        let is_inner = is_loop(node) && !has_labels;
        !found && !is_inner && !node.kind().contains("function")
    });
    found
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
            let is_below =
                |whole: &str| path.strip_prefix(whole).is_some_and(|part| part.starts_with(['.', '[', '(']));
            before.iter().any(|held| held.as_name().is_some_and(is_below))
        }
        _ => false,
    };
    values(value).iter().all(|value| before.contains(value) || is_part(value))
}
