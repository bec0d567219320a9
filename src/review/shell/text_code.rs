//! Finds substitutions in here-documents and in `${…}` that the grammar takes for plain text, and leaves them to be
//! read as nested code, as all code that a shell or an interpreter runs.

use super::ShellReader;
use super::change::node::set_in_arithmetic;
use super::plain_quotes::PlainQuotes;
use crate::review::grammar::Grammar;
use crate::review::nested::NestedCode;
use crate::review::syntax::{each, named_children, text};
use std::collections::HashSet;
use std::ops::Range;
use tree_sitter::Node;

impl ShellReader<'_, '_> {
    /// Leaves a text that a shell or another interpreter runs here to be read after this one.
    pub(super) fn runs(&mut self, language: Grammar, text: String, span: Range<usize>) {
        self.reading.nested.push(NestedCode::text(language, text, span).within(self.folder.clone()));
    }

    /// Reads what a here-document, a `${…}`, or a text between quotes that quote nothing runs and the tree does not
    /// show.
    pub(super) fn code_in_text(&mut self, node: Node<'_>) {
        if node.kind() == "heredoc_body" && is_raw(node, self.source) {
            return;
        }
        for found in TextScan::new(node, self.source, &self.quotes).all() {
            match found {
                TextCode::Code(code, span) => {
                    let span = self.called.clone().unwrap_or(span);
                    self.runs(Grammar::Bash, code, span);
                }
                TextCode::Change => self.reading.unknown = true,
                TextCode::Open => self.reading.cut = true,
            }
        }
    }
}

/// Whether nothing in a here-document is expanded: a part of its delimiter is quoted.
pub(super) fn is_raw(body: Node<'_>, source: &str) -> bool {
    let beside = body.parent().map(|redirect| named_children(redirect, 64)).unwrap_or_default();
    let start = beside.into_iter().find(|node| node.kind() == "heredoc_start");
    start.is_some_and(|start| text(start, source).contains(['\'', '"', '\\']))
}

/// What a text holds that the tree does not show.
enum TextCode {
    /// A script, with its place.
    Code(String, Range<usize>),
    /// Something that may set a variable, or that is put together from two lines.
    Change,
    /// A substitution that is not closed.
    Open,
}

/// Goes through a text.
struct TextScan<'a> {
    source: &'a str,
    span: Range<usize>,
    is_document: bool,
    /// What the tree shows, in order.
    shown: Vec<Range<usize>>,
    /// Where arithmetic begins that the tree shows.
    arithmetic: HashSet<usize>,
}

impl<'a> TextScan<'a> {
    fn new(node: Node<'_>, source: &'a str, quotes: &PlainQuotes) -> Self {
        let is_document = node.kind() == "heredoc_body";
        let (mut shown, mut arithmetic) = (Vec::new(), HashSet::new());
        each(node, |inner, depth| match inner.kind() {
            // An expansion within another one is gone through by itself.
            "command_substitution" | "process_substitution" | "expansion" if depth > 0 => {
                shown.push(inner.byte_range());
                false
            }
            // Nothing is run between single quotes, unless these are plain signs.
            "raw_string" | "ansi_c_string" if !quotes.are_around(inner) => {
                shown.push(inner.byte_range());
                false
            }
            "regex" if is_in_single_quotes(text(inner, source)) && !quotes.are_around(inner) => {
                shown.push(inner.byte_range());
                false
            }
            "arithmetic_expansion" => {
                arithmetic.insert(inner.start_byte());
                true
            }
            _ => true,
        });
        let start = node.start_byte() + if node.kind() == "expansion" { 2 } else { 0 };
        Self { source, span: start..node.end_byte(), is_document, shown, arithmetic }
    }

    /// Everything that the tree does not show, up to the first substitution that is not closed.
    fn all(&self) -> Vec<TextCode> {
        let mut found = Vec::new();
        let mut shown = self.shown.iter().peekable();
        let mut at = self.span.start;
        while at < self.span.end {
            while shown.next_if(|span| span.end <= at).is_some() {}
            if let Some(span) = shown.next_if(|span| span.start <= at) {
                at = span.end;
                continue;
            }
            let Some(next) = self.step(at, &mut found) else {
                found.push(TextCode::Open);
                break;
            };
            at = next;
        }
        found
    }

    fn byte(&self, at: usize) -> u8 {
        self.source.as_bytes().get(at).copied().filter(|_| at < self.span.end).unwrap_or_default()
    }

