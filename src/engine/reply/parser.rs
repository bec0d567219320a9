//! The reply while it grows: each line is read once, when it is whole; at the end the whole is parsed once more, and
//! that is the truth.
//!
//! `base` is where the last block of the outermost level begins that may still go on (of a list: its last item). A pass
//! of the Markdown parser covers `base..` and is made only where a line could change something. Inside an open fence a
//! line is looked at together with the lines that lead to the fence, not with the fence's text, so that a line costs
//! the same at any length. Passes are paid for by the bytes that arrived: a text that is built to be slow is shown
//! later instead, and its tags are left alone.

use super::info::{self, Offer};
use super::markdown::{self, Fence, Scan, Tags};
use super::{Proposed, Segment, tag};
use crate::domain::{Dialect, Languages};
use std::ops::Range;

/// Bytes of passes that may be made for nothing yet.
const ADVANCE: usize = 256 << 10;
/// Bytes of passes that a byte of the reply pays for.
const PER_BYTE: usize = 16;
/// Bytes of passes that a line pays for beside its bytes.
const PER_LINE: usize = 128;
/// Plain lines are passed over until so many bytes have gathered.
const PATIENCE: usize = 2 << 10;

/// What the text seen so far leaves open at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tail {
    /// Prose.
    Prose,
    /// A fence.
    Fence {
        /// Where it begins.
        start: usize,
        /// Behind its opening line.
        body: usize,
        /// Whether it stands in no container and at the start of its line: then its lines are taken as they are.
        plain: bool,
        /// Its marker, `` ` `` or `~`.
        marker: u8,
        /// Whether it is a segment; else it is prose.
        shown: bool,
    },
    /// An `<execute>` tag.
    Tag {
        /// Where it begins.
        start: usize,
        /// Behind the opening tag.
        body: usize,
        /// Whether it is a segment; else it is prose.
        shown: bool,
        /// Whether a line was seen that is not blank.
        begun: bool,
    },
}

/// The parser of one reply.
#[derive(Clone, Debug)]
pub struct Parser {
    dialect: Dialect,
    languages: Languages,
    text: String,
    segments: Vec<Segment>,
    /// Bytes whose lines were read.
    read: usize,
    /// Line ends in `..read`.
    lines: u32,
    /// Where the last pass began and the next one will.
    base: usize,
    /// Line ends in `..base`.
    base_lines: u32,
    /// Where the last pass ended.
    passed: usize,
    tail: Tail,
    /// Bytes of an open block that are in its source (or left out for good).
    mirrored: usize,
    /// Ranges of the tags, those included that are prose.
    tags: Vec<Range<usize>>,
    /// Bytes of passes that may still be made.
    credit: usize,
    scratch: String,
}

impl Parser {
    /// A parser for a reply that begins now.
    pub fn new(dialect: Dialect, languages: &Languages) -> Self {
        Self {
            dialect,
            languages: languages.clone(),
            text: String::new(),
            segments: Vec::new(),
            read: 0,
            lines: 0,
            base: 0,
            base_lines: 0,
            passed: 0,
            tail: Tail::Prose,
            mirrored: 0,
            tags: Vec::new(),
            credit: ADVANCE,
            scratch: String::new(),
        }
    }

    /// Takes the next piece of the text.
    pub fn push(&mut self, delta: &str) {
        let from = self.text.len();
        self.text.push_str(delta);
        let mut searched = from;
        while let Some(end) = self.text.get(searched..).and_then(|t| t.find('\n')).map(|i| searched + i + 1) {
            self.line(end);
            searched = end;
        }
        self.mirror_partial();
        self.stretch();
    }

    /// The text so far in segments. Only the last may still change.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The text so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Bytes of the text in closed blocks of the outermost level: neither their segments nor their Markdown will change.
    pub fn stable(&self) -> usize {
        self.base
    }

    /// Ends the reply; returns its text and its segments. In a reply that is not `complete` a closing fence without a
    /// line end may have been cut short, and is not taken for one.
    pub fn finish(mut self, complete: bool) -> (String, Vec<Segment>) {
        if self.read < self.text.len() {
            self.line(self.text.len());
        }
        if let Tail::Tag { start, body, shown, .. } = self.tail {
            self.end_tag(start, body, shown, None);
        }
        let streamed = std::mem::take(&mut self.segments);
        let mut tagged = streamed.into_iter().filter(is_tag).peekable();
        (self.base, self.base_lines) = (0, 0);
        for cut in std::mem::take(&mut self.tags) {
            self.whole(tag::line_or(&self.text, cut.start), complete);
            self.prose(cut.start);
            match tagged.next_if(|t| t.range().start == cut.start) {
                Some(block) => self.segments.push(block),
                None => self.prose(cut.end),
            }
            self.move_base(cut.end);
        }
        self.whole(self.text.len(), complete);
        (self.text, self.segments)
    }

