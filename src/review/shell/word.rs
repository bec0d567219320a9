//! Folds words: works out what is known of the text that a word expands to.

use super::ShellReader;
use super::quoting::{unescaped, unescaped_quoted};
use super::tilde::protected;
use crate::review::escapes;
use crate::review::syntax::{named_children, text};
use crate::review::value::{HOLE, MAX_TEXT_BYTES, PIPE, Value};
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
            "word" if source.starts_with(['~', '\\']) => {
                self.tilde_word(node, source).unwrap_or_else(|| Value::text(unescaped(source)))
            }
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
                Value::of_text(text.as_str(), !text.contains(HOLE))
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
            "process_substitution" => Value::name_about(PIPE, self.printed_by_all(node, deeper)),
            "array" => self.array(node, deeper),
            _ => Value::unknown(),
        }
    }

    /// A concatenation; `{a,b}` in it stays as written.
    fn concatenation(&mut self, node: Node<'_>, depth: u32) -> Value {
        let mut parts: Vec<WordPart> = parts_of(node)
            .into_iter()
            .map(|part| {
                let value = part.map_or_else(Value::unknown, |part| self.word(part, depth));
                WordPart { value, is_expanded: self.is_expanded(part) }
            })
            .collect();
        let spelled = text(node, self.source);
        if let Some(first) = parts.first_mut()
            && ["'~'/", "\"~\"/"].iter().any(|quoted| spelled.starts_with(quoted))
        {
            first.value = protected("~");
        }
        self.joined(&parts)
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
        Value::list(all)
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
            parts.push(WordPart { value: Value::text(before), is_expanded: false });
            parts.push(WordPart { value: self.word(child, depth), is_expanded: true });
            at = child.end_byte();
        }
        let rest = unescaped_quoted(self.source.get(at..end).unwrap_or_default());
        parts.push(WordPart { value: Value::text(rest), is_expanded: false });
        let joined = self.joined(&parts);
        if parts.len() == 1 && joined == Value::unknown() { Value::text("") } else { joined }
    }

    /// Whether the value of a part comes from an expansion; what is written as it is does not.
    pub(super) fn is_expanded(&self, part: Option<Node<'_>>) -> bool {
        part.is_some_and(|part| {
            !matches!(part.kind(), "raw_string" | "ansi_c_string")
                && text(part, self.source).contains(['$', '`'])
        })
    }

    /// The word that its parts make together. The folder is spelled `.`, and the home folder `~`, which say what bash
    /// has only where a path begins with them: `$PWD/x`, but not `$PWD.old` or `/opt/x$PWD`, which are unknown.
    pub(super) fn joined(&self, parts: &[WordPart]) -> Value {
        if let [WordPart { value, .. }] = parts {
            return value.clone();
        }
        let mut before = String::new();
        let values = parts.iter().enumerate().map(|(at, WordPart { value, is_expanded })| {
            let text = value.as_text().map_or_else(|| HOLE.to_string(), |(text, _)| text.to_owned());
            let first = |part: &WordPart| match part.value.as_text() {
                Some((text, _)) => text.chars().next(),
                None => Some(HOLE),
            };
            let behind = || parts.iter().skip(at + 1).find_map(first);
            let is_other = *is_expanded && self.is_other_name(&before, &text, behind);
            // A longer text is unknown as a whole.
            if before.len() <= MAX_TEXT_BYTES {
                before.push_str(&text);
            }
            if is_other { Value::unknown().tainted(value.taint) } else { value.clone() }
        });
        Value::join(&values.collect::<Vec<_>>(), "")
    }

    /// Whether what an expansion gives is spelled as a folder and stands where it makes another name.
    pub(super) fn is_other_name(
        &self,
        before: &str,
        text: &str,
        behind: impl FnOnce() -> Option<char>,
    ) -> bool {
        if text.starts_with('~') {
            return is_glued_home(before, text)
                || text == "~" && behind().is_some_and(|sign| sign != HOLE && goes_on(before, sign));
        }
        self.changes.names_folder && is_glued(before, text, behind)
    }
}

/// A part of a word.
pub(super) struct WordPart {
    pub(super) value: Value,
    /// Whether it comes from an expansion, so that it may be the name of the folder, spelled `.`, or the home folder.
    pub(super) is_expanded: bool,
}

/// Whether a text that may be the name of the folder, spelled `.` or `./x`, is a part of another name between these
/// texts. In code that a word holds, and behind `=` or an option, it begins a path.
pub(super) fn is_glued(before: &str, text: &str, behind: impl FnOnce() -> Option<char>) -> bool {
    if text != "." && !text.starts_with("./") {
        return false;
    }
    if ends_in_name(before) {
        return true;
    }
    text == "." && behind().is_some_and(|sign| goes_on(before, sign))
}

/// Whether a sign behind a folder makes another name of it.
fn goes_on(before: &str, sign: char) -> bool {
    match sign {
        // This quote ends one that was opened before.
        '\'' | '"' => before.matches(sign).count().is_multiple_of(2),
        ',' | '}' => !before.ends_with(['=', '{', ',']),
        sign => !"/: \t\n;&|<>)`".contains(sign),
    }
}

/// Whether a text that begins with the home folder, spelled `~`, stands behind a part of a name.
pub(super) fn is_glued_home(before: &str, text: &str) -> bool {
    text.starts_with('~') && ends_in_name(before)
}

/// Whether what stands before a path makes another name of it. Code, `=` and an option do not.
fn ends_in_name(before: &str) -> bool {
    let mut ends = before.chars().rev();
    let is_option = matches!((ends.next(), ends.next(), ends.next()), (Some(letter), Some('-'), None | Some(' '))
        if letter.is_ascii_alphabetic());
    let is_name = |sign: char| sign.is_alphanumeric() || "/_-.+~%#".contains(sign) || sign == HOLE;
    before.ends_with(is_name) && !is_option && !before.ends_with("://")
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
