//! Parses Python source into a syntax tree within a budget.

use crate::text::syntax::{self, Budget, Grammar};
use tree_sitter::{Node, Tree};

pub(super) use crate::text::syntax::{named, text};

/// How many bytes of source are parsed.
pub(super) const MAX_BYTES: usize = 256 << 10;
/// The parser may take one step per this many bytes.
const BYTES_PER_STEP: usize = 8;

/// A flaw of a text that should be one function.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub(crate) struct FunctionError {
    /// The line, from 1.
    pub(crate) line: usize,
    /// What is wrong, and what to do.
    pub(crate) what: String,
}

impl FunctionError {
    pub(super) fn at(node: Node<'_>, what: impl Into<String>) -> Self {
        Self { line: node.start_position().row + 1, what: what.into() }
    }
}

/// The function that a statement defines, with or without decorators.
pub(super) fn definition(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "function_definition" => Some(node),
        "decorated_definition" => {
            node.child_by_field_name("definition").filter(|inner| inner.kind() == "function_definition")
        }
        _ => None,
    }
}

/// Parses a source text; `None` where it is too long or took more steps than its length allows.
pub(super) fn parse(source: &str) -> Option<Tree> {
    if source.len() > MAX_BYTES {
        return None;
    }
    syntax::parse(source, Grammar::Python, Budget { step: BYTES_PER_STEP, size: MAX_BYTES }, &|| true)
}

/// The first syntax error, found without recursion.
pub(super) fn first_error(root: Node<'_>) -> Option<Node<'_>> {
    let mut node = root;
    loop {
        let mut cursor = node.walk();
        let wrong = node.children(&mut cursor).find(|child| child.has_error() || child.is_missing());
        match wrong {
            Some(child) if child.is_error() || child.is_missing() => return Some(child),
            Some(child) => node = child,
            None => return (node != root).then_some(node),
        }
    }
}
