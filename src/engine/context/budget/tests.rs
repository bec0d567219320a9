use super::*;
use crate::domain::samples::{self, BY_PERSON};
use crate::domain::{
    Block, BlockId, Entry, ImageRef, Outcome, OutputBuffer, Revision, Role, RunReport, StepId, Stream,
    Timestamp, Usage,
};
use crate::engine::dialogue::{TextChecks as _, report, terms};
use crate::engine::transcript::BlockStatus;
use proptest::prelude::*;

/// What became of the block of a step; `Ran` has the size of its output.
#[derive(Clone, Debug)]
enum BlockEnd {
    Ran(usize),
    Rejected,
    Skipped,
    Waits,
    NoBlock,
}

/// A session whose turns have these steps (length of the reply, end of the block); every text has its number, so that
/// it can be found.
fn session(turns: &[Vec<(usize, BlockEnd)>], summary: Option<usize>) -> Transcript {
    let mut transcript = Transcript::default();
    let mut step = 0;
    for (turn, steps) in turns.iter().enumerate() {
        if turn > 0 {
            transcript.apply(Entry::TurnEnd(crate::domain::TurnEnd::Answered), Timestamp(1));
        }
        transcript.apply(Entry::Prompt(format!("prompt {turn}.").into()), Timestamp(1));
        for (length, fate) in steps {
            step += 1;
            for entry in entries(step, *length, fate) {
                transcript.apply(entry, Timestamp(1));
            }
        }
    }
    if let Some(upto) = summary {
        let upto = (upto % (transcript.items.len() + 1)) as u32;
        let entry =
            Entry::Summary { upto, text: "the summary.".into(), model: None, usage: Usage::default() };
        transcript.apply(entry, Timestamp(1));
    }
    transcript
}

fn entries(n: u32, length: usize, fate: &BlockEnd) -> Vec<Entry> {
    let (block, revision) = (BlockId(n), Revision(1));
    let text = format!("reply {n}. {}", "r".repeat(length));
    let mut entries = vec![samples::reply(n, &text, "never told")];
    if matches!(fate, BlockEnd::NoBlock) {
        return entries;
    }
    let code = samples::code(n, terms().language, &format!("source {n}."));
    entries.push(Entry::Block(Block { step: StepId(n), ..code }));
    match fate {
        BlockEnd::Ran(bytes) => {
            let mut output = OutputBuffer::new(1 << 20);
            output.push(
                Stream::Stdout,
                format!("begin {n}.\n{}end {n}.\n", "line of output\n".repeat(bytes / 15)).as_bytes(),
            );
            let image = ImageRef {
                path: format!("/blobs/{n}.png").into(),
                name: format!("figure-{n}.png"),
                mime: if n.is_multiple_of(7) { "image/tiff" } else { "image/png" }.into(),
                width: 64,
                height: 64,
                bytes: if n.is_multiple_of(5) { 9 << 20 } else { 900 },
            };
            entries.push(samples::approved(n, (n, 1), "", terms(), BY_PERSON));
            let report = RunReport { output, images: vec![image], ..report(Outcome::Ok) };
            entries.push(samples::ran(n, n, report));
        }
        BlockEnd::Rejected => {
            entries.push(Entry::Rejected { block, revision, reason: format!("reason {n}.") });
        }
        BlockEnd::Skipped => entries.push(Entry::Skipped { block, revision }),
        BlockEnd::Waits | BlockEnd::NoBlock => {}
    }
    entries
}

fn composer<'a>(transcript: &'a Transcript, settings: &'a Settings) -> Composer<'a> {
    Composer::new(transcript, settings, Dialect::Fences)
}

fn texts(composed: &Composition) -> String {
    composed.messages.iter().map(|message| message.text.as_str()).collect::<Vec<_>>().join("\n\n")
}