    /// Looks at one place and adds what begins there; returns the next place, or `None` if something is not closed.
    fn step(&self, at: usize, found: &mut Vec<TextCode>) -> Option<usize> {
        let is_shown = self.arithmetic.contains(&at);
        match (self.byte(at), self.byte(at + 1)) {
            (b'\\', _) => Some(at + 2),
            (b'`', _) => {
                let end = self.backquote_after(at + 1)?;
                let inner = self.source.get(at + 1..end)?;
                found.push(TextCode::Code(format!(": $({}\n)", without_backslashes(inner)), at..end + 1));
                Some(end + 1)
            }
            (b'$', b'(') if is_shown => Some(at + 3),
            (b'$', b'[') if is_shown => Some(at + 2),
            (b'$', b'(') => self.parenthesized(at, found),
            (b'<' | b'>', b'(') if !self.is_document => self.parenthesized(at, found),
            (b'$', b'{') => {
                if sets_name(self.source.get(at + 2..)?) {
                    found.push(TextCode::Change);
                }
                Some(at + 2)
            }
            (b'$', b'[') => {
                found.push(TextCode::Change);
                Some(at + 2)
            }
            (b'$', b'\\') if self.byte(at + 2) == b'\n' => {
                found.push(TextCode::Change);
                Some(at + 3)
            }
            _ => Some(at + 1),
        }
    }

    /// Adds `$(…)`, `$((…))` or `<(…)`.
    fn parenthesized(&self, at: usize, found: &mut Vec<TextCode>) -> Option<usize> {
        let end = self.parenthesis_after(at + 2)? + 1;
        let spelled = self.source.get(at..end)?;
        let is_arithmetic = spelled.starts_with("$((");
        if is_arithmetic && (spelled.contains('[') || !set_in_arithmetic(spelled).is_empty()) {
            found.push(TextCode::Change);
        }
        found.push(TextCode::Code(format!(": {spelled}"), at..end));
        Some(end)
    }

    /// The place of the next backquote without a backslash.
    fn backquote_after(&self, from: usize) -> Option<usize> {
        let mut at = from;
        while at < self.span.end {
            match self.byte(at) {
                b'`' => return Some(at),
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
        None
    }

    /// The place of the parenthesis that closes one. Where bash sees another one, the code between them has errors.
    fn parenthesis_after(&self, from: usize) -> Option<usize> {
        let mut open = vec![b'('];
        let mut at = from;
        while at < self.span.end {
            let around = open.last().copied()?;
            let is_quoted = around == b'"';
            match self.byte(at) {
                b'\\' => at += 1,
                b'\'' if !is_quoted => {
                    let rest = self.source.as_bytes().get(at + 1..self.span.end)?;
                    at += 1 + rest.iter().position(|byte| *byte == b'\'')?;
                }
                sign @ (b'"' | b'`') if around == sign => {
                    open.pop();
                }
                sign @ (b'"' | b'`') => open.push(sign),
                b'(' if !is_quoted || self.byte(at - 1) == b'$' => open.push(b'('),
                b')' if around == b'(' => {
                    open.pop();
                    if open.is_empty() {
                        return Some(at);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        None
    }
}

/// Whether the rest of `${` begins with a name that is set: `NAME:=` or `NAME=`. An index that is not plain may set one,
/// and so may the arithmetic in `${NAME:…}`.
fn sets_name(rest: &str) -> bool {
    let form = rest.trim_start_matches(|c: char| c == '_' || c.is_ascii_alphanumeric());
    if form.len() == rest.len() {
        return false;
    }
    let form = match form.strip_prefix('[') {
        None => form,
        Some(inner) => {
            let behind = inner.trim_start_matches(|c: char| matches!(c, '@' | '*') || c.is_ascii_digit());
            let Some(form) = behind.strip_prefix(']') else { return true };
            form
        }
    };
    let mut signs = form.chars();
    match (signs.next(), signs.next()) {
        (Some('='), _) | (Some(':'), Some('=')) => true,
        (Some(':'), Some('-' | '+' | '?')) => false,
        (Some(':'), _) => {
            let place: String = form.chars().take(256).take_while(|sign| *sign != '}').collect();
            !set_in_arithmetic(&place).is_empty()
        }
        _ => false,
    }
}

fn is_in_single_quotes(spelled: &str) -> bool {
    let inner = spelled.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    inner.is_some_and(|inner| !inner.contains('\''))
}

/// The text between backquotes as the inner shell gets it.
fn without_backslashes(inner: &str) -> String {
    let mut out = String::with_capacity(inner.len());
    let mut signs = inner.chars().peekable();
    while let Some(sign) = signs.next() {
        match (sign, signs.peek()) {
            ('\\', Some('$' | '`' | '\\')) => out.extend(signs.next()),
            _ => out.push(sign),
        }
    }
    out
}
