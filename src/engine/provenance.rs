//! Collects the texts from which a block may have its words: all that was said, printed and read before it was written.
//!
//! The review room finds out which of the block's literals come from them; here they are only collected, in their order
//! and within bounds.

use super::transcript::{BlockItem, Item, OTHER_ENTRY, Settlement};
use super::{State, Transcript};
use crate::domain::{BlockId, BlockKind, Entry, Prompt, RunId, RunReport, StepId, Stream, TextOrigin};
use std::sync::Arc;

/// The most bytes of outputs and files, the newest first. The words of the person and the model are all included,
/// except old [messages](MAX_MESSAGE_BYTES).
const MAX_BYTES: usize = 4 << 20;
/// The most bytes of messages that are read from the session file for it, the newest first.
const MAX_MESSAGE_BYTES: usize = 32 << 20;

/// Texts and where each comes from, oldest first.
pub(crate) type TracedTexts = Vec<(Arc<str>, TextOrigin)>;

/// The texts, some of which still have to be read from the session file.
#[derive(Debug, Default)]
pub(crate) struct UnreadTexts(Vec<(TextSource, TextOrigin)>);

/// A text, or where the session file has it.
#[derive(Debug)]
enum TextSource {
    Here(Arc<str>),
    /// The output of a run: the run and the number of its entry.
    Away(RunId, u64),
    /// A message: the number of its entry, and about how many bytes it has.
    Message(u64, usize),
}

impl UnreadTexts {
    /// Returns the texts; `read` reads an entry of the session file. If outputs and files are too large, the oldest are
    /// left out without reading them.
    ///
    /// # Errors
    /// If an entry can't be read: then it is not known what came from it.
    pub(crate) fn read(
        &self,
        mut read: impl FnMut(u64) -> Result<Entry, String>,
    ) -> Result<TracedTexts, String> {
        let (mut left, mut of_messages) = (MAX_BYTES, MAX_MESSAGE_BYTES);
        let mut kept: TracedTexts = Vec::new();
        for (words, from) in self.0.iter().rev() {
            let texts = match words {
                TextSource::Here(text) => vec![text.clone()],
                // After a message that is too large, no older one is read: the oldest are left out.
                TextSource::Message(_, bytes) if *bytes > of_messages => {
                    of_messages = 0;
                    continue;
                }
                TextSource::Message(entry, bytes) => {
                    of_messages -= bytes;
                    kept.extend(message_texts(read(*entry)?)?);
                    continue;
                }
                TextSource::Away(..) if left == 0 => continue,
                TextSource::Away(run, entry) => match read(*entry)? {
                    Entry::Ran { run: found, report, .. } if found == *run => texts_of_run(&report),
                    _ => return Err(OTHER_ENTRY.to_owned()),
                },
            };
            for text in texts.into_iter().rev() {
                if from.block().is_some() {
                    let fits = text.len() <= left;
                    left = left.saturating_sub(text.len());
                    if !fits {
                        continue;
                    }
                }
                kept.push((text, *from));
            }
        }
        kept.reverse();
        Ok(kept)
    }
}

/// The texts of a message in reverse order.
fn message_texts(entry: Entry) -> Result<TracedTexts, String> {
    match entry {
        Entry::Reply { text, .. } => Ok(vec![(text.into(), TextOrigin::Model)]),
        Entry::Prompt(Prompt { text, files }) => {
            let files = files.into_iter().rev().map(|file| (file.text.into(), TextOrigin::Given));
            Ok(files.chain([(text.into(), TextOrigin::Person)]).collect())
        }
        _ => Err(OTHER_ENTRY.to_owned()),
    }
}

/// What a run returned: both streams, its value, its error.
fn texts_of_run(report: &RunReport) -> Vec<Arc<str>> {
    let streams = [Stream::Stdout, Stream::Stderr];
    let streams = streams.map(|stream| String::from_utf8_lossy(&report.output.bytes(stream)).into());
    let said = [report.value.as_deref(), report.error.as_ref().map(|error| error.traceback.as_str())];
    streams.into_iter().chain(said.into_iter().flatten().map(Into::into)).collect()
}

/// What was said, printed and read before the reply of this step, beginning with the instruction files in use. Includes
/// the person's edits of blocks of that reply: these words come from the person.
pub(crate) fn unread_texts(state: &State, step: StepId) -> UnreadTexts {
    let transcript = &state.transcript;
    let end =
        transcript.items.iter().position(|item| matches!(item, Item::Reply(reply) if reply.step == step));
    let end = end.unwrap_or(transcript.items.len());
    let own = |own| if own { TextOrigin::Person } else { TextOrigin::Project };
    let instructions = state.live.used_instructions();
    let mut texts: Vec<(TextSource, TextOrigin)> =
        instructions.map(|file| (TextSource::Here(file.text.clone()), own(file.own))).collect();
    let mut settled = transcript.settled.iter().peekable();
    for (at, item) in transcript.items.iter().take(end).enumerate() {
        while let Some(next) = settled.next_if(|settled| settled.after <= at) {
            push_settlement(transcript, next.block, &next.what, &mut texts);
        }
        if let Some((entry, out)) = transcript.message_away(at) {
            texts.push((TextSource::Message(entry, out.bytes as usize), TextOrigin::Model));
            continue;
        }
        match item {
            Item::Prompt { text, files, .. } => {
                texts.push((in_memory(text), TextOrigin::Person));
                texts.extend(files.iter().map(|file| (in_memory(&file.text), TextOrigin::Given)));
            }
            Item::Reply(reply) => texts.push((in_memory(reply.text()), TextOrigin::Model)),
            _ => {}
        }
    }
    for next in settled.take_while(|settled| settled.after <= end) {
        push_settlement(transcript, next.block, &next.what, &mut texts);
    }
    let edits = transcript.blocks.values().filter(|item| item.block.step <= step);
    texts.extend(edits.filter_map(edited_lines).map(|text| (TextSource::Here(text), TextOrigin::Person)));
    drop_excess(&mut texts);
    UnreadTexts(texts)
}

