//! Tests that a paged session and one that is not paged are the same to a model, a review, a plan and an export.

use super::*;
use crate::domain::{
    AttachedFile, BlockId, Dialect, FailureKind, FinishReason, Outcome, Prompt, RunId, RunReport, StepId,
    Stream,
};
use crate::engine::context;
use crate::engine::dialogue::{Dialogue, report};
use crate::engine::rebuild::RebuildPlan;
use crate::engine::{Command, Effect, Engine, Event, LoadedBody, Phase, Settings, provenance};
use proptest::prelude::*;

/// The output of a run: whether on both streams, how many lines, and which line.
type OutputShape = (bool, usize, &'static str);

fn printed() -> impl Strategy<Value = OutputShape> {
    let lines =
        ["a line of output\n", "é 日本 🎉\n", "50%\r", "\u{1b}[31mred\u{1b}[m and `code`\n", "x", "\u{1b}[m"];
    (any::<bool>(), prop_oneof![0usize..40, 100usize..1_500], prop::sample::select(lines.to_vec()))
}

/// A session with one run for each of these outputs, and this many runs in a turn.
fn session(outputs: &[OutputShape], turn: usize) -> Dialogue {
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
    paged_to(entries, PLENTY, (whole, context))
}

/// A paged transcript with these limits on messages, whole outputs, and results in a context.
fn paged_to(entries: &[(Timestamp, Entry)], messages: usize, (whole, context): (usize, usize)) -> Transcript {
    let mut paged = PagedTranscript::with(messages, Outputs::with(whole, context));
    paged.extend(entries.iter().cloned());
    paged.into()
}

fn engine(transcript: Transcript, tokens: u64) -> Engine {
    let settings = Settings { context_tokens: Some(tokens), ..Settings::default() };
    Engine::resume(settings, transcript, Timestamp(1_000_000)).0
}

/// The request for a prompt, or why none is sent.
fn sent(engine: &mut Engine, entries: &[(Timestamp, Entry)]) -> String {
    sent_for(engine, Command::Submit("and now".into()), entries)
}

/// The request for a command, or why none is sent; loads are answered from these entries.
fn sent_for(engine: &mut Engine, command: Command, entries: &[(Timestamp, Entry)]) -> String {
    let mut effects = engine.handle(Event::User(command), Timestamp(1_000_001));
    loop {
        let (mut asked, mut wanted) = (None, Vec::new());
        for effect in effects {
            match effect {
                Effect::Ask(request) => asked = Some(*request),
                Effect::Load(bodies) => wanted.extend(bodies),
                _ => {}
            }
        }
        if wanted.is_empty() {
            return format!("{asked:?} {:?} {:?}", engine.state().phase(), engine.state().live().context);
        }
        assert!(asked.is_none(), "it does not go out before what it waits for is there");
        let answer = |(body, entry)| LoadedBody { body, result: read(entries, entry) };
        let bodies = wanted.into_iter().map(answer).collect();
        effects = engine.handle(Event::Loaded(bodies), Timestamp(1_000_002));
    }
}

fn read(entries: &[(Timestamp, Entry)], entry: u64) -> Result<Entry, String> {
    usize::try_from(entry)
        .ok()
        .and_then(|at| entries.get(at))
        .map(|(_, entry)| entry.clone())
        .ok_or("gone".into())
}

/// Checks that reviews of these steps, and plans, get the same from both.
fn told_alike(
    (one, other): (&Engine, &Engine),
    entries: &[(Timestamp, Entry)],
    steps: &[u32],
) -> Result<(), TestCaseError> {
    for step in steps {
        let earlier = |engine: &Engine| {
            provenance::unread_texts(engine.state(), StepId(*step))
                .read(|entry| read(entries, entry))
                .unwrap()
        };
        prop_assert_eq!(earlier(one), earlier(other));
    }
    let plan = |engine: &Engine| format!("{:?}", RebuildPlan::of(engine.state()));
    prop_assert_eq!(plan(one), plan(other));
    Ok(())
}

/// The transcript with everything that was paged out loaded again.
fn paged_in(mut transcript: Transcript, entries: &[(Timestamp, Entry)]) -> Transcript {
    for (body, entry) in transcript.all_paged_out() {
        transcript.page_in(body, read(entries, entry).unwrap()).unwrap();
    }
    transcript.blocks.values_mut().flat_map(|item| &mut item.runs).for_each(|run| run.paging = None);
    for item in &mut transcript.items {
        if let Item::Reply(reply) = item {
            reply.entry = None;
        }
    }
    transcript.long_prompts.clear();
    transcript
}

proptest! {
    #![proptest_config(crate::test_cases::cases(400))]

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
        // Only up to the context for which the outputs were kept: with a larger one, old results are quoted shorter.
        let system = crate::engine::context::tokens(&Settings::default().system_prompt);
        let tokens = system + 2_000 + (context as u64 / 4 - 2_000) * part / 100;
        let (mut one, mut other) = (engine(all, tokens), engine(paged, tokens));
        let runs = outputs.len() as u32;
        told_alike((&one, &other), &entries, &[1, runs, runs + 7])?;
        prop_assert_eq!(sent(&mut one, &entries), sent(&mut other, &entries));
    }
}

