//! An engine under watch: after each event it checks that the engine's invariants hold.
//!
//! It keeps its own record of events and effects, and uses the engine's state only for comparison.

mod start;

use super::super::{Command, Effect, Engine, Event, Inspection, Phase, Settings, StoreEvent, Transcript};
use crate::domain::{
    BlockId, Entry, ModelRequest, Purpose, Revision, Role, RunEvent, RunId, RunRequest, Sha256, StepId,
    Terms, TimerId, Timestamp,
};
use crate::engine::always::START_DELAY_MS;
use crate::engine::transcript::BlockStatus;
use std::collections::{BTreeMap, BTreeSet};

/// An engine, and a record of its events and effects.
pub(crate) struct WatchedEngine {
    pub(in crate::engine) engine: Engine,
    /// All recorded entries with their times.
    pub(crate) entries: Vec<(Timestamp, Entry)>,
    /// The newest request to the model, and its step.
    pub(in crate::engine) request: Option<ModelRequest>,
    pub(in crate::engine) last_step: StepId,
    /// The newest run that was ordered.
    pub(in crate::engine) started: Option<RunRequest>,
    /// The files to be hashed around it.
    pub(crate) protected: Vec<String>,
    /// The recorded entries, folded one by one.
    folded: Transcript,
    inspections: BTreeMap<BlockId, CheckedInspection>,
    /// Counts changes of what a run would find.
    world: u64,
    runs: BTreeSet<RunId>,
    going: Option<RunId>,
    unsaved: bool,
    /// The timers of covered blocks that are on screen, until something hides the block or stops its start.
    announced: BTreeMap<TimerId, (BlockId, Revision)>,
    /// What the person approved: the bytes' hash, and the terms.
    said: Vec<(Sha256, Terms)>,
    /// The bytes of named files, once for each run that naming them still allows.
    named: Vec<Sha256>,
}

#[derive(Default)]
struct CheckedInspection {
    unanswered: Vec<Revision>,
    crossed: bool,
    world: u64,
    answer: Option<(Revision, Inspection)>,
}

impl WatchedEngine {
    pub(in crate::engine) fn new(engine: Engine, entries: Vec<(Timestamp, Entry)>) -> Self {
        let folded = Transcript::fold(entries.iter().cloned());
        let runs = folded.blocks.values().flat_map(|b| b.runs.iter().map(|r| r.run)).collect();
        Self {
            // Steps go on where those of the session ended.
            last_step: engine.last_ids.step,
            engine,
            entries,
            request: None,
            started: None,
            protected: Vec::new(),
            folded,
            inspections: BTreeMap::new(),
            world: 0,
            runs,
            going: None,
            unsaved: false,
            announced: BTreeMap::new(),
            said: Vec::new(),
            named: Vec::new(),
        }
    }

    /// Opens a session again from its entries.
    pub(in crate::engine) fn resume(
        settings: Settings,
        entries: Vec<(Timestamp, Entry)>,
        now: Timestamp,
    ) -> (Self, Vec<Effect>) {
        let (engine, effects) = Engine::resume(settings, Transcript::fold(entries.iter().cloned()), now);
        let mut watched = Self::new(engine, entries);
        assert!(
            !effects.iter().any(|e| matches!(e, Effect::Ask(_) | Effect::StartRun { .. })),
            "a session that is opened again asked or ran something by itself: {effects:?}"
        );
        watched.account(None, &effects, now);
        (watched, effects)
    }

    pub(in crate::engine) fn send(&mut self, event: Event, now: Timestamp) -> Vec<Effect> {
        let before = self.engine.state().transcript.version;
        let stale = match &event {
            Event::Reply(step, _) => {
                let live = &self.engine.state().live;
                *step != self.last_step || (live.reply.is_none() && live.summary.is_none())
            }
            Event::Run(run, _) => Some(*run) != self.going,
            _ => false,
        };
        self.hear(&event);
        let effects = self.engine.handle(event.clone(), now);
        let recorded = effects.iter().filter(|e| matches!(e, Effect::Record(_))).count() as u64;
        assert_eq!(
            self.engine.state().transcript.version,
            before + recorded,
            "changed without a record: {event:?}"
        );
        self.account(Some(&event), &effects, now);
        if stale {
            assert_eq!(effects, [], "a stale event led to something: {event:?}");
        }
        effects
    }

