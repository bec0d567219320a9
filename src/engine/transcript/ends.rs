//! Cuts long replies down to their ends: for a first frame, which shows the end of a conversation and decides nothing.

use super::{Item, ReplyItem, Transcript};

/// From how many bytes on a reply is cut, and how many of them stay at least: many screens full.
const MAX_REPLY_BYTES: usize = 32 << 10;
const MIN_END_BYTES: usize = 16 << 10;

impl Transcript {
    /// Cuts each long reply to its end, which begins after an empty line outside of fences, so that it is laid out as
    /// within the whole.
    pub(in crate::engine) fn keep_ends(&mut self) {
        for item in &mut self.items {
            let Item::Reply(reply) = item else { continue };
            let cut = end_of(reply.text());
            if cut == 0 {
                continue;
            }
            let ReplyItem { body: Some(body), blocks, .. } = reply.as_mut() else { continue };
            body.text.drain(..cut);
            body.reasoning.clear();
            blocks.retain(|id| {
                let Some(block) = self.blocks.get_mut(id).map(|item| &mut item.block) else { return false };
                let range = &mut block.origin.range;
                let is_behind = range.start >= cut;
                *range = range.start.saturating_sub(cut)..range.end.saturating_sub(cut);
                is_behind
            });
        }
    }
}

/// Where the end of a long text begins; 0: the whole text stays.
fn end_of(text: &str) -> usize {
    if text.len() < MAX_REPLY_BYTES {
        return 0;
    }
    let most = text.len() - MIN_END_BYTES;
    let (mut at, mut cut, mut is_fenced, mut is_behind_empty) = (0, 0, false, false);
    for line in text.split_inclusive('\n') {
        if at > most {
            break;
        }
        let words = line.trim();
        if is_behind_empty && !is_fenced && !words.is_empty() && !line.starts_with([' ', '\t']) {
            cut = at;
        }
        is_behind_empty = words.is_empty();
        is_fenced ^= words.starts_with("```") || words.starts_with("~~~");
        at += line.len();
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::dialogue::Dialogue;

    #[test]
    fn an_end_begins_at_a_paragraph_and_its_blocks_stay_where_they_are() {
        let paragraph = "Words of a paragraph, many.\n\n";
        let long = |before: &str| format!("{before}{}", paragraph.repeat(1_500));
        for (text, begins) in [
            (long(""), "Words"),
            // Within a fence no line begins a paragraph.
            (format!("First.\n\n```text norun\n{}```\n\nThe last.\n", paragraph.repeat(1_500)), "```text"),
            (format!("short {paragraph}"), "short"),
            ("x".repeat(100_000), "x"),
        ] {
            let end = text.get(end_of(&text)..).unwrap();
            assert!(end.starts_with(begins), "{}", end.get(..40).unwrap());
            assert!(end.len() >= MIN_END_BYTES.min(text.len()));
        }
        let mut d = Dialogue::after_prompt("go");
        d.reply(&format!("```python\na = 1\n```\n\n{}\n```python\nb = 2\n```\n\nThe end.\n", long("")));
        let mut transcript = d.state().transcript.clone();
        transcript.keep_ends();
        let reply = transcript.last_reply().unwrap();
        assert!(
            reply.text().len() < MAX_REPLY_BYTES
                && reply.text().starts_with("Words")
                && reply.text().ends_with("The end.\n")
        );
        let shown = reply.blocks.iter().map(|id| &transcript.blocks[id].block);
        let texts: Vec<_> = shown.map(|block| &reply.text()[block.origin.range.clone()]).collect();
        assert_eq!(texts.len(), 1);
        assert!(texts[0].contains("b = 2") && !texts[0].contains("end"), "{texts:?}");
    }
}
