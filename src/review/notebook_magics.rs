//! What notebooks add to Python: `!command`, `%pip install`, `%time f()`, cells of `%%bash`. It is no Python and does run,
//! where IPython runs it; what plain Python would run has none of it.
//!
//! Each such line is put under a cover for the grammar and read as what it is: a command of a shell, Python, SQL (`line`,
//! `cell`). What is neither known nor harmless is told as not read. Where the cover does not stay, it was no such line.

mod cell;
mod expand;
mod line;
mod options;

use super::cover::{Cover, CoverKind};
use super::nested::NestedCode;
use super::rules::InnerPattern;
use super::value::{HOLE, Value};
use crate::text::magics::holds_values;
use std::ops::Range;

pub(super) use line::folder;

/// Most commands that are read in one text; lines like them behind those are no Python, and told as that.
const MAX_COMMANDS: usize = 1000;

/// A line, with those that go on from it, or a cell.
pub(super) struct Magic {
    /// What the grammar is shown in its place.
    pub(super) cover: Cover,
    pub(super) code: Vec<NestedCode>,
    /// What is not known to be anything.
    pub(super) unread: Option<Range<usize>>,
}

impl Magic {
    /// Lines that are covered whole and do nothing that is known.
    fn whole(span: Range<usize>) -> Self {
        Self { cover: Cover { span, kind: CoverKind::Statement }, code: Vec::new(), unread: None }
    }

    fn unknown(span: Range<usize>) -> Self {
        Self { unread: Some(span.clone()), ..Self::whole(span) }
    }

    fn with(self, code: impl IntoIterator<Item = NestedCode>) -> Self {
        Self { code: code.into_iter().collect(), ..self }
    }
}

/// What looks like a line of a notebook in a text, in order.
pub(super) fn look(source: &str) -> Vec<Magic> {
    let mut found = Vec::new();
    let mut at = 0;
    // A cell is named on its first line; remarks in front of it are taken for none.
    let mut first = true;
    while found.len() < MAX_COMMANDS {
        let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) else { break };
        let length = line_length(rest);
        let text = rest.get(..length).unwrap_or_default();
        let start = at + (text.len() - text.trim_start().len());
        let text = text.trim();
        at += length;
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let is_first = std::mem::take(&mut first);
        let (span, magic, goes_on) = if text.starts_with("%%") {
            let span = start..start + text.len();
            let (cell, goes_on) = cell::look(source, span.clone(), at);
            (span, Some(cell).filter(|_| goes_on || is_first), goes_on)
        } else if line::may_be(text) {
            let span = start..end_of(source, start);
            (span.clone(), line::look(source, span), true)
        } else {
            continue;
        };
        let Some(mut magic) = magic else { continue };
        at = at.max(span.end);
        if let Some(end) = parted(source, &span) {
            magic.unread = Some(span.start..end);
        }
        found.push(magic);
        if !goes_on {
            break;
        }
    }
    found
}

/// Most lines that are one by backslashes.
const MAX_JOINED_LINES: usize = 100;

/// Whether a line of a text ends there for IPython, as for `splitlines` of Python: at more than for its grammar.
fn ends_line(c: char) -> bool {
    matches!(c, '\n'..='\r' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// How long the first line of a text is, with what ends it.
fn line_length(text: &str) -> usize {
    let Some((before, rest)) = text.find(ends_line).and_then(|at| text.split_at_checked(at)) else {
        return text.len();
    };
    let end = if rest.starts_with("\r\n") { 2 } else { rest.chars().next().map_or(0, char::len_utf8) };
    before.len() + end
}

/// Where a stretch ends that does not end where a line ends for the grammar and for IPython alike: the one would read what the
/// other takes for the rest of it.
fn parted(source: &str, span: &Range<usize>) -> Option<usize> {
    let rest = source.get(span.end..)?;
    let sign = rest.trim_start_matches(|c: char| c.is_whitespace() && !ends_line(c));
    let goes_on =
        sign.starts_with('\n') && source.get(..span.end)?.ends_with('\\') && sign.len() == rest.len();
    let is_end = sign.is_empty() || sign.starts_with('\n') || sign.starts_with("\r\n");
    (goes_on || !is_end).then(|| span.end + rest.find('\n').unwrap_or(rest.len()))
}

/// Where a line ends, with those that go on from it: behind a backslash that nothing but the end of the line follows.
fn end_of(source: &str, start: usize) -> usize {
    let (mut end, mut at) = (start, start);
    for _ in 0..MAX_JOINED_LINES {
        let rest = source.get(at..).unwrap_or_default();
        let line = rest.get(..line_length(rest)).unwrap_or_default();
        end = at + line.trim_end().len();
        at += line.len();
        if !line.ends_with("\\\n") {
            break;
        }
    }
    end
}

fn code(language: InnerPattern, text: impl Into<String>, span: Range<usize>) -> NestedCode {
    NestedCode::Text { language, text: text.into(), span }
}

/// Writing to a file. Where values are put into its name it is not known which.
fn write(path: &str, appends: bool, span: Range<usize>) -> NestedCode {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '~' | '-');
    let name: String = if holds_values(path) {
        HOLE.to_string()
    } else {
        path.chars().flat_map(|c| [Some('\\').filter(|_| !plain(c)), Some(c)]).flatten().collect()
    };
    code(InnerPattern::Bash, format!("{} {name}", if appends { ">>" } else { ">" }), span)
}

/// The value of a word: quotes are no part of it.
fn word(text: &str) -> Value {
    let text = text.trim();
    let bare = ['"', '\''].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote));
    let text = bare.unwrap_or(text);
    if holds_values(text) { Value::unknown() } else { Value::text(text) }
}