    /// Reads one line (or the rest of one), which ends at `end`.
    fn line(&mut self, end: usize) {
        self.credit += PER_BYTE * (end - self.read) + PER_LINE;
        while self.read < end {
            let from = self.read;
            match self.tail {
                Tail::Tag { start, body, shown, .. } => match self.closing_tag(body, end) {
                    Some(close) => {
                        self.end_tag(start, body, shown, Some(&close));
                        self.read = close.end;
                    }
                    None => {
                        self.mirror_tag(end);
                        self.read = end;
                    }
                },
                Tail::Fence { .. } => {
                    self.fence_line(from, end);
                }
                Tail::Prose => {
                    self.read = end;
                    if self.matters(from, end) {
                        self.pass(end);
                    }
                }
            }
        }
        self.lines += u32::from(self.text.as_bytes().get(end.wrapping_sub(1)) == Some(&b'\n'));
    }

    /// Whether a line of prose could open a block, or end one and so let `base` move on.
    fn matters(&self, from: usize, end: usize) -> bool {
        let Some(line) = self.text.get(from..end) else { return false };
        let after_blank = self.text.get(..from).is_some_and(|t| t.ends_with("\n\n"));
        line.contains("```")
            || line.contains("~~~")
            || line.contains('<')
            || (line.trim().is_empty() && !after_blank)
            || end - self.passed > PATIENCE.max(self.passed.saturating_sub(self.base) / 4)
    }

    /// One pass over `base..end`, if it can be paid for.
    fn pass(&mut self, end: usize) {
        let cost = end - self.base;
        let Some(credit) = self.credit.checked_sub(cost) else { return };
        self.credit = credit;
        self.passed = end;
        let tags = match self.dialect {
            Dialect::Fences => Tags::Careful,
            Dialect::ExecuteTags => Tags::All,
        };
        let scan = markdown::scan(self.text.get(self.base..end).unwrap_or(""), tags);
        self.back_to_base();
        let closed_at_end = self.adopt(&scan, self.base, end, true);
        let nothing = self.text.get(self.base..end).is_some_and(|t| t.trim().is_empty());
        if let Some(found) = &scan.tag {
            self.begin_tag(self.base + found.start..self.base + found.end);
        } else if closed_at_end || nothing {
            self.prose(end);
            self.move_base(end);
        } else {
            let last = self.base + scan.last;
            let line = self
                .text
                .get(self.base..last)
                .and_then(|t| t.rfind('\n'))
                .map_or(self.base, |i| self.base + i + 1);
            self.move_base(line);
        }
    }

    /// Takes the segments behind `base` back.
    fn back_to_base(&mut self) {
        while let Some(last) = self.segments.last_mut() {
            match last {
                Segment::Prose(range) if range.start < self.base => {
                    range.end = range.end.min(self.base);
                    break;
                }
                other if other.range().start < self.base => break,
                _ => {
                    self.segments.pop();
                }
            }
        }
        self.tail = Tail::Prose;
    }

    /// Adds what a pass over `from..end` found. Returns whether it ended with a closed fence of the outermost level.
    fn adopt(&mut self, scan: &Scan, from: usize, end: usize, complete: bool) -> bool {
        let (mut counted, mut lines) = (from, self.base_lines);
        let mut closed_at_end = false;
        for fence in &scan.fences {
            let range = from + fence.range.start..from + fence.range.end;
            lines += newlines(&self.text, counted..range.start);
            let first = lines + 1;
            lines += newlines(&self.text, range.clone());
            counted = range.end;
            let ends_line = self.text.get(..range.end).is_some_and(|t| t.ends_with('\n'));
            let last = lines + u32::from(!ends_line);
            let sure = complete || ends_line;
            let offer = info::offer(&fence.info, &self.languages);
            let language = match &offer {
                Offer::Run(language) => Some(language.clone()),
                Offer::Ask | Offer::Shown => None,
            };
            self.prose(range.start);
            let shown = offer != Offer::Shown;
            if shown {
                self.segments.push(Segment::Block(Proposed {
                    dialect: Dialect::Fences,
                    info: fence.info.clone(),
                    language,
                    source: fence.source.clone(),
                    range: range.clone(),
                    lines: (first, last.max(first)),
                    closed: fence.closed && sure,
                }));
            }
            closed_at_end = fence.closed && fence.top && range.end == end;
            if !fence.closed && range.end == end && scan.tag.is_none() {
                self.tail = self.open_fence(fence, &range, from + fence.body, shown);
                self.mirrored = end;
            }
        }
        self.prose(scan.tag.as_ref().map_or(end, |t| from + t.start));
        closed_at_end
    }

