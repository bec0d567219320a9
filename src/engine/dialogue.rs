//! Test helper: scripted sessions with the engine, in short calls: `user("plot x")`, `reply("…")`, `approve(1)`,
//! `ended(1, ok)`.
//!
//! Every call sends one event (or a reply in pieces) and returns the effects and the phase as one line: `+prompt, ask
//! s1 | replying s1`. A `+` marks a recorded entry, quotes mark a notice. [`WatchedEngine`] checks the engine's
//! invariants after each event.

mod attached;
mod checked_engine;
mod edits;
mod tests;
mod tools;

pub(crate) use crate::domain::samples::{confined, in_kernel, terms};
pub(crate) use checked_engine::WatchedEngine;

use super::state::Question;
use super::{Command, EditFault, Effect, Engine, Event, Inspection, Phase, PlacedEdit, Settings, State};
use crate::domain::{
    BlockId, BranchOrigin, Chunk, Decision, Entry, ExecutorKind, FailureKind, Finding, Finish, FinishReason,
    Header, KernelFate, KernelRef, Language, Limits, Message, OnDisk, Outcome, OutputBuffer, Purpose,
    Receipt, RecipeFact, ReplyEvent, ReplyFailure, Review, Revision, Rights, RuleScope, RunError, RunEvent,
    RunId, RunReport, SandboxLevel, SessionId, Severity, StepId, Stream, Terms, Timestamp, UndoKind, samples,
};

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

    /// A session in which the first message was answered with this.
    pub(crate) fn after_reply(text: &str) -> Self {
        let mut session = Self::new();
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

    // Inspections.

    pub(crate) fn inspected(&mut self, block: u32, review: Review, terms: Result<Terms, String>) -> String {
        let id = BlockId(block);
        let revision = self.revision(block);
        self.send(Event::Inspected(id, revision, Box::new(Inspection::new(review, terms))))
    }

    /// As `inspected`, for a block that would overwrite a file with the content `before`.
    pub(crate) fn inspected_over(&mut self, block: u32, before: &str, terms: Terms) -> String {
        let inspection =
            Inspection { before: Some(before.into()), ..Inspection::new(Review::default(), Ok(terms)) };
        let revision = self.revision(block);
        self.send(Event::Inspected(BlockId(block), revision, Box::new(inspection)))
    }

    /// Sends the result of placing an edit in its files.
    pub(crate) fn placed(&mut self, block: u32, edit: Result<&str, &str>, bases: &[OnDisk]) -> String {
        let edit = match edit {
            Ok(text) => Ok(PlacedEdit { text: text.into(), bases: bases.to_vec(), note: String::new() }),
            Err(why) => Err(EditFault(why.into())),
        };
        let inspection = Inspection::new(Review::default(), Err("its places are looked for".into()));
        let inspection = Inspection { edit: Some(edit), ..inspection };
        let revision = self.revision(block);
        self.send(Event::Inspected(BlockId(block), revision, Box::new(inspection)))
    }

    /// Answers the inspection of this revision: no findings, and it can run in the kernel.
    pub(crate) fn answered(&mut self, block: u32, revision: u32) -> String {
        let inspection = Inspection::new(Review::default(), Ok(terms()));
        self.send(Event::Inspected(BlockId(block), Revision(revision), Box::new(inspection)))
    }

    /// Answers the inspection: no findings, and it can run in the kernel.
    pub(crate) fn inspected_ok(&mut self, block: u32) -> String {
        self.inspected(block, Review::default(), Ok(terms()))
    }

    pub(crate) fn inspected_with(&mut self, block: u32, severity: Severity) -> String {
        self.inspected(block, review(severity), Ok(terms()))
    }

    /// Whether the running recipe wants the strict list for this block.
    pub(crate) fn is_strict(&self, block: u32) -> bool {
        let item = self.state().transcript.blocks.get(&BlockId(block));
        item.is_some_and(|item| self.watched.engine.is_strict(&item.block))
    }

    // Decisions.

    fn revision(&self, block: u32) -> Revision {
        self.state()
            .transcript
            .blocks
            .get(&BlockId(block))
            .map_or(Revision(1), |b| b.block.current().revision)
    }

    pub(crate) fn decide(&mut self, block: u32, decision: Decision) -> String {
        let revision = self.revision(block);
        self.command(Command::Decide { block: BlockId(block), revision, decision })
    }

    pub(crate) fn approve(&mut self, block: u32) -> String {
        self.decide(block, Decision::Approve { typed: false })
    }

    /// Approves with the typed word.
    pub(crate) fn type_run(&mut self, block: u32) -> String {
        self.decide(block, Decision::Approve { typed: true })
    }

    /// Approves, and grants a rule of this scope.
    pub(crate) fn always(&mut self, block: u32, scope: RuleScope) -> String {
        self.decide(block, Decision::Always(scope))
    }

    /// A front end shows or hides the block that waits.
    pub(crate) fn on_screen(&mut self, block: u32, seen: bool) -> String {
        let revision = self.revision(block);
        self.command(Command::OnScreen { block: BlockId(block), revision, seen })
    }

    pub(crate) fn edit(&mut self, block: u32, text: &str) -> String {
        self.decide(block, Decision::Edit(text.into()))
    }

    pub(crate) fn reject(&mut self, block: u32, why: &str) -> String {
        self.decide(block, Decision::Reject(why.into()))
    }

    pub(crate) fn skip(&mut self, block: u32) -> String {
        self.decide(block, Decision::Skip)
    }

    pub(crate) fn reopen_block(&mut self, block: u32) -> String {
        self.command(Command::Reopen(BlockId(block)))
    }

    // Runs.

    pub(crate) fn ran(&mut self, run: u32, event: RunEvent) -> String {
        self.send(Event::Run(RunId(run), event))
    }

    pub(crate) fn started(&mut self, run: u32) -> String {
        self.run = RunId(run);
        self.printed = OutputBuffer::default();
        self.ran(run, RunEvent::Started)
    }

    pub(crate) fn prints(&mut self, text: &str) -> String {
        self.printed.push(Stream::Stdout, text.as_bytes());
        let chunk = Chunk { stream: Stream::Stdout, bytes: text.as_bytes().to_vec() };
        self.send(Event::Run(self.run, RunEvent::Output(chunk)))
    }

    /// Ends the run with this outcome after 0.8 s; the kernel lives on.
    pub(crate) fn ended(&mut self, run: u32, outcome: Outcome) -> String {
        let output = std::mem::take(&mut self.printed);
        self.ended_as(run, RunReport { output, ..report(outcome) })
    }

    pub(crate) fn ended_as(&mut self, run: u32, report: RunReport) -> String {
        self.ran(run, RunEvent::Ended(Box::new(report)))
    }

    /// Starts a run, which ends with this outcome.
    pub(crate) fn passes(&mut self, run: u32, outcome: Outcome) -> String {
        self.started(run);
        self.ended(run, outcome)
    }

    /// Inspects a block and approves it with the typed word.
    pub(crate) fn accepts(&mut self, block: u32) -> String {
        self.accepts_under(block, terms())
    }

    /// As `accepts`, under these terms.
    pub(crate) fn accepts_under(&mut self, block: u32, terms: Terms) -> String {
        self.inspected(block, Review::default(), Ok(terms));
        self.type_run(block)
    }

    /// As `accepts`, and the run starts.
    pub(crate) fn begins(&mut self, block: u32, run: u32) -> String {
        self.accepts(block);
        self.started(run)
    }

    /// Inspects a block, approves it with the typed word, and runs it to this outcome.
    pub(crate) fn runs(&mut self, block: u32, run: u32, outcome: Outcome) -> String {
        self.begins(block, run);
        self.ended(run, outcome)
    }

    /// As `runs`, but ending with this report.
    pub(crate) fn runs_into(&mut self, block: u32, run: u32, report: RunReport) -> String {
        self.begins(block, run);
        self.ended_as(run, report)
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
        state
            .transcript
            .blocks
            .get(&BlockId(block))
            .map_or_else(String::new, |item| state.block_state(item).to_string())
    }

    fn line(&self, effects: &[Effect]) -> String {
        let effects: Vec<_> = effects.iter().filter_map(effect).collect();
        let phase = phase(&self.state().phase);
        if effects.is_empty() { format!("| {phase}") } else { format!("{} | {phase}", effects.join(", ")) }
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
        departure: crate::domain::Departure::Unknown,
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
        outcome,
        receipt: Receipt { wall_us: 800_000, exit_code, ..Receipt::default() },
        output: OutputBuffer::default(),
        blob: None,
        value: None,
        error,
        images: Vec::new(),
        pictures: Vec::new(),
        kernel: KernelFate::Kept(KernelRef { generation: 1, variables: 14, keeps_running: false }),
        cwd: None,
    }
}

