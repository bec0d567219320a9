//! A second look at a whole reply: what a model may have meant that is not quite in its form.
//!
//! Nothing is decided here: what comes of it waits like every other block, and its note says how it was read.

use super::printed::{CallScanner, PrintedCalls};
use super::tiling::{between, keep, newlines, put};
use super::unfenced::{self, UnfencedEdits};
use super::{Proposal, Segment, edit_fence, edits, info, markdown, parse, prompts};
use crate::domain::{Dialect, Language, Languages};
use std::ops::Range;

/// Words behind a fence that may hold calls of tools.
const CALL_FENCES: [&str; 10] =
    ["", "json", "jsonc", "tool", "tool_call", "tool_calls", "tool_code", "function_call", "xml", "text"];

/// Bytes that are read once more behind edits in no fence that hold a part of a fence: that a reply has for nothing, and for
/// each of its bytes. The edit that goes beyond them takes the rest, and says so.
const FREE: usize = 4 << 20;
const PER_BYTE: usize = 2;

/// Looks at the segments of a whole reply once more. `complete` tells whether the model said all that it wanted to say.
pub fn reread(
    text: &str,
    mut segments: Vec<Segment>,
    dialect: Dialect,
    languages: &Languages,
    complete: bool,
) -> Vec<Segment> {
    let reading = CallScanner { languages, complete };
    let (mut out, mut read) = (Vec::with_capacity(segments.len()), ReadPart::default());
    let mut left = text.len().saturating_mul(PER_BYTE).saturating_add(FREE);
    loop {
        let part = text.get(read.bytes..).unwrap_or_default();
        let fences = edit_fence::scan(part, markdown::Tags::Ignored, false).fences;
        let found = once(part, segments, &fences, reading);
        let UnfencedEdits { mut edits, is_torn } = unfenced::find(part, &fences, &found, complete);
        let goes_on = is_torn && left >= part.len();
        let cut = edits.last_mut().filter(|_| is_torn && !goes_on);
        let is_cut = cut.is_some();
        if let Some(edit) = cut {
            (edit.range.end, edit.closed) = (part.len(), false);
        }
        left = left.saturating_sub(part.len());
        let mut blocks: Vec<Proposal> = edits
            .iter()
            .map(|edit| {
                let source = part.get(edit.range.clone()).unwrap_or_default();
                let before = text.get(..read.bytes + edit.range.start).unwrap_or_default();
                unfenced::block(source, edit, before, languages)
            })
            .collect();
        if let Some(last) = blocks.last_mut().filter(|_| is_cut) {
            last.remark("what is behind it was not looked at: the reply has too many edits in no fence");
        }
        let until = edits.last().filter(|_| goes_on).map(|edit| edit.range.end);
        for segment in between(part, found, blocks) {
            read.lay(segment, until.unwrap_or(part.len()), &mut out);
        }
        let Some(end) = until else { return out };
        // What is behind the last is read anew: the fences there are those of no edit.
        read.goes_on(part, end);
        segments = parse(text.get(read.bytes..).unwrap_or_default(), dialect, languages, complete);
    }
}

/// How much of a reply was read by now: ranges and lines are told from its start.
#[derive(Default)]
struct ReadPart {
    bytes: usize,
    lines: u32,
}

