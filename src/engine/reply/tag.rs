//! Finds the ends of `<execute>…</execute>`.
//!
//! `markdown.rs` decides whether a tag is where Markdown allows HTML; from the opening tag on, everything is raw text
//! up to the first closing tag.

use super::info::{self, FenceOffer};
use crate::domain::{Language, Languages};
use std::ops::Range;

/// The opening tag up to its name.
const OPEN: &str = "<execute";
/// The closing tag without `>`.
const CLOSE: &str = "</execute";
const MAX_ATTRIBUTE_CHARS: usize = 256;
/// How many bytes of the line on either side of an opening tag are checked.
const CONTEXT_BYTES: usize = 1024;

/// The first opening tag in `html` at or after `from`, outside of comments.
pub(super) fn find_open(html: &str, from: usize) -> Option<Range<usize>> {
    let mut at = from;
    loop {
        let rest = html.get(at..)?;
        let here = at + rest.find('<')?;
        let tail = html.get(here..)?;
        if let Some(comment) = tail.strip_prefix("<!--") {
            at = here + 4 + comment.find("-->")? + 3;
        } else if let Some(length) = open_length(tail) {
            return Some(here..here + length);
        } else {
            at = here + 1;
        }
    }
}

/// The length of the opening tag at the start of `text`, if there is one.
pub(super) fn open_length(text: &str) -> Option<usize> {
    if !starts_with(text, OPEN) {
        return None;
    }
    let mut quote = None;
    for (i, c) in text.char_indices().skip(OPEN.len()).take(MAX_ATTRIBUTE_CHARS) {
        match (quote, c) {
            _ if i == OPEN.len() && !(c == '>' || c.is_ascii_whitespace()) => return None,
            (None, '>') => {
                let last = text.get(..i)?.trim_end().chars().last();
                return (last != Some('/')).then_some(i + 1);
            }
            (None, '"' | '\'') => quote = Some(c),
            (Some(q), _) if q == c => quote = None,
            (None, '<') => return None,
            _ => {}
        }
    }
    None
}

/// The first closing tag in `text` at or after `from`.
pub(super) fn find_close(text: &str, from: usize) -> Option<Range<usize>> {
    let mut at = from;
    loop {
        let here = at + text.get(at..)?.find("</")?;
        let tail = text.get(here..)?;
        if starts_with(tail, CLOSE) {
            let after = tail.get(CLOSE.len()..)?;
            let blank = after.len() - after.trim_start_matches([' ', '\t']).len();
            if after.get(blank..)?.starts_with('>') {
                return Some(here..here + CLOSE.len() + blank + 1);
            }
        }
        at = here + 2;
    }
}

/// The offset of the part of `text` that could still become a closing tag when more arrives; the length of `text` if
/// there is none.
pub(super) fn maybe_close(text: &str) -> usize {
    match text.rfind('<') {
        Some(at) if text.get(at..).is_some_and(could_close) => at,
        _ => text.len(),
    }
}

fn could_close(tail: &str) -> bool {
    let tail = tail.trim_end_matches([' ', '\t']);
    CLOSE.get(..tail.len()).is_some_and(|head| head.eq_ignore_ascii_case(tail))
}

/// Whether a text starts with an ASCII word, ignoring case.
pub(super) fn starts_with(text: &str, word: &str) -> bool {
    text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word))
}

/// Whether an opening tag may open a block: it is the first or the last thing on its line, or is closed on the same
/// line. Otherwise it is a word of the prose (`wrap it in <execute> tags`), which must not swallow the text after it.
pub(super) fn opens(text: &str, tag: &Range<usize>) -> bool {
    let before =
        text.get(text.floor_char_boundary(tag.start.saturating_sub(CONTEXT_BYTES))..tag.start).unwrap_or("");
    let after =
        text.get(tag.end..text.ceil_char_boundary(tag.end.saturating_add(CONTEXT_BYTES).min(text.len())));
    let before = before.rsplit('\n').next().unwrap_or("");
    let after = after.unwrap_or("").split('\n').next().unwrap_or("");
    before.chars().all(is_marker) || after.trim().is_empty() || find_close(after, 0).is_some()
}

/// The start of the line of this byte.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|t| t.rfind('\n')).map_or(0, |i| i + 1)
}

/// The start of the line of a tag at `at`, if only indentation and markers come before it; otherwise `at`.
pub(super) fn line_or(text: &str, at: usize) -> usize {
    let line = line_start(text, at);
    if text.get(line..at).is_some_and(|t| t.chars().all(is_marker)) { line } else { at }
}

/// Whether a character may belong to indentation or to markers of quotes and list items.
pub(super) fn is_marker(c: char) -> bool {
    matches!(c, ' ' | '\t' | '>' | '-' | '*' | '+' | '.' | ')' | '0'..='9')
}

/// The attributes of an opening tag, without name and ends.
pub(super) fn attributes(tag: &str) -> &str {
    let inner = tag.get(OPEN.len()..tag.len().saturating_sub(1)).unwrap_or("");
    inner.trim()
}

/// What a tag with these attributes may become: Python unless `lang=` (or `language=`) names another language.
pub(super) fn offer(attributes: &str, languages: &Languages) -> FenceOffer {
    match language(attributes) {
        Some(word) => info::offer_for_word(word, languages),
        None => info::offer_for_word(Language::python().as_str(), languages),
    }
}

/// The value of `lang=` or `language=`.
fn language(attributes: &str) -> Option<&str> {
    let mut rest = attributes;
    while let Some((name, after)) = rest.split_once('=') {
        let name = name.split_whitespace().next_back().unwrap_or("");
        let after = after.trim_start();
        let (value, next) = match after.chars().next() {
            Some(quote @ ('"' | '\'')) => after.get(1..)?.split_once(quote)?,
            _ => after.split_once(char::is_whitespace).unwrap_or((after, "")),
        };
        if name.eq_ignore_ascii_case("lang") || name.eq_ignore_ascii_case("language") {
            return Some(value);
        }
        rest = next;
    }
    None
}