/// Drops outputs and files that would be left out in any case, because newer ones in memory use up the limit.
fn drop_excess(texts: &mut Vec<(TextSource, TextOrigin)>) {
    let mut left = MAX_BYTES;
    texts.reverse();
    texts.retain(|(words, from)| match words {
        TextSource::Here(text) if from.block().is_some() => {
            let fits = text.len() <= left;
            left = left.saturating_sub(text.len());
            fits
        }
        _ => true,
    });
    texts.reverse();
}

fn in_memory(text: &str) -> TextSource {
    TextSource::Here(text.into())
}

/// Adds the words that came with what became of a block.
fn push_settlement(
    transcript: &Transcript,
    block: BlockId,
    what: &Settlement,
    texts: &mut Vec<(TextSource, TextOrigin)>,
) {
    let Some(item) = transcript.blocks.get(&block) else { return };
    match what {
        Settlement::Declined(_) => {}
        Settlement::Rejected(reason) => texts.push((in_memory(reason), TextOrigin::Person)),
        Settlement::Ran(run) => {
            let Some(run) = item.runs.iter().find(|item| item.run == *run) else { return };
            let Some((_, report)) = run.ended.as_ref() else { return };
            let from = match item.block.kind {
                BlockKind::Code { .. } => TextOrigin::Output(block),
                _ => TextOrigin::File(block),
            };
            match run.unloaded_output() {
                Some((entry, _)) => texts.push((TextSource::Away(run.run, entry), from)),
                None => {
                    texts.extend(texts_of_run(report).into_iter().map(|text| (TextSource::Here(text), from)));
                }
            }
        }
    }
}

/// The lines of a block that the person wrote.
fn edited_lines(item: &BlockItem) -> Option<Arc<str>> {
    if !item.block.is_edited() {
        return None;
    }
    let original: std::collections::HashSet<&str> = item.block.original().source.lines().collect();
    let own = item.block.current().source.lines().filter(|line| !original.contains(line));
    Some(own.collect::<Vec<_>>().join("\n").into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Outcome;
    use crate::domain::samples::instructions;
    use crate::engine::dialogue::Dialogue;

    #[test]
    fn of_messages_the_newest_are_read_and_none_behind_a_gap() {
        let message = |entry, bytes| (TextSource::Message(entry, bytes), TextOrigin::Model);
        let texts =
            UnreadTexts(vec![message(0, 10), message(1, MAX_MESSAGE_BYTES), message(2, 10), message(3, 10)]);
        let mut read = Vec::new();
        let told = texts.read(|entry| {
            read.push(entry);
            Ok(Entry::Prompt("words".into()))
        });
        assert_eq!((told.map(|texts| texts.len()), read), (Ok(2), vec![3, 2]));
    }

    const ONE: &str = "```python\nprint(1)\n```\n";

    fn told(d: &Dialogue, step: u32) -> Vec<(String, TextOrigin)> {
        let texts = unread_texts(d.state(), StepId(step)).read(|_| Err("nothing is away".into())).unwrap();
        texts
            .into_iter()
            .map(|(text, from)| (text.trim().to_owned(), from))
            .filter(|(t, _)| !t.is_empty())
            .collect()
    }

    #[test]
    fn texts_are_told_in_their_order_and_none_that_came_later() {
        let mut d = Dialogue::after_prompt("look at a.txt");
        d.reply(ONE);
        d.begins(1, 1);
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
        let mut d = Dialogue::with(crate::engine::Settings { use_instructions: true, ..Default::default() });
        let files = vec![
            instructions("/h/me.md", "be brief", true),
            instructions("/p/AGENTS.md", "use /srv/x", false),
        ];
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
        let outside = |n: u32| (in_memory(&"x".repeat(MAX_BYTES / 2 + 1)), TextOrigin::Output(BlockId(n)));
        let person = (in_memory(&"y".repeat(MAX_BYTES)), TextOrigin::Person);
        let kept = UnreadTexts(vec![outside(1), person, outside(2)]).read(|_| panic!("all is here")).unwrap();
        assert_eq!(
            kept.iter().map(|(_, from)| *from).collect::<Vec<_>>(),
            [TextOrigin::Person, TextOrigin::Output(BlockId(2))]
        );
    }

    #[test]
    fn what_the_file_alone_has_is_read_as_far_as_it_counts_and_else_nothing_is_known() {
        let away = |n: u32| (TextSource::Away(RunId(n), u64::from(n)), TextOrigin::Output(BlockId(n)));
        let ran = |n: u64, bytes: usize| {
            let mut report = RunReport::bare(Outcome::Ok);
            report.output = crate::domain::OutputBuffer::new(2 * MAX_BYTES as u64);
            report.output.push(Stream::Stdout, "x".repeat(bytes).as_bytes());
            crate::domain::samples::ran(n as u32, 1, report)
        };
        let all = UnreadTexts(vec![away(1), away(2), away(3)]);
        let mut read = Vec::new();
        let texts = all.read(|entry| {
            read.push(entry);
            Ok(ran(entry, MAX_BYTES / 2 + 1))
        });
        assert_eq!(read, [3, 2], "the oldest is not read");
        let told: Vec<_> = texts.unwrap().into_iter().filter(|(text, _)| !text.is_empty()).collect();
        assert_eq!(told.len(), 1);
        assert!(all.read(|_| Err("gone".into())).is_err());
        assert!(all.read(|_| Ok(ran(7, 1))).is_err(), "another run is not taken for it");
    }
}