    fn open_fence(&self, fence: &Fence, range: &Range<usize>, body: usize, shown: bool) -> Tail {
        let marker = self.text.as_bytes().get(range.start).copied();
        let plain = fence.top && matches!(marker, Some(b'`' | b'~'));
        let opening = self.text.get(range.start..body).unwrap_or("").trim_start();
        let marker = opening.as_bytes().first().copied().unwrap_or(b'`');
        Tail::Fence { start: range.start, body, plain, marker, shown }
    }

    /// Reads a line inside an open fence.
    fn fence_line(&mut self, from: usize, end: usize) {
        let Tail::Fence { start, body, plain, marker, shown } = self.tail else { return };
        let line = self.text.get(from..end).unwrap_or("");
        self.read = end;
        let marks = if marker == b'~' { "~~~" } else { "```" };
        if plain && !line.contains(marks) {
            self.mirror(end, shown);
            return;
        }
        let lead = body.saturating_sub(self.base);
        let cost = lead + line.len();
        // Lines were passed over for want of credit: only a pass over all of them can tell.
        let behind = self.mirrored < from;
        if behind || cost > self.credit {
            self.pass(end);
            return;
        }
        self.credit -= cost;
        self.scratch.clear();
        self.scratch.push_str(self.text.get(self.base..body).unwrap_or(""));
        self.scratch.push_str(line);
        let scan = markdown::scan(&self.scratch, Tags::Ignored);
        match scan.fences.last() {
            Some(fence)
                if self.base + fence.range.start == start
                    && !fence.closed
                    && fence.range.end == self.scratch.len() =>
            {
                if plain {
                    self.mirror(end, shown);
                } else {
                    self.append(&fence.source, shown);
                    self.mirrored = end;
                }
            }
            _ => self.pass(end),
        }
    }

    /// The closing tag in `..end`, looked for where it can be new.
    fn closing_tag(&self, body: usize, end: usize) -> Option<Range<usize>> {
        tag::find_close(self.text.get(..end)?, self.read.max(body))
    }

    /// An opening tag was found.
    fn begin_tag(&mut self, open: Range<usize>) {
        let attributes = tag::attributes(self.text.get(open.clone()).unwrap_or("")).to_owned();
        let offer = tag::offer(&attributes, &self.languages);
        let first = self.base_lines + newlines(&self.text, self.base..open.start) + 1;
        let shown = matches!(offer, Offer::Run(_));
        if let Offer::Run(language) = offer {
            self.segments.push(Segment::Block(Proposed {
                dialect: Dialect::ExecuteTags,
                info: attributes,
                language: Some(language),
                source: String::new(),
                range: open.clone(),
                lines: (first, first),
                closed: false,
            }));
        }
        self.tail = Tail::Tag { start: open.start, body: open.end, shown, begun: false };
        self.read = open.end;
        self.mirrored = open.end;
        self.move_base(open.start);
    }

    /// The tag that began at `start` is over: at its closing tag, or with the reply.
    fn end_tag(&mut self, start: usize, body: usize, shown: bool, close: Option<&Range<usize>>) {
        let (until, end) = close.map_or((self.text.len(), self.text.len()), |c| (c.start, c.end));
        let before = self.text.get(..start).and_then(|t| t.rsplit('\n').next()).unwrap_or("");
        let (source, inner) = tag::code(before, self.text.get(body..until).unwrap_or(""));
        let attributes = tag::attributes(self.text.get(start..body).unwrap_or(""));
        let fenced = inner.as_deref().map(|i| info::offer(i, &self.languages));
        let last = self.base_lines + newlines(&self.text, self.base..end.saturating_sub(1)) + 1;
        if let (Some(Segment::Block(block)), true) = (self.segments.last_mut(), shown) {
            block.source = source;
            block.range.end = end;
            block.lines.1 = last;
            block.closed = close.is_some();
            match fenced {
                Some(Offer::Run(language)) if attributes.is_empty() => block.language = Some(language),
                // A fence of something else between the tags: which of the two is meant is not guessed.
                Some(Offer::Shown) if attributes.is_empty() => block.language = None,
                _ => {}
            }
        } else {
            self.prose(end);
        }
        self.tags.push(start..end);
        self.tail = Tail::Prose;
        self.move_base(end);
    }

