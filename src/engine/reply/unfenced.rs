//! Edits in no fence, as some models write them: their markers stand in the prose. What such an edit holds is text of its
//! files, so no block in it is one, whatever Markdown makes of its lines. It is an edit like every other, and says how it
//! was read; one whose end never comes takes the rest of the reply.

use super::markdown::Fence;
use super::printed::PrintedCalls;
use super::tiling::{keep, put};
use super::{Segment, edits};
use crate::edit::{self, EditEnd, EditExtent};
use std::ops::Range;

/// An edit, and whether its end was seen.
struct UnfencedEdit {
    range: Range<usize>,
    closed: bool,
}

/// The segments of a whole reply, with each edit that stands in no fence as one block.
pub(super) fn gather(text: &str, fences: &[Fence], segments: Vec<Segment>) -> Vec<Segment> {
    let mut edits = edits_of(text, fences, &segments).into_iter().peekable();
    if edits.peek().is_none() {
        return segments;
    }
    let mut out = Vec::with_capacity(segments.len());
    for segment in segments {
        let range = segment.range().clone();
        let (mut at, mut is_whole) = (range.start, true);
        while let Some(edit) = edits.peek().filter(|edit| edit.range.start < range.end) {
            is_whole = false;
            if edit.range.start >= at {
                keep(at..edit.range.start, &mut out);
                put_edit(text, edit, &mut out);
            }
            at = edit.range.end.min(range.end);
            if edit.range.end > range.end {
                break;
            }
            edits.next();
        }
        if is_whole {
            out.push(segment);
        } else {
            keep(at..range.end, &mut out);
        }
    }
    out
}

/// The edits whose markers stand in no fence and in no block.
fn edits_of(text: &str, fences: &[Fence], segments: &[Segment]) -> Vec<UnfencedEdit> {
    let blocks = segments.iter().filter(|segment| matches!(segment, Segment::Block(_)));
    let code = blocks.map(Segment::range).chain(fences.iter().map(|fence| &fence.range));
    let mut code: Vec<&Range<usize>> = code.collect();
    code.sort_by_key(|range| range.start);
    let mut code = code.into_iter().peekable();
    let mut found: Vec<UnfencedEdit> = Vec::new();
    let mut open: Option<(usize, EditExtent)> = None;
    let (mut at, mut behind_code) = (0, 0);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if let Some((from, extent)) = &mut open {
            extent.line(line);
            if extent.ends("") == EditEnd::Here {
                found.push(UnfencedEdit { range: *from..at, closed: true });
                open = None;
                // What begins inside of it is its text.
                while code.next_if(|range| range.start < at).is_some() {}
            }
            continue;
        }
        while let Some(range) = code.next_if(|range| range.start <= start) {
            behind_code = behind_code.max(range.end);
        }
        if start >= behind_code && edit::says_search(line) {
            let mut extent = EditExtent::new(true);
            extent.line(line);
            open = Some((joined(text, &mut found, start), extent));
        }
    }
    if let Some((from, _)) = open {
        found.push(UnfencedEdit { range: from..text.len(), closed: false });
    }
    found
}

/// Where the edit begins to which the block of markers at `start` belongs: one that follows another is of the same file.
fn joined(text: &str, found: &mut Vec<UnfencedEdit>, start: usize) -> usize {
    let is_next =
        |edit: &mut UnfencedEdit| text.get(edit.range.end..start).is_some_and(|gap| gap.trim().is_empty());
    found.pop_if(is_next).map_or(start, |edit| edit.range.start)
}

fn put_edit(text: &str, edit: &UnfencedEdit, out: &mut Vec<Segment>) {
    let source = text.get(edit.range.clone()).unwrap_or_default();
    let mut block = edits::shown("edit", source, edit.range.clone(), edit.closed);
    block.remark("read from markers that stand in no fence");
    put(text, PrintedCalls { range: edit.range.clone(), blocks: vec![block] }, out);
}

#[cfg(test)]
mod tests;
