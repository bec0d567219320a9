//! Lays out Markdown while it grows. Closed top-level blocks are laid out once; of a long last block only the
//! end is laid out again. So a token costs the same however long the text is.
//!
//! For a very long list or paragraph the rows may differ a little from those of [`super::lines`] (the count of
//! a list that numbers every item 1, emphasis over a hundred lines); once the text is complete, the whole is
//! laid out with `lines`.

use super::{EXTENSIONS, MarkdownStyle, lines};
use crate::tui::paint::hyperlinks::Hyperlinks;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};
use ratatui::text::Line;
use std::ops::Range;

/// A last block longer than this (in bytes) is settled in pieces while it grows.
const LONG_BLOCK_BYTES: usize = 4 << 10;

/// So many bytes at the end of a long block stay open, because they may still change.
const OPEN_BYTES: usize = 1 << 10;

/// The rows of a growing text.
#[derive(Debug, Default)]
pub(crate) struct MarkdownStream {
    key: Option<((u32, usize), u16)>,
    /// How many bytes of the text are settled.
    settled: usize,
    /// The length of the text at the last update.
    seen: usize,
    /// The opening line of a long fence that is partly settled: the parser has to read it before the open end.
    carry: String,
    /// Whether the open end continues the block in which the settled rows end.
    inside: bool,
    rows: Vec<Line<'static>>,
    settled_rows: usize,
}

/// A top-level block of the open end, as far as settling needs it.
struct OpenBlock {
    range: Range<usize>,
    kind: BlockShape,
    /// Where the items of a list begin.
    items: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq)]
enum BlockShape {
    Fence,
    List,
    Paragraph,
    Other,
}

impl MarkdownStream {
    /// Updates the rows to the present text. With the same `key` and width, the text must only have grown since
    /// the last call; otherwise everything is laid out again.
    pub(crate) fn update(&mut self, key: (u32, usize), text: &str, width: u16, style: MarkdownStyle<'_>) {
        if self.key != Some((key, width)) || text.len() < self.seen {
            *self = Self { key: Some((key, width)), ..Self::default() };
        } else if text.len() == self.seen {
            return;
        }
        self.seen = text.len();
        self.rows.truncate(self.settled_rows);
        self.settle(text, width, style);
        let open = self.open(text, text.len());
        self.append(lay_out(&open, width, style));
    }

    pub(crate) fn rows(&self) -> &[Line<'static>] {
        &self.rows
    }

    /// The open end up to a byte of the text, as the parser has to read it (with `carry` in front).
    fn open(&self, text: &str, end: usize) -> String {
        format!("{}{}", self.carry, text.get(self.settled..end).unwrap_or_default())
    }

    /// Appends rows, with a blank row between blocks but none inside a block.
    fn append(&mut self, more: Vec<Line<'static>>) {
        if !more.is_empty() && !self.rows.is_empty() && !self.inside {
            self.rows.push(Line::default());
        }
        self.rows.extend(more);
    }

    /// Settles what can't change any more.
    fn settle(&mut self, text: &str, width: u16, style: MarkdownStyle<'_>) {
        let open = self.open(text, text.len());
        let Some(last) = last_block(&open) else { return };
        // Bytes of the parser's text that are not in the reply.
        let carried = self.carry.len();
        // Half a line may still become part of the block before it: `- -` grows into `- - -`, or into an item.
        let begun = open.get(last.range.start..).is_some_and(|rest| rest.contains('\n'));
        if last.range.start > carried && begun {
            let end = self.settled + last.range.start - carried;
            self.take(text, end, width, style);
            (self.carry, self.inside) = (String::new(), false);
            return self.settle(text, width, style);
        }
        if last.range.start > carried || last.range.len() < LONG_BLOCK_BYTES {
            return;
        }
        let limit = open.len().saturating_sub(OPEN_BYTES);
        let cut = match last.kind {
            BlockShape::List => last.items.iter().copied().rfind(|at| *at > carried && *at <= limit),
            BlockShape::Fence => start_behind('\n', &open, limit),
            // A paragraph can be one endless line.
            BlockShape::Paragraph => {
                start_behind('\n', &open, limit).or_else(|| start_behind(' ', &open, limit))
            }
            BlockShape::Other => None,
        };
        let Some(cut) = cut.filter(|cut| *cut > carried) else { return };
        let fence = if last.kind == BlockShape::Fence { opening_line(&open, &last) } else { String::new() };
        let end = self.settled + cut - carried;
        self.take(text, end, width, style);
        (self.carry, self.inside) = (fence, true);
    }

    /// Lays out the text up to a byte, for good.
    fn take(&mut self, text: &str, end: usize, width: u16, style: MarkdownStyle<'_>) {
        let piece = self.open(text, end);
        self.append(lay_out(&piece, width, style));
        self.settled = end;
        self.settled_rows = self.rows.len();
    }
}

/// Lays out a piece of a growing text. Without links: an address at its end may still grow.
fn lay_out(piece: &str, width: u16, style: MarkdownStyle<'_>) -> Vec<Line<'static>> {
    lines(piece, width, style, &Hyperlinks::default())
}

/// Finds the last top-level block of a text.
fn last_block(text: &str) -> Option<OpenBlock> {
    let mut last = None;
    let mut depth = 0usize;
    for (event, range) in Parser::new_ext(text, EXTENSIONS).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if depth == 0 {
                    let kind = match tag {
                        Tag::CodeBlock(CodeBlockKind::Fenced(_)) => BlockShape::Fence,
                        Tag::List(_) => BlockShape::List,
                        Tag::Paragraph => BlockShape::Paragraph,
                        _ => BlockShape::Other,
                    };
                    last = Some(OpenBlock { range, kind, items: Vec::new() });
                } else if let (1, Tag::Item, Some(list)) = (depth, &tag, &mut last) {
                    list.items.push(range.start);
                }
                depth += 1;
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            _ if depth == 0 => last = Some(OpenBlock { range, kind: BlockShape::Other, items: Vec::new() }),
            _ => {}
        }
    }
    last
}

/// Where the last line or word begins that starts at or before `limit`; `sign` is what separates them.
fn start_behind(sign: char, text: &str, limit: usize) -> Option<usize> {
    let head = text.get(..text.floor_char_boundary(limit))?;
    head.rfind(sign).map(|at| at + 1)
}

/// The opening line of a fence, with its line end.
fn opening_line(text: &str, fence: &OpenBlock) -> String {
    let block = text.get(fence.range.clone()).unwrap_or_default();
    block.split_inclusive('\n').next().unwrap_or_default().to_owned()
}
