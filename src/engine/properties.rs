//! Property tests: whatever the order of events, even a nonsensical one, the engine's invariants hold.
//!
//! [`WatchedEngine`] checks after every event that no run starts without a recorded decision about exactly those bytes
//! and terms by somebody who was asked, that every run ends once, that the transcript equals its folded entries, and
//! that the phase fits the state. The tests here feed it random events, most of them close to what could really come.

use super::cost::Prices;
use super::dialogue::{WatchedEngine, confined, failure, report, review, terms};
use super::replying::follow_all;
use super::state::Countdown;
use super::{
    Command, Effect, Engine, Event, Inspection, NamedFile, OpenedBlock, OpenedFile, OpinionSettings, Phase,
    RecordedBlock, Settings, StoreEvent,
};
use crate::domain::{
    BlockId, BlockKind, Chunk, DeadKernel, Decision, Dialect, ExecutorKind, FailureKind, Finish,
    FinishReason, Instructions, KernelFate, KernelRef, Language, Limits, ModelInfo, ModelName, OnDisk,
    OpaqueItem, OpinionReply, Outcome, Policy, Price, ReplyEvent, Review, Revision, RuleId, RuleScope,
    RunEvent, RunId, RunReport, Severity, StepId, Stream, Target, Terms, TimerId, Timestamp, ToolCall, Usage,
};
use proptest::prelude::*;

/// Cases of each property.
const CASES: u32 = 10_000;
/// The most events of a case.
const EVENTS: usize = 80;

