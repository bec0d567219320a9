//! Appends segments one after the other, so that they tile the text.

use super::{Proposal, Segment};
use std::ops::Range;

/// Adds prose, joined with prose before it.
pub(super) fn push_prose(range: Range<usize>, out: &mut Vec<Segment>) {
    match out.last_mut() {
        _ if range.is_empty() => {}
        Some(Segment::Prose(last)) if last.end == range.start => last.end = range.end,
        _ => out.push(Segment::Prose(range)),
    }
}

/// A range of text and the blocks that it becomes; without blocks it is prose, whatever Markdown sees in it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Replacement {
    pub(super) range: Range<usize>,
    pub(super) blocks: Vec<Proposal>,
}

/// Adds a replacement: its first block gets the whole range, the others an empty range at its end.
pub(super) fn push_replacement(replacement: Replacement, lines: (u32, u32), out: &mut Vec<Segment>) {
    let (start, end) = (replacement.range.start, replacement.range.end);
    if replacement.blocks.is_empty() {
        return push_prose(replacement.range, out);
    }
    for (at, mut block) in replacement.blocks.into_iter().enumerate() {
        block.range = if at == 0 { start..end } else { end..end };
        block.lines = lines;
        out.push(Segment::Block(block));
    }
}

/// The segments, with replacements (in order) replacing everything in their ranges.
pub(super) fn insert_replacements(
    text: &str,
    segments: Vec<Segment>,
    replacements: Vec<Replacement>,
) -> Vec<Segment> {
    let mut out = Vec::with_capacity(segments.len());
    let mut replacements = replacements.into_iter().peekable();
    let (mut count, mut behind) = (LineCount::default(), 0);
    for segment in segments {
        let range = segment.range().clone();
        let mut is_whole = range.start >= behind;
        while let Some(replacement) = replacements.next_if(|next| next.range.start < range.end) {
            is_whole = false;
            let own = replacement.range.clone();
            push_prose(range.start.max(behind)..own.start, &mut out);
            behind = own.end;
            push_replacement(replacement, count.line_range(text, &own), &mut out);
        }
        if is_whole {
            out.push(segment);
        } else {
            push_prose(range.start.max(behind)..range.end.max(behind), &mut out);
        }
    }
    out
}

/// The number of line ends in a range of a text.
pub(super) fn newlines(text: &str, range: Range<usize>) -> u32 {
    let bytes = text.as_bytes().get(range).unwrap_or_default();
    u32::try_from(bytes.iter().filter(|byte| **byte == b'\n').count()).unwrap_or(u32::MAX)
}

/// Computes line numbers of consecutive ranges, counting each line end only once.
#[derive(Default)]
pub(super) struct LineCount {
    upto: usize,
    lines: u32,
    /// How many bytes were read.
    pub(super) read: usize,
}

impl LineCount {
    /// The first and the last line of a range, from 1.
    pub(super) fn line_range(&mut self, text: &str, range: &Range<usize>) -> (u32, u32) {
        (self.line(text, range.start), self.line(text, range.end.saturating_sub(1).max(range.start)))
    }

    fn line(&mut self, text: &str, at: usize) -> u32 {
        let more = self.upto..at;
        self.upto = at.max(self.upto);
        self.read += more.len();
        self.lines = self.lines.saturating_add(newlines(text, more));
        self.lines.saturating_add(1)
    }
}