fn effect(effect: &Effect) -> Option<String> {
    Some(match effect {
        Effect::Record(entry) => entry_word(entry),
        Effect::Ask(request) if request.purpose == Purpose::Summary => format!("sum up s{}", request.step),
        Effect::Ask(request) => format!("ask s{}", request.step),
        Effect::CancelAsk(step) => format!("cancel s{step}"),
        Effect::Inspect { block, revision, options, .. } => {
            let kernel = if options.new_kernel { " in a new kernel" } else { "" };
            let terminal = if options.terminal { " in a terminal" } else { "" };
            format!("look {}.{revision}{kernel}{terminal}", block.id)
        }
        Effect::StartRun { request, .. } => format!("start r{}", request.approval().run()),
        Effect::AfterPart { run, part, ends: None } => format!("go on r{run} {part}"),
        Effect::AfterPart { run, part, ends: Some(why) } => format!("end r{run} {part} '{why}'"),
        Effect::InterruptRun(run) => format!("interrupt r{run}"),
        Effect::KillRun(run) => format!("kill r{run}"),
        Effect::RestartKernel => "restart".into(),
        Effect::UndoAutoRun(run) => format!("take back r{run}"),
        Effect::Undo { run, changes, kind, .. } => {
            let kind = if *kind == UndoKind::Undo { "undo" } else { "redo" };
            format!("{kind} r{run} {changes:?}")
        }
        Effect::SwitchModel => "switch".into(),
        Effect::SetTimer(timer, ms) => format!("timer {timer} {ms}"),
        Effect::Prewarm(language) => format!("prewarm {language}"),
        Effect::RetryStore => "retry store".into(),
        Effect::Settled(_) => return None,
        Effect::RequestOpinion { block, revision, .. } => format!("consult {block}.{revision}"),
        Effect::Load(entries) => format!("load({})", entries.len()),
        Effect::Notify(notice) => format!("'{}'", notice.text),
    })
}