/// A turn: how often the words of its prompt, of a given file and of its reply are repeated; whether it has a block,
/// and whether that runs; when older items are summarised.
type TurnShape = (usize, usize, usize, Option<bool>, Option<SummaryTime>);

#[derive(Clone, Copy, Debug, PartialEq)]
enum SummaryTime {
    Within,
    Behind,
}

fn said() -> impl Strategy<Value = TurnShape> {
    let times = || prop_oneof![4 => 0usize..20, 1 => 50usize..400];
    let given = prop_oneof![6 => Just(0usize), 2 => 1usize..200, 1 => Just(1_500)];
    let summed = prop_oneof![6 => Just(None), 1 => Just(Some(SummaryTime::Within)), 1 => Just(Some(SummaryTime::Behind))];
    (times(), given, times(), any::<Option<bool>>(), summed)
}

fn conversation(turns: &[TurnShape]) -> Dialogue {
    let mut d = Dialogue::new();
    let mut block = 0;
    for (number, (asked, given, replied, has_block, summed)) in turns.iter().enumerate() {
        let text = format!("Question {number}? {}", "what é is it\n".repeat(*asked));
        let file = |name: &str| {
            let text = "a row 日本\n".repeat(*given);
            AttachedFile { path: name.into(), bytes: text.len() as u64, text, masked: false }
        };
        let files = if *given > 0 { vec![file("a.txt"), file("b.py")] } else { Vec::new() };
        d.command(Command::Submit(Prompt { text, files }));
        let words = format!("Answer {number}. {}", "Some *words* of it.\n\n".repeat(*replied));
        match has_block {
            None => d.reply(&words),
            Some(runs) => {
                block += 1;
                d.reply(&format!("{words}\n```python\nx{block} = {number}\n```\n"));
                if *runs {
                    d.runs(block, block, Outcome::Ok)
                } else {
                    d.reject(block, "not so")
                };
                if *summed == Some(SummaryTime::Within) {
                    block += 1;
                    d.reply(&format!("{words}\n```python\nx{block} = {number}\n```\n"));
                    d.runs(block, block, Outcome::Ok);
                    d.fail(FailureKind::Overflow);
                    sum_up(&mut d);
                    d.command(Command::Retry);
                }
                d.reply("Done.")
            }
        };
        if *summed == Some(SummaryTime::Behind) {
            sum_up(&mut d);
        }
    }
    d
}

/// Makes a summary, if there are older items.
fn sum_up(d: &mut Dialogue) {
    d.command(Command::Compact);
    if matches!(d.state().phase(), Phase::Compacting(_)) {
        d.reply("What was said, in short.");
    }
}

/// A prompt with a file, summarised while its turn goes on, and a turn after it.
#[test]
fn the_task_behind_a_summary_is_told_whole() {
    let turns = [(30, 300, 3, Some(true), Some(SummaryTime::Within)), (0, 0, 400, Some(true), None)];
    let d = conversation(&turns);
    let entries = d.entries().to_vec();
    assert!(d.state().transcript().task_behind_summary().is_some());
    let paged = paged_to(&entries, 0, (PLENTY, PLENTY));
    assert!(paged.message_away(0).is_some());
    let (mut one, mut other) =
        (engine(Transcript::fold(entries.clone()), 1_000_000), engine(paged, 1_000_000));
    for command in [Command::Compact, Command::Stop, Command::Submit("and now".into())] {
        let [all, told] = [&mut one, &mut other].map(|engine| sent_for(engine, command.clone(), &entries));
        let [all, told] = [&all, &told].map(|sent| sent.split("ContextShare").next());
        assert_eq!(told, all);
    }
}

proptest! {
    #![proptest_config(crate::test_cases::cases(400))]

    #[test]
    fn a_conversation_whose_messages_are_in_the_file_alone_is_the_same(
        turns in prop::collection::vec(said(), 1..12),
        stay in prop_oneof![Just(0usize), 0usize..20_000],
        tokens in prop_oneof![600u64..12_000, Just(1_000_000)],
        step in 1u32..24,
    ) {
        let entries = conversation(&turns).entries().to_vec();
        let all = Transcript::fold(entries.clone());
        let paged = paged_to(&entries, stay, (PLENTY, PLENTY));
        prop_assert_eq!(&paged_in(paged.clone(), &entries), &all);
        let (mut one, mut other) = (engine(all, tokens), engine(paged, tokens));
        told_alike((&one, &other), &entries, &[step])?;
        // A length reported before everything is loaded is a lower bound.
        let summed = |engine: &mut Engine| {
            let told = sent_for(engine, Command::Compact, &entries);
            told.split("ContextShare").next().map(str::to_owned)
        };
        prop_assert_eq!(summed(&mut one), summed(&mut other));
        for engine in [&mut one, &mut other] {
            engine.handle(Event::User(Command::Stop), Timestamp(1_000_003));
        }
        prop_assert_eq!(sent(&mut one, &entries), sent(&mut other, &entries));
    }
}