fn fates() -> impl Strategy<Value = Vec<Vec<(usize, BlockEnd)>>> {
    let fate = prop_oneof![
        4 => (0usize..40_000).prop_map(BlockEnd::Ran),
        1 => Just(BlockEnd::Rejected),
        1 => Just(BlockEnd::Skipped),
        1 => Just(BlockEnd::Waits),
        1 => Just(BlockEnd::NoBlock),
    ];
    prop::collection::vec(prop::collection::vec((0usize..2_000, fate), 0..4), 1..5)
}

proptest! {
    #![proptest_config(crate::test_cases::cases(400))]

    /// If the budget can be met, nothing exceeds it. Only results are shortened, and each shortened one says so and is
    /// counted; the order stays the same; skipped and waiting blocks are not mentioned.
    #[test]
    fn a_conversation_in_its_budget(
        turns in fates(),
        room in 0u64..60_000,
        summary in prop::option::of(0usize..20),
    ) {
        let transcript = session(&turns, summary);
        let settings = Settings { system_prompt: "be kind.".into(), ..Settings::default() };
        let composer = Composer { instructions: "the instructions.", ..composer(&transcript, &settings) };
        let whole = composer.whole();
        let shortest = composer.compose_with(LEVELS[LEVELS.len() - 1]);
        let composed = composer.within(room);

        prop_assert!(composed.estimate <= room.max(shortest.estimate));
        prop_assert_eq!(composed.estimate, estimate(&composed.messages));
        if whole.estimate <= room {
            prop_assert_eq!(&composed, &whole, "cut without need");
        }

        // Every cut is marked and counted.
        let marks = |composed: &Composition| texts(composed).matches("[shortened: ").count();
        prop_assert_eq!(composed.shortened > 0, texts(&composed) != texts(&whole));
        prop_assert!(marks(&composed) >= composed.shortened.max(marks(&whole)));

        // Prompts and replies are whole and in order.
        let text = texts(&composed);
        let upto = transcript.summary().map_or(0, |summary| summary.upto);
        let mut from = 0;
        for item in transcript.items.iter().skip(upto) {
            let wanted = match item {
                Item::Prompt { text, .. } => &**text,
                Item::Reply(reply) => reply.text(),
                _ => continue,
            };
            let at = text[from..].find(wanted);
            prop_assert!(at.is_some(), "{} is gone", wanted.get(..12).unwrap_or(wanted));
            from += at.unwrap_or_default() + wanted.len();
        }
        prop_assert!(text.starts_with("be kind.\n\nthe instructions."));
        prop_assert!(!text.contains("never told"));

        for item in transcript.blocks.values() {
            let id = item.block.id;
            let told = text.contains(&format!("Block {id} ("));
            match &item.status {
                BlockStatus::Skipped | BlockStatus::Open => prop_assert!(!told),
                BlockStatus::Approved | BlockStatus::Rejected(_) if upto == 0 => prop_assert!(told),
                _ => {}
            }
            prop_assert!(!text.contains(&format!("source {id}.")), "the block's text is the reply's business");
        }
        // Roles alternate.
        let roles: Vec<Role> = composed.messages.iter().map(|message| message.role).collect();
        prop_assert!(roles.windows(2).all(|pair| pair[0] != pair[1]), "{roles:?}");
    }
}

/// Three turns with results of this many bytes, and a last one without a reply.
fn long() -> Vec<Vec<(usize, BlockEnd)>> {
    vec![
        vec![(10, BlockEnd::Ran(30_000)), (10, BlockEnd::Ran(30_000))],
        vec![(10, BlockEnd::Ran(30_000))],
        vec![(10, BlockEnd::Ran(30_000)), (10, BlockEnd::Ran(30_000))],
    ]
}