const REPLIES: &[&str] = &[
    "```python\nprint(1)\n```\n",
    "```python\nprint(1)\n```\nand\n```bash\nls\n```\nand\n```python\nprint(2)\n```\n",
    "Just words.",
    "```\nno language\n```\n",
    "```python\nprint('never closed",
    "```python\n   \n```\n",
    "",
    "<tool_call>{\"name\": \"list_files\", \"arguments\": {}}</tool_call>\n",
    "<think>\n```bash\nls\n```\n</think>\nSo.",
];
const CALLS: &[(&str, &str)] = &[
    ("run_code", r#"{"language": "python", "code": "print(1)"}"#),
    ("write_file", r#"{"path": "a.txt", "content": "x\n"}"#),
    ("read_file", r#"{"path": "a.txt"}"#),
    ("run_code", r#"{"code": "ls"}"#),
    ("run_code", r#"{"code": "#),
    ("list_files", "{}"),
    ("rm", "{}"),
];
const SOURCES: &[&str] = &["print(1)\n", "print(3)\n", "", "  \n", "print(1)\r\n"];

/// A random event: its kind, and two numbers that choose its content.
type EventNumbers = (u8, u8, u8);

/// Makes the event. How often a kind occurs below sets its probability.
fn event(watched: &WatchedEngine, (kind, a, b): EventNumbers) -> Event {
    let aim = EventMaker { watched, a: usize::from(a), b: usize::from(b) };
    if kind >= 80 {
        return aim.fitting();
    }
    match kind % 40 {
        0..=2 => Event::User(Command::Submit(["x", "y", " "][aim.a % 3].into())),
        3..=5 => aim.reply(ReplyEvent::Delta(pick(REPLIES, aim.b).into())),
        6..=9 => aim.reply(ReplyEvent::Finished(Finish { reason: aim.reason(), word: None })),
        10 => aim.reply(aim.other_reply()),
        11 if aim.b.is_multiple_of(3) => aim.reply(ReplyEvent::Failed(failure(FailureKind::NoTools))),
        11 => aim.reply(ReplyEvent::Failed(failure(FailureKind::Cut))),
        12..=17 => aim.inspected(),
        18..=23 => aim.decide(Decision::Approve { typed: !aim.b.is_multiple_of(4) }),
        24 => aim.decide(Decision::Edit(pick(SOURCES, aim.b).into())),
        25 => aim.decide(Decision::Reject("no".into())),
        26 => aim.decide(Decision::Skip),
        27 => aim.run(RunEvent::Started),
        28 => aim.run(RunEvent::Output(Chunk { stream: Stream::Stdout, bytes: vec![b'x'; 9] })),
        29..=32 => aim.run(RunEvent::Ended(Box::new(aim.report()))),
        33 => Event::User(Command::Reopen(aim.block())),
        34 => Event::User(Command::ChooseLanguage { block: aim.block(), language: aim.language() }),
        35 => {
            if aim.a % 4 == 1 {
                return Event::User(Command::ToggleTerminal(aim.block()));
            }
            if aim.a.is_multiple_of(4) {
                return Event::User(Command::ToggleNewKernel(aim.block()));
            }
            let limits = Limits { wall_ms: aim.b as u64 % 3, ..Limits::default() };
            Event::User(Command::SetLimits { block: aim.block(), limits })
        }
        36 => Event::Store(if aim.a.is_multiple_of(3) {
            StoreEvent::Failed("full".into())
        } else {
            StoreEvent::Recovered
        }),
        37 => match aim.a % 7 {
            0 if aim.b.is_multiple_of(3) => Event::KernelWarning("away".into()),
            0 => Event::KernelDied(DeadKernel::of_python("signal 9")),
            1 => Event::Timer(aim.timer()),
            2 => Event::User(Command::RestartKernel),
            3 => aim.known(),
            4 => Event::Instructions(aim.instructions()),
            _ => aim.opinion_arrived(),
        },
        _ => Event::User(aim.command()),
    }
}

fn pick<'a>(from: &[&'a str], at: usize) -> &'a str {
    from[at % from.len()]
}

/// Makes events about existing blocks and runs, and now and then about others.
struct EventMaker<'a> {
    watched: &'a WatchedEngine,
    a: usize,
    b: usize,
}

impl EventMaker<'_> {
    fn phase(&self) -> &Phase {
        &self.watched.engine.state().phase
    }

    /// An event that makes sense now: without these, most sessions would end before anything has run.
    fn fitting(&self) -> Event {
        match self.phase() {
            Phase::Idle if self.b.is_multiple_of(3) => Event::User(Command::Reopen(self.block())),
            Phase::Idle if self.b % 5 == 1 => Event::User(self.files()),
            Phase::Idle => Event::User(Command::Submit("x".into())),
            Phase::Replying(_) => {
                let reply = self.watched.engine.state().live.reply.as_ref();
                let calls = reply.map_or(0, |reply| reply.calls.len());
                if calls < 3 && self.b % 4 == 3 {
                    self.reply(self.call())
                } else if reply.is_some_and(|reply| reply.text.is_empty()) && !self.b.is_multiple_of(5) {
                    self.reply(ReplyEvent::Delta(pick(&REPLIES[..5], self.b).into()))
                } else {
                    self.reply(ReplyEvent::Finished(Finish { reason: self.reason(), word: None }))
                }
            }
            Phase::Deciding(_) if self.announced().is_some() && !self.b.is_multiple_of(3) => {
                self.announced().unwrap_or(Event::Timer(TimerId(1)))
            }
            Phase::Deciding(block) => match self.watched.engine.state().inspected(*block) {
                None => self.inspected(),
                Some(_) => match self.b % 8 {
                    0 => self.decide(Decision::Edit(pick(SOURCES, self.a / 8).into())),
                    1 => Event::User(Command::ChooseLanguage { block: *block, language: Language::python() }),
                    2 => self.decide(Decision::Approve { typed: false }),
                    3 => self.decide(Decision::Skip),
                    4 => self.decide(Decision::Always(RuleScope::ALL[self.a / 3 % 3])),
                    _ => self.decide(Decision::Approve { typed: true }),
                },
            },
            Phase::Running(_) if self.b.is_multiple_of(3) => self.run(RunEvent::Started),
            Phase::Running(_) => self.run(RunEvent::Ended(Box::new(self.report()))),
            Phase::Asking(_) if self.b.is_multiple_of(2) => Event::User(Command::EndTurn),
            Phase::Asking(_) => Event::User(Command::Continue),
            Phase::Stuck(_) if self.b.is_multiple_of(3) => Event::User(Command::Compact),
            Phase::Stuck(_) => Event::User(Command::Retry),
            Phase::Compacting(_) => {
                let summary = self.watched.engine.state().live.summary.as_ref();
                if summary.is_some_and(|summary| summary.text.is_empty()) && !self.b.is_multiple_of(5) {
                    self.reply(ReplyEvent::Delta("They wanted x.".into()))
                } else {
                    self.reply(ReplyEvent::Finished(Finish { reason: self.reason(), word: None }))
                }
            }
        }
    }

    /// An event that makes sense while a rule covers the block that waits.
    fn announced(&self) -> Option<Event> {
        let matched = self.watched.engine.state().live.matched.as_ref()?;
        let (block, revision) = (matched.block, matched.revision);
        if self.b % 3 == 1 {
            return Some(Event::User(Command::RevokeRule(matched.rule)));
        }
        Some(match matched.countdown {
            Countdown::NotShown => Event::User(Command::OnScreen { block, revision, seen: true }),
            Countdown::Since(_, timer) => Event::Timer(timer),
        })
    }

    /// The id of the timer that was set last, or one before it.
    fn timer(&self) -> TimerId {
        let matched = self.watched.engine.state().live.matched.as_ref();
        let set = matched.and_then(|matched| match matched.countdown {
            Countdown::Since(_, timer) => Some(timer.0),
            Countdown::NotShown => None,
        });
        TimerId(set.unwrap_or(1).saturating_sub(self.b as u32 % 2))
    }

    fn reply(&self, event: ReplyEvent) -> Event {
        let off = u32::from(self.a.is_multiple_of(16));
        Event::Reply(StepId(self.watched.last_step.0.saturating_sub(off)), event)
    }

    fn reason(&self) -> FinishReason {
        let reasons =
            [FinishReason::Stop, FinishReason::Stop, FinishReason::Length, FinishReason::Incomplete];
        reasons[self.b % 4]
    }

    /// A tool call, valid or not; two in eight have the same id, and one has none.
    fn call(&self) -> ReplyEvent {
        let (name, arguments) = CALLS[self.b / 4 % CALLS.len()];
        let id = match self.a % 8 {
            0 => String::new(),
            n => format!("c{}", n / 2),
        };
        ReplyEvent::ToolCall(ToolCall { id, name: name.into(), arguments: arguments.into(), signature: None })
    }

    fn other_reply(&self) -> ReplyEvent {
        match self.b % 6 {
            4 => self.call(),
            5 => ReplyEvent::Kept(OpaqueItem { kind: "p".into(), json: "{}".into() }),
            0 => ReplyEvent::Sent,
            1 => ReplyEvent::Reasoning("hm".into()),
            2 if self.a.is_multiple_of(2) => ReplyEvent::Usage(Usage { output: Some(7), ..Usage::default() }),
            2 => ReplyEvent::Usage(Usage { input: Some(40), output: Some(7), ..Usage::default() }),
            _ => {
                ReplyEvent::Retrying { attempt: 1, of: 5, wait_ms: 9, failure: failure(FailureKind::Server) }
            }
        }
    }

    fn block(&self) -> BlockId {
        match self.phase() {
            Phase::Deciding(block) if !self.a.is_multiple_of(4) => *block,
            _ => {
                let last = self.watched.engine.state().transcript.blocks.keys().next_back();
                BlockId(self.a as u32 % (last.map_or(0, |b| b.0) + 2))
            }
        }
    }

    fn revision(&self, block: BlockId) -> Revision {
        let current = self.watched.engine.state().transcript.blocks.get(&block);
        let current = current.map_or(Revision(1), |item| item.block.current().revision);
        if self.a % 8 == 1 { Revision(current.0.saturating_sub(1)) } else { current }
    }

    fn language(&self) -> Language {
        Language(["python", "bash", "cobol"][self.b % 3].into())
    }

    fn inspected(&self) -> Event {
        let block = self.block();
        let item = self.watched.engine.state().transcript.blocks.get(&block);
        let language = item.and_then(|item| item.block.current().language.clone());
        let generation = self.b as u32 / 5 % 2;
        let file = item.filter(|item| !item.block.kind.is_code());
        let target =
            file.map(|_| Target { folders: self.b as u32 % 2, ..Target::at("/work/a.txt", OnDisk::Nothing) });
        let found = Terms {
            executor: if target.is_some() { ExecutorKind::Files } else { ExecutorKind::Kernel },
            target,
            language: language.unwrap_or_else(|| self.language()),
            kernel: Some(KernelRef { generation, variables: 0, keeps_running: false }),
            ..if file.is_none() && !(self.b / 10).is_multiple_of(4) { self.confined() } else { terms() }
        };
        // While a rule is in force, let it cover most blocks.
        let rule = self.watched.engine.state().transcript.rules_in_force().next_back();
        if let (Some(rule), None, false) = (rule, file, self.a.is_multiple_of(4)) {
            let found = Terms { language: found.language, ..rule.terms.clone() };
            let inspection = Inspection::new(Review::default(), Ok(found));
            return Event::Inspected(block, self.revision(block), Box::new(inspection));
        }
        let review = match self.b % 5 {
            0 => review(Severity::High),
            1 => review(Severity::Medium),
            _ => Review::default(),
        };
        let terms = if self.b.is_multiple_of(11) { Err("not installed".into()) } else { Ok(found) };
        Event::Inspected(block, self.revision(block), Box::new(Inspection::new(review, terms)))
    }

    /// Confined terms, now and then with other rights.
    fn confined(&self) -> Terms {
        let mut terms = confined();
        match self.b / 40 {
            0 => terms.rights.write.clear(),
            1 => terms.rights.network = true,
            _ => {}
        }
        terms
    }

    fn decide(&self, decision: Decision) -> Event {
        let block = self.block();
        Event::User(Command::Decide { block, revision: self.revision(block), decision })
    }

    fn run(&self, event: RunEvent) -> Event {
        let going = self.watched.engine.state().live.run.as_ref().map_or(RunId(1), |run| run.run);
        Event::Run(if self.a.is_multiple_of(8) { RunId(going.0.saturating_sub(1)) } else { going }, event)
    }

    fn report(&self) -> RunReport {
        let outcome = match self.b % 8 {
            0 => Outcome::Failed,
            1 => Outcome::Interrupted,
            2 if self.a % 4 == 2 => Outcome::NotStarted("full".into()),
            2 => Outcome::Refused("changed".into()),
            3 => Outcome::Crashed("signal 11".into()),
            _ => Outcome::Ok,
        };
        let kernel = match self.b % 3 {
            0 => KernelFate::None,
            1 => KernelFate::Lost(KernelRef::default()),
            _ => KernelFate::Kept(KernelRef { generation: 1, variables: 3, keeps_running: false }),
        };
        RunReport { kernel, ..report(outcome) }
    }

    /// An event about a model: the one in use, or another.
    fn known(&self) -> Event {
        let model = self.watched.engine.state().transcript.model.clone();
        let model = model.filter(|_| !self.b.is_multiple_of(4)).unwrap_or_else(name);
        let context = [None, Some(0), Some(40), Some(400), Some(100_000)][self.b % 5];
        let info = ModelInfo { context, price: Some(PRICE), ..ModelInfo::named(model) };
        Event::ModelInfo(Box::new(info))
    }

    fn instructions(&self) -> Vec<Instructions> {
        let text = ["use tabs", "be brief"][self.b % 2];
        let file = Instructions {
            path: "/p/AGENTS.md".into(),
            text: text.into(),
            bytes: 8,
            own: self.b.is_multiple_of(3),
        };
        [Vec::new(), vec![file]][usize::from(self.b > 60)].clone()
    }

    fn opinion_arrived(&self) -> Event {
        let block = self.block();
        let text = match self.b % 3 {
            0 => Err("too late".into()),
            1 => Ok("no JSON".into()),
            _ => Ok("{\"risk\":\"low\",\"reason\":\"r\",\"lines\":[1]}".into()),
        };
        let usage = Usage { input: Some(9), output: Some(9), ..Usage::default() };
        Event::OpinionArrived(
            block,
            self.revision(block),
            Box::new(OpinionReply {
                model: name(),
                text,
                usage,
                remarks: vec!["another model answers".into()],
            }),
        )
    }

    fn files(&self) -> Command {
        if self.a.is_multiple_of(3) {
            let block = |n: usize| OpenedBlock {
                kind: BlockKind::Code { language: Some(self.language()) },
                language: Some(self.language()),
                source: pick(SOURCES, self.a + n).into(),
                place: "cell 1 of a.ipynb".into(),
            };
            return Command::OpenFile(OpenedFile {
                name: "a".into(),
                text: "a".into(),
                blocks: vec![block(0), block(1)],
            });
        }
        let file = |n: usize| NamedFile {
            path: "a.py".into(),
            language: self.language(),
            source: pick(SOURCES, self.a + n).into(),
        };
        Command::RunFiles { files: vec![file(0), file(1)], limits: None, fetch: self.a.is_multiple_of(2) }
    }

    fn recorded(&self) -> Command {
        let block = |kind, n: usize| RecordedBlock {
            label: format!("block {n}"),
            kind,
            language: self.language(),
            source: pick(SOURCES, self.a + n).into(),
            edit: None,
            limits: Limits::default(),
            new_kernel: self.a.is_multiple_of(4),
        };
        let code = BlockKind::Code { language: Some(self.language()) };
        Command::RunRecorded(vec![block(code, 0), block(BlockKind::Write { path: "out.txt".into() }, 1)])
    }

    fn command(&self) -> Command {
        match self.b % 20 {
            18 if self.a.is_multiple_of(3) => self.recorded(),
            18 => self.files(),
            13 => Command::RevokeRule(RuleId(self.a as u32 % 2 + 1)),
            14 => Command::UseInstructions(self.a.is_multiple_of(2)),
            15 => Command::StopCountdown,
            16 | 17 => {
                let block = self.block();
                let seen = self.a.is_multiple_of(2);
                Command::OnScreen { block, revision: self.revision(block), seen }
            }
            0 | 1 => Command::Stop,
            2 => Command::Kill,
            3 => Command::Retry,
            4 => Command::Continue,
            5 => Command::EndTurn,
            6 => Command::SkipAll,
            7 => Command::EditQueued,
            8 => Command::UseModel(name()),
            9 => Command::Rename("n".into()),
            10 => Command::Compact,
            11 | 12 => Command::RequestOpinion(self.block()),
            _ => Command::RetryStore,
        }
    }
}

