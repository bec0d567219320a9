//! Expands words that become several: arrays, `"$@"`, `{a,b}`, `{1..3}`, and unquoted expansions, which are split.

use super::ShellReader;
use super::brace::{self, braces, fields};
use super::quoting::unescaped;
use super::variable::{DEFAULT_SEPARATORS, uncertain};
use super::word::{WordPart, is_glued_home, parts_of};
use crate::review::syntax::{named_children, text};
use crate::review::value::{HOLE, Value, ValueKind};
use tree_sitter::Node;

impl ShellReader<'_, '_> {
    /// The gravest of the words that a word expands to.
    pub(super) fn gravest_word(&mut self, node: Node<'_>) -> Value {
        match self.expand_to_many(node, 0) {
            Some(words) => self.gravest(words),
            None => self.word(node, 0),
        }
    }

    /// The words that a word becomes in a command, an array or a loop.
    pub(super) fn fields(&mut self, node: Node<'_>, depth: u32) -> Vec<Value> {
        if let Some(words) = self.expand_to_many(node, depth) {
            return words;
        }
        let is_split = |part: &Option<Node<'_>>| {
            part.is_some_and(|part| {
                matches!(part.kind(), "simple_expansion" | "expansion" | "command_substitution")
            })
        };
        let parts = if node.kind() == "concatenation" { parts_of(node) } else { vec![Some(node)] };
        if !parts.iter().any(is_split) {
            return vec![self.word(node, depth)];
        }
        let mut made: Vec<Value> = Vec::new();
        // The pieces of the word that is not ended yet.
        let mut pieces: Vec<WordPart> = Vec::new();
        for part in parts {
            let value = part.map_or_else(Value::unknown, |part| self.word(part, depth));
            let is_expanded = self.is_expanded(part);
            let Some(part) = part.filter(|part| is_split(&Some(*part))) else {
                pieces.push(WordPart { value, is_expanded });
                continue;
            };
            let quoted =
                text(part, self.source).contains(['"', '\'']) && part.kind() != "command_substitution";
            for (index, piece) in self.split_at_separators(value, quoted).into_iter().enumerate() {
                if index > 0 && !pieces.is_empty() {
                    made.push(self.joined(&std::mem::take(&mut pieces)));
                }
                if piece.as_whole_text() != Some("") {
                    pieces.push(WordPart { value: piece, is_expanded });
                }
            }
        }
        if !pieces.is_empty() {
            made.push(self.joined(&pieces));
        }
        made
    }

    /// Splits the value of an unquoted expansion; between two of the pieces a word ends. `quoted`: a part of it may have
    /// been written in quotes, which keep it together.
    fn split_at_separators(&mut self, value: Value, quoted: bool) -> Vec<Value> {
        let Some((held, whole)) = value.as_text() else { return vec![value] };
        let Some(signs) = self.separators() else { return vec![uncertain(value)] };
        let pieces: Vec<&str> = held.split(|c| signs.contains(c)).collect();
        // Other signs than white space may also make words that are empty.
        let odd = signs != DEFAULT_SEPARATORS
            && signs.contains(|c: char| !DEFAULT_SEPARATORS.contains(c))
            && pieces.iter().any(|piece| piece.is_empty());
        // Where a part is not known, it is not known either what stands before it.
        if pieces.len() > 1 && (odd || quoted || !whole) || !self.frames.pay(pieces.len()) {
            return pieces
                .into_iter()
                .map(|piece| uncertain(Value::text(piece).tainted(value.taint)))
                .collect();
        }
        let known = |piece: &str| Value::of_text(piece, whole || piece.is_empty()).tainted(value.taint);
        pieces.into_iter().map(known).collect()
    }

    /// The words that a word expands to, if it has to be expanded: `"$@"`, `"${a[@]}"`, `{a,b}`, `{1..3}`.
    pub(super) fn expand_to_many(&mut self, node: Node<'_>, depth: u32) -> Option<Vec<Value>> {
        let inner = match node.kind() {
            "string" => named_children(node, 2).into_iter().next().filter(|inner| {
                inner.start_byte() == node.start_byte() + 1 && inner.end_byte() + 1 == node.end_byte()
            })?,
            _ => node,
        };
        let spelled = text(inner, self.source);
        // In `{rm,-rf,x}` as a command, the grammar takes the first brace for the start of a group.
        let opened = node.parent().is_some_and(|parent| parent.kind() == "command_name")
            && self.source.get(..node.start_byte()).is_some_and(|head| head.ends_with('{'));
        match inner.kind() {
            "simple_expansion" | "expansion" => {
                let (words, sign) = self.all_words(spelled)?;
                if inner.id() == node.id() {
                    return Some(words.into_iter().flat_map(|word| self.split_word(word)).collect());
                }
                Some(if sign == "*" { vec![self.one_word(&words, sign)] } else { words })
            }
            "word" | "concatenation" | "brace_expression"
                if (opened || spelled.contains('{')) && (spelled.contains(',') || spelled.contains("..")) =>
            {
                self.brace_words(node, opened, depth)
            }
            _ => None,
        }
    }

    /// The words that `$@`, `${@:2}`, `${a[*]}` and the like stand for, with the sign.
    fn all_words(&mut self, spelled: &str) -> Option<(Vec<Value>, &'static str)> {
        let inner = spelled.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
        let inner = inner.or_else(|| spelled.strip_prefix('$'))?;
        let sign = if inner.contains('@') { "@" } else { "*" };
        if let Some(rest) = inner.strip_prefix(['@', '*']) {
            let all = self.positional.clone()?;
            if rest.is_empty() {
                return Some((all, sign));
            }
            let from = rest
                .strip_prefix(':')
                .and_then(|from| from.parse::<usize>().ok())
                .filter(|from| *from > 0)?;
            let certain = all.iter().take(from - 1).all(|word| word.as_whole_text().is_some());
            return certain.then(|| (all.into_iter().skip(from - 1).collect(), sign));
        }
        let name = inner.strip_suffix("[@]").or_else(|| inner.strip_suffix("[*]"))?;
        match self.frames.lookup(0, name)?.kind {
            ValueKind::List(items) => Some((items, sign)),
            _ => None,
        }
    }

    /// The words of an unquoted item.
    fn split_word(&mut self, word: Value) -> Vec<Value> {
        let mut words = self.split_at_separators(word, false);
        words.retain(|word| word.as_whole_text() != Some(""));
        words
    }

    /// The words that the braces of a word make; `None` if they make none.
    fn brace_words(&mut self, node: Node<'_>, opened: bool, depth: u32) -> Option<Vec<Value>> {
        if brace::has_marks(text(node, self.source)) || node.named_child_count() > 256 {
            return Some(vec![Value::unknown()]);
        }
        let parts = if node.kind() == "concatenation" { parts_of(node) } else { vec![Some(node)] };
        let mut pieces = if opened { vec![Value::text("{")] } else { Vec::new() };
        for part in parts {
            pieces.push(
                part.map_or_else(Value::unknown, |part| self.brace_piece(part, node.start_byte(), depth)),
            );
        }
        let value = Value::join(&pieces, "");
        let Some((text, whole)) = value.as_text() else { return Some(vec![value]) };
        let made = braces(text);
        let is_part = |word: &str| word.contains(HOLE) || !whole && !text.contains(HOLE);
        let known = |word: String| Value::of_text(word.as_str(), !is_part(&word));
        (made != [text]).then(|| {
            made.iter().flat_map(|word| fields(word)).map(|word| known(word).tainted(value.taint)).collect()
        })
    }

    /// A part of a word that starts at `start`, before its braces are expanded. Only what is written without quotes means
    /// something in them.
    fn brace_piece(&mut self, node: Node<'_>, start: usize, depth: u32) -> Value {
        let spelled = text(node, self.source);
        if node.kind() == "brace_expression" {
            return Value::text(spelled);
        }
        let value = self.word(node, depth);
        let (held, whole) = match value.as_text() {
            Some((held, whole)) => (held.to_owned(), whole),
            None => (HOLE.to_string(), false),
        };
        let quotes = ['"', '\''];
        let before = self.source.get(start..node.start_byte()).unwrap_or_default().trim_end_matches(quotes);
        let behind = self.source.get(node.end_byte()..).unwrap_or_default().trim_start_matches(quotes);
        let is_other = self.is_expanded(Some(node))
            && self.is_other_name(before, &held, || behind.chars().next())
            || is_glued_home(before.rsplit_once('{').map_or("", |(head, _)| head), &held);
        if is_other || brace::has_marks(&held) {
            return Value::unknown().tainted(value.taint);
        }
        let text = match node.kind() {
            "word" | "number" if whole && held == unescaped(spelled) => {
                unescaped(&brace::with_hidden_escapes(spelled))
            }
            "simple_expansion" | "expansion" | "command_substitution" => {
                let is_name = spelled
                    .strip_prefix('$')
                    .is_some_and(|name| name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic()));
                let kept = spelled.contains(['"', '\'']) || !whole;
                let kept = kept && held.contains([' ', '\t', '\n']);
                if kept || self.separators().as_deref() != Some(DEFAULT_SEPARATORS) {
                    return Value::unknown().tainted(value.taint);
                }
                brace::expanded(&held, DEFAULT_SEPARATORS, is_name)
            }
            _ => brace::quoted(&held),
        };
        Value::of_text(text, whole).tainted(value.all_taint())
    }
}