fn entry_word(entry: &Entry) -> String {
    match entry {
        Entry::Header(_) => "+header".into(),
        Entry::Resumed => "+resumed".into(),
        Entry::Accepted { .. } => "+adopted".into(),
        Entry::Undone { run, files, kind: UndoKind::Undo, .. } => {
            format!("+taken back r{run} {}", files.join(" "))
        }
        Entry::Undone { run, files, .. } => format!("+made again r{run} {}", files.join(" ")),
        Entry::Renamed(name) => format!("+named {name}"),
        Entry::Model(model) => format!("+model {model}"),
        Entry::Prompt(_) => "+prompt".into(),
        Entry::Reply { finish, .. } => match &finish.word {
            Some(word) => format!("+reply {word}"),
            None => format!("+reply {}", finish.reason.as_str()),
        },
        Entry::CallRefused { call, .. } => format!("+call refused {call}"),
        Entry::NoTools(model) => format!("+no tools {model}"),
        Entry::Block(block) if block.kind.is_code() => format!("+block {}", block.id),
        Entry::Block(block) => format!("+block {} {}", block.id, block.kind.as_str()),
        Entry::Review { block, revision, .. } => format!("+review {block}.{revision}"),
        Entry::Edited { block, revision, .. } => format!("+edited {block}.{revision}"),
        Entry::Placed { block, revision, .. } => format!("+placed {block}.{revision}"),
        Entry::LanguageChosen { block, revision, .. } => format!("+language {block}.{revision}"),
        Entry::Approved { run, block, revision, by, .. } => {
            format!(
                "+approved r{run} {block}.{revision} {}{}",
                by.as_str(),
                by.rule().map(|rule| format!(" {rule}")).unwrap_or_default()
            )
        }
        Entry::RuleAdded(rule) => format!("+rule {} {}", rule.id, scope_word(rule.scope)),
        Entry::RuleRevoked(rule) => format!("+rule {rule} revoked"),
        Entry::Rejected { block, .. } => format!("+rejected {block}"),
        Entry::Skipped { block, .. } => format!("+skipped {block}"),
        Entry::Declined { block, .. } => format!("+declined {block}"),
        Entry::Recipe(fact) => recipe_word(fact),
        Entry::Reopened(block) => format!("+back {block}"),
        Entry::Ran { run, report, .. } => format!("+ran r{run} {}", report.outcome.as_str()),
        Entry::KernelRestarted => "+restarted".into(),
        Entry::TurnEnd(end) => format!("+end {}", end.as_str()),
        Entry::Summary { upto, .. } => format!("+summary {upto}"),
        Entry::Opinion { block, revision, answer, .. } => {
            let said = answer.as_ref().map_or("none", |opinion| opinion.risk.as_str());
            format!("+opinion {block}.{revision} {said}")
        }
        Entry::Instructions(noted) => format!("+instructions {}", noted.len()),
    }
}

/// The scope's name in session files: `same-text`.
pub(crate) fn scope_word(scope: RuleScope) -> String {
    serde_json::to_value(scope).unwrap().as_str().unwrap().to_owned()
}

fn recipe_word(fact: &RecipeFact) -> String {
    match fact {
        RecipeFact::Began(start) => format!("+recipe {}", start.name),
        RecipeFact::Said { step, round, .. } => format!("+said {step}.{round}"),
        RecipeFact::Judged(outcome) => {
            format!("+judged {}.{} {}", outcome.step, outcome.round, outcome.verdict)
        }
        RecipeFact::Answered { form, .. } => format!("+answered {form}"),
        RecipeFact::Ended { end, .. } => format!("+recipe {}", end.as_str()),
    }
}

fn phase(phase: &Phase) -> String {
    match phase {
        Phase::Idle => "idle".into(),
        Phase::Replying(step) => format!("replying s{step}"),
        Phase::Deciding(block) => format!("deciding {block}"),
        Phase::Running(run) => format!("running r{run}"),
        Phase::Asking(Question::StepLimit(steps)) => format!("asking after {steps} steps"),
        Phase::Asking(Question::Repeated(block, times)) => {
            format!("asking: block {block} came {times} times")
        }
        Phase::Asking(Question::Form(form)) => format!("asking: form {}", form.name),
        Phase::Asking(Question::Budget { .. }) => "asking: budget".into(),
        Phase::Compacting(step) => format!("compacting s{step}"),
        Phase::Stuck(failure) => format!("stuck {}", failure.kind.as_str()),
    }
}
