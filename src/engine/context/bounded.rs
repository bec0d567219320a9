//! Text from outside, made fit for a message: readable, bounded, and fenced so that it can't pass for anything else.

use super::readable::readable;
use crate::domain::{OutputBuffer, Stream};
use crate::text::number::grouped;

/// What one stream printed, at most about `budget` bytes of it: the first quarter and the tail.
pub(super) fn stream(output: &OutputBuffer, stream: Stream, budget: usize) -> String {
    let head = readable(&String::from_utf8_lossy(&output.head(stream)));
    let tail = readable(&String::from_utf8_lossy(&output.tail(stream)));
    let dropped = output.dropped(stream);
    if dropped == 0 {
        return text(&format!("{head}{tail}"), budget);
    }
    let kept_head = start(&head, budget / 4);
    let kept_tail = end(&tail, budget - budget / 4);
    // Of what was not kept only the bytes are known.
    joined(kept_head, kept_tail, letters(&head) + letters(&tail) + dropped)
}

/// A text, at most about `budget` bytes of it: the first quarter and the tail.
pub(in crate::engine) fn text(text: &str, budget: usize) -> String {
    if text.len() <= budget {
        return text.to_owned();
    }
    let head = start(text, budget / 4);
    let tail = end(text, budget - budget / 4);
    joined(head, tail, letters(text))
}

/// Head and tail of a text that has so many characters, and between them how many are left out.
fn joined(head: &str, tail: &str, of: u64) -> String {
    let gap = if head.is_empty() || head.ends_with('\n') { "" } else { "\n" };
    let missing = grouped(of.saturating_sub(letters(head) + letters(tail)));
    format!("{head}{gap}[shortened: {missing} of {} characters left out]\n{tail}", grouped(of))
}

fn letters(text: &str) -> u64 {
    text.chars().count() as u64
}

/// The beginning, cut behind a line where one ends in its second half.
fn start(text: &str, budget: usize) -> &str {
    let cut = text.get(..text.floor_char_boundary(budget)).unwrap_or_default();
    match cut.rfind('\n') {
        Some(at) if cut.len() < text.len() && at >= budget / 2 => cut.get(..=at).unwrap_or(cut),
        _ => cut,
    }
}

/// The end, cut before a line where one begins in its first half.
fn end(text: &str, budget: usize) -> &str {
    let from = text.ceil_char_boundary(text.len().saturating_sub(budget));
    let cut = text.get(from..).unwrap_or_default();
    match cut.find('\n') {
        Some(at) if from > 0 && at < budget / 2 => cut.get(at + 1..).unwrap_or(cut),
        _ => cut,
    }
}

/// A text inside a fence that is longer than any run of backticks in it.
pub(in crate::engine) fn fenced(info: &str, text: &str) -> String {
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(3.max(longest + 1));
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{info}\n{text}{end}{fence}")
}
