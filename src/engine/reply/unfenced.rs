//! Edits in no fence, as some models write them: SEARCH/REPLACE markers, diffs and patches that stand in the prose. What such
//! an edit holds is text of its files, so no block in it is one, whatever Markdown makes of its lines. It is an edit like every
//! other, and says how it was read; one that has begun and of which nothing tells the end takes the rest of the reply, as does
//! one in a reply that was cut off.

use super::edit_fence::offers_nothing;
use super::{Proposal, edits};
use crate::domain::{BlockKind, Languages};
use crate::edit::{self, BareEnd, EditEnd, EditExtent};
use std::ops::Range;

/// Lines behind the first ones of edits that are looked at: those that a text has for nothing, and for each of its lines. An
/// edit of which nothing tells the end is looked for up to the end of the text; the one that goes beyond them takes the rest.
const FREE_LINES: usize = 16 << 10;
const LINES_PER_LINE: usize = 8;

/// What is told of the one that took the rest since there are too many.
pub(super) const TOO_MANY_MESSAGE: &str =
    "what is behind it was not looked at: the reply has too many edits and calls in no fence";

/// An edit that stands in the prose.
pub(super) struct UnfencedEdit {
    pub(super) range: Range<usize>,
    /// Whether its end was seen.
    pub(super) closed: bool,
    /// Bytes in front of its first line, in a list or a quote.
    lead: usize,
    /// What stands in front of the others.
    prefix: String,
    note: &'static str,
    /// Whether it is one too many.
    is_last: bool,
}

/// Looks for edits at the starts of lines, one line behind the other.
pub(super) struct EditScanner<'t> {
    text: &'t str,
    complete: bool,
    /// Whether markers were only spoken of: then so are those behind them.
    spoken_of: bool,
    /// Lines that were looked at behind the first of an edit.
    pub(super) looked: usize,
    most: usize,
}

impl<'t> EditScanner<'t> {
    pub(super) fn new(text: &'t str, complete: bool) -> Self {
        let most = text.split('\n').count().saturating_mul(LINES_PER_LINE).saturating_add(FREE_LINES);
        Self { text, complete, spoken_of: false, looked: 0, most }
    }

    /// The edit that begins with the line at this place, up to its end at `line_end`.
    pub(super) fn edit_at_line(&mut self, start: usize, line_end: usize) -> Option<UnfencedEdit> {
        let line = self.text.get(start..line_end)?;
        let lead = containers(line);
        let inner = line.get(lead..)?;
        if edit::says_search(inner) {
            return self.markers(start, lead);
        }
        // Nothing else begins an edit; the lines behind it are looked at for these only.
        if !["---", "***", "diff", "$ ", "apply"].iter().any(|head| inner.starts_with(head)) {
            return None;
        }
        let prefix = prefix(line.get(..lead)?);
        let mut looked = 0;
        let rest = self.text.get(start..)?;
        let form = edit::bare_form(inner_lines(rest, lead, &prefix).inspect(|_| looked += 1));
        self.looked += looked;
        let end = edit::bare_end(form?, inner_lines(rest, lead, &prefix));
        self.looked += end.read;
        Some(self.bare(start, lead, prefix, end))
    }

    /// A diff or a patch, of which this is known by its lines.
    fn bare(&self, start: usize, lead: usize, prefix: String, end: BareEnd) -> UnfencedEdit {
        let rest = self.text.get(start..).unwrap_or_default();
        let bytes = |lines: usize| rest.split_inclusive('\n').take(lines).map(str::len).sum::<usize>();
        let length = bytes(end.lines);
        let unsure = end.unsure.map_or(rest.len(), bytes);
        // What is not sure counts where nothing else would be offered.
        let is_last = self.looked > self.most;
        let may_end = !is_last && (end.is_sure || rest.get(unsure..).is_some_and(offers_nothing));
        let closed = may_end && (self.complete || end.is_sure && length < rest.len());
        UnfencedEdit {
            range: start..if closed { start + length } else { self.text.len() },
            closed,
            lead,
            prefix,
            note: "read from a diff that stands in no fence",
            is_last,
        }
    }

