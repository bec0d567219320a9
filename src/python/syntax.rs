//! The syntax tree of a text of Python, made within a budget.

use std::ops::ControlFlow;
use tree_sitter::{Node, ParseOptions, Parser, Tree};

/// Bytes of a text that are read.
pub(super) const LARGEST: usize = 256 << 10;

/// Something that is wrong with a text that should be one function.
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

/// The function of a statement, with or without decorators.
pub(super) fn definition(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "function_definition" => Some(node),
        "decorated_definition" => {
            node.child_by_field_name("definition").filter(|inner| inner.kind() == "function_definition")
        }
        _ => None,
    }
}

/// Parses a text within a budget; `None` where it took more than its size allows.
pub(super) fn parse(source: &str) -> Option<Tree> {
    if source.len() > LARGEST {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_python::LANGUAGE.into()).ok()?;
    let bytes = source.as_bytes();
    let mut left = 2_000 + bytes.len() / 8;
    let mut progress = |_: &tree_sitter::ParseState| {
        left = left.saturating_sub(1);
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
}

/// The first place that is no Python, found without recursion.
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

pub(super) fn text<'a>(node: Node<'_>, source: &'a str) -> &'a str {
    source.get(node.byte_range()).unwrap_or_default()
}

/// The children with names, without comments.
pub(super) fn named(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| child.kind() != "comment").collect()
}
