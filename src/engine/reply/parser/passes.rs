//! Passes of the Markdown parser over the end of a reply, and what of their results becomes segments.

use super::{OpenTail, Parser};
use crate::domain::Dialect;
use crate::engine::reply::info::{self, FenceOffer};
use crate::engine::reply::markdown::{Fence, MarkdownScan, Tags};
use crate::engine::reply::tiling::newlines;
use crate::engine::reply::{Proposal, Segment, edit_fence};
use std::ops::Range;

impl Parser {
    /// Makes a pass over `base..end`, if the credit allows it.
    pub(super) fn parse_if_affordable(&mut self, end: usize) {
        let cost = end - self.base;
        let Some(credit) = self.credit.checked_sub(cost) else { return };
        self.credit = credit;
        self.passed = end;
        let tags = match self.dialect {
            Dialect::Fences | Dialect::Tools => Tags::Careful,
            Dialect::ExecuteTags => Tags::All,
        };
        let scan = edit_fence::scan(self.text.get(self.base..end).unwrap_or(""), tags, true);
        self.credit = self.credit.saturating_sub(scan.again);
        self.back_to_base();
        let closed_at_end = self.adopt(&scan, self.base, end, true);
        let nothing = self.text.get(self.base..end).is_some_and(|t| t.trim().is_empty());
        if let Some(found) = &scan.tag {
            self.begin_tag(self.base + found.start..self.base + found.end);
        } else if closed_at_end || nothing {
            self.prose(end);
            self.move_base(end);
        } else {
            let last = self.base + scan.last;
            let line = self
                .text
                .get(self.base..last)
                .and_then(|t| t.rfind('\n'))
                .map_or(self.base, |i| self.base + i + 1);
            self.move_base(line);
        }
    }

    /// Removes the segments after `base`.
    fn back_to_base(&mut self) {
        while let Some(last) = self.segments.last_mut() {
            match last {
                Segment::Prose(range) if range.start < self.base => {
                    range.end = range.end.min(self.base);
                    break;
                }
                other if other.range().start < self.base => break,
                _ => {
                    self.segments.pop();
                }
            }
        }
        self.tail = OpenTail::Prose;
    }

    /// Adds the results of a pass over `from..end`. Returns whether it ended with a closed outermost fence.
    fn adopt(&mut self, scan: &MarkdownScan, from: usize, end: usize, complete: bool) -> bool {
        let (mut counted, mut lines) = (from, self.base_lines);
        let mut closed_at_end = false;
        for fence in &scan.fences {
            let range = from + fence.range.start..from + fence.range.end;
            lines += newlines(&self.text, counted..range.start);
            let first = lines + 1;
            lines += newlines(&self.text, range.clone());
            counted = range.end;
            let ends_line = self.text.get(..range.end).is_some_and(|t| t.ends_with('\n'));
            let last = lines + u32::from(!ends_line);
            let sure = complete || ends_line;
            let offer = info::offer(&fence.info, &self.languages);
            self.prose(range.start);
            let shown = offer != FenceOffer::Shown;
            if let FenceOffer::Block(special_kind, language) = offer {
                self.segments.push(Segment::Block(Proposal {
                    special_kind,
                    info: fence.info.clone(),
                    language,
                    source: fence.source.clone(),
                    range: range.clone(),
                    lines: (first, last.max(first)),
                    closed: fence.closed && sure,
                    ..Proposal::default()
                }));
            }
            closed_at_end = fence.closed && fence.top && range.end == end;
            if !fence.closed && range.end == end && scan.tag.is_none() {
                self.tail = self.open_fence(fence, &range, from + fence.body, shown);
                self.copied = end;
                self.extent = edit_fence::extent(&fence.info, &fence.source);
                self.extent_read = end;
            }
        }
        self.prose(scan.tag.as_ref().map_or(end, |t| from + t.start));
        closed_at_end
    }

    fn open_fence(&self, fence: &Fence, range: &Range<usize>, body: usize, shown: bool) -> OpenTail {
        let marker = self.text.as_bytes().get(range.start).copied();
        let plain = fence.top && matches!(marker, Some(b'`' | b'~'));
        let opening = self.text.get(range.start..body).unwrap_or("").trim_start();
        let marker = opening.as_bytes().first().copied().unwrap_or(b'`');
        let indent = self.text.get(range.start..body).map(|line| line.len() - line.trim_start().len());
        let indent = indent.filter(|_| fence.top);
        OpenTail::Fence {
            start: range.start,
            body,
            plain,
            indent,
            endless: fence.endless && !fence.top,
            marker,
            shown,
        }
    }

    /// Parses `base..end` once, as a whole and without tags. If a tag follows, its line is included to its end, because
    /// Markdown parses whole lines.
    pub(super) fn whole(&mut self, end: usize, complete: bool) {
        let rest = self.text.get(end..).unwrap_or("");
        let reach = end + rest.find('\n').unwrap_or(rest.len());
        let mut scan = edit_fence::scan(self.text.get(self.base..reach).unwrap_or(""), Tags::Ignored, false);
        let limit = end - self.base;
        scan.fences.retain(|fence| fence.range.end <= limit);
        self.adopt(&scan, self.base, end, complete || end < self.text.len());
    }
}
