//! The texts that a block could have its words from: all that was said, printed and read before it was written.
//!
//! Which of its literals really come from them is found out in the review room; here they are only gathered, in their
//! order, and within bounds.

use super::transcript::{BlockItem, Item, Settlement};
use super::{State, Transcript};
use crate::domain::{BlockId, BlockKind, StepId, Stream, TextOrigin};
use std::sync::Arc;

/// Most bytes of outputs and files that are gathered, the newest first; the person's and the model's words are all.
const MOST: usize = 4 << 20;

/// Texts with those whose words they are, oldest first.
pub(crate) type Earlier = Vec<(Arc<str>, TextOrigin)>;

/// What was said, printed and read before the reply of this step: first the files of instructions that requests carry.
/// The person's own edits of a block of that reply are among it: what the person wrote came from nowhere else.
pub(crate) fn earlier(state: &State, step: StepId) -> Earlier {
    let transcript = &state.transcript;
    let end =
        transcript.items.iter().position(|item| matches!(item, Item::Reply(reply) if reply.step == step));
    let end = end.unwrap_or(transcript.items.len());
    let mut texts: Earlier = state
        .live
        .used_instructions()
        .map(|file| (file.text.clone(), if file.own { TextOrigin::Person } else { TextOrigin::Project }))
        .collect();
    let mut settled = transcript.settled.iter().peekable();
    for (at, item) in transcript.items.iter().take(end).enumerate() {
        while let Some(next) = settled.next_if(|settled| settled.after <= at) {
            outcome(transcript, next.block, &next.what, &mut texts);
        }
        match item {
            Item::Prompt { text, files, .. } => {
                texts.push((text.as_str().into(), TextOrigin::Person));
                texts.extend(files.iter().map(|file| (file.text.as_str().into(), TextOrigin::Given)));
            }
            Item::Reply(reply) => texts.push((reply.text.as_str().into(), TextOrigin::Model)),
            _ => {}
        }
    }
    for next in settled.take_while(|settled| settled.after <= end) {
        outcome(transcript, next.block, &next.what, &mut texts);
    }
    let edits = transcript.blocks.values().filter(|item| item.block.step <= step);
    texts.extend(edits.filter_map(edited).map(|text| (text, TextOrigin::Person)));
    bounded(texts)
}

/// What became of a block, as far as it brought words in.
fn outcome(transcript: &Transcript, block: BlockId, what: &Settlement, texts: &mut Earlier) {
    let Some(item) = transcript.blocks.get(&block) else { return };
    match what {
        Settlement::Declined(_) => {}
        Settlement::Rejected(reason) => texts.push((reason.as_str().into(), TextOrigin::Person)),
        Settlement::Ran(run) => {
            let run = item.runs.iter().find(|item| item.run == *run);
            let Some((_, report)) = run.and_then(|run| run.ended.as_ref()) else { return };
            let from = match item.block.kind {
                BlockKind::Code { .. } => TextOrigin::Output(block),
                _ => TextOrigin::File(block),
            };
            for stream in [Stream::Stdout, Stream::Stderr] {
                texts.push((String::from_utf8_lossy(&report.output.bytes(stream)).into(), from));
            }
            let said = [report.value.as_deref(), report.error.as_ref().map(|error| error.traceback.as_str())];
            texts.extend(said.into_iter().flatten().map(|text| (text.into(), from)));
        }
    }
}

/// The lines of a block that the person wrote.
fn edited(item: &BlockItem) -> Option<Arc<str>> {
    if !item.block.edited() {
        return None;
    }
    let original: std::collections::HashSet<&str> = item.block.original().source.lines().collect();
    let own = item.block.current().source.lines().filter(|line| !original.contains(line));
    Some(own.collect::<Vec<_>>().join("\n").into())
}

/// Leaves out the oldest texts from outside where there are too many bytes of them.
fn bounded(texts: Earlier) -> Earlier {
    let mut left = MOST;
    let mut kept: Earlier = texts
        .into_iter()
        .rev()
        .filter(|(text, from)| {
            if from.block().is_none() {
                return true;
            }
            let fits = text.len() <= left;
            left = left.saturating_sub(text.len());
            fits
        })
        .collect();
    kept.reverse();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Outcome;
    use crate::engine::dialogue::Dialogue;

    const ONE: &str = "```python\nprint(1)\n```\n";

    fn told(d: &Dialogue, step: u32) -> Vec<(String, TextOrigin)> {
        let texts = earlier(d.state(), StepId(step));
        texts
            .into_iter()
            .map(|(text, from)| (text.trim().to_owned(), from))
            .filter(|(t, _)| !t.is_empty())
            .collect()
    }

    #[test]
    fn texts_are_told_in_their_order_and_none_that_came_later() {
        let mut d = Dialogue::new();
        d.user("look at a.txt");
        d.reply(ONE);
        d.inspected_ok(1);
        d.type_run(1);
        d.started(1);
        d.prints("see http://x.example/y");
        d.ended(1, Outcome::Ok);
        d.reply("```python\nprint(2)\nprint(3)\n```\n");
        d.edit(2, "print(2)\nprint('mine')\n");
        d.reject(2, "not so");
        d.reply(ONE);
        let (person, model) = (TextOrigin::Person, TextOrigin::Model);
        let output = TextOrigin::Output(BlockId(1));
        let first = [("look at a.txt".to_owned(), person)];
        assert_eq!(told(&d, 1), first);
        let second = [
            ("look at a.txt".to_owned(), person),
            (ONE.trim().to_owned(), model),
            ("see http://x.example/y".to_owned(), output),
            ("print('mine')".to_owned(), person),
        ];
        assert_eq!(told(&d, 2), second);
        let third: Vec<_> = told(&d, 3).into_iter().map(|(_, from)| from).collect();
        assert_eq!(third, [person, model, output, model, person, person]);
    }

    #[test]
    fn instructions_come_first_and_only_those_that_are_told() {
        let file = |path: &str, text: &str, own| crate::domain::Instructions {
            path: path.into(),
            text: text.into(),
            bytes: text.len() as u64,
            own,
        };
        let mut d = Dialogue::with(crate::engine::Settings { use_instructions: true, ..Default::default() });
        let files = vec![file("/h/me.md", "be brief", true), file("/p/AGENTS.md", "use /srv/x", false)];
        d.send(crate::engine::Event::Instructions(files));
        d.user("go");
        d.reply(ONE);
        let (mine, theirs) =
            (("be brief".into(), TextOrigin::Person), ("use /srv/x".into(), TextOrigin::Project));
        let asked = ("go".into(), TextOrigin::Person);
        assert_eq!(told(&d, 1), [mine.clone(), theirs, asked.clone()]);
        d.command(crate::engine::Command::UseInstructions(false));
        assert_eq!(told(&d, 1), [mine, asked]);
    }

    #[test]
    fn too_much_from_outside_is_left_out_oldest_first_and_never_the_persons_words() {
        let outside = |n: u32| (Arc::from("x".repeat(MOST / 2 + 1)), TextOrigin::Output(BlockId(n)));
        let person = (Arc::from("y".repeat(MOST)), TextOrigin::Person);
        let kept = bounded(vec![outside(1), person.clone(), outside(2)]);
        assert_eq!(
            kept.iter().map(|(_, from)| *from).collect::<Vec<_>>(),
            [TextOrigin::Person, TextOrigin::Output(BlockId(2))]
        );
    }
}
