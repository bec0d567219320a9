//! Decides what to print of a reply while it is written and when it is complete: all prose before, between and
//! after its blocks, and one line for each block, in order and exactly once, however the pieces arrive.

use crate::domain::StepId;
use crate::engine::Transcript;
use crate::engine::reply::{Segment, think};
use crate::engine::transcript::Item;
use std::ops::Range;

/// A part of a reply's text: prose, or a block with its info string.
pub(super) type ReplyPart<'a> = (Range<usize>, Option<&'a str>);

#[derive(Debug, PartialEq, Eq)]
pub(super) enum ReplyNews {
    Prose(String),
    /// A block is being written in this language.
    Block(String),
}

/// What has been reported of the present reply.
#[derive(Default)]
pub(super) struct ReplyReporter {
    /// The text that was reported or skipped so far.
    passed: String,
    /// The start of the last reported block.
    block: Option<usize>,
}

impl ReplyReporter {
    pub(super) fn more(&mut self, text: &str, segments: &[Segment]) -> Vec<ReplyNews> {
        let parts = segments.iter().map(|segment| match segment {
            Segment::Prose(range) => (range.clone(), None),
            Segment::Block(block) => (block.range.clone(), Some(block.info.as_str())),
        });
        self.report_parts(text, parts, true)
    }

    /// Reports the rest of a complete reply; all of it may be new.
    pub(super) fn end<'a>(
        &mut self,
        text: &str,
        blocks: impl Iterator<Item = ReplyPart<'a>>,
    ) -> Vec<ReplyNews> {
        if !text.starts_with(&self.passed) {
            // The text before turned out to be thinking.
            let at = think::behind_stray_close(&self.passed).unwrap_or(self.passed.len());
            self.passed.drain(..at);
            self.block = None;
        }
        let mut parts: Vec<ReplyPart<'_>> = Vec::new();
        let mut behind = 0;
        for (range, info) in blocks {
            parts.push((behind..range.start, None));
            behind = behind.max(range.end);
            parts.push((range, info));
        }
        parts.push((behind..text.len(), None));
        let news = self.report_parts(text, parts.into_iter(), false);
        *self = Self::default();
        news
    }

    fn report_parts<'a>(
        &mut self,
        text: &str,
        parts: impl Iterator<Item = ReplyPart<'a>>,
        goes_on: bool,
    ) -> Vec<ReplyNews> {
        let mut news = Vec::new();
        for (range, info) in parts {
            let end = range.end.min(text.len());
            match info {
                None => {
                    let end =
                        if goes_on { end - fence_begun(text.get(..end).unwrap_or_default()) } else { end };
                    let new = text.get(self.passed.len()..end).unwrap_or_default();
                    if !new.is_empty() {
                        self.passed.push_str(new);
                        news.push(ReplyNews::Prose(new.to_owned()));
                    }
                }
                // The language is in the block's first line, which is not complete yet.
                Some(_) if goes_on && !text.get(range.clone()).is_some_and(|block| block.contains('\n')) => {}
                Some(info) => {
                    // A block that was already printed as prose is not reported again.
                    let is_new = self.block.is_none_or(|told| told < range.start);
                    if is_new && (range.start >= self.passed.len() || goes_on) {
                        self.block = Some(range.start);
                        let language = info.split_whitespace().next().unwrap_or("code");
                        news.push(ReplyNews::Block(language.to_owned()));
                    }
                    self.passed.push_str(text.get(self.passed.len()..end).unwrap_or_default());
                }
            }
        }
        news
    }
}

/// The positions of the blocks in the text of this reply, with their info strings. Blocks from tool calls have
/// no position in the text.
pub(super) fn blocks(step: StepId, transcript: &Transcript) -> impl Iterator<Item = ReplyPart<'_>> {
    let reply = transcript.items.iter().rev().find_map(|item| match item {
        Item::Reply(reply) if reply.step == step => Some(reply),
        _ => None,
    });
    let blocks = reply.into_iter().flat_map(|reply| &reply.blocks);
    let origins = blocks.filter_map(|id| Some(&transcript.blocks.get(id)?.block.origin));
    let written = origins.filter(|origin| origin.call.is_none());
    written.map(|origin| (origin.range.clone(), Some(origin.info.as_str())))
}

