//! Finds where single quotes quote nothing: between double quotes, in here-documents and in arithmetic they are plain
//! signs, and bash runs the substitutions between them.

use super::change::subshell::is_arithmetic;
use crate::review::syntax::{each, text};
use std::collections::HashMap;
use tree_sitter::Node;

/// The texts between single quotes that are plain signs, as far as they may hold code. A list that is made before the
/// text is read: to ask each node for those around it would take long.
#[derive(Default)]
pub(super) struct PlainQuotes {
    /// By the place where the text begins: whether an expansion or a here-document around it is scanned.
    by_start: HashMap<usize, bool>,
}

/// What holds for single quotes in a node.
#[derive(Clone, Copy, Default)]
struct QuoteContext {
    are_plain: bool,
    /// Whether an expansion or a here-document around them is scanned.
    is_scanned: bool,
}

impl PlainQuotes {
    pub(super) fn of(root: Node<'_>, source: &str) -> Self {
        let mut found = Self::default();
        // The contexts of the nodes around, the outermost first.
        let mut around: Vec<QuoteContext> = Vec::new();
        let mut key_end = 0;
        each(root, |node, depth| {
            around.truncate(depth as usize);
            let outer = around.last().copied().unwrap_or_default();
            match node.kind() {
                "raw_string" | "ansi_c_string" | "regex"
                    if (outer.are_plain || node.start_byte() < key_end)
                        && text(node, source).contains(['$', '`']) =>
                {
                    found.by_start.insert(node.start_byte(), outer.is_scanned);
                }
                // What follows the sign in `${NAME:…}` is arithmetic. The one in `${NAME:-…}` is another sign.
                ":" => {
                    if let Some(expansion) = around.last_mut() {
                        expansion.are_plain = true;
                    }
                }
                "concatenation" => key_end = key_end.max(end_of_key(node, source)),
                _ => {}
            }
            around.push(QuoteContext::within(node, outer, source));
            true
        });
        found
    }

    /// Whether a text between single quotes is expanded.
    pub(super) fn are_around(&self, node: Node<'_>) -> bool {
        self.by_start.contains_key(&node.start_byte())
    }

    /// Whether a text between single quotes is expanded, and is no part of a text that is scanned anyway.
    pub(super) fn stand_alone(&self, node: Node<'_>) -> bool {
        self.by_start.get(&node.start_byte()) == Some(&false)
    }
}

impl QuoteContext {
    fn within(node: Node<'_>, outer: Self, source: &str) -> Self {
        match node.kind() {
            "string" | "translated_string" | "arithmetic_expansion" | "subscript" => {
                Self { are_plain: true, ..outer }
            }
            "heredoc_body" => Self { are_plain: true, is_scanned: true },
            "expansion" => Self { is_scanned: true, ..outer },
            "c_style_for_statement" => Self { are_plain: true, is_scanned: false },
            "compound_statement" | "test_command" => {
                Self { are_plain: text(node, source).starts_with("(("), is_scanned: false }
            }
            "command_substitution" => Self { are_plain: is_arithmetic(node), is_scanned: false },
            "process_substitution" | "do_group" => Self::default(),
            _ => outer,
        }
    }
}

/// Where the index ends with which an item of an array begins: `[1]=a`. It is arithmetic.
fn end_of_key(item: Node<'_>, source: &str) -> usize {
    let spelled = text(item, source);
    if !spelled.starts_with('[') {
        return 0;
    }
    let length = spelled.find("]=").or_else(|| spelled.find("]+="));
    length.map_or(0, |length| item.start_byte() + length)
}
