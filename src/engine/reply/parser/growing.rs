//! Updates an open block while it grows: adds its lines to its source as they arrive, and the certain part of the
//! unfinished line. A line that may change the structure of the reply is handed to a pass.

use super::{OpenTail, Parser};
use crate::edit::EditEnd;
use crate::engine::reply::markdown::{self, Tags};
use crate::engine::reply::{Segment, edit_fence, tag};
use std::ops::Range;

impl Parser {
    /// Reads a line inside an open fence, if possible without a pass over the fence.
    pub(super) fn fence_line(&mut self, from: usize, end: usize) {
        let OpenTail::Fence { start, body, plain, indent, endless, marker, shown } = self.tail else {
            return;
        };
        let line = self.text.get(from..end).unwrap_or("");
        self.read = end;
        let marks = if marker == b'~' { "~~~" } else { "```" };
        if endless || plain && !line.contains(marks) {
            self.read_extent(end);
            self.copy_to_block(end, shown);
            return;
        }
        if let (Some(indent), false) = (indent, self.copied < from) {
            let inner = edit_fence::dedented(line, indent);
            if self.extent.ends(inner) != EditEnd::Here {
                let other_text = (!plain).then(|| inner.to_owned());
                self.add_fence_line(end, other_text.as_deref(), shown);
                return;
            }
        }
        let lead = body.saturating_sub(self.base);
        let cost = lead + line.len();
        // Lines were skipped for lack of credit: only a pass over all of them gives the right result.
        let behind = self.copied < from;
        if behind || cost > self.credit {
            self.parse_if_affordable(end);
            return;
        }
        self.credit -= cost;
        match self.line_in_fence((start, body), from..end) {
            Some(text) => self.add_fence_line(end, Some(text.as_str()).filter(|_| !plain), shown),
            None => self.parse_if_affordable(end),
        }
    }

    /// The text that a line adds to the open fence that begins at `start`, by a pass over the lines that lead to the
    /// `body` of the fence, and this line. `None`: the fence does not simply go on.
    fn line_in_fence(&mut self, (start, body): (usize, usize), line: Range<usize>) -> Option<String> {
        self.scratch.clear();
        self.scratch.push_str(self.text.get(self.base..body).unwrap_or(""));
        self.scratch.push_str(self.text.get(line).unwrap_or(""));
        let fence = markdown::scan(&self.scratch, Tags::Ignored).fences.pop()?;
        let goes_on =
            self.base + fence.range.start == start && !fence.closed && fence.range.end == self.scratch.len();
        goes_on.then_some(fence.source)
    }

    /// Adds the line that ends at `end` to the open fence; `other_text`: what it adds, if not the line unchanged.
    fn add_fence_line(&mut self, end: usize, other_text: Option<&str>, shown: bool) {
        match other_text {
            None => self.copy_to_block(end, shown),
            Some(text) => {
                self.append(text, shown);
                self.copied = end;
            }
        }
        self.read_extent(end);
    }

    /// Reads the edit that an open fence may contain up to `end`.
    fn read_extent(&mut self, end: usize) {
        let OpenTail::Fence { indent: Some(indent), .. } = self.tail else { return };
        for line in self.text.get(self.extent_read..end).unwrap_or_default().lines() {
            self.extent.line(edit_fence::dedented(line, indent));
        }
        self.extent_read = self.extent_read.max(end);
    }

    /// Adds a line of an open tag to its block as it is; dedenting and unwrapping happen when the tag is closed. Lines
    /// that only lead to the code (blank ones, the opening of a fence) are left out.
    pub(super) fn copy_tag(&mut self, end: usize) {
        let line = self.text.get(self.read..end).unwrap_or("").trim_start();
        let OpenTail::Tag { shown, begun, .. } = &mut self.tail else { return };
        let (shown, first) = (*shown, !*begun);
        *begun |= !line.is_empty();
        if first && leads_to_code(line) {
            self.copied = end;
        } else {
            self.copy_to_block(end, shown);
        }
    }

    /// Adds the certain part of the unfinished last line to the open block.
    pub(super) fn copy_partial(&mut self) {
        let Some(line) = self.text.get(self.read..) else { return };
        match self.tail {
            OpenTail::Fence { plain: true, marker, shown, .. } if self.copied >= self.read => {
                // Held back as long as it could become the closing fence.
                let marker = char::from(marker);
                let rest = line.trim_start_matches(' ').trim_start_matches(marker);
                if self.copied > self.read || !rest.trim().is_empty() || line.starts_with("    ") {
                    self.copy_to_block(self.text.len(), shown);
                }
            }
            OpenTail::Tag { shown, begun, .. } if begun || !leads_to_code(line.trim_start()) => {
                let from = self.copied.max(self.read);
                let sure = from + tag::maybe_close(self.text.get(from..).unwrap_or(""));
                self.copy_to_block(sure, shown);
            }
            _ => {}
        }
    }

    /// Adds the text up to `end` to the open block unchanged.
    pub(super) fn copy_to_block(&mut self, end: usize, shown: bool) {
        if let (Some(Segment::Block(block)), true, Some(more)) =
            (self.segments.last_mut(), shown, self.text.get(self.copied..end))
        {
            block.source.push_str(more);
        }
        self.copied = self.copied.max(end);
    }

    /// Adds a text to the open block.
    pub(super) fn append(&mut self, more: &str, shown: bool) {
        if let (Some(Segment::Block(block)), true) = (self.segments.last_mut(), shown) {
            block.source.push_str(more);
        }
    }

    /// Extends the last segment to the end of the text.
    pub(super) fn extend_last_segment(&mut self) {
        let (end, open) = (self.text.len(), self.tail != OpenTail::Prose);
        let last_line = self.lines + u32::from(self.read < end);
        match self.segments.last_mut() {
            Some(Segment::Block(block)) if open && !block.closed => {
                block.range.end = end;
                block.lines.1 = last_line.max(block.lines.0);
            }
            _ => self.prose(end),
        }
    }
}

/// Whether a line in a tag, without its indentation, only leads to the code: it is blank, or opens a fence.
fn leads_to_code(line: &str) -> bool {
    line.is_empty() || line.starts_with(['`', '~'])
}