    /// Markers, of which this is the first. Those that follow others are of the same file, and one edit with them.
    fn markers(&mut self, start: usize, lead: usize) -> Option<UnfencedEdit> {
        if self.spoken_of {
            return None;
        }
        let rest = self.text.get(start..)?;
        let prefix = prefix(rest.get(..lead)?);
        let (mut extent, mut divided, mut at) = (EditExtent::new(true), false, start);
        let (mut ended, mut may_end) = (None, None);
        for (line, inner) in rest.split_inclusive('\n').zip(inner_lines(rest, lead, &prefix)) {
            at += line.len();
            self.looked += 1;
            if ended.is_some() {
                if inner.trim().is_empty() {
                    continue;
                }
                if !edit::says_search(inner) {
                    break;
                }
            }
            divided |= edit::is_divider(inner);
            extent.line(inner);
            let end = extent.ends("");
            ended = (end == EditEnd::Here).then_some(at);
            if end == EditEnd::Unsure {
                may_end.get_or_insert(at);
            }
        }
        let is_end = |end: &usize| self.complete && self.text.get(*end..).is_some_and(offers_nothing);
        let end = ended.or(may_end.filter(is_end));
        // Without a divider it is only spoken of.
        self.spoken_of = end.is_none() && !divided && self.complete;
        (!self.spoken_of).then(|| UnfencedEdit {
            range: start..end.unwrap_or(self.text.len()),
            closed: end.is_some(),
            lead,
            prefix,
            note: "read from markers that stand in no fence",
            is_last: false,
        })
    }
}

/// Bytes in front of the text of a line: blanks, and marks of quotes and of items of lists.
fn containers(line: &str) -> usize {
    let mut rest = line;
    loop {
        let inner = rest.trim_start_matches([' ', '\t', '>']);
        let number = inner.trim_start_matches(|c: char| c.is_ascii_digit());
        let marks: &[char] = if number.len() < inner.len() { &['.', ')'] } else { &['-', '*', '+'] };
        match number.strip_prefix(marks).filter(|behind| behind.starts_with([' ', '\t'])) {
            Some(behind) => rest = behind,
            None => return line.len() - inner.len(),
        }
    }
}

/// What stands in front of the lines behind the first one: where that has the mark of an item, they have blanks.
fn prefix(lead: &str) -> String {
    lead.chars().map(|sign| if matches!(sign, '>' | '\t') { sign } else { ' ' }).collect()
}

/// The lines of an edit without what stands in front of them.
fn inner_lines<'l>(
    text: &'l str,
    lead: usize,
    prefix: &'l str,
) -> impl Iterator<Item = &'l str> + Clone + use<'l> {
    text.split_inclusive('\n').enumerate().map(move |(at, line)| match at {
        0 => line.get(lead..).unwrap_or(line),
        _ => without_prefix(line, prefix),
    })
}

/// A line without the prefix, as far as that stands in front of it, too.
fn without_prefix<'l>(line: &'l str, prefix: &str) -> &'l str {
    let blank = |sign: char| matches!(sign, ' ' | '\t');
    let same =
        line.chars().zip(prefix.chars()).take_while(|(is, was)| is == was || blank(*is) && blank(*was));
    line.get(same.map(|(sign, _)| sign.len_utf8()).sum()..).unwrap_or(line)
}

/// The block that an edit makes; `before` stands in front of it, and may name its file.
pub(super) fn block(source: &str, edit: &UnfencedEdit, before: &str, languages: &Languages) -> Proposal {
    let source: String = inner_lines(source, edit.lead, &edit.prefix).collect();
    let before = before.lines().rev().find(|line| containers(line) < line.trim_end().len());
    let before = before.unwrap_or_default();
    let before = before.get(containers(before)..).unwrap_or_default();
    let shown = edits::displayed_fence("edit", &source, edit.range.clone(), edit.closed);
    let mut block = edits::fenced(&shown, before, languages).unwrap_or_else(|| {
        let paths = vec![edit::path_in_front(before).unwrap_or_default()];
        Proposal { file: Some(BlockKind::Edit { paths }), ..shown }
    });
    block.remark(edit.note);
    if edit.is_last {
        block.remark(TOO_MANY_MESSAGE);
    }
    block
}

#[cfg(test)]
mod tests;
