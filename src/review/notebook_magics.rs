//! What notebooks add to Python: `!command`, `%pip install`, `%time f()`, cells of `%%bash`. It is no Python and does run,
//! where IPython runs it; what plain Python would run has none of it.
//!
//! Each such line is put under a cover for the grammar and read as what it is: a command of a shell, Python, SQL (`line`,
//! `cell`). What is neither known nor harmless is told as not read. Where the cover does not stay, it was no such line.

mod cell;
mod expand;
mod line;

use super::cover::{Cover, CoverKind};
use super::nested::NestedCode;
use super::rules::InnerPattern;
use super::value::Value;
use std::ops::Range;

pub(super) use line::folder;

/// Most commands that are read in one text; lines like them behind those are no Python, and told as that.
const MOST: usize = 1000;

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
    while found.len() < MOST {
        let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) else { break };
        let length = rest.find('\n').map_or(rest.len(), |end| end + 1);
        let text = rest.get(..length).unwrap_or_default();
        let start = at + (text.len() - text.trim_start().len());
        let text = text.trim();
        at += length;
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let is_first = std::mem::take(&mut first);
        if text.starts_with("%%") {
            let (cell, goes_on) = cell::look(source, start..start + text.len());
            if goes_on {
                found.push(cell);
                continue;
            }
            if is_first {
                found.push(cell);
                break;
            }
            continue;
        }
        if !line::may_be(text) {
            continue;
        }
        let span = start..end_of(source, start);
        let Some(magic) = line::look(source, span.clone()) else { continue };
        found.push(magic);
        at = at.max(span.end);
    }
    found
}

/// Most lines that are one by backslashes.
const LONGEST: usize = 100;

/// Where a line ends, with those that go on from it behind a backslash.
fn end_of(source: &str, start: usize) -> usize {
    let rest = source.get(start..).unwrap_or_default();
    let (mut end, mut seen) = (start, start);
    for line in rest.split_inclusive('\n').take(LONGEST) {
        let text = line.trim_end();
        end = seen + text.len();
        seen += line.len();
        if !text.ends_with('\\') {
            break;
        }
    }
    end
}

fn code(language: InnerPattern, text: impl Into<String>, span: Range<usize>) -> NestedCode {
    NestedCode::Text { language, text: text.into(), span }
}

/// The value of a word: quotes are no part of it.
fn word(text: &str) -> Value {
    let text = text.trim();
    let bare = ['"', '\''].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote));
    let text = bare.unwrap_or(text);
    if text.contains(['$', '{']) { Value::unknown() } else { Value::text(text) }
}
