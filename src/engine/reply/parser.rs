//! Parses a reply while it grows: each line is read once, when it is complete. At the end the whole reply is parsed
//! once more, and that result counts.
//!
//! `base` is the start of the last outermost block that may still continue (in a list: of its last item). A pass of the
//! Markdown parser covers `base..` and is made only where a line could change something. Inside an open fence a line is
//! parsed together with the lines that lead to the fence, not with the fence's text, so that a line takes the same time
//! however long the fence is. The arriving bytes limit how many bytes are parsed again: a text made to be slow is shown
//! later instead, and its tags are ignored.
//!
//! `passes` makes the passes, `growing` updates an open block while it grows, `tags` handles tags.

mod growing;
mod passes;
mod tags;

use super::tiling::newlines;
use super::{Segment, tag};
use crate::domain::{Dialect, Languages};
use crate::edit::EditExtent;
use std::ops::Range;

/// How many bytes of passes are allowed from the start.
const FREE_PASS_BYTES: usize = 256 << 10;
/// How many bytes of passes each byte of the reply allows.
const PASS_BYTES_PER_BYTE: usize = 16;
/// How many bytes of passes each line allows, besides its bytes.
const PASS_BYTES_PER_LINE: usize = 128;
/// How many bytes of plain lines may arrive before the next pass.
const PLAIN_STRETCH_BYTES: usize = 2 << 10;

/// What is still open at the end of the text so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OpenTail {
    Prose,
    Fence {
        start: usize,
        /// The offset after its opening line.
        body: usize,
        /// Whether it is in no container and at the start of its line: then its lines are copied unchanged.
        plain: bool,
        /// Its indentation, if it is in no container.
        indent: Option<usize>,
        /// Whether everything after it belongs to it.
        endless: bool,
        /// Its marker, `` ` `` or `~`.
        marker: u8,
        /// Whether it is a segment of its own; otherwise it is part of the prose.
        shown: bool,
    },
    /// An `<execute>` tag.
    Tag {
        start: usize,
        /// The offset after the opening tag.
        body: usize,
        /// Whether it is a segment of its own; otherwise it is part of the prose.
        shown: bool,
        /// Whether a line that is not blank was read.
        begun: bool,
    },
}

/// The parser of one reply.
#[derive(Clone, Debug)]
pub struct Parser {
    dialect: Dialect,
    languages: Languages,
    text: String,
    segments: Vec<Segment>,
    /// How many bytes were read as lines.
    read: usize,
    /// The number of line ends in `..read`.
    lines: u32,
    /// Where the last pass began and the next one will begin.
    base: usize,
    /// The number of line ends in `..base`.
    base_lines: u32,
    /// Where the last pass ended.
    passed: usize,
    tail: OpenTail,
    /// How many bytes of the text are in the source of the open block (or left out for good).
    copied: usize,
    /// The state of the edit that an open outermost fence may contain.
    extent: EditExtent,
    /// Up to which byte that edit was read.
    extent_read: usize,
    /// The ranges of the tags, including those that are prose.
    tags: Vec<Range<usize>>,
    /// How many bytes of passes are still allowed.
    credit: usize,
    /// The text of a short pass; kept to use its memory again.
    scratch: String,
}

impl Parser {
    /// A parser for a new reply.
    pub(crate) fn new(dialect: Dialect, languages: &Languages) -> Self {
        Self {
            dialect,
            languages: languages.clone(),
            text: String::new(),
            segments: Vec::new(),
            read: 0,
            lines: 0,
            base: 0,
            base_lines: 0,
            passed: 0,
            tail: OpenTail::Prose,
            copied: 0,
            extent: EditExtent::new(false),
            extent_read: 0,
            tags: Vec::new(),
            credit: FREE_PASS_BYTES,
            scratch: String::new(),
        }
    }

