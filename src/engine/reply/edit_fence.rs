//! A pass over a stretch of a reply in which the fence of an edit ends where its edit does: what stands inside an edit in a
//! fence is no block, whatever Markdown makes of its lines. Of edits in no fence `unfenced` takes care.
//!
//! A fence of the outermost level goes on up to the line that closes it behind its edit. One in a list or a quote, and one
//! of which nothing tells where it ends, takes the rest of the reply: of that nothing is offered.

use super::markdown::{self, Fence, MarkdownScan, Tags};
use super::{info, tag};
use crate::edit::{EditEnd, EditExtent, path_in_front};
use std::ops::Range;

/// Each edit that holds ends of fences costs one more pass over what is behind it: bytes of passes that a stretch has for
/// nothing, and for each of its bytes. What is behind the edit that goes beyond them is not taken apart.
const FREE_PASS_BYTES: usize = 4 << 20;
const PASS_BYTES_PER_BYTE: usize = 8;

/// Looks at a text. Where more of it may come (`grows`), an end that is not sure is none yet.
pub(super) fn scan(text: &str, tags: Tags, grows: bool) -> MarkdownScan {
    let mut found = markdown::scan(text, tags);
    let (mut at, most) = (0, text.len().saturating_mul(PASS_BYTES_PER_BYTE).saturating_add(FREE_PASS_BYTES));
    while let Some(fence) = found.fences.get(at) {
        if let Some(end) = other_end(text, fence, grows) {
            let end = match end {
                OtherEnd::At(line) => Some(line).filter(|line| found.again + (text.len() - line.end) <= most),
                OtherEnd::None => None,
            };
            found.again += end.as_ref().map_or(0, |line| text.len() - line.end);
            put_end(text, &mut found, at, end, tags);
        }
        at += 1;
    }
    found
}

/// How far the edit of a fence goes that has this text so far.
pub(super) fn extent(info: &str, source: &str) -> EditExtent {
    let mut extent = EditExtent::new(info::is_edit(info));
    source.lines().for_each(|line| extent.line(line));
    extent
}

/// A line without the blanks that its fence is indented by.
pub(super) fn dedented(line: &str, indent: usize) -> &str {
    let blanks = line.len() - line.trim_start_matches(' ').len();
    line.get(blanks.min(indent)..).unwrap_or(line)
}

/// Where a fence ends that does not end as Markdown says.
enum OtherEnd {
    /// At this line.
    At(Range<usize>),
    /// With the text: no line is its end.
    None,
}

/// The line that closes a fence, where that is not the one that Markdown found. `None`: it ends as Markdown says.
fn other_end(text: &str, fence: &Fence, grows: bool) -> Option<OtherEnd> {
    let mut extent = extent(&fence.info, &fence.source);
    let upto = text.get(..fence.range.end)?;
    if !fence.closed {
        // With its list or quote a fence may end whose edit has not even begun.
        let is_empty = fence.source.trim().is_empty();
        let behind = text.get(fence.range.end..)?;
        let unsaid = !extent.has_begun()
            && (info::is_edit(&fence.info)
                || is_empty && info::is_of_a_file(&fence.info)
                || edit_goes_on(extent.clone(), is_empty, behind, grows));
        let cut = fence.range.end < text.len() && (unsaid || extent.ends("```") != EditEnd::Here);
        return cut.then_some(OtherEnd::None);
    }
    let body = upto.strip_suffix('\n').unwrap_or(upto);
    let close = body.rfind('\n').map_or(0, |at| at + 1);
    let opening = tag::line_start(text, fence.marker);
    let indent = text.get(opening..fence.marker)?.chars().count();
    let contained = |line: &str| -> usize {
        let marks = line.chars().take(indent).take_while(|c| matches!(c, ' ' | '\t' | '>'));
        marks.map(char::len_utf8).sum()
    };
    let line = text.get(close..fence.range.end)?;
    let line = line.get(if fence.top { 0 } else { contained(line) }..)?;
    let is_plain = |from: usize| !grows && text.get(from..).is_some_and(offers_nothing);
    match extent.ends(if fence.top { dedented(line, indent) } else { line }) {
        EditEnd::Here => return None,
        EditEnd::Unsure if is_plain(fence.range.end) => return None,
        _ if !fence.top => return Some(OtherEnd::None),
        _ => {}
    }
    let opener = text.get(fence.marker..fence.body)?;
    let (mut from, mut is_first) = (close, true);
    for line in text.get(close..)?.split_inclusive('\n') {
        let range = from..from + line.len();
        from = range.end;
        let inner = dedented(line, indent);
        if closes(line, opener) {
            match extent.ends(inner) {
                EditEnd::Here => return Some(OtherEnd::At(range)),
                EditEnd::Unsure if is_first && is_plain(range.end) => return Some(OtherEnd::At(range)),
                EditEnd::Unsure => is_first = false,
                EditEnd::No => {}
            }
        }
        extent.line(inner);
    }
    Some(OtherEnd::None)
}

/// Whether an edit begins with the first line behind a fence that was cut off, or with what names its file where the fence
/// `is_empty`. No later line counts: it would change what stands by then; nothing does before that line is whole.
fn edit_goes_on(mut extent: EditExtent, is_empty: bool, behind: &str, grows: bool) -> bool {
    let Some(line) = behind.split_inclusive('\n').find(|line| !line.trim().is_empty()) else { return grows };
    if grows && !line.ends_with('\n') {
        return true;
    }
    extent.line(line);
    extent.may_have_begun() || is_empty && path_in_front(line).is_some()
}

/// Whether a line closes the fence that this one opened.
fn closes(line: &str, opener: &str) -> bool {
    let Some(mark) = opener.chars().next() else { return false };
    let run = |text: &str| text.len() - text.trim_start_matches(mark).len();
    let inner = dedented(line, 3);
    let count = run(inner);
    count >= run(opener) && inner.get(count..).is_some_and(|rest| rest.trim().is_empty())
}

/// Whether a text holds nothing of which a block could be made.
pub(super) fn offers_nothing(text: &str) -> bool {
    !text.contains("```") && !text.contains("~~~") && !text.contains(['<', '{', '['])
}

/// Lets a fence end at this line, or with the text, and looks anew at what is behind it.
fn put_end(text: &str, found: &mut MarkdownScan, at: usize, end: Option<Range<usize>>, tags: Tags) {
    found.fences.truncate(at + 1);
    found.tag = None;
    let Some(fence) = found.fences.last_mut() else { return };
    found.last = fence.block;
    let until = end.as_ref().map_or(text.len(), |end| end.start);
    let indent = fence.marker - tag::line_start(text, fence.marker);
    let indent = if fence.top { indent } else { 0 };
    let inside = text.get(fence.body..until).unwrap_or_default();
    fence.source = inside.split_inclusive('\n').map(|line| dedented(line, indent)).collect();
    fence.closed = end.is_some();
    fence.range.end = end.as_ref().map_or(text.len(), |end| end.end);
    fence.endless = end.is_none();
    let from = fence.range.end;
    let behind = text.get(from..).unwrap_or_default();
    if behind.trim().is_empty() {
        return;
    }
    let rest = markdown::scan(behind, tags);
    found.last = from + rest.last;
    found.tag = rest.tag.map(|tag| from + tag.start..from + tag.end);
    found.fences.extend(rest.fences.into_iter().map(|fence| fence.moved(from)));
}

#[cfg(test)]
mod tests;
