//! Finds edits outside of fences, as some models write them: SEARCH/REPLACE markers, diffs and patches in the prose.
//! Everything in such an edit is text of its files, so nothing in it becomes a block, even if Markdown sees one. It
//! becomes an edit block with a note on how it was read. An edit whose end can't be found takes the rest of the reply,
//! as does one in a reply that was cut off.

use super::edit_fence::offers_nothing;
use super::{Proposal, edits};
use crate::domain::{BlockKind, Languages};
use crate::edit::{self, BareEnd, EditEnd, EditExtent};
use std::ops::Range;

/// Limits the lines that are read to find the ends of edits: a fixed number, plus a number for each line of the text.
/// An edit without a certain end is read up to the end of the text; the one that exceeds the limit takes the rest.
const FREE_LINES: usize = 16 << 10;
const LINES_PER_LINE: usize = 8;

/// The note of the edit that took the rest because there were too many.
pub(super) const TOO_MANY_MESSAGE: &str =
    "what is behind it was not looked at: the reply has too many edits and calls in no fence";

/// An edit in the prose.
pub(super) struct UnfencedEdit {
    pub(super) range: Range<usize>,
    /// Whether its end was found.
    pub(super) closed: bool,
    /// How many bytes of list or quote markers come before its first line.
    lead: usize,
    /// What comes before its other lines.
    prefix: String,
    note: &'static str,
    /// Whether it exceeded the limit and took the rest.
    over_limit: bool,
}

/// Searches for edits at the starts of lines, line by line.
pub(super) struct EditScanner<'t> {
    text: &'t str,
    complete: bool,
    /// Whether the prose only mentions markers: then the later ones don't count, either.
    spoken_of: bool,
    /// How many lines were read after the first lines of edits.
    pub(super) looked: usize,
    most: usize,
}

impl<'t> EditScanner<'t> {
    pub(super) fn new(text: &'t str, complete: bool) -> Self {
        let most = text.split('\n').count().saturating_mul(LINES_PER_LINE).saturating_add(FREE_LINES);
        Self { text, complete, spoken_of: false, looked: 0, most }
    }

    /// The edit that begins with the line from `start` to `line_end`.
    pub(super) fn edit_at_line(&mut self, start: usize, line_end: usize) -> Option<UnfencedEdit> {
        let line = self.text.get(start..line_end)?;
        let lead = containers(line);
        let inner = line.get(lead..)?;
        if edit::says_search(inner) {
            return self.markers(start, lead);
        }
        // No other line begins an edit. Only for these are the following lines read.
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

    /// A diff or patch whose end was searched for.
    fn bare(&self, start: usize, lead: usize, prefix: String, end: BareEnd) -> UnfencedEdit {
        let rest = self.text.get(start..).unwrap_or_default();
        let bytes = |lines: usize| rest.split_inclusive('\n').take(lines).map(str::len).sum::<usize>();
        let length = bytes(end.lines);
        let unsure = end.unsure.map_or(rest.len(), bytes);
        // An uncertain end counts if nothing after it would be offered.
        let over_limit = self.looked > self.most;
        let may_end = !over_limit && (end.is_sure || rest.get(unsure..).is_some_and(offers_nothing));
        let closed = may_end && (self.complete || end.is_sure && length < rest.len());
        UnfencedEdit {
            range: start..if closed { start + length } else { self.text.len() },
            closed,
            lead,
            prefix,
            note: "read from a diff that stands in no fence",
            over_limit,
        }
    }

    /// An edit with markers, whose first one is here. Blocks of markers that follow directly belong to the same edit
    /// and file.
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
        // Without a divider the marker is only mentioned.
        self.spoken_of = end.is_none() && !divided && self.complete;
        (!self.spoken_of).then(|| UnfencedEdit {
            range: start..end.unwrap_or(self.text.len()),
            closed: end.is_some(),
            lead,
            prefix,
            note: "read from markers that stand in no fence",
            over_limit: false,
        })
    }
}

/// How many bytes come before the text of a line: blanks, and markers of quotes and list items.
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

/// The prefix of the lines after the first one: where the first has a list marker, they have blanks.
fn prefix(lead: &str) -> String {
    lead.chars().map(|sign| if matches!(sign, '>' | '\t') { sign } else { ' ' }).collect()
}

/// The lines of an edit without their prefixes.
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

/// A line without the prefix, as far as the line has it.
fn without_prefix<'l>(line: &'l str, prefix: &str) -> &'l str {
    let blank = |sign: char| matches!(sign, ' ' | '\t');
    let same =
        line.chars().zip(prefix.chars()).take_while(|(is, was)| is == was || blank(*is) && blank(*was));
    line.get(same.map(|(sign, _)| sign.len_utf8()).sum()..).unwrap_or(line)
}

/// The block of an edit; `before` is the text before it, which may name its file.
pub(super) fn block(source: &str, edit: &UnfencedEdit, before: &str, languages: &Languages) -> Proposal {
    let source: String = inner_lines(source, edit.lead, &edit.prefix).collect();
    let before = before.lines().rev().find(|line| containers(line) < line.trim_end().len());
    let before = before.unwrap_or_default();
    let before = before.get(containers(before)..).unwrap_or_default();
    let shown = edits::displayed_fence("edit", &source, edit.range.clone(), edit.closed);
    let mut block = edits::fenced(&shown, before, languages).unwrap_or_else(|| {
        let paths = vec![edit::path_in_front(before).unwrap_or_default()];
        Proposal { special_kind: Some(BlockKind::Edit { paths }), ..shown }
    });
    block.remark(edit.note);
    if edit.over_limit {
        block.remark(TOO_MANY_MESSAGE);
    }
    block
}

#[cfg(test)]
mod tests;
