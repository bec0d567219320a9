//! Runs the rules that are tree-sitter queries. The queries of a rule set are compiled into one, at the first use.

use super::diagnostic::Diagnostic;
use super::grammar::Grammar;
use super::rule_error::{RuleError, RuleFault};
use super::rules::ReviewRule;
use super::syntax::{each, parser_language, text};
use super::wording::short;
use streaming_iterator::StreamingIterator;
use tree_sitter::{Node, Query, QueryCursor, Tree};

/// The most matches in progress at one node. Beyond it, tree-sitter drops some, which `find` reports.
const MAX_MATCHES: u32 = 256;

/// The combined query of a language, and the rule of each of its patterns.
#[derive(Debug)]
pub(super) struct CompiledQueries {
    query: Query,
    rules: Vec<usize>,
    /// The kinds of nodes at which the patterns begin.
    on: Vec<String>,
}

/// Compiles the queries of these rules; `Ok(None)` where there are none. `name` is for messages.
pub(super) fn compile(
    name: &str,
    grammar: Grammar,
    rules: &[ReviewRule],
) -> Result<Option<CompiledQueries>, RuleError> {
    let Some(language) = parser_language(grammar) else { return Ok(None) };
    let wrong = |rule: &str, error: tree_sitter::QueryError| {
        RuleError::of_rule(name, rule, RuleFault::Query(error.to_string()))
    };
    let mut all = String::new();
    let mut indices = Vec::new();
    let mut on: Vec<String> = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        let Some(source) = &rule.query else { continue };
        let alone = Query::new(&language, source).map_err(|error| wrong(&rule.id, error))?;
        indices.extend(std::iter::repeat_n(index, alone.pattern_count()));
        on.extend(rule.on.iter().cloned());
        all.push_str(source);
        all.push('\n');
    }
    if indices.is_empty() {
        return Ok(None);
    }
    let query = Query::new(&language, &all).map_err(|error| wrong("all together", error))?;
    Ok(Some(CompiledQueries { query, rules: indices, on }))
}

/// The diagnostics of the query rules on a tree. Patterns are tried only at nodes where they can begin, because a
/// cursor over the whole tree takes quadratic time in the number of siblings. The second value is false if a match was
/// dropped or the tree was nested too deeply.
pub(super) fn find(
    tree: &Tree,
    source: &str,
    compiled: &CompiledQueries,
    rules: &[ReviewRule],
) -> (Vec<Diagnostic>, bool) {
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(MAX_MATCHES);
    cursor.set_max_start_depth(Some(0));
    let mut diagnostics = Vec::new();
    let mut dropped = false;
    let whole = each(tree.root_node(), |node, _| {
        if compiled.on.iter().any(|kind| kind == node.kind()) {
            at(node, compiled, &mut cursor, source, rules, &mut diagnostics);
            dropped |= cursor.did_exceed_match_limit();
        }
        true
    });
    (diagnostics, whole && !dropped)
}

fn at(
    node: Node<'_>,
    compiled: &CompiledQueries,
    cursor: &mut QueryCursor,
    source: &str,
    rules: &[ReviewRule],
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut matches = cursor.matches(&compiled.query, node, source.as_bytes());
    while let Some(found) = matches.next() {
        let index = compiled.rules.get(found.pattern_index).copied();
        let Some(rule) = index.and_then(|i| rules.get(i)) else { continue };
        let mut span = None;
        let mut target = String::new();
        for capture in found.captures() {
            match compiled.query.capture_names().get(capture.index as usize) {
                Some(&"found") => span = Some(capture.node.byte_range()),
                Some(&"target") => target = short(text(capture.node, source)),
                _ => {}
            }
        }
        if let (Some(span), Some(severity)) = (span, rule.severity) {
            let message = rule.message.replace("{target}", &target);
            diagnostics.push(Diagnostic::new(&rule.id, severity, span, message));
        }
    }
}