/// Ends the current reply with a call of this code, which is rejected; one more turn follows, and everything is paged
/// out.
fn paged_behind_call(d: &mut Dialogue, code: &str) -> Transcript {
    let arguments = serde_json::json!({"language": "python", "code": code}).to_string();
    d.calls_tool("c", "run_code", &arguments);
    d.finish(FinishReason::ToolCalls);
    d.reject(1, "not so");
    d.reply("Done.");
    d.user("And now?");
    d.reply("Nothing.");
    paged_to(d.entries(), 0, (PLENTY, PLENTY))
}

/// A summary is made from the shortened form of old messages, which says what is left out and still has the blocks of
/// calls.
#[test]
fn a_short_form_tells_what_it_leaves_out_and_the_blocks_of_calls() {
    let mut d = Dialogue::with(Settings { dialect: Some(Dialect::Tools), ..Settings::default() });
    let text = "a row\n".repeat(1_500);
    let file = AttachedFile { path: "a.csv".into(), bytes: text.len() as u64, text, masked: false };
    d.command(Command::Submit(Prompt { text: "Plot it.".into(), files: vec![file] }));
    d.delta(&"Some words of it. ".repeat(300));
    let paged = paged_behind_call(&mut d, "plot(1)");
    assert!((0..2).all(|item| paged.message_away(item).is_some()));
    let told = context::messages(&paged, &Settings::default(), Dialect::Fences);
    let told: String = told.into_iter().map(|message| message.text).collect();
    for part in
        ["Plot it.", "[File a.csv of the", "no room for any of it", "[shortened: ", "plot(1)", "not so"]
    {
        assert!(told.contains(part), "{part} in {told}");
    }
}

/// Of a message that is long only because of its calls, the text is kept.
#[test]
fn the_short_form_of_a_long_call_has_the_words_in_front_of_it() {
    let mut d = Dialogue::with(Settings { dialect: Some(Dialect::Tools), ..Settings::default() });
    d.user("Plot it.");
    d.delta("This plots it.");
    let paged = paged_behind_call(&mut d, &"plot(1);".repeat(LONG / 8));
    assert!(paged.message_away(1).is_some());
    let told = context::messages(&paged, &Settings::default(), Dialect::Fences);
    assert!(told.iter().any(|message| message.text.contains("This plots it.")), "{told:#?}");
}

#[test]
fn the_newest_messages_stay_and_of_others_next_to_nothing() {
    let entries = conversation(&[(9, 0, 30, None, None); 200]).entries().to_vec();
    let all = Transcript::fold(entries.clone());
    let bytes = |transcript: &Transcript| {
        let of = |item: &Item| match item {
            Item::Prompt { .. } => 0,
            Item::Reply(reply) => reply.body.as_ref().map_or(0, |body| body.text.len()),
            _ => 0,
        };
        transcript.items.iter().map(of).sum::<usize>()
    };
    let paged = paged_to(&entries, 20_000, (PLENTY, PLENTY));
    assert!(bytes(&all) > 100_000 && bytes(&paged) < 20_000, "{} {}", bytes(&all), bytes(&paged));
    let last = paged.last_reply().unwrap();
    assert_eq!(last.text(), all.last_reply().unwrap().text());
    // Their sizes are known all the same.
    for item in 0..all.items.len() {
        assert_eq!((paged.tokens_of(item), paged.bytes_of(item)), (all.tokens_of(item), all.bytes_of(item)));
    }
}

const LINE: &str = "a line of output, as long as most are\n";

/// Runs with outputs of 20 KB, each in a turn of its own.
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
    let transcript = paged(&entries, 60_000, 18_000);
    let kept = kept(&transcript);
    assert!(kept.is_sorted(), "{kept:?}");
    assert!(kept[0] < 300 && kept[29] > 19_000, "{kept:?}");
    for form in [256, 1 << 10, 4 << 10, 16 << 10] {
        assert!(kept.iter().any(|bytes| (form..form + 40).contains(bytes)), "{form}: {kept:?}");
    }
    // Nothing is paged out if that saves nothing.
    let transcript = paged(&long_session(4), PLENTY, 0);
    assert_eq!(transcript.all_paged_out(), []);
}

const PLENTY: usize = 1 << 20;

/// Shows the outputs of these runs; loads are answered from these entries.
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
    assert!(engine.state().transcript().run(RunId(2)).unwrap().1.unloaded_output().is_some());
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
        let mut d = RebuildDialogue { engine, now: 2_000_010 };
        let told = d.rebuilds(block, LINE);
        let words = if is_read { "differs in stdout, line 2" } else { "was not compared" };
        assert!(told.contains(words), "{told}");
    }
}

/// Rebuilds a kernel with an engine that is not watched.
struct RebuildDialogue {
    engine: Engine,
    now: i64,
}

impl RebuildDialogue {
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