    /// Takes the next piece of the text.
    pub(crate) fn push(&mut self, delta: &str) {
        let from = self.text.len();
        self.text.push_str(delta);
        let mut searched = from;
        while let Some(end) = self.text.get(searched..).and_then(|t| t.find('\n')).map(|i| searched + i + 1) {
            self.line(end);
            searched = end;
        }
        self.copy_partial();
        self.extend_last_segment();
    }

    /// The segments of the text so far. Only the last may still change.
    pub(crate) fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The text so far.
    #[cfg(test)]
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// How many bytes of the text are in closed outermost blocks: neither their segments nor their Markdown will
    /// change.
    #[cfg(test)]
    pub(super) fn stable(&self) -> usize {
        self.base
    }

    /// Ends the reply; returns its text and its segments. If the reply is not `complete`, a closing fence without a
    /// line end may have been cut off and does not count.
    pub(crate) fn finish(mut self, complete: bool) -> (String, Vec<Segment>) {
        if self.read < self.text.len() {
            self.line(self.text.len());
        }
        if let OpenTail::Tag { start, body, shown, .. } = self.tail {
            self.end_tag(start, body, shown, None);
        }
        let streamed = std::mem::take(&mut self.segments);
        let mut tagged = streamed.into_iter().filter(is_tag).peekable();
        (self.base, self.base_lines) = (0, 0);
        for cut in std::mem::take(&mut self.tags) {
            self.whole(tag::line_or(&self.text, cut.start), complete);
            self.prose(cut.start);
            match tagged.next_if(|t| t.range().start == cut.start) {
                Some(block) => self.segments.push(block),
                None => self.prose(cut.end),
            }
            self.move_base(cut.end);
        }
        self.whole(self.text.len(), complete);
        (self.text, self.segments)
    }

    /// Reads one line (or the rest of one) that ends at `end`.
    fn line(&mut self, end: usize) {
        self.credit += PASS_BYTES_PER_BYTE * (end - self.read) + PASS_BYTES_PER_LINE;
        while self.read < end {
            let from = self.read;
            match self.tail {
                OpenTail::Tag { start, body, shown, .. } => {
                    if let Some(close) = self.closing_tag(body, end) {
                        self.end_tag(start, body, shown, Some(&close));
                        self.read = close.end;
                    } else {
                        self.copy_tag(end);
                        self.read = end;
                    }
                }
                OpenTail::Fence { .. } => {
                    self.fence_line(from, end);
                }
                OpenTail::Prose => {
                    self.read = end;
                    if self.may_open_block(from, end) {
                        self.parse_if_affordable(end);
                    }
                }
            }
        }
        self.lines += u32::from(self.text.as_bytes().get(end.wrapping_sub(1)) == Some(&b'\n'));
    }

    /// Whether a line of prose could open a block, or end one so that `base` can move.
    fn may_open_block(&self, from: usize, end: usize) -> bool {
        let Some(line) = self.text.get(from..end) else { return false };
        let after_blank = self.text.get(..from).is_some_and(|t| t.ends_with("\n\n"));
        line.contains("```")
            || line.contains("~~~")
            || line.contains('<')
            || (line.trim().is_empty() && !after_blank)
            || end - self.passed > PLAIN_STRETCH_BYTES.max(self.passed.saturating_sub(self.base) / 4)
    }

    /// Adds prose up to `end`, joined with prose before it.
    fn prose(&mut self, end: usize) {
        match self.segments.last_mut() {
            Some(Segment::Prose(range)) => range.end = range.end.max(end),
            Some(Segment::Block(block)) if block.range.end < end => {
                let start = block.range.end;
                self.segments.push(Segment::Prose(start..end));
            }
            None if end > 0 => self.segments.push(Segment::Prose(0..end)),
            _ => {}
        }
    }

    fn move_base(&mut self, to: usize) {
        self.base_lines += newlines(&self.text, self.base..to);
        self.base = self.base.max(to);
    }
}

fn is_tag(segment: &Segment) -> bool {
    matches!(segment, Segment::Block(block) if block.dialect == Dialect::ExecuteTags)
}