    /// Adds a line of an open tag to its block, as it is: dedented and unwrapped when the tag is closed. What only leads
    /// to the code is left out: blank lines and the opening of a fence.
    fn mirror_tag(&mut self, end: usize) {
        let line = self.text.get(self.read..end).unwrap_or("").trim_start();
        let Tail::Tag { shown, begun, .. } = &mut self.tail else { return };
        let (shown, first) = (*shown, !*begun);
        *begun |= !line.is_empty();
        if first && leads_to_code(line) {
            self.mirrored = end;
        } else {
            self.mirror(end, shown);
        }
    }

    /// Adds what is sure of the unfinished last line to the open block.
    fn mirror_partial(&mut self) {
        let Some(line) = self.text.get(self.read..) else { return };
        match self.tail {
            Tail::Fence { plain: true, marker, shown, .. } if self.mirrored >= self.read => {
                // As long as it could become the closing fence it is held back.
                let marker = char::from(marker);
                let rest = line.trim_start_matches(' ').trim_start_matches(marker);
                if self.mirrored > self.read || !rest.trim().is_empty() || line.starts_with("    ") {
                    self.mirror(self.text.len(), shown);
                }
            }
            Tail::Tag { shown, begun, .. } if begun || !leads_to_code(line.trim_start()) => {
                let from = self.mirrored.max(self.read);
                let sure = from + tag::maybe_close(self.text.get(from..).unwrap_or(""));
                self.mirror(sure, shown);
            }
            _ => {}
        }
    }

    /// Adds the text up to `end` to the open block as it is.
    fn mirror(&mut self, end: usize, shown: bool) {
        if let (Some(Segment::Block(block)), true, Some(more)) =
            (self.segments.last_mut(), shown, self.text.get(self.mirrored..end))
        {
            block.source.push_str(more);
        }
        self.mirrored = self.mirrored.max(end);
    }

    fn append(&mut self, more: &str, shown: bool) {
        if let (Some(Segment::Block(block)), true) = (self.segments.last_mut(), shown) {
            block.source.push_str(more);
        }
    }

    /// Lets the last segment reach to the end of the text.
    fn stretch(&mut self) {
        let (end, open) = (self.text.len(), self.tail != Tail::Prose);
        let last_line = self.lines + u32::from(self.read < end);
        match self.segments.last_mut() {
            Some(Segment::Block(block)) if open && !block.closed => {
                block.range.end = end;
                block.lines.1 = last_line.max(block.lines.0);
            }
            _ => self.prose(end),
        }
    }

    /// Prose up to `end`, joined with prose in front of it.
    fn prose(&mut self, end: usize) {
        match self.segments.last_mut() {
            Some(Segment::Prose(range)) => range.end = range.end.max(end),
            Some(Segment::Block(block)) if block.range.end < end => {
                let start = block.range.end;
                self.segments.push(Segment::Prose(start..end));
            }
            None if end > 0 => self.segments.push(Segment::Prose(0..end)),
            _ => {}
        }
    }

    fn move_base(&mut self, to: usize) {
        self.base_lines += newlines(&self.text, self.base..to);
        self.base = self.base.max(to);
    }

    /// Parses `base..end` once, as a whole and without tags. The line of a tag that follows is looked at to its end: it is
    /// that line which the Markdown is made of.
    fn whole(&mut self, end: usize, complete: bool) {
        let rest = self.text.get(end..).unwrap_or("");
        let reach = end + rest.find('\n').unwrap_or(rest.len());
        let mut scan = markdown::scan(self.text.get(self.base..reach).unwrap_or(""), Tags::Ignored);
        let limit = end - self.base;
        scan.fences.retain(|fence| fence.range.end <= limit);
        self.adopt(&scan, self.base, end, complete || end < self.text.len());
    }
}

fn is_tag(segment: &Segment) -> bool {
    matches!(segment, Segment::Block(block) if block.dialect == Dialect::ExecuteTags)
}

/// Whether a line inside a tag, its indentation gone, only leads to the code: it is blank, or opens a fence.
fn leads_to_code(line: &str) -> bool {
    line.is_empty() || line.starts_with(['`', '~'])
}

fn newlines(text: &str, range: Range<usize>) -> u32 {
    let bytes = text.as_bytes().get(range).unwrap_or(&[]);
    bytes.iter().filter(|b| **b == b'\n').count() as u32
}