/// Whether a file name pattern (`?`, `*`, `[…]`) matches a name.
pub(super) fn pattern_fits(pattern: &[char], name: &[char]) -> bool {
    match (pattern.split_first(), name.split_first()) {
        (None, None) => true,
        (Some(('*', rest)), _) => {
            (0..=name.len()).any(|at| name.get(at..).is_some_and(|name| pattern_fits(rest, name)))
        }
        (Some(('?', rest)), Some((_, name))) => pattern_fits(rest, name),
        (Some(('[', rest)), Some((c, name))) => {
            let Some(end) = rest.iter().position(|c| *c == ']') else { return false };
            let class = rest.get(..end).unwrap_or_default();
            let listed = class.contains(c)
                || class.windows(3).any(|w| matches!(w, [from, '-', to] if from <= c && c <= to));
            listed && pattern_fits(rest.get(end + 1..).unwrap_or_default(), name)
        }
        (Some((p, rest)), Some((c, name))) => p == c && pattern_fits(rest, name),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_names() {
        let fits = |pattern: &str, name: &str| {
            pattern_fits(&pattern.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
        };
        assert!(fits("r?", "rm") && fits("[r]m", "rm") && fits("*", "rm") && fits("[a-z]m", "rm"));
        assert!(!fits("r?", "rmm") && !fits("[!r]", "rm"));
    }
}