    /// Notes what an event says, before the engine gets it.
    fn hear(&mut self, event: &Event) {
        match event {
            Event::Store(StoreEvent::Failed(_)) => self.unsaved = true,
            Event::Store(StoreEvent::Recovered) => self.unsaved = false,
            Event::Inspected(block, revision, inspection) => {
                let pending = self.inspections.entry(*block).or_default();
                if let Some(order) = pending.unanswered.iter().position(|ordered| ordered == revision) {
                    pending.unanswered.remove(order);
                    if pending.unanswered.is_empty() && !pending.crossed {
                        pending.answer = Some((*revision, (**inspection).clone()));
                    }
                }
            }
            Event::User(
                Command::OnScreen { seen: false, .. }
                | Command::StopCountdown
                | Command::RevokeRule(_)
                | Command::Stop,
            ) => self.hidden(event),
            Event::KernelDied(_) => self.world += 1,
            Event::User(Command::RunFiles { files, .. }) if self.engine.state().phase == Phase::Idle => {
                self.named = files.iter().map(|file| Sha256::of(file.source.as_bytes())).collect();
            }
            Event::User(Command::RunRecorded(blocks)) if self.engine.state().phase == Phase::Idle => {
                self.named = blocks.iter().map(|block| Sha256::of(block.source.as_bytes())).collect();
            }
            _ => {}
        }
    }

    /// Forgets announced starts whose block is hidden or held back, or whose rule is gone.
    fn hidden(&mut self, event: &Event) {
        match event {
            Event::User(Command::OnScreen { block, revision, .. }) => {
                self.announced.retain(|_, shown| *shown != (*block, *revision));
            }
            Event::User(Command::StopCountdown) => self.announced.clear(),
            Event::User(Command::Stop) if matches!(self.engine.state().phase, Phase::Deciding(_)) => {
                self.announced.clear();
            }
            _ => {}
        }
    }

    fn account(&mut self, event: Option<&Event>, effects: &[Effect], now: Timestamp) {
        check_order(effects);
        for effect in effects {
            match effect {
                Effect::Record(entry) => self.recorded(event, entry, now),
                Effect::Inspect { block, revision, .. } => {
                    assert_eq!(block.current().revision, *revision);
                    let pending = self.inspections.entry(block.id).or_default();
                    pending.crossed = !pending.unanswered.is_empty();
                    pending.unanswered.push(*revision);
                    pending.world = self.world;
                    pending.answer = None;
                }
                Effect::SetTimer(timer, ms) => {
                    let Some(Event::User(Command::OnScreen { block, revision, seen: true })) = event else {
                        panic!("a timer for what nobody sees");
                    };
                    assert_eq!(*ms, START_DELAY_MS);
                    assert!(self.announced.insert(*timer, (*block, *revision)).is_none());
                }
                Effect::StartRun { request, protected } => {
                    self.protected.clone_from(protected);
                    self.check_start(event, request, now);
                    self.started = Some((**request).clone());
                }
                Effect::Ask(request) => {
                    assert!(self.going.is_none(), "asked while something runs");
                    assert!(request.step > self.last_step, "a step came twice");
                    self.last_step = request.step;
                    if request.purpose == Purpose::Answer {
                        self.check_request();
                        check_answers(request);
                    }
                    self.request = Some((**request).clone());
                }
                _ => {}
            }
        }
        self.compare();
    }

    fn recorded(&mut self, event: Option<&Event>, entry: &Entry, now: Timestamp) {
        if let Entry::Ran { run, .. } = entry {
            assert_eq!(self.going.take(), Some(*run), "a run ended that did not go on");
            assert!(
                matches!(event, Some(Event::Run(told, RunEvent::Ended(_))) if told == run),
                "an end was made up"
            );
        }
        self.world += u64::from(matches!(entry, Entry::Ran { .. } | Entry::KernelRestarted));
        self.folded.apply(entry.clone(), now);
        self.entries.push((now, entry.clone()));
    }

