//! Edits in no fence, as some models write them: their markers stand in the prose. What such an edit holds is text of its
//! files, so no block in it is one, whatever Markdown makes of its lines. It is an edit like every other, and says how it
//! was read; one that is divided and never ends takes the rest of the reply, as does one in a reply that was cut off.

use super::markdown::Fence;
use super::{Proposal, Segment, edits};
use crate::domain::{BlockKind, Languages};
use crate::edit::{self, EditEnd, EditExtent};
use std::ops::Range;

/// An edit whose markers stand in the prose.
pub(super) struct UnfencedEdit {
    pub(super) range: Range<usize>,
    /// Whether its end was seen.
    pub(super) closed: bool,
    /// What stands in front of its first line, in a list or a quote.
    prefix: usize,
}

/// The first edit of a text whose markers stand in none of its fences and blocks.
pub(super) fn first(
    text: &str,
    fences: &[Fence],
    segments: &[Segment],
    complete: bool,
) -> Option<UnfencedEdit> {
    let blocks = segments.iter().filter(|segment| matches!(segment, Segment::Block(_)));
    let code = blocks.map(Segment::range).chain(fences.iter().map(|fence| &fence.range));
    let mut code: Vec<&Range<usize>> = code.collect();
    code.sort_by_key(|range| range.start);
    let mut code = code.into_iter().peekable();
    let (mut at, mut behind_code) = (0, 0);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        // What stands behind what contains it is found in its fence's own line, too.
        while let Some(range) = code.next_if(|range| range.start < at) {
            behind_code = behind_code.max(range.end);
        }
        let inner = line.trim_start_matches(CONTAINERS);
        if start >= behind_code && edit::says_search(inner) {
            return begun(text, start, line.len() - inner.len(), complete);
        }
    }
    None
}

/// What may stand in front of lines of a list or a quote.
const CONTAINERS: [char; 3] = [' ', '\t', '>'];

/// The edit that begins here. One that follows another is of the same file, and one edit with it.
fn begun(text: &str, start: usize, prefix: usize, complete: bool) -> Option<UnfencedEdit> {
    let (mut extent, mut ended, mut divided, mut at) = (EditExtent::new(true), None, false, start);
    for line in text.get(start..)?.split_inclusive('\n') {
        at += line.len();
        let inner = without_prefix(line, prefix);
        if ended.is_some() {
            if inner.trim().is_empty() {
                continue;
            }
            if !edit::says_search(inner) {
                break;
            }
        }
        divided |= edit::is_divider(inner);
        extent.line(inner);
        ended = (extent.ends("") == EditEnd::Here).then_some(at);
    }
    match ended {
        Some(end) => Some(UnfencedEdit { range: start..end, closed: true, prefix }),
        None if divided || !complete => {
            Some(UnfencedEdit { range: start..text.len(), closed: false, prefix })
        }
        // It is only spoken of, and so is what is behind it.
        None => None,
    }
}

fn without_prefix(line: &str, prefix: usize) -> &str {
    let marks = line.len() - line.trim_start_matches(CONTAINERS).len();
    line.get(marks.min(prefix)..).unwrap_or(line)
}

/// The block that an edit makes; `before` stands in front of it, and may name its file.
pub(super) fn block(source: &str, edit: &UnfencedEdit, before: &str, languages: &Languages) -> Proposal {
    let source: String = source.split_inclusive('\n').map(|line| without_prefix(line, edit.prefix)).collect();
    let shown = edits::shown("edit", &source, edit.range.clone(), edit.closed);
    let mut block = edits::fenced(&shown, before, languages).unwrap_or_else(|| {
        let paths = vec![edit::path_in_front(before).unwrap_or_default()];
        Proposal { file: Some(BlockKind::Edit { paths }), ..shown }
    });
    block.remark("read from markers that stand in no fence");
    block
}

#[cfg(test)]
mod tests;
