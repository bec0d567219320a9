//! A second look at a whole reply: what a model may have meant that is not quite in its form.
//!
//! Nothing is decided here: what comes of it waits like every other block, and its note says how it was read.

use super::printed::{CallScanner, PrintedCalls};
use super::tiling::{keep, put};
use super::{Proposal, Segment, edit_fence, edits, info, markdown, prompts, unfenced};
use crate::domain::{Dialect, Language, Languages};
use std::ops::Range;

/// Words behind a fence that may hold calls of tools.
const CALL_FENCES: [&str; 10] =
    ["", "json", "jsonc", "tool", "tool_call", "tool_calls", "tool_code", "function_call", "xml", "text"];

/// Looks at the segments of a whole reply once more. `complete` tells whether the model said all that it wanted to say.
pub fn reread(text: &str, segments: Vec<Segment>, languages: &Languages, complete: bool) -> Vec<Segment> {
    let reading = CallScanner { languages, complete };
    let fences = edit_fence::scan(text, markdown::Tags::Ignored, false).fences;
    let segments = unfenced::gather(text, &fences, segments);
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
