//! Prepares text from outside for a message: readable and bounded.

use super::readable::readable;
use crate::domain::{OutputBuffer, Stream, StreamEnds};
use crate::text::number::grouped;

/// The output of one stream in at most about `budget` bytes: the first quarter of the budget is its beginning, the rest
/// its end.
pub(super) fn stream(output: &OutputBuffer, stream: Stream, budget: usize) -> String {
    let head = readable(&String::from_utf8_lossy(&output.head(stream)));
    let tail = readable(&String::from_utf8_lossy(&output.tail(stream)));
    let dropped = output.dropped(stream);
    if dropped == 0 {
        return text(&format!("{head}{tail}"), budget);
    }
    let kept_head = start(&head, budget / 4);
    let kept_tail = end(&tail, budget - budget / 4);
    // Of the part that was not kept only the number of bytes is known.
    join_ends(kept_head, kept_tail, letters(&head) + letters(&tail) + dropped)
}

/// Each end is kept a little longer than it is quoted, so that a cut at the end of the text can be told from one within
/// it.
const SPARE_BYTES: usize = 8;

/// A shortened form of an output that [`stream`] renders like the whole output for every budget up to `most`. `None`:
/// it would not be shorter.
pub(in crate::engine) fn short_form(output: &OutputBuffer, most: usize) -> Option<OutputBuffer> {
    let stdout = ends(output, Stream::Stdout, most)?;
    let stderr = ends(output, Stream::Stderr, most)?;
    let short = OutputBuffer::of_ends(output.limit(), stdout, stderr);
    (short.kept_bytes() < output.kept_bytes()).then_some(short)
}

/// The least number of bytes that [`stream`] renders of both streams of an output, if each result gets this budget.
pub(in crate::engine) fn told_bytes(output: &OutputBuffer, budget: usize) -> usize {
    let printed = |of: &Stream| output.total(*of) > 0;
    let both = [Stream::Stdout, Stream::Stderr].iter().all(printed);
    let budget = if both { budget / 2 } else { budget };
    [Stream::Stdout, Stream::Stderr].iter().map(|of| stream(output, *of, budget).len()).sum()
}

/// Both ends of one stream, as the model would see them. `None`: nothing of what it printed can be shown.
fn ends(output: &OutputBuffer, stream: Stream, most: usize) -> Option<StreamEnds> {
    if output.total(stream) == 0 {
        return Some(StreamEnds::default());
    }
    let head = readable(&String::from_utf8_lossy(&output.head(stream)));
    let tail = readable(&String::from_utf8_lossy(&output.tail(stream)));
    let dropped = output.dropped(stream);
    let (head, tail) = if dropped == 0 { (format!("{head}{tail}"), String::new()) } else { (head, tail) };
    let (first, last) = (most / 4 + SPARE_BYTES, most - most / 4 + SPARE_BYTES);
    // The two ends of one text must not overlap within a character: it would be counted twice.
    let is_short = if dropped == 0 {
        head.ceil_char_boundary(first) >= head.floor_char_boundary(head.len().saturating_sub(last))
    } else {
        head.len() <= first && tail.len() <= last
    };
    if is_short {
        let ends = StreamEnds { head: head.into_bytes(), tail: tail.into_bytes(), dropped };
        // That something was printed has to stay visible, even if nothing of it can be shown.
        return (!ends.head.is_empty() || !ends.tail.is_empty() || dropped > 0).then_some(ends);
    }
    let of = letters(&head) + letters(&tail) + dropped;
    let end = if dropped == 0 { &head } else { &tail };
    let kept_head = head.get(..head.ceil_char_boundary(first)).unwrap_or(&head);
    let kept_tail = end.get(end.floor_char_boundary(end.len().saturating_sub(last))..).unwrap_or(end);
    let dropped = of.saturating_sub(letters(kept_head) + letters(kept_tail));
    Some(StreamEnds { head: kept_head.into(), tail: kept_tail.into(), dropped })
}

/// A text in at most about `budget` bytes: the first quarter of the budget is its beginning, the rest its end.
pub(in crate::engine) fn text(text: &str, budget: usize) -> String {
    if text.len() <= budget {
        return text.to_owned();
    }
    let head = start(text, budget / 4);
    let tail = end(text, budget - budget / 4);
    join_ends(head, tail, letters(text))
}

/// Beginning and end of a text of `of` characters, with a note between them on how many are left out.
fn join_ends(head: &str, tail: &str, of: u64) -> String {
    let gap = if head.is_empty() || head.ends_with('\n') { "" } else { "\n" };
    let missing = grouped(of.saturating_sub(letters(head) + letters(tail)));
    format!("{head}{gap}[shortened: {missing} of {} characters left out]\n{tail}", grouped(of))
}

fn letters(text: &str) -> u64 {
    text.chars().count() as u64
}

/// The beginning, cut after a line end if there is one in its second half.
fn start(text: &str, budget: usize) -> &str {
    let cut = text.get(..text.floor_char_boundary(budget)).unwrap_or_default();
    match cut.rfind('\n') {
        Some(at) if cut.len() < text.len() && at >= budget / 2 => cut.get(..=at).unwrap_or(cut),
        _ => cut,
    }
}

/// The end, cut after a line end if there is one in its first half.
fn end(text: &str, budget: usize) -> &str {
    let from = text.ceil_char_boundary(text.len().saturating_sub(budget));
    let cut = text.get(from..).unwrap_or_default();
    match cut.find('\n') {
        Some(at) if from > 0 && at < budget / 2 => cut.get(at + 1..).unwrap_or(cut),
        _ => cut,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn printed() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            4 => "[a-z ]{0,40}\n",
            2 => "[a-zé日🎉`\t]{0,60}",
            1 => "[x\r\u{8}\u{1b}\u{0}\\[0-9KCD]{0,12}",
        ];
        prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        /// A short form is rendered like the whole, with every budget that it was made for.
        #[test]
        fn a_short_form_is_told_as_the_whole_is(
            limit in 8u64..4_000,
            texts in prop::collection::vec((any::<bool>(), printed()), 0..4),
            (most, budget) in (16usize..600).prop_flat_map(|most| (Just(most), 0..=most)),
        ) {
            let mut output = OutputBuffer::new(limit);
            for (is_error, text) in &texts {
                output.push(if *is_error { Stream::Stderr } else { Stream::Stdout }, text.as_bytes());
            }
            if let Some(short) = short_form(&output, most) {
                for of in [Stream::Stdout, Stream::Stderr] {
                    prop_assert_eq!(stream(&short, of, budget), stream(&output, of, budget));
                    prop_assert_eq!(short.total(of) > 0, output.total(of) > 0);
                }
                prop_assert!(short.kept_bytes() <= 2 * (most + 2 * SPARE_BYTES + 16));
                if let Some(shorter) = short_form(&short, most / 2) {
                    for of in [Stream::Stdout, Stream::Stderr] {
                        let budget = budget / 2;
                        prop_assert_eq!(stream(&shorter, of, budget), stream(&output, of, budget));
                    }
                }
            }
        }
    }
}
