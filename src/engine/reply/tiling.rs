//! Segments are laid one behind the other, so that they tile the text.

use super::Segment;
use super::printed::{MOST, PrintedCalls};
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

/// The first and the last line of a stretch, from 1.
pub(super) fn lines(text: &str, range: &Range<usize>) -> (u32, u32) {
    let line = |at: usize| {
        let before = text.get(..at).unwrap_or("").bytes().filter(|b| *b == b'\n').count();
        u32::try_from(before).unwrap_or(u32::MAX).saturating_add(1)
    };
    let first = line(range.start);
    (first, line(range.end.saturating_sub(1)).max(first))
}
