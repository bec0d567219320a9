//! Grammars and syntax trees: walks through nodes, and finds strings and comments.

use super::grammar::Grammar;
use crate::text::syntax;
use std::ops::Range;
use tree_sitter::{Node, Tree};

pub(super) use crate::text::syntax::text;

/// Nodes nested deeper are not visited.
pub(super) const MAX_DEPTH: u32 = 400;

/// The grammar of a language, if it has one.
pub(super) fn parser_grammar(grammar: Grammar) -> Option<syntax::Grammar> {
    match grammar {
        Grammar::Python => Some(syntax::Grammar::Python),
        Grammar::Javascript => Some(syntax::Grammar::Javascript),
        Grammar::Bash => Some(syntax::Grammar::Bash),
        Grammar::Sql | Grammar::Other => None,
    }
}

/// The same as tree-sitter's language, for queries.
pub(super) fn parser_language(grammar: Grammar) -> Option<tree_sitter::Language> {
    parser_grammar(grammar).map(syntax::Grammar::language)
}

/// The kind of a stretch of text that is not code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextKind {
    Text,
    Comment,
}

/// The strings and comments, in order.
pub(super) fn text_kinds(tree: &Tree) -> Vec<(Range<usize>, TextKind)> {
    let mut found = Vec::new();
    each(tree.root_node(), |node, _| {
        let text_kind = match node.kind() {
            "string_content" | "string_fragment" | "raw_string" | "ansi_c_string" | "heredoc_body"
            | "jsx_text" | "regex_pattern" | "heredoc_content" => TextKind::Text,
            "comment" | "html_comment" | "hash_bang_line" => TextKind::Comment,
            _ => return true,
        };
        found.push((node.byte_range(), text_kind));
        text_kind == TextKind::Text && node.kind() == "heredoc_body"
    });
    found
}

/// Visits nodes in the order of the text, without recursion. `visit` gets a node and its depth, and returns whether to
/// visit the node's children. Returns false if something was nested too deeply.
pub(super) fn each<'t>(root: Node<'t>, mut visit: impl FnMut(Node<'t>, u32) -> bool) -> bool {
    let mut cursor = root.walk();
    let mut depth = 0;
    let mut complete = true;
    loop {
        let deeper = visit(cursor.node(), depth);
        if deeper && depth >= MAX_DEPTH {
            complete = false;
        } else if deeper && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        loop {
            if depth == 0 {
                return complete;
            }
            if cursor.goto_next_sibling() {
                break;
            }
            cursor.goto_parent();
            depth -= 1;
        }
    }
}

/// Whether a node is a comment. In JavaScript, `<!--` begins one too.
pub(super) fn is_comment(node: &Node<'_>) -> bool {
    matches!(node.kind(), "comment" | "html_comment")
}

/// The named children except comments, at most `most`.
pub(super) fn named_children(node: Node<'_>, most: usize) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|n| !is_comment(n)).take(most).collect()
}

/// The first named child that is no comment.
pub(super) fn first_child(node: Node<'_>) -> Option<Node<'_>> {
    named_children(node, 1).pop()
}

/// The last named child.
pub(super) fn last_child(node: Node<'_>) -> Option<Node<'_>> {
    node.named_child(u32::try_from(node.named_child_count().checked_sub(1)?).ok()?)
}

pub(super) fn pair<'t>(node: Node<'t>, first: &str, second: &str) -> (Option<Node<'t>>, Option<Node<'t>>) {
    (node.child_by_field_name(first), node.child_by_field_name(second))
}