/// The length of the last line if it may become the fence of a block: it is not printed as prose yet.
fn fence_begun(text: &str) -> usize {
    let last = text.rsplit('\n').next().unwrap_or_default();
    if last.trim_start().starts_with(['`', '~', '<']) { last.len() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Dialect, Languages};
    use crate::engine::reply::parse;

    const TEXT: &str = "First I tell a lot.\n\nAnd more.\n\n```bash\necho hi\n```\n\nThis is between.\n\n\
                        ```python\n1 + 1\n```\n\nAnd this is prose after the blocks, `with` a word.";

    fn segments(text: &str, whole: bool) -> Vec<Segment> {
        parse(text, Dialect::Fences, &Languages::default(), whole)
    }

    /// What is reported of a reply that comes in these pieces; the last one comes with its end.
    fn told(pieces: &[&str]) -> Vec<ReplyNews> {
        let (mut reporter, mut news, mut text) = (ReplyReporter::default(), Vec::new(), String::new());
        for (at, piece) in pieces.iter().enumerate() {
            text.push_str(piece);
            if at + 1 < pieces.len() {
                news.extend(reporter.more(&text, &segments(&text, false)));
            }
        }
        let whole = segments(&text, true);
        let blocks = whole.iter().filter_map(|segment| match segment {
            Segment::Block(block) => Some((block.range.clone(), Some(block.info.as_str()))),
            Segment::Prose(_) => None,
        });
        news.extend(reporter.end(&text, blocks));
        let mut joined: Vec<ReplyNews> = Vec::new();
        for one in news {
            match (joined.last_mut(), one) {
                (Some(ReplyNews::Prose(said)), ReplyNews::Prose(more)) => said.push_str(&more),
                (_, one) => joined.push(one),
            }
        }
        joined
    }

    #[test]
    fn all_prose_is_told_in_its_order_and_once_however_quickly_it_comes() {
        let prose = |text: &str| ReplyNews::Prose(text.into());
        let block = |language: &str| ReplyNews::Block(language.into());
        let expected = [
            prose("First I tell a lot.\n\nAnd more.\n\n"),
            block("bash"),
            prose("\nThis is between.\n\n"),
            block("python"),
            prose("\nAnd this is prose after the blocks, `with` a word."),
        ];
        for size in 1..=TEXT.len() {
            let pieces: Vec<&str> =
                TEXT.as_bytes().chunks(size).map(|p| str::from_utf8(p).unwrap()).collect();
            assert_eq!(told(&pieces), expected, "pieces of {size}");
        }
        for at in 0..TEXT.len() {
            let (first, rest) = TEXT.split_at(at);
            assert_eq!(told(&[first, rest]), expected, "cut at {at}");
        }
    }

    /// A model's template opened the thinking, the reply only closes it: the text before was already printed,
    /// the text after is printed too.
    #[test]
    fn what_stands_behind_thinking_is_told() {
        for whole in ["I could run\n</think>\n\nDone, and well.", "Hm\n</think>\n\nDone.\n\nReally."] {
            for at in 0..whole.len() {
                let (mut reporter, first) = (ReplyReporter::default(), &whole[..at]);
                let mut said: Vec<ReplyNews> = reporter.more(first, &segments(first, false));
                let text = &whole[think::behind_stray_close(whole).unwrap()..];
                said.extend(reporter.end(text, std::iter::empty()));
                let said: String = said
                    .iter()
                    .map(|news| match news {
                        ReplyNews::Prose(text) | ReplyNews::Block(text) => text.as_str(),
                    })
                    .collect();
                assert!(said.ends_with(text) && said.matches("Done").count() == 1, "{at}: {said:?}");
            }
        }
    }
}
