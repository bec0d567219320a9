//! Grammars: parses a text within a budget and tells where its strings and comments are.

use super::comments;
use super::cover::{self, Cover, CoverKind};
use super::grammar::Grammar;
use crate::text::syntax::{self, Budget};
use std::ops::Range;
use tree_sitter::{Node, Tree};

pub(super) use crate::text::syntax::text;

/// Nodes nested deeper than this are not looked into.
pub(super) const DEEPEST: u32 = 400;

/// A step of the parser for so many bytes of a text.
const STEP: usize = 4;

/// The grammar of a tongue, where it has one.
fn known(grammar: Grammar) -> Option<syntax::Grammar> {
    match grammar {
        Grammar::Python => Some(syntax::Grammar::Python),
        Grammar::Javascript => Some(syntax::Grammar::Javascript),
        Grammar::Bash => Some(syntax::Grammar::Bash),
        Grammar::Sql | Grammar::Other => None,
    }
}

/// The same, as queries are made for it.
pub(super) fn parser_language(grammar: Grammar) -> Option<tree_sitter::Language> {
    known(grammar).map(syntax::Grammar::language)
}

/// A text that was parsed.
pub(super) struct ParsedText {
    pub(super) tree: Tree,
    /// What the grammar was not shown as it is.
    pub(super) covers: Vec<Cover>,
}

/// A text is parsed so often until its covers fit; then it is shown as it is.
const PASSES: usize = 4;

/// Parses a text; `None` where it took more steps than its size allows, or where `go_on` said no. `covers` are put on
/// where they fit.
pub(super) fn parse(
    source: &str,
    grammar: Grammar,
    covers: Vec<Cover>,
    go_on: &dyn Fn() -> bool,
) -> Option<ParsedText> {
    let budget = Budget { step: STEP, size: source.len() };
    let known = known(grammar)?;
    let mut covers = if grammar == Grammar::Python { comments::covered(source, covers) } else { covers };
    for _ in 0..PASSES {
        let tree = syntax::parse(&cover::shown(source, &covers), known, budget, go_on)?;
        if !cover::take_off(&mut covers, &tree) {
            let is_shell = grammar == Grammar::Bash && tree.root_node().has_error();
            let letters = if is_shell { cover::brackets(source) } else { Vec::new() };
            if letters.is_empty() {
                return Some(ParsedText { tree, covers });
            }
            // Where that leaves an error, it is told of the text as it is.
            let other = syntax::parse(&cover::shown(source, &letters), known, budget, go_on)?;
            let tree = if other.root_node().has_error() { tree } else { other };
            return Some(ParsedText { tree, covers });
        }
    }
    let tree = syntax::parse(source, known, budget, go_on)?;
    Some(ParsedText { tree, covers: Vec::new() })
}

/// What a stretch of text is, where that matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Matter {
    Text,
    Comment,
}

/// The stretches of strings and comments, in order.
pub(super) fn matter(parsed: &ParsedText) -> Vec<(Range<usize>, Matter)> {
    let covered = parsed.covers.iter().filter(|cover| cover.kind == CoverKind::Comment);
    let mut found: Vec<_> = covered.map(|cover| (cover.span.clone(), Matter::Comment)).collect();
    let are_covered = !found.is_empty();
    each(parsed.tree.root_node(), |node, _| {
        let matter = match node.kind() {
            "string_content" | "string_fragment" | "raw_string" | "ansi_c_string" | "heredoc_body"
            | "jsx_text" | "regex_pattern" | "heredoc_content" => Matter::Text,
            "comment" | "html_comment" | "hash_bang_line" => Matter::Comment,
            _ => return true,
        };
        found.push((node.byte_range(), matter));
        matter == Matter::Text && node.kind() == "heredoc_body"
    });
    if are_covered {
        found.sort_by_key(|(range, _)| range.start);
    }
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
        if deeper && depth >= DEEPEST {
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
pub(super) fn named(node: Node<'_>, most: usize) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|n| n.kind() != "comment").take(most).collect()
}

/// Two fields of a node.
pub(super) fn pair<'t>(node: Node<'t>, first: &str, second: &str) -> (Option<Node<'t>>, Option<Node<'t>>) {
    (node.child_by_field_name(first), node.child_by_field_name(second))
}
