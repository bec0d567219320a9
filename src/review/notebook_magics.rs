//! Reads what notebooks add to Python: `!command`, `%pip install`, `%time f()`, `%%bash` cells. It is no Python, but
//! runs in IPython; plain Python would refuse it.
//!
//! Each such line is hidden from the grammar by a cover and read as what it is: a shell command, Python or SQL (`line`,
//! `cell`). Magics that are neither known nor harmless are reported as not read. If the cover does not fit, the line
//! was no magic.

mod cell;
mod expand;
mod line;
mod options;

use super::cover::{Cover, CoverKind};
use super::grammar::Grammar;
use super::nested::NestedCode;
use super::value::{HOLE, Value};
use crate::text::magics::holds_values;
use std::ops::Range;

pub(super) use line::folder;

/// The most commands that are read in one text; later ones count as invalid Python.
const MAX_COMMANDS: usize = 1000;

/// A magic line with its continuation lines, or a cell.
pub(super) struct Magic {
    /// What the grammar sees instead.
    pub(super) cover: Cover,
    pub(super) code: Vec<NestedCode>,
    /// The part whose meaning is not known.
    pub(super) unread: Option<Range<usize>>,
}

impl Magic {
    /// Lines that are covered completely and do nothing known.
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

/// The likely magics of a text, in order.
pub(super) fn find(source: &str) -> Vec<Magic> {
    let mut found = Vec::new();
    let mut at = 0;
    // A cell magic has to be on the first line; comments before it do not count.
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
            let (cell, goes_on) = cell::find(source, span.clone(), at);
            (span, Some(cell).filter(|_| goes_on || is_first), goes_on)
        } else if line::may_be(text) {
            let span = start..end_of(source, start);
            (span.clone(), line::find(source, span), true)
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

/// The most lines that backslashes join.
const MAX_JOINED_LINES: usize = 100;

/// Whether IPython ends a line here. Like Python's `splitlines`, it knows more line ends than the grammar.
fn ends_line(c: char) -> bool {
    matches!(c, '\n'..='\r' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// The length of the first line, including its line end.
fn line_length(text: &str) -> usize {
    let Some((before, rest)) = text.find(ends_line).and_then(|at| text.split_at_checked(at)) else {
        return text.len();
    };
    let end = if rest.starts_with("\r\n") { 2 } else { rest.chars().next().map_or(0, char::len_utf8) };
    before.len() + end
}

/// Where a stretch really ends, if the grammar and IPython would end it at different places: then one would read code
/// that is part of the line to the other.
fn parted(source: &str, span: &Range<usize>) -> Option<usize> {
    let rest = source.get(span.end..)?;
    let sign = rest.trim_start_matches(|c: char| c.is_whitespace() && !ends_line(c));
    let goes_on =
        sign.starts_with('\n') && source.get(..span.end)?.ends_with('\\') && sign.len() == rest.len();
    let is_end = sign.is_empty() || sign.starts_with('\n') || sign.starts_with("\r\n");
    (goes_on || !is_end).then(|| span.end + rest.find('\n').unwrap_or(rest.len()))
}

/// The end of a line with its continuation lines, each after a backslash right before the line end.
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

/// Code that writes to a file. If IPython puts values into the name, the name is unknown.
fn write(path: &str, appends: bool, span: Range<usize>) -> NestedCode {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '~' | '-');
    let name: String = if holds_values(path) {
        HOLE.to_string()
    } else {
        path.chars().flat_map(|c| [Some('\\').filter(|_| !plain(c)), Some(c)]).flatten().collect()
    };
    NestedCode::text(Grammar::Bash, format!("{} {name}", if appends { ">>" } else { ">" }), span)
}

/// The value of a word, without its quotes.
fn word(text: &str) -> Value {
    let text = text.trim();
    let bare = ['"', '\''].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote));
    let text = bare.unwrap_or(text);
    if holds_values(text) { Value::unknown() } else { Value::text(text) }
}
