//! Finds failing code that is no longer executed: all of it was removed, or the program ends before it. A single
//! removed line may be a proper fix, and is not judged.

use super::tree::{Grammar, Source, named};
use super::{compared_part, is_end, printable_line};
use std::collections::HashMap;
use tree_sitter::Node;

/// Nodes that hold statements.
const BLOCK_KINDS: &[&str] =
    &["module", "program", "block", "statement_block", "compound_statement", "do_group"];

/// What is no longer executed, in words.
pub(super) fn gone(old: &Source<'_>, new: &Source<'_>) -> Option<String> {
    removed(old, new).or_else(|| unreached(old, new))
}

/// The removed code, if the old text did something and no working code is left.
fn removed(old: &Source<'_>, new: &Source<'_>) -> Option<String> {
    let (did, does) = (working(old), working(new));
    // A text of definitions alone does nothing if the old one also used them.
    let only_defines = |all: &[Node<'_>]| all.iter().all(|node| is_definition(*node));
    // What a text with syntax errors does is not known.
    let is_whole = !new.root().has_error();
    let is_gone = does.is_empty() || is_whole && only_defines(&does) && !only_defines(&did);
    let lost = did.iter().filter(|node| does.is_empty() || !is_definition(**node));
    let did: Vec<&str> = lost.flat_map(|node| old.effective_lines(*node)).collect();
    let first = did.first().filter(|_| is_gone)?;
    Some(match did.len() {
        1 => format!("`{}`", printable_line(first)),
        2 => format!("`{}` and 1 more line", printable_line(first)),
        all => format!("`{}` and {} more lines", printable_line(first), all - 1),
    })
}

/// A statement for comparison: its beginning, and its whole length.
type Statement<'a> = (&'a str, usize);

fn statement<'a>(source: &Source<'a>, node: Node<'_>) -> Statement<'a> {
    let text = source.text(node).trim();
    (compared_part(text), text.len())
}

/// The statements of all blocks, and how often each occurs.
fn statements<'a>(source: &Source<'a>) -> HashMap<Statement<'a>, usize> {
    let mut known = HashMap::new();
    for block in source.all().into_iter().filter(|node| BLOCK_KINDS.contains(&node.kind())) {
        for node in named(block) {
            *known.entry(statement(source, node)).or_default() += 1;
        }
    }
    known
}

/// The top-level statements that do something.
fn working<'t>(source: &'t Source<'_>) -> Vec<Node<'t>> {
    let works = |node: &Node<'_>| {
        let text = source.text(*node).trim().trim_end_matches(';');
        let says = named(*node);
        let is_text = node.kind() == "expression_statement"
            && matches!(says.as_slice(), [only] if only.kind() == "string");
        !(is_text
            || node.kind().contains("import")
            || matches!(node.kind(), "pass_statement" | "empty_statement" | "hash_bang_line")
            || matches!(text, ":" | "true")
            || is_setting(source, *node)
            || is_end(text))
    };
    named(source.root()).into_iter().filter(works).collect()
}

/// Setting a shell option does nothing by itself.
fn is_setting(source: &Source<'_>, node: Node<'_>) -> bool {
    source.grammar == Grammar::Bash
        && ["set ", "shopt "].iter().any(|word| source.text(node).starts_with(word))
}

fn is_definition(node: Node<'_>) -> bool {
    let kind = node.kind();
    kind.contains("definition") || kind.contains("function_declaration") || kind.contains("class_declaration")
}

/// A new statement that ends its block quietly, before code that was there already.
fn unreached(old: &Source<'_>, new: &Source<'_>) -> Option<String> {
    let (known, now) = (statements(old), statements(new));
    let is_new = |node: &Node<'_>| {
        let key = statement(new, *node);
        known.get(&key).copied().unwrap_or_default() < now.get(&key).copied().unwrap_or_default()
    };
    new.all().into_iter().filter(|node| BLOCK_KINDS.contains(&node.kind())).find_map(|block| {
        let all = named(block);
        let at = all.iter().position(|node| is_end(new.text(*node).trim()) && is_new(node))?;
        let was_there =
            |node: &&Node<'_>| !is_definition(**node) && known.contains_key(&statement(new, **node));
        let behind = all.iter().skip(at + 1).find(was_there)?;
        let end = all.get(at)?;
        Some(format!("`{}`, behind `{}`", printable_line(new.line(*behind)), printable_line(new.line(*end))))
    })
}
