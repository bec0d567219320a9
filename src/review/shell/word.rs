//! Folds words: works out what is known of the text that a word expands to.

use super::ShellReader;
use super::quoting::{unescaped, unescaped_quoted};
use crate::review::escapes;
use crate::review::syntax::{named_children, text};
use crate::review::value::{HOLE, Value, ValueKind};
use tree_sitter::Node;

/// The most parts of a word that are read.
const MAX_PARTS: usize = 512;

/// Words and substitutions nested deeper are not folded.
const MAX_DEPTH: u32 = 24;

impl ShellReader<'_, '_> {
    /// What is known of a word's text.
    pub(super) fn word(&mut self, node: Node<'_>, depth: u32) -> Value {
        if depth > MAX_DEPTH || !self.frames.pay(1) {
            return Value::unknown();
        }
        let deeper = depth + 1;
        let source = text(node, self.source);
        match node.kind() {
            "word" | "number" | "extglob_pattern" | "regex" | "variable_name" | "test_operator" => {
                Value::text(unescaped(source))
            }
            "raw_string" => {
                let inner = source.strip_prefix('\'').unwrap_or(source);
                Value::text(inner.strip_suffix('\'').unwrap_or(inner))
            }
            "ansi_c_string" => {
                let inner = source.get(2..source.len().saturating_sub(1)).unwrap_or_default();
                let text = escapes::ansi_c(inner);
                if text.contains(HOLE) { Value::part(text) } else { Value::text(text) }
            }
            "string" | "translated_string" => self.quoted(node, deeper),
            "concatenation" => self.concatenation(node, deeper),
            "simple_expansion" => match node.named_child(0).map(|name| text(name, self.source)) {
                // `$10` is `$1` and a zero.
                Some(name) if name.len() > 1 && name.starts_with(|c: char| c.is_ascii_digit()) => {
                    Value::unknown()
                }
                Some(name) => self.variable(name),
                None => Value::unknown(),
            },
            "expansion" => self.expansion(node, deeper),
            "command_substitution" => self.substituted(node, deeper),
            // The word is the name of a pipe; `about` is what can be read from it.
            "process_substitution" => Value::name_about("<()", self.printed_by_all(node, deeper)),
            "array" => self.array(node, deeper),
            _ => Value::unknown(),
        }
    }

    /// A concatenation; `{a,b}` in it stays as written.
    fn concatenation(&mut self, node: Node<'_>, depth: u32) -> Value {
        let parts: Vec<WordPart> = parts_of(node)
            .into_iter()
            .map(|part| {
                let value = part.map_or_else(Value::unknown, |part| self.word(part, depth));
                WordPart { value, is_literal: part.is_none_or(is_literal) }
            })
            .collect();
        joined(&parts)
    }

    /// An array: the words that its items expand to.
    fn array(&mut self, node: Node<'_>, depth: u32) -> Value {
        const MAX_ITEMS: usize = 256;
        let items = named_children(node, MAX_ITEMS + 1);
        // `[3]=x` sets an item by its place.
        let placed = items.iter().any(|item| text(*item, self.source).starts_with('['));
        let mut all = Vec::new();
        for item in &items {
            all.extend(self.fields(*item, depth));
            if placed || all.len() > MAX_ITEMS || items.len() > MAX_ITEMS {
                return Value::unknown();
            }
        }
        Value::new(ValueKind::List(all))
    }

    /// A string in double quotes; the text between its parts is taken from the source.
    fn quoted(&mut self, node: Node<'_>, depth: u32) -> Value {
        let end = node.end_byte().saturating_sub(1);
        let mut at = node.start_byte() + if node.kind() == "translated_string" { 2 } else { 1 };
        let mut parts = Vec::new();
        if node.named_child_count() > MAX_PARTS {
            return Value::unknown();
        }
        for child in named_children(node, MAX_PARTS) {
            if child.kind() == "string" {
                return self.word(child, depth);
            }
            if child.kind() == "string_content" {
                continue;
            }
            let before = unescaped_quoted(self.source.get(at..child.start_byte()).unwrap_or_default());
            parts.push(WordPart { value: Value::text(before), is_literal: true });
            parts.push(WordPart { value: self.word(child, depth), is_literal: false });
            at = child.end_byte();
        }
        let rest = unescaped_quoted(self.source.get(at..end).unwrap_or_default());
        parts.push(WordPart { value: Value::text(rest), is_literal: true });
        let joined = joined(&parts);
        if parts.len() == 1 && joined == Value::unknown() { Value::text("") } else { joined }
    }
}

/// A part of a word.
pub(super) struct WordPart {
    pub(super) value: Value,
    /// Whether it is written as it is, without an expansion.
    pub(super) is_literal: bool,
}

/// Whether a part of a word is written as it is.
pub(super) fn is_literal(part: Node<'_>) -> bool {
    matches!(part.kind(), "word" | "number" | "raw_string" | "ansi_c_string")
}

/// The word that its parts make together. The folder is spelled `.`, which says what bash has only where a path begins
/// with it: `$PWD/x`, but not `$PWD.old` or `/opt/x$PWD`.
pub(super) fn joined(pieces: &[WordPart]) -> Value {
    if let [WordPart { value, .. }] = pieces {
        return value.clone();
    }
    let is_empty = |piece: &&WordPart| piece.value.as_whole_text() == Some("");
    let values = pieces.iter().enumerate().map(|(at, WordPart { value, is_literal })| {
        let text = value.as_whole_text().unwrap_or_default();
        if *is_literal || text != "." && !text.starts_with("./") {
            return value.clone();
        }
        let behind = pieces.iter().skip(at + 1).find(|piece| !is_empty(piece));
        let goes_on = |piece: &WordPart| piece.value.as_text().is_some_and(|(text, _)| text.starts_with('/'));
        let begins_path = pieces.iter().take(at).all(|piece| is_empty(&piece))
            && (text != "." || behind.is_none_or(goes_on));
        if begins_path { value.clone() } else { Value::unknown().tainted(value.taint) }
    });
    Value::join(&values.collect::<Vec<_>>(), "")
}

/// The parts of a concatenation; `None` for what has no name in the grammar, like a `$` at the end, and may become part
/// of a name.
pub(super) fn parts_of(node: Node<'_>) -> Vec<Option<Node<'_>>> {
    if node.named_child_count() > MAX_PARTS {
        return vec![None];
    }
    let mut parts = Vec::new();
    let mut at = node.start_byte();
    for part in named_children(node, MAX_PARTS) {
        if part.start_byte() > at {
            parts.push(None);
        }
        parts.push(Some(part));
        at = part.end_byte();
    }
    if at < node.end_byte() {
        parts.push(None);
    }
    parts
}
