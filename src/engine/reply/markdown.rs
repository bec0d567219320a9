//! One pass of the Markdown parser over a part of a reply: finds its fences and opening tags.
//!
//! It keeps no state between passes, and does not decide what may run.

use super::tag;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// A fenced block. Ranges are bytes of the scanned text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fence {
    /// The whole block: from the start of its line, if only blanks come before the fence, to after the line end of the
    /// closing fence.
    pub(super) range: Range<usize>,
    /// The offset after the line of the opening fence.
    pub(super) body: usize,
    /// The info string with escapes resolved.
    pub(super) info: String,
    /// The text without the indentation and markers of its containers, with its line ends unchanged.
    pub(super) source: String,
    /// Whether it has a closing fence. A block that ends with its quote or list item has none.
    pub(super) closed: bool,
    /// Whether it is at the outermost level, in no list or quote.
    pub(super) top: bool,
    /// The offset of its opening marker.
    pub(super) marker: usize,
    /// The start of the outermost block that it is in, as in [`MarkdownScan::last`].
    pub(super) block: usize,
    /// Whether no later text can end it.
    pub(super) endless: bool,
}

impl Fence {
    /// The fence with its ranges moved by this many bytes.
    pub(super) fn moved(self, by: usize) -> Self {
        Self {
            range: self.range.start + by..self.range.end + by,
            body: self.body + by,
            marker: self.marker + by,
            block: self.block + by,
            ..self
        }
    }
}

/// The result of a pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MarkdownScan {
    /// The fences before the tag, in their order.
    pub(super) fences: Vec<Fence>,
    /// The first tag that opens a block; the pass ends there.
    pub(super) tag: Option<Range<usize>>,
    /// The start of the last outermost block (in a list: of its last item). A pass that begins at the start of that
    /// line finds the same from there on.
    pub(super) last: usize,
    /// How many bytes were scanned again because of edits that contain fence ends.
    pub(super) again: usize,
}

/// How to treat `<execute>` tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tags {
    /// As plain text.
    Ignored,
    /// Only those where a block may begin count.
    Careful,
    /// All count.
    All,
}

/// Finds the fences of a text up to the first tag that opens a block.
pub(super) fn scan(text: &str, tags: Tags) -> MarkdownScan {
    let mut scan = MarkdownScan::default();
    let mut depth = 0usize;
    let mut in_list = false;
    let mut end_of_last = 0;
    let mut fence: Option<OpenFence> = None;
    for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        if let (Some(found), true) = (opening_tag(text, &event, &range, tags), tags != Tags::Ignored) {
            scan.tag = Some(found);
            return scan;
        }
        match event {
            Event::Start(start) => {
                if depth == 0 {
                    in_list = matches!(start, Tag::List(_));
                }
                if depth == 0 {
                    scan.last = start_of(text, end_of_last, &range);
                } else if depth == 1 && in_list && start == Tag::Item {
                    scan.last = range.start;
                }
                if let Tag::CodeBlock(CodeBlockKind::Fenced(info)) = start {
                    fence = Some(OpenFence::new(text, range, info.into_string(), depth == 0, scan.last));
                }
                depth += 1;
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                // The range of a list may include link definitions after its last item.
                if (depth == 0 && !in_list) || (depth == 1 && in_list && end == TagEnd::Item) {
                    end_of_last = range.end;
                }
                if end == TagEnd::CodeBlock
                    && let Some(open) = fence.take()
                {
                    scan.fences.push(open.end(text));
                }
            }
            Event::Text(piece) => {
                if let Some(open) = fence.as_mut() {
                    open.push(text, &piece, &range);
                }
            }
            _ if depth == 0 => {
                scan.last = start_of(text, end_of_last, &range);
                end_of_last = range.end;
            }
            _ => {}
        }
    }
    scan
}

/// Where a pass has to begin to find the block at `range` again. Link definitions before it cause no event, and a line
/// after them is parsed as if it continued a paragraph, so they are included.
fn start_of(text: &str, end_of_last: usize, range: &Range<usize>) -> usize {
    let between = text.get(end_of_last..range.start).unwrap_or("");
    if between.trim().is_empty() {
        return range.start;
    }
    let at_line_start = text.get(..end_of_last).is_none_or(|t| t.is_empty() || t.ends_with('\n'));
    match between.find('\n') {
        Some(i) if !at_line_start => end_of_last + i + 1,
        _ => end_of_last,
    }
}

/// The opening tag in an event, if it opens a block.
fn opening_tag(text: &str, event: &Event<'_>, range: &Range<usize>, tags: Tags) -> Option<Range<usize>> {
    let html = match event {
        Event::Start(Tag::HtmlBlock) | Event::InlineHtml(_) => text.get(..range.end)?,
        _ => return None,
    };
    let mut from = range.start;
    while let Some(found) = tag::find_open(html, from) {
        if tags == Tags::All || tag::opens(text, &found) {
            return Some(found);
        }
        from = found.end;
    }
    None
}

/// A fence while its text is being collected.
struct OpenFence {
    fence: Fence,
    /// The offset after the last byte of the source.
    seen: usize,
}

impl OpenFence {
    fn new(text: &str, range: Range<usize>, info: String, top: bool, block: usize) -> Self {
        let rest = text.get(range.clone()).unwrap_or("");
        let body = rest.find('\n').map_or(range.end, |i| range.start + i + 1);
        let (marker, source) = (range.start, String::new());
        let fence = Fence { range, body, info, source, closed: false, top, marker, block, endless: false };
        Self { fence, seen: body }
    }

    fn push(&mut self, text: &str, piece: &str, range: &Range<usize>) {
        // The Markdown parser drops the carriage return of a line end; it is restored, because the text between the
        // fences is what is shown and run.
        let before = range.start.checked_sub(1).and_then(|i| text.as_bytes().get(i));
        if piece.starts_with('\n') && before == Some(&b'\r') {
            self.fence.source.push('\r');
        }
        self.fence.source.push_str(piece);
        self.seen = self.seen.max(range.end);
    }

    fn end(self, text: &str) -> Fence {
        let Self { mut fence, seen } = self;
        let marker = text.as_bytes().get(fence.marker).unwrap_or(&b'`');
        let closing = text.get(seen..fence.range.end).unwrap_or("");
        fence.closed = closing.as_bytes().contains(marker);
        let line = tag::line_start(text, fence.marker);
        if text.get(line..fence.marker).is_some_and(|t| t.trim().is_empty()) {
            fence.range.start = line;
        }
        let after = text.get(fence.range.end..).unwrap_or("");
        let blank = after.len() - after.trim_start_matches([' ', '\t', '\r']).len();
        if fence.closed && after.get(blank..).is_some_and(|rest| rest.starts_with('\n')) {
            fence.range.end += blank + 1;
        }
        fence
    }
}
