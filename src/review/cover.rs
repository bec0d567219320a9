//! Covers: replacements shown to a grammar for stretches that it can't parse, or not in time. The replacement has the
//! same length, so places do not change; everything else is read from the original text.
//!
//! Covers are chosen by the look of lines, so a line within a quoted string may be covered by mistake. The resulting
//! tree shows which covers fit: the text before the first wrong cover was parsed as it is meant, so a cover inside a
//! string or another construct is wrong. Wrong covers are removed and the text is parsed again.

use super::grammar::Grammar;
use super::value::HOLE;
use std::borrow::Cow;
use std::ops::Range;

/// What the grammar sees in place of a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CoverKind {
    /// Blanks, in place of comment lines.
    Comment,
    /// A statement that does nothing.
    Statement,
    /// A statement that does nothing, before others on the same line.
    Beginning,
    /// The value of an assignment.
    Assigned,
    /// A name, in place of something known only at run time.
    Hole,
    /// A letter.
    Letter,
}

/// A stretch and its replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cover {
    pub(super) span: Range<usize>,
    pub(super) kind: CoverKind,
}

/// Covers for the holes in a text that was put together. The bash grammar reads a hole as a letter, so it needs none.
pub(super) fn holes(text: &str, grammar: Grammar) -> Vec<Cover> {
    if grammar == Grammar::Bash {
        return Vec::new();
    }
    let at = text.match_indices(HOLE).map(|(at, hole)| at..at + hole.len());
    at.map(|span| Cover { span, kind: CoverKind::Hole }).collect()
}

/// Covers for the brackets of a shell test with escaped parentheses: `[ \( -f a \) ]`. To a shell, `[` is a command
/// like any other, but the grammar parses an expression in it, and knows no `\(` there.
pub(super) fn brackets(source: &str) -> Vec<Cover> {
    if !source.contains("\\(") {
        return Vec::new();
    }
    let alone = |at: &usize| {
        let before = source.get(..*at).and_then(|head| head.chars().next_back());
        let after = source.get(at + 1..).and_then(|rest| rest.chars().next());
        let ends =
            |c: Option<char>| c.is_none_or(|c| c.is_whitespace() || matches!(c, ';' | '&' | '|' | '(' | ')'));
        ends(before) && ends(after)
    };
    let found = source.match_indices(['[', ']']).map(|(at, _)| at).filter(alone);
    found.map(|at| Cover { span: at..at + 1, kind: CoverKind::Letter }).collect()
}

/// The text as the grammar sees it. `covers` are in the order of the text.
pub(super) fn masked_source<'a>(source: &'a str, covers: &[Cover]) -> Cow<'a, str> {
    if covers.is_empty() {
        return Cow::Borrowed(source);
    }
    let mut text = String::with_capacity(source.len());
    let mut at = 0;
    for Cover { span, kind } in covers {
        text.push_str(source.get(at..span.start).unwrap_or_default());
        let with = match kind {
            CoverKind::Comment => "",
            CoverKind::Statement | CoverKind::Assigned => "0",
            CoverKind::Beginning => "0;",
            CoverKind::Hole => "___",
            CoverKind::Letter => "x",
        };
        text.push_str(with);
        // Line ends stay; every other byte becomes a blank.
        let rest = source.as_bytes().get(span.start + with.len()..span.end).unwrap_or_default();
        text.extend(rest.iter().map(|byte| if *byte == b'\n' { '\n' } else { ' ' }));
        at = span.end;
    }
    text.push_str(source.get(at..).unwrap_or_default());
    Cow::Owned(text)
}