const PRICE: Price = Price { input: 3_000, output: 9_000, cached: 0, cache_written: 0, long: None };

fn name() -> ModelName {
    ModelName { provider: "p".into(), model: "m".into() }
}

fn settings(policy: Policy) -> Settings {
    Settings {
        dialect: Some(Dialect::Tools),
        policy,
        unconfined: true,
        step_limit: 2,
        repeat_limit: 2,
        session_budget: Some(100_000),
        prices: Prices { own: [(name().to_string(), PRICE)].into(), ..Prices::default() },
        use_instructions: true,
        opinion: OpinionSettings { from: Some(Severity::Medium), model: None },
        ..Settings::default()
    }
}

fn policy() -> impl Strategy<Value = Policy> {
    prop_oneof![3 => Just(Policy::Ask), 1 => Just(Policy::Clean), 1 => Just(Policy::All)]
}

fn throws() -> impl Strategy<Value = Vec<EventNumbers>> {
    prop::collection::vec(any::<EventNumbers>(), 0..EVENTS)
}

proptest! {
    #![proptest_config(crate::test_cases::cases(CASES))]

    /// In no order of events does a run start without its recorded decision, or another check of [`WatchedEngine`]
    /// fail.
    #[test]
    fn any_order_of_events(policy in policy(), throws in throws()) {
        let mut watched = WatchedEngine::new(Engine::new(settings(policy)), Vec::new());
        for (now, throw) in throws.into_iter().enumerate() {
            let event = event(&watched, throw);
            watched.send(event, Timestamp(now as i64 * 100));
        }
        watched.replay();
    }

    /// The program dies at any moment, and the last entries may not be saved; the resumed session keeps the same
    /// invariants.
    #[test]
    fn any_order_of_events_with_resumes(
        policy in policy(),
        lives in prop::collection::vec((throws(), 0usize..6), 1..4),
    ) {
        let mut watched = WatchedEngine::new(Engine::new(settings(policy)), Vec::new());
        let mut now = 0;
        for (throws, torn) in lives {
            for throw in throws.into_iter().take(EVENTS / 2) {
                now += 100;
                let event = event(&watched, throw);
                watched.send(event, Timestamp(now));
            }
            let mut entries = std::mem::take(&mut watched.entries);
            entries.truncate(entries.len() - torn.min(entries.len()));
            watched = WatchedEngine::resume(settings(policy), entries, Timestamp(now)).0;
        }
        watched.replay();
    }

    /// A session file with damaged lines in the middle opens, and the session keeps the same invariants.
    #[test]
    fn a_damaged_session_opens(throws in throws(), holes in prop::collection::vec(any::<u16>(), 0..6), more in throws()) {
        let mut watched = WatchedEngine::new(Engine::new(settings(Policy::Ask)), Vec::new());
        for (now, throw) in throws.into_iter().enumerate() {
            let event = event(&watched, throw);
            watched.send(event, Timestamp(now as i64));
        }
        let mut entries = std::mem::take(&mut watched.entries);
        for hole in holes {
            if !entries.is_empty() {
                entries.remove(usize::from(hole) % entries.len());
            }
        }
        let (mut watched, _) = WatchedEngine::resume(settings(Policy::Ask), entries, Timestamp(1_000));
        for throw in more {
            let event = event(&watched, throw);
            watched.send(event, Timestamp(2_000));
        }
        watched.replay();
    }

    /// The live copy of a streaming reply equals the parser's segments, whatever the pieces.
    #[test]
    fn the_live_copy_follows_the_parser(
        parts in prop::collection::vec((0usize..9, 1usize..9), 0..12),
        tail in "[`\\n a-z~<>/-]{0,60}",
    ) {
        let mut text: String = parts.iter().map(|(at, _)| REPLIES[*at]).collect();
        text.push_str(&tail);
        let size = parts.first().map_or(3, |(_, size)| *size);
        let chars: Vec<char> = text.chars().collect();
        let pieces: Vec<String> = chars.chunks(size).map(|piece| piece.iter().collect()).collect();
        follow_all(&Settings::default(), &pieces);
    }
}