#[test]
fn the_oldest_results_give_way_first() {
    let (transcript, settings) = (session(&long(), None), Settings::default());
    let composer = composer(&transcript, &settings);
    let whole = composer.whole();
    let composed = composer.within(whole.estimate * 2 / 3);
    assert_eq!(composed.shortened, 3, "those of the first two turns");
    let text = texts(&composed);
    let told = |n: u32| {
        let start = text.find(&format!("Block {n} (python)")).unwrap();
        text[start..].split("\n\n").next().unwrap().to_owned()
    };
    assert!(
        told(1).len() < 5_000 && told(1).contains("begin 1.") && told(1).contains("end 1."),
        "{}",
        told(1)
    );
    assert!(told(4).len() > 16_000 && told(5).len() > 16_000);
    let tight = composer.within(0);
    assert_eq!(tight.shortened, 5);
    assert!(texts(&tight).contains("end 5."), "the newest keeps its tail");
}

#[test]
fn a_summary_stands_for_what_came_before() {
    let turns = long();
    // The items: a prompt, two replies, the end; a prompt, a reply, the end; a prompt, two replies.
    let (transcript, settings) = (session(&turns, Some(7)), Settings::default());
    let text = texts(&composer(&transcript, &settings).whole());
    assert!(
        text.contains("written by a model, stands in its place.]\n\nthe summary.\n\nprompt 2."),
        "{}",
        text.len()
    );
    for gone in ["prompt 0.", "prompt 1.", "reply 3.", "Block 3 (python)", "begin 1."] {
        assert!(!text.contains(gone), "{gone}");
    }
    assert!(text.contains("Block 4 (python)"));

    // If a summary ends within a turn, the turn's prompt stays.
    let transcript = session(&turns, Some(9));
    let text = texts(&composer(&transcript, &settings).whole());
    assert!(text.contains("in the person's words:]\n\nprompt 2."), "{text}");
    assert!(!text.contains("reply 4.") && text.contains("reply 5."), "{text}");
}

#[test]
fn what_is_settled_after_a_summary_of_everything_is_told() {
    let mut transcript = session(&[vec![(10, BlockEnd::Ran(30)), (10, BlockEnd::Skipped)]], Some(3));
    assert_eq!(transcript.summary().map(|s| (s.upto, s.settled)), Some((3, 1)));
    let reject = Entry::Rejected { block: BlockId(2), revision: Revision(1), reason: "reason 2.".into() };
    transcript.apply(reject, Timestamp(1));
    texts(&composer(&transcript, &Settings::default()).whole()).has("reason 2.").lacks("Block 1 (python)");
}

#[test]
fn the_loss_of_a_kernel_is_told_also_when_a_summary_hides_what_ran() {
    let mut transcript = session(&[vec![(10, BlockEnd::Ran(30))]], Some(2));
    transcript.apply(Entry::Resumed, Timestamp(1));
    let text = texts(&composer(&transcript, &Settings::default()).whole());
    assert!(text.contains("The session was opened again"), "{text}");
}

#[test]
fn the_newest_images_go_along_if_the_model_can_see() {
    let turns: Vec<_> = (0..9).map(|_| vec![(10, BlockEnd::Ran(10))]).collect();
    let (transcript, settings) = (session(&turns, None), Settings::default());
    let names = |composed: Composition| -> Vec<String> {
        composed.messages.iter().flat_map(|m| &m.images).map(|image| image.image.name.clone()).collect()
    };
    assert_eq!(names(composer(&transcript, &settings).whole()), Vec::<String>::new());
    // The fifth image is too large, the seventh has a format that models can't read.
    let seen = Composer { images: true, ..composer(&transcript, &settings) }.whole();
    assert!(seen.estimate > composer(&transcript, &settings).whole().estimate);
    assert_eq!(names(seen.clone()), ["figure-4.png", "figure-6.png", "figure-8.png", "figure-9.png"]);
    let message = seen.messages.iter().find(|m| !m.images.is_empty()).unwrap();
    assert!(message.role == Role::User && message.text.contains("Block 4 (python)"), "{}", message.text);
}
