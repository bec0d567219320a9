//! Parses a text within a budget, with covers over what the grammar can't parse, or not in time; only fitting covers
//! stay.

use super::comments;
use super::cover::{self, Cover, CoverKind};
use super::grammar::Grammar;
use super::shell;
use super::syntax::{self, TextKind, each, parser_grammar};
use crate::text::syntax::{Budget, parse as parse_text};
use std::ops::Range;
use tree_sitter::Tree;

/// The bytes of a text for which the parser may take one step.
const BYTES_PER_STEP: usize = 4;

/// A text that was parsed.
pub(super) struct ParsedText {
    pub(super) tree: Tree,
    /// The covers that stayed: the grammar did not see this text.
    pub(super) covers: Vec<Cover>,
}

/// The most attempts to find covers that fit; then the text is parsed without covers.
const MAX_PASSES: usize = 4;

/// Parses a text; `None` if it took more steps than its size allows, or if `go_on` returned false. Of `covers`, those
/// that fit are used.
pub(super) fn parse(
    source: &str,
    grammar: Grammar,
    covers: Vec<Cover>,
    go_on: &dyn Fn() -> bool,
) -> Option<ParsedText> {
    let budget = Budget { step: BYTES_PER_STEP, size: source.len() };
    let known = parser_grammar(grammar)?;
    let mut covers =
        if grammar == Grammar::Python { comments::with_comment_runs(source, covers) } else { covers };
    for _ in 0..MAX_PASSES {
        let tree = parse_text(&cover::masked_source(source, &covers), known, budget, go_on)?;
        if !take_off(&mut covers, &tree) {
            let is_shell = grammar == Grammar::Bash && tree.root_node().has_error();
            let letters = if is_shell { cover::brackets(source) } else { Vec::new() };
            let mut tree = tree;
            if !letters.is_empty() {
                // If the masked text still has an error, the tree of the original text is used.
                let other = parse_text(&cover::masked_source(source, &letters), known, budget, go_on);
                tree = other.filter(|other| !other.root_node().has_error()).unwrap_or(tree);
            }
            if grammar == Grammar::Bash {
                let again = |covers: &[Cover]| {
                    parse_text(&cover::masked_source(source, covers), known, budget, go_on)
                };
                tree = with_documents(tree, source, again);
            }
            return Some(ParsedText { tree, covers });
        }
    }
    let tree = parse_text(source, known, budget, go_on)?;
    Some(ParsedText { tree, covers: Vec::new() })
}

impl ParsedText {
    /// The strings and comments, in order.
    pub(super) fn text_kinds(&self) -> Vec<(Range<usize>, TextKind)> {
        let mut found = syntax::text_kinds(&self.tree);
        let covered = self.covers.iter().filter(|cover| cover.kind == CoverKind::Comment);
        let before = found.len();
        found.extend(covered.map(|cover| (cover.span.clone(), TextKind::Comment)));
        if found.len() > before {
            found.sort_by_key(|(range, _)| range.start);
        }
        found
    }
}

/// The tree of a shell text in which here-documents lie where bash has them, as far as covers in them achieve that.
fn with_documents(mut tree: Tree, source: &str, again: impl Fn(&[Cover]) -> Option<Tree>) -> Tree {
    let mut covers = Vec::new();
    for _ in 0..MAX_PASSES {
        let Some(misread) = shell::first_misread(tree.root_node(), source) else { break };
        let letters = shell::document_letters(tree.root_node(), source);
        if letters == covers {
            break;
        }
        let Some(other) = again(&letters) else { break };
        let reads_on = shell::first_misread(other.root_node(), source).is_none_or(|at| at > misread);
        if !reads_on || other.root_node().has_error() && !tree.root_node().has_error() {
            break;
        }
        (tree, covers) = (other, letters);
    }
    tree
}

/// Removes covers in wrong places; returns whether there were any.
fn take_off(covers: &mut Vec<Cover>, tree: &Tree) -> bool {
    let before = covers.len();
    let stays = |cover: &Cover| matches!(cover.kind, CoverKind::Comment | CoverKind::Hole);
    let mut fits: Vec<bool> = covers.iter().map(stays).collect();
    let mut above: Vec<&str> = Vec::new();
    let whole = each(tree.root_node(), |node, depth| {
        above.truncate(depth as usize);
        let kind = node.kind();
        if node.is_error() || kind == "string" {
            let first = covers.partition_point(|cover| cover.span.end <= node.start_byte());
            let inside = covers.iter().zip(&mut fits).skip(first);
            inside
                .take_while(|(cover, _)| cover.span.start < node.end_byte())
                .for_each(|(cover, fits)| *fits = cover.kind == CoverKind::Hole);
            return false;
        }
        if kind == "integer"
            && let Ok(index) = covers.binary_search_by_key(&node.start_byte(), |cover| cover.span.start)
            && let (Some(cover), Some(fits)) = (covers.get(index), fits.get_mut(index))
        {
            *fits = match (cover.kind, above.as_slice()) {
                (CoverKind::Statement | CoverKind::Beginning, [.., holder, "expression_statement"]) => {
                    matches!(*holder, "module" | "block")
                }
                (CoverKind::Assigned, [.., "assignment"]) => true,
                _ => false,
            };
        }
        above.push(kind);
        true
    });
    let mut fits = fits.into_iter();
    covers.retain(|_| whole && fits.next().unwrap_or(false));
    covers.len() < before
}
