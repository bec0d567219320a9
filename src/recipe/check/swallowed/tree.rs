//! The syntax tree of a text, made within a budget, in the languages whose grammar is known.

use crate::domain::Language;
use std::ops::ControlFlow;
use tree_sitter::{Node, ParseOptions, Parser, Tree};

/// Bytes of a text that are read.
const LARGEST: usize = 256 << 10;
/// Nodes that are looked at.
const NODES: usize = 200_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grammar {
    Python,
    Javascript,
    Bash,
}

impl Grammar {
    fn of(language: &Language) -> Option<Self> {
        match language.as_str() {
            "python" => Some(Grammar::Python),
            "javascript" | "typescript" => Some(Grammar::Javascript),
            "bash" => Some(Grammar::Bash),
            _ => None,
        }
    }
}

/// A text with its tree.
#[derive(Debug)]
pub(super) struct Source<'a> {
    pub(super) grammar: Grammar,
    text: &'a str,
    tree: Tree,
}

impl<'a> Source<'a> {
    /// `None` where there is no grammar, the text is too large, or took more than its size allows.
    pub(super) fn read(text: &'a str, language: &Language) -> Option<Self> {
        let grammar = Grammar::of(language)?;
        if text.len() > LARGEST {
            return None;
        }
        // The scanner of the grammar for bash takes a character beyond a table of its own for a place in it; to bash all
        // beyond ASCII are letters, so it is shown letters.
        let masked: Vec<u8> = match grammar {
            Grammar::Bash => text.bytes().map(|byte| if byte.is_ascii() { byte } else { b'x' }).collect(),
            _ => text.as_bytes().to_vec(),
        };
        let mut parser = Parser::new();
        let known = match grammar {
            Grammar::Python => tree_sitter_python::LANGUAGE.into(),
            Grammar::Javascript => tree_sitter_typescript::LANGUAGE_TSX.into(),
            Grammar::Bash => tree_sitter_bash::LANGUAGE.into(),
        };
        parser.set_language(&known).ok()?;
        let mut left = 2_000 + masked.len() / 8;
        let mut progress = |_: &tree_sitter::ParseState| {
            left = left.saturating_sub(1);
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let mut read = |at: usize, _| masked.get(at..).unwrap_or_default();
        let tree = parser.parse_with_options(&mut read, None, Some(options))?;
        Some(Self { grammar, text, tree })
    }

    pub(super) fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    /// All nodes with names, parents before their children.
    pub(super) fn all(&self) -> Vec<Node<'_>> {
        below(self.root(), |_| true)
    }

    /// The first line of all.
    pub(super) fn first(&self) -> &'a str {
        self.text.lines().next().unwrap_or_default()
    }

    pub(super) fn text(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// The first line of a node.
    pub(super) fn line(&self, node: Node<'_>) -> &'a str {
        self.text(node).lines().next().unwrap_or_default().trim()
    }

    /// The lines of a node that do something.
    pub(super) fn lines(&self, node: Node<'_>) -> Vec<&'a str> {
        let bare = self.text(node).trim().trim_start_matches('{').trim_end_matches('}');
        super::lines(bare)
    }

    /// Whether all statements of a block pass a test.
    pub(super) fn each(&self, block: Node<'_>, test: impl Fn(&str) -> bool) -> bool {
        named(block).into_iter().all(|statement| test(self.text(statement).trim()))
    }
}

/// This node and all with names below it, parents first; what is below a node that `into` declines is left out.
pub(super) fn below<'t>(node: Node<'t>, into: impl Fn(Node<'t>) -> bool) -> Vec<Node<'t>> {
    let (mut found, mut open) = (Vec::new(), vec![node]);
    while let Some(next) = open.pop() {
        if found.len() >= NODES {
            break;
        }
        found.push(next);
        if next == node || into(next) {
            open.extend(named(next).into_iter().rev());
        }
    }
    found
}

/// The children with names, without comments.
pub(super) fn named(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| child.kind() != "comment").collect()
}

/// The first child of this kind.
pub(super) fn child<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    named(node).into_iter().find(|child| child.kind() == kind)
}

/// Whether a statement leaves its block whatever happened before: not those of a function or loop inside.
pub(super) fn leaves(block: Node<'_>) -> bool {
    let is_function = |node: Node<'_>| {
        ["function", "lambda", "method", "class", "arrow"].iter().any(|part| node.kind().contains(part))
    };
    let is_loop = |node: Node<'_>| {
        let kinds =
            ["for_statement", "while_statement", "for_in_statement", "do_statement", "switch_statement"];
        kinds.contains(&node.kind())
    };
    let returns = |node: &Node<'_>| node.kind() == "return_statement";
    let goes = |node: &Node<'_>| matches!(node.kind(), "break_statement" | "continue_statement");
    below(block, |node| !is_function(node)).iter().any(returns)
        || below(block, |node| !is_function(node) && !is_loop(node)).iter().any(goes)
}
