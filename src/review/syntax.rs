//! Grammars and their trees: goes through nodes, and tells where strings and comments are.

use super::grammar::Grammar;
use crate::text::syntax;
use std::ops::Range;
use tree_sitter::{Node, Tree};

pub(super) use crate::text::syntax::text;

/// Nodes nested deeper than this are not looked into.
pub(super) const MAX_DEPTH: u32 = 400;

/// The grammar of a tongue, where it has one.
pub(super) fn parser_grammar(grammar: Grammar) -> Option<syntax::Grammar> {
    match grammar {
        Grammar::Python => Some(syntax::Grammar::Python),
        Grammar::Javascript => Some(syntax::Grammar::Javascript),
        Grammar::Bash => Some(syntax::Grammar::Bash),
        Grammar::Sql | Grammar::Other => None,
    }
}

/// The same, as queries are made for it.
pub(super) fn parser_language(grammar: Grammar) -> Option<tree_sitter::Language> {
    parser_grammar(grammar).map(syntax::Grammar::language)
}

/// What a stretch of text is, where that matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextKind {
    Text,
    Comment,
}

/// The stretches of strings and comments, in order.
pub(super) fn text_kinds(tree: &Tree) -> Vec<(Range<usize>, TextKind)> {
    let mut found = Vec::new();
    each(tree.root_node(), |node, _| {
        let matter = match node.kind() {
            "string_content" | "string_fragment" | "raw_string" | "ansi_c_string" | "heredoc_body"
            | "jsx_text" | "regex_pattern" | "heredoc_content" => TextKind::Text,
            "comment" | "html_comment" | "hash_bang_line" => TextKind::Comment,
            _ => return true,
        };
        found.push((node.byte_range(), matter));
        matter == TextKind::Text && node.kind() == "heredoc_body"
    });
    found
}

/// Visits nodes from top to bottom without recursion; `visit` says whether to go into a node. Its second argument is
/// the depth. Returns false where something was nested too deep.
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

/// The children with names, at most so many.
pub(super) fn named_children(node: Node<'_>, most: usize) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|n| n.kind() != "comment").take(most).collect()
}

/// Two fields of a node.
pub(super) fn pair<'t>(node: Node<'t>, first: &str, second: &str) -> (Option<Node<'t>>, Option<Node<'t>>) {
    (node.child_by_field_name(first), node.child_by_field_name(second))
}
