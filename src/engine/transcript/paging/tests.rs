//! A session that is paged and one that is not are the same to a model, to a review, to a plan and to an export.

use super::*;
use crate::domain::{BlockId, Outcome, RunId, RunReport, StepId, Stream};
use crate::engine::dialogue::{Dialogue, report};
use crate::engine::rebuild::RebuildPlan;
use crate::engine::{Command, Effect, Engine, Event, LoadedBody, Settings, provenance};
use proptest::prelude::*;

/// What a run printed: on which streams, how often which line.
type Printed = (bool, usize, &'static str);

fn printed() -> impl Strategy<Value = Printed> {
    let lines =
        ["a line of output\n", "é 日本 🎉\n", "50%\r", "\u{1b}[31mred\u{1b}[m and `code`\n", "x", "\u{1b}[m"];
    (any::<bool>(), prop_oneof![0usize..40, 100usize..1_500], prop::sample::select(lines.to_vec()))
}

/// A session in which each of these was printed by a run of its own; so many runs a turn.
fn session(outputs: &[Printed], turn: usize) -> Dialogue {
    let mut d = Dialogue::new();
    for (number, (both, times, line)) in (1..).zip(outputs) {
        if (number as usize - 1).is_multiple_of(turn) {
            if number > 1 {
                d.reply("Done.");
            }
            d.user("go on");
        }
        d.reply(&format!("```python\nx{number} = 1\n```\n"));
        let mut told = report(Outcome::Ok);
        told.output.push(Stream::Stdout, line.repeat(*times).as_bytes());
        if *both {
            told.output.push(Stream::Stderr, line.repeat(times / 2).as_bytes());
        }
        d.runs_into(number, number, told);
    }
    d.reply("Done.");
    d
}

fn paged(entries: &[(Timestamp, Entry)], whole: usize, context: usize) -> Transcript {
    let mut paged = PagedTranscript { outputs: Outputs::with(whole, context), ..PagedTranscript::default() };
    paged.extend(entries.iter().cloned());
    paged.into()
}

fn engine(transcript: Transcript, tokens: u64) -> Engine {
    let settings = Settings { context_tokens: Some(tokens), ..Settings::default() };
    Engine::resume(settings, transcript, Timestamp(1_000_000)).0
}

/// What is sent for a prompt, or why nothing is.
fn sent(engine: &mut Engine) -> String {
    let effects = engine.handle(Event::User(Command::Submit("and now".into())), Timestamp(1_000_001));
    let asked = effects.into_iter().find_map(|effect| match effect {
        Effect::Ask(request) => Some(*request),
        _ => None,
    });
    format!("{asked:?} {:?} {:?}", engine.state().phase(), engine.state().live().context)
}

fn read(entries: &[(Timestamp, Entry)], entry: u64) -> Result<Entry, String> {
    usize::try_from(entry)
        .ok()
        .and_then(|at| entries.get(at))
        .map(|(_, entry)| entry.clone())
        .ok_or("gone".into())
}

/// All that was paged out, taken in again.
fn paged_in(mut transcript: Transcript, entries: &[(Timestamp, Entry)]) -> Transcript {
    for (body, entry) in transcript.all_paged_out() {
        transcript.page_in(body, read(entries, entry).unwrap()).unwrap();
    }
    transcript.blocks.values_mut().flat_map(|item| &mut item.runs).for_each(|run| run.paging = None);
    transcript
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn a_paged_session_is_the_same(
        outputs in prop::collection::vec(printed(), 1..14),
        turn in 1usize..4,
        whole in 0usize..40_000,
        context in 8_000usize..120_000,
        part in 0u64..=100,
    ) {
        let d = session(&outputs, turn);
        let entries = d.entries().to_vec();
        let all = Transcript::fold(entries.clone());
        let paged = paged(&entries, whole, context);
        prop_assert_eq!(&paged_in(paged.clone(), &entries), &all);
        // At the most as long as what is kept is meant for: a longer one is told less of old results.
        let system = crate::engine::context::tokens(&Settings::default().system_prompt);
        let tokens = system + 2_000 + (context as u64 / 4 - 2_000) * part / 100;
        let (mut one, mut other) = (engine(all, tokens), engine(paged, tokens));
        for step in [1, outputs.len() as u32, outputs.len() as u32 + 7] {
            let earlier = |engine: &Engine| {
                provenance::earlier(engine.state(), StepId(step)).read(|entry| read(&entries, entry)).unwrap()
            };
            prop_assert_eq!(earlier(&one), earlier(&other));
        }
        prop_assert_eq!(
            format!("{:?}", RebuildPlan::of(one.state())),
            format!("{:?}", RebuildPlan::of(other.state()))
        );
        prop_assert_eq!(sent(&mut one), sent(&mut other));
    }
}

const LINE: &str = "a line of output, as long as most are\n";

/// Runs of 20 KB each, each in a turn of its own.
fn long_session(runs: usize) -> Vec<(Timestamp, Entry)> {
    session(&vec![(false, 20_000 / LINE.len(), LINE); runs], 1).entries().to_vec()
}

fn kept(transcript: &Transcript) -> Vec<usize> {
    let runs = transcript.blocks.values().flat_map(|item| &item.runs);
    runs.filter_map(|run| run.ended.as_ref()).map(|(_, report)| report.output.kept_bytes()).collect()
}

#[test]
fn the_further_back_the_less_is_kept_and_of_the_newest_all() {
    let entries = long_session(30);
    let transcript = paged(&entries, 60_000, 10_000);
    let kept = kept(&transcript);
    assert!(kept.is_sorted(), "{kept:?}");
    assert!(kept[0] < 300 && kept[29] > 19_000, "{kept:?}");
    for form in [256, 1 << 10, 4 << 10, 16 << 10] {
        assert!(kept.iter().any(|bytes| (form..form + 40).contains(bytes)), "{form}: {kept:?}");
    }
    // Nothing is paged out where it would not help.
    let transcript = paged(&long_session(4), PLENTY, 0);
    assert_eq!(transcript.all_paged_out(), []);
}

const PLENTY: usize = 1 << 20;

/// Looks at what these runs printed; what was asked of the file is answered from these entries.
fn look(engine: &mut Engine, runs: &[u32], entries: &[(Timestamp, Entry)]) -> usize {
    let bodies = runs.iter().map(|run| Body::Output(RunId(*run))).collect();
    let effects = engine.handle(Event::User(Command::Load(bodies)), Timestamp(2_000_000));
    answer(engine, effects, entries)
}

fn answer(engine: &mut Engine, effects: Vec<Effect>, entries: &[(Timestamp, Entry)]) -> usize {
    let asked = effects.into_iter().filter_map(|effect| match effect {
        Effect::Load(asked) => Some(asked),
        _ => None,
    });
    let bodies: Vec<_> =
        asked.flatten().map(|(body, entry)| LoadedBody { body, result: read(entries, entry) }).collect();
    let count = bodies.len();
    engine.handle(Event::Loaded(bodies), Timestamp(2_000_001));
    count
}

fn output(engine: &Engine, run: u32) -> &RunReport {
    &engine.state().transcript().run(RunId(run)).unwrap().1.ended.as_ref().unwrap().1
}

#[test]
fn an_output_comes_when_it_is_looked_at_and_nothing_else_is_taken_for_it() {
    let entries = long_session(12);
    let whole = Transcript::fold(entries.clone());
    let mut engine = engine(paged(&entries, 60_000, 10_000), 100_000);
    assert_eq!(look(&mut engine, &[1, 12], &entries), 1, "the newest is there");
    assert_eq!(output(&engine, 1).output, whole.run(RunId(1)).unwrap().1.ended.as_ref().unwrap().1.output);
    assert_eq!(look(&mut engine, &[1], &entries), 0, "it is there");
    let other = read(&entries, engine.state().transcript().outputs_away().next().unwrap().1 + 1);
    let effects = engine.handle(Event::User(Command::Load(vec![Body::Output(RunId(2))])), Timestamp(3));
    assert!(matches!(effects[..], [Effect::Load(_)]));
    let loaded = LoadedBody { body: Body::Output(RunId(2)), result: other };
    let told = engine.handle(Event::Loaded(vec![loaded]), Timestamp(4));
    assert!(matches!(&told[..], [Effect::Notify(_)]), "{told:?}");
    assert!(engine.state().transcript().run(RunId(2)).unwrap().1.away().is_some());
    assert_eq!(look(&mut engine, &[2], &entries), 0, "it can't be read");
}

#[test]
fn a_rebuilt_block_is_compared_with_what_it_printed_or_the_plan_ends() {
    for is_read in [true, false] {
        let entries = long_session(6);
        let mut engine = engine(paged(&entries, 0, 0), 100_000);
        let effects = engine.handle(Event::User(Command::Rebuild(vec![RunId(1)])), Timestamp(2_000_000));
        if is_read {
            assert_eq!(answer(&mut engine, effects, &entries), 1);
        }
        let block = BlockId(1);
        let mut d = DialogueOf { engine, now: 2_000_010 };
        let told = d.rebuilds(block, LINE);
        let words = if is_read { "differs in stdout, line 2" } else { "was not compared" };
        assert!(told.contains(words), "{told}");
    }
}

/// A block that is looked at, approved and run, without a watch.
struct DialogueOf {
    engine: Engine,
    now: i64,
}

impl DialogueOf {
    fn send(&mut self, event: Event) -> Vec<Effect> {
        self.now += 1;
        self.engine.handle(event, Timestamp(self.now))
    }

    fn rebuilds(&mut self, block: BlockId, prints: &str) -> String {
        let revision = self.engine.state().transcript().blocks[&block].block.current().revision;
        let terms = crate::engine::dialogue::terms();
        let inspection = crate::engine::Inspection::new(crate::domain::Review::default(), Ok(terms));
        self.send(Event::Inspected(block, revision, Box::new(inspection)));
        let decision = crate::domain::Decision::Approve { typed: true };
        let effects = self.send(Event::User(Command::Decide { block, revision, decision }));
        let run = effects.iter().find_map(|effect| match effect {
            Effect::StartRun { request, .. } => Some(request.approval().run()),
            _ => None,
        });
        let mut ended = report(Outcome::Ok);
        ended.output.push(Stream::Stdout, prints.as_bytes());
        self.send(Event::Run(run.unwrap(), crate::domain::RunEvent::Started));
        let effects = self.send(Event::Run(run.unwrap(), crate::domain::RunEvent::Ended(Box::new(ended))));
        format!("{effects:?}")
    }
}
