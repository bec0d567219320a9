//! The check `reply`: the model answered in words.

use super::{Check, CheckResponse, CheckSpec, NOTHING};
use crate::engine::transcript::{BlockStatus, ReplyItem};
use crate::recipe::view::View;
use crate::text::number::counted;

const ANSWERED: &str = "answered";

#[derive(Debug)]
pub(super) struct Reply;

impl Check for Reply {
    fn spec(&self) -> CheckSpec {
        CheckSpec::of("reply", &[ANSWERED, NOTHING])
    }

    fn judge(&self, view: &View<'_>) -> CheckResponse {
        let Some(reply) = view.reply() else { return CheckResponse::Ask };
        let offered = |status: &BlockStatus| !matches!(status, BlockStatus::Declined(_));
        if view.blocks_of(reply).any(|item| offered(&item.status)) {
            // It looked something up first.
            return CheckResponse::Ask;
        }
        let words = prose_words(view, reply);
        if words == 0 {
            return CheckResponse::judge(NOTHING, "no answer in words");
        }
        let cut = if reply.finish.reason.complete() { "" } else { ", cut off" };
        CheckResponse::judge(ANSWERED, format!("answered in {}{cut}", counted(words, "word")))
    }

    fn hint(&self, _: &View<'_>, _: &str, _: &str) -> String {
        "Answer in words, without a block to run.".into()
    }
}

/// The number of words of a reply outside of its blocks.
fn prose_words(view: &View<'_>, reply: &ReplyItem) -> usize {
    let mut at = 0;
    let mut words = 0;
    let mut ranges: Vec<_> = view.blocks_of(reply).map(|item| item.block.origin.range.clone()).collect();
    ranges.sort_by_key(|range| range.start);
    for range in ranges {
        words += reply.text().get(at..range.start).map_or(0, |prose| prose.split_whitespace().count());
        at = at.max(range.end);
    }
    words + reply.text().get(at..).map_or(0, |prose| prose.split_whitespace().count())
}
