//! Test helper: scripted sessions with the engine, in short calls: `user("plot x")`, `reply("…")`, `approve(1)`,
//! `ended(1, ok)`.
//!
//! Every call sends one event (or a reply in pieces) and returns the effects and the phase as one line: `+prompt, ask
//! s1 | replying s1`. A `+` marks a recorded entry, quotes mark a notice. [`WatchedEngine`] checks the engine's
//! invariants after each event.

mod attached;
mod block_calls;
mod checked_engine;
mod edits;
mod policies;
mod tests;
mod tools;
pub(in crate::engine) mod wording;

pub(crate) use crate::domain::samples::{confined, in_kernel, terms};
pub(crate) use checked_engine::WatchedEngine;

use super::{Command, Effect, Engine, Event, Settings, State};
use crate::domain::{
    Block, BlockId, BlockKind, BranchOrigin, Departure, Dialect, Entry, FailureKind, Finding, Finish,
    FinishReason, Header, KernelFate, KernelRef, Message, Outcome, OutputBuffer, Receipt, ReplyEvent,
    ReplyFailure, Review, RunError, RunId, RunReport, SessionId, Severity, StepId, Timestamp, ToolCall,
    samples,
};
use wording::{effect, phase};

/// A scripted session.
pub(crate) struct Dialogue {
    pub(crate) watched: WatchedEngine,
    now: i64,
    run: RunId,
    printed: OutputBuffer,
}

impl Dialogue {
    pub(crate) fn new() -> Self {
        Self::with(Settings::default())
    }

    pub(crate) fn with(settings: Settings) -> Self {
        Self {
            watched: WatchedEngine::new(Engine::new(settings), Vec::new()),
            now: 0,
            run: RunId(0),
            printed: OutputBuffer::default(),
        }
    }

    /// A session whose model is offered tools, with a first message.
    pub(crate) fn with_tools() -> Self {
        let mut session = Self::with(Settings { dialect: Some(Dialect::Tools), ..Settings::default() });
        session.user("x");
        session
    }

    /// A session with this first message.
    pub(in crate::engine) fn after_prompt(text: &str) -> Self {
        let mut session = Self::new();
        session.user(text);
        session
    }

    /// A session in which the first message was answered with this.
    pub(crate) fn after_reply(text: &str) -> Self {
        Self::with_reply(Settings::default(), text)
    }

    /// A session with these settings in which the first message was answered with this.
    pub(in crate::engine) fn with_reply(settings: Settings, text: &str) -> Self {
        let mut session = Self::with(settings);
        session.user("go");
        session.reply(text);
        session
    }

    /// From now on the session counts as opened for reading only.
    pub(crate) fn reads_only(&mut self) {
        self.watched.engine.settings.reads_only = true;
        self.watched.engine.state.live.reads_only = true;
    }

    /// From now on the session's file counts as foreign.
    pub(crate) fn foreign(&mut self) {
        self.watched.engine.settings.foreign = true;
        self.watched.engine.state.live.foreign = true;
    }

    /// Closes (or kills) the program and opens the session again.
    pub(crate) fn reopen(&mut self) -> String {
        self.now += 1_000;
        let settings = self.watched.engine.settings.clone();
        let entries = std::mem::take(&mut self.watched.entries);
        let (watched, effects) = WatchedEngine::resume(settings, entries, Timestamp(self.now));
        self.watched = watched;
        self.line(&effects)
    }

    /// Opens a branch of the session with all its entries.
    pub(crate) fn branch(&mut self) -> String {
        let entries = u64::try_from(self.watched.entries.len()).unwrap_or(u64::MAX);
        let origin = BranchOrigin { session: SessionId("origin".into()), entries, at: None };
        let header = Header { branch_of: Some(origin), ..samples::header("branch") };
        self.watched.entries.insert(0, (Timestamp(0), Entry::Header(header)));
        self.reopen()
    }

    /// All recorded entries.
    pub(crate) fn entries(&self) -> &[(Timestamp, Entry)] {
        &self.watched.entries
    }

    pub(crate) fn state(&self) -> &State {
        self.watched.engine.state()
    }

    pub(crate) fn send(&mut self, event: Event) -> String {
        self.now += 100;
        let effects = self.watched.send(event, Timestamp(self.now));
        self.line(&effects)
    }

    pub(crate) fn command(&mut self, command: Command) -> String {
        self.send(Event::User(command))
    }

    pub(crate) fn wait(&mut self, ms: i64) {
        self.now += ms;
    }

    pub(crate) fn user(&mut self, text: &str) -> String {
        self.command(Command::Submit(text.into()))
    }

    pub(crate) fn stop(&mut self) -> String {
        self.command(Command::Stop)
    }

    // Replies.

    fn step(&self) -> StepId {
        self.watched.last_step
    }

    pub(crate) fn replied(&mut self, event: ReplyEvent) -> String {
        self.send(Event::Reply(self.step(), event))
    }

