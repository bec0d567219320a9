//! Segments are laid one behind the other, so that they tile the text.

use super::printed::{MOST, PrintedCalls};
use super::{Proposal, Segment};
use std::ops::Range;

/// Adds prose, joined with prose in front of it.
pub(super) fn keep(range: Range<usize>, out: &mut Vec<Segment>) {
    match out.last_mut() {
        _ if range.is_empty() => {}
        Some(Segment::Prose(last)) if last.end == range.start => last.end = range.end,
        _ => out.push(Segment::Prose(range)),
    }
}

/// Adds blocks that share a stretch of the text: the first has it, the others stand at its end.
pub(super) fn put(text: &str, printed: PrintedCalls, out: &mut Vec<Segment>) {
    let (start, end) = (printed.range.start, printed.range.end);
    let lines = lines(text, &printed.range);
    for (at, mut block) in printed.blocks.into_iter().take(MOST).enumerate() {
        block.range = if at == 0 { start..end } else { end..end };
        block.lines = lines;
        out.push(Segment::Block(block));
    }
}

/// Segments, and blocks in their order that take the place of all that stands where they do.
pub(super) fn between(text: &str, segments: Vec<Segment>, blocks: Vec<Proposal>) -> Vec<Segment> {
    let mut out = Vec::with_capacity(segments.len());
    let mut blocks = blocks.into_iter().peekable();
    let (mut counted, mut line) = (0, 1);
    for segment in segments {
        let range = segment.range().clone();
        let (mut at, mut is_whole) = (range.start, true);
        while let Some(block) = blocks.next_if(|block| block.range.start < range.end) {
            is_whole = false;
            let own = block.range.clone();
            keep(at..own.start, &mut out);
            let first = line + newlines(text, counted..own.start);
            line = first + newlines(text, own.start..own.end);
            let last =
                if text.get(..own.end).is_some_and(|text| text.ends_with('\n')) { line - 1 } else { line };
            (counted, at) = (own.end, own.end);
            out.push(Segment::Block(Proposal { lines: (first, last.max(first)), ..block }));
        }
        let behind = out.last().map_or(0, |last| last.range().end);
        if is_whole && range.start >= behind {
            out.push(segment);
        } else {
            keep(at.max(behind)..range.end.max(behind), &mut out);
        }
    }
    out
}

/// Line ends in a stretch of a text.
pub(super) fn newlines(text: &str, range: Range<usize>) -> u32 {
    let count = text.get(range).unwrap_or_default().bytes().filter(|byte| *byte == b'\n').count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The first and the last line of a stretch, from 1.
fn lines(text: &str, range: &Range<usize>) -> (u32, u32) {
    let line = |at: usize| newlines(text, 0..at).saturating_add(1);
    let first = line(range.start);
    (first, line(range.end.saturating_sub(1)).max(first))
}
