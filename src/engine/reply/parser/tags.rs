//! Handles `<execute>` tags while a reply grows: everything from the opening tag to the closing one is raw text.

use super::{OpenTail, Parser, newlines};
use crate::domain::{BlockKind, Dialect};
use crate::engine::reply::info::{self, FenceOffer};
use crate::engine::reply::{Proposal, Segment, markdown, tag};
use std::ops::Range;

impl Parser {
    /// The closing tag in `..end`; only the unread part is searched.
    pub(super) fn closing_tag(&self, body: usize, end: usize) -> Option<Range<usize>> {
        tag::find_close(self.text.get(..end)?, self.read.max(body))
    }

    /// Begins a block at an opening tag.
    pub(super) fn begin_tag(&mut self, open: Range<usize>) {
        let attributes = tag::attributes(self.text.get(open.clone()).unwrap_or("")).to_owned();
        let offer = tag::offer(&attributes, &self.languages);
        let first = self.base_lines + newlines(&self.text, self.base..open.start) + 1;
        let shown = offer != FenceOffer::Shown;
        if let FenceOffer::Block(_, language) = offer {
            self.segments.push(Segment::Block(Proposal {
                dialect: Dialect::ExecuteTags,
                info: attributes,
                language,
                range: open.clone(),
                lines: (first, first),
                ..Proposal::default()
            }));
        }
        self.tail = OpenTail::Tag { start: open.start, body: open.end, shown, begun: false };
        self.read = open.end;
        self.copied = open.end;
        self.move_base(open.start);
    }

    /// Ends the tag that began at `start`: at its closing tag, or at the end of the reply.
    pub(super) fn end_tag(&mut self, start: usize, body: usize, shown: bool, close: Option<&Range<usize>>) {
        let (until, end) = close.map_or((self.text.len(), self.text.len()), |c| (c.start, c.end));
        let before = self.text.get(..start).and_then(|t| t.rsplit('\n').next()).unwrap_or("");
        let (source, inner) = code(before, self.text.get(body..until).unwrap_or(""));
        let attributes = tag::attributes(self.text.get(start..body).unwrap_or(""));
        let fenced = inner.as_deref().map(|i| info::offer(i, &self.languages));
        let last = self.base_lines + newlines(&self.text, self.base..end.saturating_sub(1)) + 1;
        if let (Some(Segment::Block(block)), true) = (self.segments.last_mut(), shown) {
            block.source = source;
            block.range.end = end;
            block.lines.1 = last;
            block.closed = close.is_some();
            match fenced.filter(|_| attributes.is_empty()) {
                Some(FenceOffer::Block(None, Some(language))) => block.language = Some(language),
                Some(FenceOffer::Block(kind @ Some(BlockKind::Write { .. }), language)) => {
                    (block.special_kind, block.language) = (kind, language);
                }
                // A fence of another kind between the tags: the person has to say which of the two is meant.
                Some(FenceOffer::Shown) => block.language = None,
                _ => {}
            }
        } else {
            self.prose(end);
        }
        self.tags.push(start..end);
        self.tail = OpenTail::Prose;
        self.move_base(end);
    }
}

/// The code between the tags, and the info string of the fence that surrounded it and was removed.
///
/// `before` is the text before the tag on its line: its quote markers and indentation are removed from the following
/// lines, too.
fn code(before: &str, between: &str) -> (String, Option<String>) {
    let (first, rest) = between.split_once('\n').map_or((between, None), |(a, b)| (a, Some(b)));
    let mut text = String::with_capacity(between.len());
    if !first.trim().is_empty() {
        text.push_str(first.trim_start_matches([' ', '\t']));
        if rest.is_some() {
            text.push('\n');
        }
    }
    if let Some(rest) = rest {
        let contained = before.chars().all(tag::is_marker);
        for line in rest.split_inclusive('\n') {
            text.push_str(if contained { without_container(line, before) } else { line });
        }
    }
    // The last line ends at the closing tag: its blanks indent the tag and are not code.
    let text = text.trim_end_matches([' ', '\t']);
    let lead = text.trim_start();
    if lead.starts_with("```") || lead.starts_with("~~~") {
        let found = markdown::scan(text.trim_start_matches(['\n', '\r']), markdown::Tags::Ignored);
        if let [fence] = found.fences.as_slice()
            && text
                .trim_start_matches(['\n', '\r'])
                .get(fence.range.end..)
                .is_some_and(|t| t.trim().is_empty())
            && fence.top
        {
            return (fence.source.clone(), Some(fence.info.clone()));
        }
    }
    (text.to_owned(), None)
}

/// `line` without the blanks and quote markers that `before` has.
fn without_container<'a>(line: &'a str, before: &str) -> &'a str {
    let mut rest = line;
    for c in before.chars() {
        let next = match c {
            '>' => rest.strip_prefix('>'),
            _ => rest.strip_prefix(' '),
        };
        match next {
            Some(next) => rest = next,
            None => break,
        }
    }
    rest
}
