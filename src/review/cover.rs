//! What a grammar is shown in the place of stretches that it can't read, or not in time: a text of the same length, so
//! that places stay what they are. Everything else is read from the text itself.
//!
//! A cover is put on by the look of its lines. Whether it stands where it may is told by the tree that comes of it: up
//! to the first cover that is wrong the text was shown as it means, so that one stands inside a text in quotes, or in
//! the middle of something. Such covers are taken off, and the text is parsed again.

use super::grammar::Grammar;
use super::value::HOLE;
use std::borrow::Cow;
use std::ops::Range;

/// What is put over a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CoverKind {
    /// Nothing, in the place of lines of comments.
    Comment,
    /// A statement that does nothing.
    Statement,
    /// A statement that does nothing, in front of others on the same line.
    Beginning,
    /// A value that is put into a name.
    Assigned,
    /// A name, in the place of what is only known at run time.
    Hole,
    /// A letter.
    Letter,
}

/// A stretch, and what is put over it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cover {
    pub(super) span: Range<usize>,
    pub(super) kind: CoverKind,
}

/// The covers of what is only known at run time, in a text that was put together. To shells it is a letter.
pub(super) fn holes(text: &str, grammar: Grammar) -> Vec<Cover> {
    if grammar == Grammar::Bash {
        return Vec::new();
    }
    let at = text.match_indices(HOLE).map(|(at, hole)| at..at + hole.len());
    at.map(|span| Cover { span, kind: CoverKind::Hole }).collect()
}

/// Letters over the brackets of a test in a shell: `[ \( -f a \) ]`. To the shell that is a command as any other; its
/// grammar wants it to be an expression, and knows no brackets in there.
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

/// The text as the grammar is shown it. Covers stand in the order of the text.
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
        // Only lines stay what they are.
        let rest = source.as_bytes().get(span.start + with.len()..span.end).unwrap_or_default();
        text.extend(rest.iter().map(|byte| if *byte == b'\n' { '\n' } else { ' ' }));
        at = span.end;
    }
    text.push_str(source.get(at..).unwrap_or_default());
    Cow::Owned(text)
}