    /// Checks that no request is sent that is too long or over the budget.
    fn check_request(&self) {
        let live = &self.engine.state().live;
        assert!(live.context.of.is_none_or(|of| live.context.used <= of), "sent, but too long");
        let cost = &live.cost;
        assert!(cost.budget.is_none_or(|budget| cost.nanos < budget), "sent, but over the budget");
    }

    /// Checks that the state matches the record, and the phase the state.
    fn compare(&self) {
        let state = self.engine.state();
        assert_eq!(state.transcript, self.folded, "the durable half is not what its entries fold to");
        let first = state.queue().next().map(|item| item.block.id);
        let run = state.live.run.as_ref().map(|run| run.run);
        assert_eq!(run, self.going);
        match state.phase {
            Phase::Idle | Phase::Stuck(_) => assert_eq!((first, run), (None, None)),
            Phase::Replying(step) => {
                let reply = state.live.reply.as_ref().expect("a reply");
                let asked = if reply.waits.is_some() { self.last_step.next() } else { self.last_step };
                assert_eq!((first, run, step, reply.step), (None, None, asked, step));
            }
            Phase::Deciding(block) => assert_eq!((first, run), (Some(block), None)),
            Phase::Running(id) => {
                assert_eq!(run, Some(id));
                let block = state.live.run.as_ref().map(|run| run.block).unwrap();
                assert_eq!(state.transcript.blocks[&block].status, BlockStatus::Approved);
            }
            Phase::Compacting(step) => {
                assert_eq!((first, run, step), (None, None, self.last_step));
                assert_eq!(state.live.summary.as_ref().map(|summary| summary.step), Some(step));
            }
            Phase::Asking(_) => assert_eq!(run, None),
        }
        if let Some(matched) = &state.live.matched {
            assert_eq!(state.phase, Phase::Deciding(matched.block));
            assert!(state.transcript.rules_in_force().any(|rule| rule.id == matched.rule));
        }
        assert!(matches!(state.phase, Phase::Compacting(_)) || state.live.summary.is_none());
        assert!(matches!(state.phase, Phase::Replying(_)) || state.live.reply.is_none());
    }

    /// Checks that all entries, folded at once, give the transcript.
    pub(in crate::engine) fn replay(&self) {
        assert_eq!(Transcript::fold(self.entries.iter().cloned()), self.engine.state().transcript);
    }
}

/// Checks that a block's run starts before `Settled` releases what is held for the block.
fn check_order(effects: &[Effect]) {
    let start = effects.iter().enumerate().find_map(|(at, effect)| match effect {
        Effect::StartRun { request, .. } => Some((at, request.approval().block())),
        _ => None,
    });
    let Some((start, block)) = start else { return };
    let settled = effects.iter().take(start).any(|effect| *effect == Effect::Settled(block));
    assert!(!settled, "a block was let go of before its run started");
}

/// Checks that every call is answered exactly once, directly after its message, and that there are no calls without
/// tools.
fn check_answers(request: &ModelRequest) {
    let mut open: Vec<&str> = Vec::new();
    for message in &request.messages {
        if message.role == Role::Tool {
            let call = message.answers.as_deref().expect("an answer says what it answers");
            assert_eq!(open.first(), Some(&call), "answered out of turn, twice, or unasked");
            open.remove(0);
            continue;
        }
        assert_eq!(open, Vec::<&str>::new(), "calls without an answer");
        assert!(message.answers.is_none());
        open = message.tool_calls.iter().map(|call| call.id.as_str()).collect();
        let ids: BTreeSet<&str> = open.iter().copied().collect();
        assert!(ids.len() == open.len() && !ids.contains(""), "calls that can't be told apart: {open:?}");
        assert!(open.is_empty() || !request.tools.is_empty(), "calls, but no tools");
    }
    assert_eq!(open, Vec::<&str>::new(), "calls without an answer");
}
