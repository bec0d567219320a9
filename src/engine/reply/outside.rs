//! Finds blocks that a model wrote outside of fences: unfenced edits, and calls printed as text. Everything inside of
//! them is their text, so nothing in it becomes a block of its own, even if Markdown sees one there.

use super::Segment;
use super::markdown::Fence;
use super::printed_calls::{CallBudget, CallScanner};
use super::tiling::Replacement;
use super::unfenced_edits::{self, EditScanner};
use std::ops::Range;

/// What was found, in order.
#[derive(Default)]
pub(super) struct OutsideScan {
    pub(super) replacements: Vec<Replacement>,
    /// Whether a fence or block that begins in the last replacement continues after it. What Markdown sees after it is
    /// then wrong, and the search ended there.
    pub(super) cuts_markdown_block: bool,
    /// How many lines were read for edits.
    pub(super) looked: usize,
}

/// Searches the part of a reply that begins at `from`; `fences` and `segments` are those of this part.
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
        let (replacement, upto) = if at < behind_code {
            let fence = fences.binary_search_by_key(&at, |fence| fence.range.start);
            let fence = fence.ok().and_then(|fence| fences.get(fence));
            (fence.and_then(|fence| reading.calls_in_torn_fence(text, fence, &mut calls)), behind_code)
        } else {
            // There may be many in one line, whose end is searched only once.
            if line_end <= at {
                line_end = rest.find('\n').map_or(text.len(), |end| at + end + 1);
            }
            let is_line = text.get(..at).is_none_or(|before| before.is_empty() || before.ends_with('\n'));
            let edit = if is_line { edits.edit_at_line(at, line_end) } else { None };
            let edit = edit.map(|edit| {
                let (source, before) = (text.get(edit.range.clone()), reply.get(..from + edit.range.start));
                let (source, before) = (source.unwrap_or_default(), before.unwrap_or_default());
                let block = unfenced_edits::block(source, &edit, before, reading.languages);
                Replacement { range: edit.range, blocks: vec![block] }
            });
            // Code that begins in this line is part of a call that begins before it.
            let upto = code.peek().map_or(line_end, |range| range.start.min(line_end));
            (edit.or_else(|| reading.calls_in_line(text, at..upto, &mut calls)), upto)
        };
        let Some(replacement) = replacement else {
            at = upto;
            continue;
        };
        let end = replacement.range.end.max(at + 1);
        found.replacements.push(replacement);
        while let Some(range) = code.next_if(|range| range.start < end) {
            found.cuts_markdown_block |= range.end > end;
        }
        if found.cuts_markdown_block {
            break;
        }
        at = end;
    }
    found.looked = edits.looked;
    found
}

/// The ranges known to be code: blocks, and fences outside of them.
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
