//! Reads a complete reply a second time, for what the model may have meant as a block although its form is not quite
//! right.
//!
//! Nothing is decided here: the blocks wait like every other block, with a note on how they were read.

use super::outside::{self, OutsideScan};
use super::printed_calls::{CallScanner, may_hold_calls};
use super::tiling::{LineCount, Replacement, insert_replacements, newlines, push_prose, push_replacement};
use super::unfenced_edits::TOO_MANY_MESSAGE;
use super::{Proposal, Segment, edit_fence, edits, info, markdown, parse, prompts};
use crate::domain::{BlockKind, Dialect, Languages};
use std::ops::Range;

/// An unfenced edit or printed call that contains a part of a fence causes the text after it to be parsed again. These
/// limit the bytes parsed again: a fixed amount, plus an amount for each byte of the reply. The edit or call that
/// exceeds the limit takes the rest of the reply, and its note says so.
const FREE_REREAD_BYTES: usize = 4 << 20;
const REREAD_BYTES_PER_BYTE: usize = 2;

/// Reads the segments of a complete reply again. `complete`: whether the model finished its reply.
pub fn reread(
    text: &str,
    mut segments: Vec<Segment>,
    dialect: Dialect,
    languages: &Languages,
    complete: bool,
) -> Vec<Segment> {
    let reading = CallScanner { languages, complete };
    let (mut out, mut read) = (Vec::with_capacity(segments.len()), ReadPart::default());
    let mut is_behind_torn = false;
    let mut left = text.len().saturating_mul(REREAD_BYTES_PER_BYTE).saturating_add(FREE_REREAD_BYTES);
    loop {
        let part = text.get(read.bytes..).unwrap_or_default();
        let fences = edit_fence::scan(part, markdown::Tags::Ignored, false).fences;
        let found = read_once(part, segments, &fences, reading, &mut LineCount::default());
        let OutsideScan { mut replacements, cuts_markdown_block, .. } =
            outside::find(text, read.bytes, &fences, &found, reading);
        let goes_on = cuts_markdown_block && left >= part.len();
        left = left.saturating_sub(part.len());
        if let Some(last) = replacements.last_mut().filter(|_| cuts_markdown_block && !goes_on) {
            cut_short(last, part.len());
        }
        let until = replacements.last().filter(|_| goes_on).map(|replacement| replacement.range.end);
        let torn = torn_parts(part, &fences, &replacements, is_behind_torn);
        for mut segment in insert_replacements(part, found, replacements) {
            if let Segment::Block(block) = &mut segment {
                mark_torn(block, &torn, dialect);
            }
            read.push_segment(segment, until.unwrap_or(part.len()), &mut out);
        }
        let Some(end) = until else { return out };
        // The text after the last replacement is parsed again: its fences are no longer those of an edit.
        is_behind_torn = torn.iter().any(|(range, _)| range.contains(&end));
        read.goes_on(part, end);
        segments = parse(text.get(read.bytes..).unwrap_or_default(), dialect, languages, complete);
    }
}

/// Extends a replacement over all the text after it, which was not read.
fn cut_short(replacement: &mut Replacement, end: usize) {
    replacement.range.end = end;
    if let Some(block) = replacement.blocks.last_mut() {
        block.closed &= !matches!(block.special_kind, Some(BlockKind::Edit { .. }));
        block.remark(TOO_MANY_MESSAGE);
    }
}

/// How much of a reply was read so far; added to ranges and lines of the part being read.
#[derive(Default)]
struct ReadPart {
    bytes: usize,
    lines: u32,
}

impl ReadPart {
    /// Adds a segment of the part, up to the offset `until`.
    fn push_segment(&self, segment: Segment, until: usize, out: &mut Vec<Segment>) {
        let moved = |range: Range<usize>| range.start + self.bytes..range.end + self.bytes;
        match segment {
            Segment::Prose(range) if range.start < until => {
                push_prose(moved(range.start..range.end.min(until)), out);
            }
            Segment::Block(mut block) if block.range.end <= until => {
                block.range = moved(block.range);
                let (first, last) = block.lines;
                block.lines = (first.saturating_add(self.lines), last.saturating_add(self.lines));
                out.push(Segment::Block(block));
            }
            _ => {}
        }
    }

