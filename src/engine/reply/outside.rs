//! What stands in the prose of a reply and is none: edits in no fence, and calls printed as text. What one of them holds is
//! its text, so nothing that begins in it is a block of its own, whatever Markdown makes of its lines.

use super::Segment;
use super::markdown::Fence;
use super::printed::{CallBudget, CallScanner};
use super::tiling::Stretch;
use super::unfenced::{self, EditScanner};
use std::ops::Range;

/// What was found, in its order.
#[derive(Default)]
pub(super) struct OutsideScan {
    pub(super) stretches: Vec<Stretch>,
    /// Whether a fence or a block that begins in the last one goes on behind it: what stands there is not what it seems, and
    /// nothing was looked for there.
    pub(super) is_torn: bool,
    /// Lines of edits that were looked at.
    pub(super) looked: usize,
}

/// Looks at the part of a reply that begins at `from`, of which these are the fences and segments.
pub(super) fn find(
    reply: &str,
    from: usize,
    fences: &[Fence],
    segments: &[Segment],
    reading: CallScanner<'_>,
) -> OutsideScan {
    let text = reply.get(from..).unwrap_or_default();
    let mut code = code(fences, segments).into_iter().peekable();
    let (mut edits, mut calls) = (EditScanner::new(text, reading.complete), CallBudget::new(text));
    let mut found = OutsideScan::default();
    let (mut at, mut behind_code, mut line_end) = (0, 0, 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        while let Some(range) = code.next_if(|range| range.start <= at) {
            behind_code = behind_code.max(range.end);
        }
        let (stretch, upto) = if at < behind_code {
            let fence = fences.binary_search_by_key(&at, |fence| fence.range.start);
            let fence = fence.ok().and_then(|fence| fences.get(fence));
            (fence.and_then(|fence| reading.calls_in_torn_fence(text, fence, &mut calls)), behind_code)
        } else {
            // Many may stand in one line, which is measured once.
            if line_end <= at {
                line_end = rest.find('\n').map_or(text.len(), |end| at + end + 1);
            }
            let is_line = text.get(..at).is_none_or(|before| before.is_empty() || before.ends_with('\n'));
            let edit = if is_line { edits.edit_at_line(at, line_end) } else { None };
            let edit = edit.map(|edit| {
                let (source, before) = (text.get(edit.range.clone()), reply.get(..from + edit.range.start));
                let (source, before) = (source.unwrap_or_default(), before.unwrap_or_default());
                let block = unfenced::block(source, &edit, before, reading.languages);
                Stretch { range: edit.range, blocks: vec![block] }
            });
            // Code that begins in this line is none where a call begins in front of it.
            let upto = code.peek().map_or(line_end, |range| range.start.min(line_end));
            (edit.or_else(|| reading.calls_in_line(text, at..upto, &mut calls)), upto)
        };
        let Some(stretch) = stretch else {
            at = upto;
            continue;
        };
        let end = stretch.range.end.max(at + 1);
        found.stretches.push(stretch);
        while let Some(range) = code.next_if(|range| range.start < end) {
            found.is_torn |= range.end > end;
        }
        if found.is_torn {
            break;
        }
        at = end;
    }
    found.looked = edits.looked;
    found
}

/// What is code by now: blocks, and the fences that stand in none of them.
fn code(fences: &[Fence], segments: &[Segment]) -> Vec<Range<usize>> {
    let blocks = segments.iter().filter(|segment| matches!(segment, Segment::Block(_)));
    let mut code: Vec<Range<usize>> = blocks.map(|block| block.range().clone()).collect();
    let blocks = code.len();
    for fence in fences {
        let before = code.get(..blocks).unwrap_or_default();
        let before = before.partition_point(|block| block.start <= fence.range.start);
        let around = before.checked_sub(1).and_then(|at| code.get(at));
        if around.is_none_or(|block| block.end <= fence.range.start) {
            code.push(fence.range.clone());
        }
    }
    code.sort_by_key(|range| range.start);
    code
}
