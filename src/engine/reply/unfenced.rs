//! Edits in no fence, as some models write them: SEARCH/REPLACE markers that stand in the prose. What such an edit holds is
//! text of its files, so no block in it is one, whatever Markdown makes of its lines. It is an edit like every other, and
//! says how it was read; one that is divided and never ends takes the rest of the reply, as does one in a reply that was
//! cut off.

use super::edit_fence::offers_nothing;
use super::markdown::Fence;
use super::{Proposal, Segment, edits};
use crate::domain::{BlockKind, Languages};
use crate::edit::{self, EditEnd, EditExtent};
use std::ops::Range;

/// An edit whose markers stand in the prose.
pub(super) struct UnfencedEdit<'t> {
    pub(super) range: Range<usize>,
    /// Whether its end was seen.
    pub(super) closed: bool,
    /// What stands in front of its first line, in a list or a quote.
    prefix: &'t str,
}

/// The edits of a text whose markers stand in none of its fences and blocks, in their order.
#[derive(Default)]
pub(super) struct UnfencedEdits<'t> {
    pub(super) edits: Vec<UnfencedEdit<'t>>,
    /// Whether a fence or a block that begins in the last one goes on behind it: what stands there is not what it seems, and
    /// no later edit was looked for.
    pub(super) is_torn: bool,
}

/// Looks for them.
pub(super) fn find<'t>(
    text: &'t str,
    fences: &[Fence],
    segments: &[Segment],
    complete: bool,
) -> UnfencedEdits<'t> {
    let mut code = code(fences, segments).into_iter().peekable();
    let mut found = UnfencedEdits::default();
    let (mut at, mut behind_code) = (0, 0);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        while let Some(range) = code.next_if(|range| range.start < at) {
            behind_code = behind_code.max(range.end);
        }
        let inner = line.trim_start_matches(CONTAINERS);
        if start < behind_code || !edit::says_search(inner) {
            continue;
        }
        let prefix = line.get(..line.len() - inner.len()).unwrap_or_default();
        // Where one is only spoken of, so are those behind it.
        let Some(edit) = begun(text, start, prefix, complete) else { break };
        let end = edit.range.end;
        found.edits.push(edit);
        while let Some(range) = code.next_if(|range| range.start < end) {
            found.is_torn |= range.end > end;
        }
        if found.is_torn {
            break;
        }
        behind_code = end;
    }
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

/// What may stand in front of lines of a list or a quote.
const CONTAINERS: [char; 3] = [' ', '\t', '>'];

/// The edit that begins here. One that follows another is of the same file, and one edit with it.
fn begun<'t>(text: &'t str, start: usize, prefix: &'t str, complete: bool) -> Option<UnfencedEdit<'t>> {
    let (mut extent, mut divided, mut at) = (EditExtent::new(true), false, start);
    let (mut ended, mut may_end) = (None, None);
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
        let end = extent.ends("");
        ended = (end == EditEnd::Here).then_some(at);
        if end == EditEnd::Unsure {
            may_end.get_or_insert(at);
        }
    }
    let is_end = |end: &usize| complete && text.get(*end..).is_some_and(offers_nothing);
    let end = ended.or(may_end.filter(is_end));
    // Without a divider it is only spoken of.
    (end.is_some() || divided || !complete).then(|| UnfencedEdit {
        range: start..end.unwrap_or(text.len()),
        closed: end.is_some(),
        prefix,
    })
}

/// A line without what stands in front of the first one, as far as that stands in front of it, too.
fn without_prefix<'l>(line: &'l str, prefix: &str) -> &'l str {
    let blank = |sign: char| matches!(sign, ' ' | '\t');
    let same =
        line.chars().zip(prefix.chars()).take_while(|(is, was)| is == was || blank(*is) && blank(*was));
    line.get(same.map(|(sign, _)| sign.len_utf8()).sum()..).unwrap_or(line)
}

/// The block that an edit makes; `before` stands in front of it, and may name its file.
pub(super) fn block(source: &str, edit: &UnfencedEdit<'_>, before: &str, languages: &Languages) -> Proposal {
    let source: String = source.split_inclusive('\n').map(|line| without_prefix(line, edit.prefix)).collect();
    let before = before.lines().rev().find(|line| !line.trim_matches(CONTAINERS).is_empty());
    let before = before.unwrap_or_default().trim_start_matches([' ', '\t', '>', '-', '+']);
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
