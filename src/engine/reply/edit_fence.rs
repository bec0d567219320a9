//! A Markdown pass that ends the fence of an edit where the edit ends: text inside an edit in a fence is no block, even
//! if Markdown sees one there. Edits outside of fences are handled in `unfenced_edits`.
//!
//! A fence at the outermost level reaches to the line that closes it after its edit. A fence in a list or a quote, or
//! one whose end can't be found, takes the rest of the reply; nothing in that is offered.

use super::markdown::{self, Fence, MarkdownScan, Tags};
use super::{info, tag};
use crate::edit::{EditEnd, EditExtent, path_in_front};
use std::ops::Range;

/// Each edit that contains fence ends costs one more pass over the text after it. These limit the bytes of all passes:
/// a fixed amount, plus an amount for each byte of the text. The text after the edit that exceeds the limit is not
/// parsed.
const FREE_PASS_BYTES: usize = 4 << 20;
const PASS_BYTES_PER_BYTE: usize = 8;

/// Scans a text. If more of it may come (`grows`), an uncertain end does not count yet.
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

/// The state of the edit in a fence after this text.
pub(super) fn extent(info: &str, source: &str) -> EditExtent {
    let mut extent = EditExtent::new(info::is_edit(info));
    source.lines().for_each(|line| extent.line(line));
    extent
}

/// A line without the indentation of its fence.
pub(super) fn dedented(line: &str, indent: usize) -> &str {
    let blanks = line.len() - line.trim_start_matches(' ').len();
    line.get(blanks.min(indent)..).unwrap_or(line)
}

/// Where a fence ends if not where Markdown says.
enum OtherEnd {
    /// At this line.
    At(Range<usize>),
    /// At the end of the text: no line ends it.
    None,
}

/// The line that closes a fence, if it is not the one that Markdown found. `None`: Markdown is right.
fn other_end(text: &str, fence: &Fence, grows: bool) -> Option<OtherEnd> {
    let mut extent = extent(&fence.info, &fence.source);
    let upto = text.get(..fence.range.end)?;
    if !fence.closed {
        // A fence in a list or quote may be cut off before its edit has even begun.
        let is_empty = fence.source.trim().is_empty();
        let behind = text.get(fence.range.end..)?;
        let unsaid = !extent.has_begun()
            && (info::is_edit(&fence.info)
                || is_empty && info::is_about_file(&fence.info)
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

/// Whether the first filled line after a fence that was cut off begins an edit, or (if the fence `is_empty`) names a
/// file. Only this line counts, as a later one would change what was decided by then; until the line is complete, the
/// answer is yes.
fn edit_goes_on(mut extent: EditExtent, is_empty: bool, behind: &str, grows: bool) -> bool {
    let Some(line) = behind.split_inclusive('\n').find(|line| !line.trim().is_empty()) else { return grows };
    if grows && !line.ends_with('\n') {
        return true;
    }
    extent.line(line);
    extent.may_have_begun() || is_empty && path_in_front(line).is_some()
}

/// Whether a line closes the fence opened by `opener`.
fn closes(line: &str, opener: &str) -> bool {
    let Some(mark) = opener.chars().next() else { return false };
    let run = |text: &str| text.len() - text.trim_start_matches(mark).len();
    let inner = dedented(line, 3);
    let count = run(inner);
    count >= run(opener) && inner.get(count..).is_some_and(|rest| rest.trim().is_empty())
}

/// Whether a text has nothing that could become a block.
pub(super) fn offers_nothing(text: &str) -> bool {
    !text.contains("```") && !text.contains("~~~") && !text.contains(['<', '{', '['])
}

/// Ends a fence at this line, or at the end of the text, and scans the text after it again.
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