impl ReadPart {
    /// Lays down what stands in the part, up to this place of it.
    fn lay(&self, segment: Segment, until: usize, out: &mut Vec<Segment>) {
        let moved = |range: Range<usize>| range.start + self.bytes..range.end + self.bytes;
        match segment {
            Segment::Prose(range) if range.start < until => {
                keep(moved(range.start..range.end.min(until)), out);
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

/// Looks at the segments of a text in which no edit stands outside of a fence.
fn once(
    text: &str,
    segments: Vec<Segment>,
    fences: &[markdown::Fence],
    reading: CallScanner<'_>,
) -> Vec<Segment> {
    let mut out = Vec::with_capacity(segments.len());
    for segment in segments {
        match segment {
            Segment::Block(block) => again(text, block, reading, &mut out),
            Segment::Prose(range) => {
                // They stand in their order.
                let from = fences.partition_point(|fence| fence.range.start < range.start);
                let inside = fences.get(from..).unwrap_or_default();
                let inside = inside.iter().take_while(|fence| fence.range.end <= range.end);
                prose(text, range.clone(), inside, reading, &mut out);
            }
        }
    }
    out
}

/// A block that was read already.
fn again(text: &str, mut block: Proposal, reading: CallScanner<'_>, out: &mut Vec<Segment>) {
    let before = text.get(..block.range.start).unwrap_or("");
    if let Some(edit) = edits::fenced(&block, before, reading.languages) {
        return out.push(Segment::Block(edit));
    }
    // The text of a file is taken as it is.
    let code = block.file.is_none();
    if code
        && block.language.is_none()
        && block.closed
        && let Some(blocks) = reading.fenced(&block.source)
    {
        return put(text, PrintedCalls { range: block.range, blocks }, out);
    }
    let word = match block.dialect {
        Dialect::ExecuteTags => "",
        _ => info::language_word(&block.info),
    };
    if let Some(note) = info::off(word, reading.languages).filter(|_| code) {
        block.remark(&note);
    }
    if let Some(taken) = block
        .language
        .as_ref()
        .filter(|_| code)
        .and_then(|language| prompts::without(&block.source, language))
    {
        block.source = taken.source;
        block.remark(&taken.note);
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

/// A stretch of prose, with the fences in it that are only shown.
fn prose<'a>(
    text: &str,
    range: Range<usize>,
    fences: impl Iterator<Item = &'a markdown::Fence>,
    reading: CallScanner<'_>,
    out: &mut Vec<Segment>,
) {
    let mut at = range.start;
    for fence in fences {
        if fence.range.start < at {
            continue;
        }
        free(text, at..fence.range.start, reading, out);
        at = fence.range.end;
        match shown(text, fence, reading) {
            Some(printed) => put(text, printed, out),
            None => keep(fence.range.clone(), out),
        }
    }
    free(text, at..range.end, reading, out);
}

/// What a fence that is only shown may mean: calls, or a transcript.
fn shown(text: &str, fence: &markdown::Fence, reading: CallScanner<'_>) -> Option<PrintedCalls> {
    let closed =
        fence.closed && (reading.complete || text.get(..fence.range.end).is_some_and(|t| t.ends_with('\n')));
    let word = info::language_word(&fence.info);
    let norun = fence.info.contains("norun");
    if norun || !closed && reading.complete {
        return None;
    }
    let shown = edits::shown(&fence.info, &fence.source, fence.range.clone(), closed);
    let before = text.get(..fence.range.start).unwrap_or("");
    if let Some(edit) = edits::fenced(&shown, before, reading.languages) {
        return Some(PrintedCalls { range: fence.range.clone(), blocks: vec![edit] });
    }
    if CALL_FENCES.iter().any(|known| word.eq_ignore_ascii_case(known)) {
        let blocks = reading.fenced(&fence.source)?;
        return Some(PrintedCalls { range: fence.range.clone(), blocks });
    }
    let language = info::transcript(&fence.info).filter(|l| reading.languages.find(l.as_str()).is_some())?;
    let taken = prompts::without(&fence.source, &language)?;
    let block = transcript(fence, language, &taken, closed);
    Some(PrintedCalls { range: fence.range.clone(), blocks: vec![block] })
}

fn transcript(
    fence: &markdown::Fence,
    language: Language,
    taken: &prompts::PromptsRemoved,
    closed: bool,
) -> Proposal {
    Proposal {
        dialect: Dialect::Fences,
        info: fence.info.clone(),
        file: None,
        language: Some(language),
        source: taken.source.clone(),
        range: fence.range.clone(),
        lines: (0, 0),
        closed,
        note: Some(format!("read from a transcript: {}", taken.note)),
    }
}

fn free(text: &str, range: Range<usize>, reading: CallScanner<'_>, out: &mut Vec<Segment>) {
    let mut at = range.start;
    let here = text.get(range.clone()).unwrap_or("");
    for printed in reading.calls(here, range.start) {
        keep(at..printed.range.start, out);
        at = printed.range.end;
        put(text, printed, out);
    }
    keep(at..range.end, out);
}

#[cfg(test)]
mod tests;