    fn goes_on(&mut self, part: &str, bytes: usize) {
        self.lines = self.lines.saturating_add(newlines(part, 0..bytes));
        self.bytes += bytes;
    }
}

/// Reads the blocks and fences of a text again.
fn read_once(
    text: &str,
    segments: Vec<Segment>,
    fences: &[markdown::Fence],
    reading: CallScanner<'_>,
    count: &mut LineCount,
) -> Vec<Segment> {
    let mut out = Vec::with_capacity(segments.len());
    for segment in segments {
        match segment {
            Segment::Block(block) => reread_block(text, block, reading, count, &mut out),
            Segment::Prose(range) => {
                // Fences are in order.
                let from = fences.partition_point(|fence| fence.range.start < range.start);
                let inside = fences.get(from..).unwrap_or_default();
                let inside = inside.iter().take_while(|fence| fence.range.end <= range.end);
                prose(text, range.clone(), inside, reading, count, &mut out);
            }
        }
    }
    out
}

/// A part of a reply that is torn, and the remark on the blocks in it.
type TornPart = (Range<usize>, &'static str);

/// The remark on a fence that is torn.
const TORN: &str = "a fence inside of it ended it: it may be cut off";
/// The remark on what follows it.
const BEHIND_TORN: &str = "it may be part of the fenced text above, which a fence inside of it ended";

/// The fences that Markdown ended at the end of a fence inside of them, each followed by what comes up to the end that
/// was meant, which Markdown takes for the beginning of a fence. Fences in replacements are text. `is_behind`: whether
/// the text begins between a torn fence and that end.
fn torn_parts(
    text: &str,
    fences: &[markdown::Fence],
    replacements: &[Replacement],
    is_behind: bool,
) -> Vec<TornPart> {
    let mut parts: Vec<TornPart> = is_behind.then_some((0..text.len(), BEHIND_TORN)).into_iter().collect();
    for fence in fences {
        let Range { start, end } = fence.range;
        let next = replacements.partition_point(|replacement| replacement.range.end <= start);
        if replacements.get(next).is_some_and(|replacement| replacement.range.start <= start) {
            continue;
        }
        let is_torn = is_torn(text, fence);
        if let Some((last, _)) = parts.last_mut().filter(|_| is_torn || fence.info.trim().is_empty()) {
            last.end = last.end.min(start);
        }
        if is_torn {
            parts.push((start..end, TORN));
            parts.push((end..text.len(), BEHIND_TORN));
        }
    }
    parts
}

/// Marks a block in a torn part: nobody can tell whether its text is what the model meant to have run. Where the model
/// hands over all code between tags, a tag is meant.
fn mark_torn(block: &mut Proposal, torn: &[TornPart], dialect: Dialect) {
    if dialect == Dialect::ExecuteTags && block.dialect == dialect {
        return;
    }
    // A block without bytes of its own belongs to the text before it.
    let at = block.range.start.min(block.range.end.saturating_sub(1));
    let part = torn.get(torn.partition_point(|(part, _)| part.end <= at));
    if let Some((_, remark)) = part.filter(|(part, _)| part.start <= at) {
        (block.closed, block.torn) = (false, true);
        block.remark(remark);
    }
}

/// Whether the text of a fence begins another one, of as many backticks or more, without ending it.
fn is_torn(text: &str, fence: &markdown::Fence) -> bool {
    let backticks = |line: &str| line.len() - line.trim_start_matches('`').len();
    let outer = text.get(fence.marker..).map_or(0, backticks);
    if !fence.closed || outer == 0 || edit_fence::extent(&fence.info, &fence.source).has_begun() {
        return false;
    }
    let mut is_open = false;
    for line in fence.source.lines().map(str::trim) {
        let count = backticks(line);
        let info = line.get(count..).unwrap_or_default();
        if count >= outer && !info.contains('`') {
            is_open = !info.is_empty();
        }
    }
    is_open
}

/// Reads a block again.
fn reread_block(
    text: &str,
    mut block: Proposal,
    reading: CallScanner<'_>,
    count: &mut LineCount,
    out: &mut Vec<Segment>,
) {
    let before = text.get(..block.range.start).unwrap_or("");
    if let Some(edit) = edits::fenced(&block, before, reading.languages) {
        return out.push(Segment::Block(edit));
    }
    // The text of a file is not changed.
    let code = block.special_kind.is_none();
    if code
        && block.language.is_none()
        && block.closed
        && let Some(blocks) = reading.fenced(&block.source, "")
    {
        let lines = count.line_range(text, &block.range);
        return push_replacement(Replacement { range: block.range, blocks }, lines, out);
    }
    if code {
        read_code(&mut block, reading.languages);
    }
    // Models that were trained to stop at the closing tag never print it.
    if block.dialect == Dialect::ExecuteTags
        && !block.closed
        && reading.complete
        && block.range.end == text.len()
    {
        block.closed = true;
        block.remark("</execute> was missing: read up to the end of the reply");
    }
    out.push(Segment::Block(block));
}

/// Takes the prompts off code that is a transcript, and remarks how its language was read.
fn read_code(block: &mut Proposal, languages: &Languages) {
    let word = match block.dialect {
        Dialect::ExecuteTags => "",
        _ => info::language_word(&block.info),
    };
    if let Some(note) = info::version_hint(word, languages) {
        block.remark(&note);
    }
    let language = block.language.as_ref();
    if let Some(removed) = language.and_then(|language| prompts::remove_prompts(&block.source, language)) {
        block.source = removed.source;
        block.remark(&removed.note);
    }
}

/// Reads a range of prose again, with the fences in it that are only shown.
fn prose<'a>(
    text: &str,
    range: Range<usize>,
    fences: impl Iterator<Item = &'a markdown::Fence>,
    reading: CallScanner<'_>,
    count: &mut LineCount,
    out: &mut Vec<Segment>,
) {
    let mut at = range.start;
    for fence in fences.filter(|fence| fence.range.start >= range.start) {
        let Some(replacement) =
            read_displayed_fence(text, fence, reading).filter(|_| fence.range.start >= at)
        else {
            continue;
        };
        push_prose(at..fence.range.start, out);
        at = fence.range.end;
        let lines = count.line_range(text, &replacement.range);
        push_replacement(replacement, lines, out);
    }
    push_prose(at..range.end, out);
}

