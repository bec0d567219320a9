//! Searches a text for words or a regular expression, and finds matching brackets. A match never spans lines.

use super::buffer::Pos;
use super::cluster;
use crate::tui::pattern::{Pattern, PatternError};
use std::ops::Range;

/// A search term.
#[derive(Clone, Debug)]
pub(crate) struct Needle {
    pub(crate) text: String,
    pattern: Option<Pattern>,
    pub(crate) is_pattern: bool,
}

impl Needle {
    /// A plain text or a regular expression.
    ///
    /// # Errors
    /// What is wrong with the expression.
    pub(crate) fn new(text: &str, is_pattern: bool) -> Result<Self, PatternError> {
        let pattern = match (text.is_empty(), is_pattern) {
            (true, _) => None,
            (false, true) => Some(Pattern::expression(text)?),
            (false, false) => Some(Pattern::text(text)?),
        };
        Ok(Self { text: text.to_owned(), pattern, is_pattern })
    }

    /// The matches in a line, as byte ranges; empty matches are left out.
    pub(crate) fn in_line<'a>(&'a self, line: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        self.pattern.iter().flat_map(move |pattern| pattern.find_in(line))
    }

    /// The replacement of a match. For a regular expression it may refer to groups: `$1`.
    pub(crate) fn replaced(&self, line: &str, range: &Range<usize>, by: &str) -> String {
        match &self.pattern {
            Some(pattern) if self.is_pattern => pattern.expand(line, range, by),
            _ => by.to_owned(),
        }
    }

    /// The next match from a position on, wrapping around at the end of the text; with `back`, the one before.
    pub(crate) fn next(&self, lines: &[String], from: Pos, back: bool) -> Option<(Pos, Pos)> {
        let count = lines.len();
        let of = |index: usize| {
            let line = lines.get(index).map_or("", String::as_str);
            self.in_line(line).map(move |range| (Pos::new(index, range.start), Pos::new(index, range.end)))
        };
        (0..=count).find_map(|step| {
            if back {
                let index = (from.line + 2 * count - step) % count.max(1);
                of(index).filter(|found| step > 0 || found.0 < from).last()
            } else {
                of((from.line + step) % count.max(1)).find(|found| step > 0 || found.0 >= from)
            }
        })
    }

    /// Which match, of how many, begins at a position or within the cluster there; counted from 1, 0 if none
    /// does.
    pub(crate) fn count(&self, lines: &[String], at: Pos) -> (usize, usize) {
        let (mut which, mut all) = (0, 0);
        for (index, line) in lines.iter().enumerate() {
            let mut ahead = index == at.line;
            for range in self.in_line(line) {
                all += 1;
                if ahead && range.start >= at.byte {
                    ahead = false;
                    which = if cluster::at_or_before(line, range.start) == at.byte { all } else { 0 };
                }
            }
        }
        (which, all)
    }
}

/// Finds the partner of the bracket under the cursor, or of the first bracket after it on its line. Searches at
/// most `most` lines. Brackets in strings and comments count as well.
pub(crate) fn bracket(lines: &[String], from: Pos, most: usize) -> Option<Pos> {
    let line = lines.get(from.line)?;
    let (at, open) = line.get(from.byte..)?.char_indices().find(|(_, c)| "()[]{}".contains(*c))?;
    let start = Pos::new(from.line, from.byte + at);
    let (close, back) = match open {
        '(' => (')', false),
        '[' => (']', false),
        '{' => ('}', false),
        ')' => ('(', true),
        ']' => ('[', true),
        _ => ('{', true),
    };
    let mut depth = 0usize;
    let mut step = |index: usize, byte: usize, c: char| {
        if c == open {
            depth += 1;
        } else if c == close {
            depth = depth.saturating_sub(1);
            return (depth == 0).then_some(Pos::new(index, byte));
        }
        None
    };
    if back {
        lines.iter().enumerate().take(start.line + 1).rev().take(most).find_map(|(index, line)| {
            let end = if index == start.line { start.byte + 1 } else { line.len() };
            line.get(..end)?.char_indices().rev().find_map(|(byte, c)| step(index, byte, c))
        })
    } else {
        lines.iter().enumerate().skip(start.line).take(most).find_map(|(index, line)| {
            let begin = if index == start.line { start.byte } else { 0 };
            line.get(begin..)?.char_indices().find_map(|(byte, c)| step(index, begin + byte, c))
        })
    }
}