/// What the random events have to reach.
const CORNERS: &[&str] = &[
    "Idle",
    "Replying StepId",
    "Deciding BlockId",
    "Running RunId",
    "Asking StepLimit",
    "Asking Repeated",
    "Stuck ReplyFailure",
    "person original",
    "person edited",
    "person-typed original",
    "person-typed edited",
    "flag original",
    "rule original",
    "started by a timer",
    "RuleAdded",
    "RuleRevoked",
    "ok",
    "failed",
    "interrupted",
    "crashed",
    "refused",
    "not_started",
    "answered",
    "stopped",
    "budget",
    "Block write",
    "Block read",
    "Block list",
    "CallRefused",
    "NoTools",
    "Summary",
    "Opinion",
    "Instructions",
    "Compacting StepId",
    "Asking Budget",
    "step_limit",
    "repeated",
    "Reopened",
    "LanguageChosen",
    "Edited",
    "Rejected",
    "Skipped",
    "KernelRestarted",
];

/// The random events reach everything in `CORNERS`: a property that never saw a run would prove nothing.
#[test]
fn the_throws_reach_every_corner() {
    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let mut seen = std::collections::BTreeMap::<String, u32>::new();
    let is_missed = |seen: &std::collections::BTreeMap<String, u32>, corner: &str| {
        seen.get(corner).is_none_or(|times| *times < 3)
    };
    for _ in 0..5_000 {
        if CORNERS.iter().all(|corner| !is_missed(&seen, corner)) {
            return;
        }
        let (policy, throws) = (policy(), throws()).new_tree(&mut runner).unwrap().current();
        let mut watched = WatchedEngine::new(Engine::new(settings(policy)), Vec::new());
        for throw in throws {
            let event = event(&watched, throw);
            let fired = matches!(event, Event::Timer(_));
            let effects = watched.send(event, Timestamp(1));
            if fired && effects.iter().any(|effect| matches!(effect, Effect::StartRun { .. })) {
                *seen.entry("started by a timer".into()).or_default() += 1;
            }
            let phase = format!("{:?}", watched.engine.state().phase);
            let phase = phase.split(|c: char| !c.is_alphanumeric()).take(2).collect::<Vec<_>>().join(" ");
            *seen.entry(phase.trim_end_matches(char::is_numeric).trim().to_owned()).or_default() += 1;
        }
        for (_, entry) in &watched.entries {
            let word = match entry {
                crate::domain::Entry::Approved { by, revision, .. } => {
                    format!("{} {}", by.as_str(), if *revision > Revision(1) { "edited" } else { "original" })
                }
                crate::domain::Entry::Ran { report, .. } => report.outcome.as_str().to_owned(),
                crate::domain::Entry::TurnEnd(end) => end.as_str().to_owned(),
                crate::domain::Entry::Block(block) => format!("Block {}", block.kind.as_str()),
                other => {
                    format!("{other:?}").split(|c: char| !c.is_alphanumeric()).next().unwrap().to_owned()
                }
            };
            *seen.entry(word).or_default() += 1;
        }
    }
    for corner in CORNERS {
        assert!(!is_missed(&seen, corner), "{corner} is hardly reached: {seen:#?}");
    }
}