/// What a fence that is only shown may mean: an edit, calls, or a transcript.
fn read_displayed_fence(
    text: &str,
    fence: &markdown::Fence,
    reading: CallScanner<'_>,
) -> Option<Replacement> {
    let closed =
        fence.closed && (reading.complete || text.get(..fence.range.end).is_some_and(|t| t.ends_with('\n')));
    let word = info::language_word(&fence.info);
    if info::has_norun(&fence.info) || !closed && reading.complete {
        return None;
    }
    let shown = edits::displayed_fence(&fence.info, &fence.source, fence.range.clone(), closed);
    let before = text.get(..fence.range.start).unwrap_or("");
    if let Some(edit) = edits::fenced(&shown, before, reading.languages) {
        return Some(Replacement { range: fence.range.clone(), blocks: vec![edit] });
    }
    if may_hold_calls(word) {
        let blocks = reading.fenced(&fence.source, word)?;
        return Some(Replacement { range: fence.range.clone(), blocks });
    }
    let language =
        info::transcript_language(&fence.info).filter(|l| reading.languages.find(l.as_str()).is_some())?;
    let taken = prompts::remove_prompts(&fence.source, &language)?;
    let note = Some(format!("read from a transcript: {}", taken.note));
    let block = Proposal { language: Some(language), source: taken.source, note, ..shown };
    Some(Replacement { range: fence.range.clone(), blocks: vec![block] })
}

#[cfg(test)]
mod tests;