    /// Sends a reply in small pieces.
    pub(crate) fn delta(&mut self, text: &str) -> String {
        let mut effects = Vec::new();
        let chars: Vec<char> = text.chars().collect();
        for piece in chars.chunks(5) {
            self.now += 1;
            let event = Event::Reply(self.step(), ReplyEvent::Delta(piece.iter().collect()));
            effects.extend(self.watched.send(event, Timestamp(self.now)));
        }
        self.line(&effects)
    }

    pub(crate) fn calls_tool(&mut self, id: &str, name: &str, arguments: &str) -> String {
        let (id, name, arguments) = (id.into(), name.into(), arguments.into());
        self.replied(ReplyEvent::ToolCall(ToolCall { id, name, arguments, signature: None }))
    }

    pub(crate) fn finish(&mut self, reason: FinishReason) -> String {
        self.replied(ReplyEvent::Finished(Finish { reason, word: None }))
    }

    /// Sends a whole reply; returns only the effects of its end.
    pub(crate) fn reply(&mut self, text: &str) -> String {
        self.delta(text);
        self.finish(FinishReason::Stop)
    }

    pub(crate) fn fail(&mut self, kind: FailureKind) -> String {
        self.replied(ReplyEvent::Failed(failure(kind)))
    }

    // What the model is sent.

    /// The messages of the newest request.
    pub(crate) fn request(&self) -> &[Message] {
        self.watched.request.as_ref().map_or(&[], |request| &request.messages)
    }

    /// The last message of the newest request.
    pub(crate) fn told(&self) -> &str {
        self.request().last().map_or("", |message| &message.text)
    }

    pub(crate) fn word(&self, block: u32) -> String {
        let state = self.state();
        let item = state.transcript.blocks.get(&BlockId(block));
        item.map_or_else(String::new, |item| state.block_state(item).to_string())
    }

    pub(crate) fn block(&self, block: u32) -> &Block {
        &self.state().transcript.blocks[&BlockId(block)].block
    }

    /// The kinds of all blocks, in order.
    pub(crate) fn kinds(&self) -> Vec<BlockKind> {
        self.state().transcript.blocks.values().map(|item| item.block.kind.clone()).collect()
    }

    fn line(&self, effects: &[Effect]) -> String {
        let effects: Vec<_> = effects.iter().filter_map(effect).collect();
        let phase = phase(&self.state().phase);
        if effects.is_empty() { format!("| {phase}") } else { format!("{} | {phase}", effects.join(", ")) }
    }
}

/// Checks of what a scripted session returns and what a model is told; each names the text in which it fails.
pub(crate) trait TextChecks {
    fn has(&self, part: &str) -> &Self;
    fn lacks(&self, part: &str) -> &Self;
    fn starts(&self, with: &str) -> &Self;
    fn ends(&self, with: &str) -> &Self;
    fn is(&self, text: &str);
}

impl TextChecks for str {
    #[track_caller]
    fn has(&self, part: &str) -> &Self {
        assert!(self.contains(part), "{part:?} is not in: {self}");
        self
    }

    #[track_caller]
    fn lacks(&self, part: &str) -> &Self {
        assert!(!self.contains(part), "{part:?} is in: {self}");
        self
    }

    #[track_caller]
    fn starts(&self, with: &str) -> &Self {
        assert!(self.starts_with(with), "{with:?} does not begin: {self}");
        self
    }

    #[track_caller]
    fn ends(&self, with: &str) -> &Self {
        assert!(self.ends_with(with), "{with:?} does not end: {self}");
        self
    }

    #[track_caller]
    fn is(&self, text: &str) {
        assert_eq!(self, text);
    }
}

/// A review with one finding.
pub(crate) fn review(severity: Severity) -> Review {
    let finding = Finding::new("t.rule", severity, "does much");
    Review { findings: vec![finding], ..Review::default() }
}

pub(crate) fn failure(kind: FailureKind) -> ReplyFailure {
    ReplyFailure {
        kind,
        status: None,
        message: "It broke.".into(),
        hint: "r retries".into(),
        departure: Departure::Unknown,
    }
}

/// The report of a run in the kernel that took 0.8 s.
pub(crate) fn report(outcome: Outcome) -> RunReport {
    let exit_code = match outcome {
        Outcome::Ok => Some(0),
        Outcome::Failed => Some(1),
        _ => None,
    };
    let error = (outcome == Outcome::Failed).then(|| RunError {
        kind: "ValueError".into(),
        message: "no".into(),
        traceback: "block 1, line 1\nValueError: no\n".into(),
    });
    RunReport {
        receipt: Receipt { wall_us: 800_000, exit_code, ..Receipt::default() },
        error,
        kernel: KernelFate::Kept(KernelRef { generation: 1, variables: 14, keeps_running: false }),
        ..RunReport::bare(outcome)
    }
}
