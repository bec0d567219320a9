//! The state of a session: its durable half, its live half, and the phase.
//!
//! Front ends read this and nothing else; only the engine changes it.

pub(crate) use super::context::ContextShare;
pub use super::cost::Cost;
use super::inspection::Inspection;
use super::reply::Segment;
use super::transcript::{BlockItem, Item, OpinionItem, Transcript};
use crate::domain::sentences::{running, saving};
use crate::domain::{
    BlockId, CountedTime, Entry, Form, Function, ImageRef, Instructions, KernelRef, Language, Limits,
    ModelInfo, Notice, OutputBuffer, Prompt, ReplyFailure, Revision, RuleId, RunConditions, RunId,
    SandboxLevel, StepId, TerminalScreen, Terms, TimerId, Timestamp, ToolCall, Usage, Variable,
    VariableChange,
};
use crate::text::line::one_line;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What the engine is doing.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Phase {
    /// Nothing: the next prompt begins a turn.
    #[default]
    Idle,
    /// A request was sent, or [waits for messages to be loaded](LiveReply::reads); its reply streams in.
    Replying(StepId),
    /// This block waits for the person: the first that is not settled.
    Deciding(BlockId),
    /// This run goes on.
    Running(RunId),
    /// The turn stopped to ask the person something.
    Asking(Question),
    /// The model is writing a summary of older items; see [`Live::summary`].
    Compacting(StepId),
    /// The provider failed, or the context is full; the person can retry, change the model or end the turn. The prompt
    /// is kept.
    Stuck(ReplyFailure),
}

/// What a turn stopped to ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// This many steps were taken in this turn.
    StepLimit(u32),
    /// This block's text was proposed this many times in this turn.
    Repeated(BlockId, u32),
    /// A form of the recipe; answered by `Command::Answer`.
    Form(Box<Form>),
    /// The session budget is used up; both amounts in billionths of a US dollar.
    Budget {
        /// What the session has cost, as far as that is known.
        spent: u64,
        /// The budget.
        limit: u64,
    },
}

/// The reply that is being written.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct LiveReply {
    /// The request that it answers.
    pub(crate) step: StepId,
    /// The text so far.
    pub(crate) text: String,
    /// The reasoning so far.
    pub(crate) reasoning: String,
    /// The text so far as segments, whose byte ranges point into `text`. While the reply streams, only the last segment
    /// may still change.
    pub(crate) segments: Vec<Segment>,
    /// The complete tool calls so far.
    pub(crate) calls: Vec<ToolCall>,
    /// Whether the request has not been sent yet, because earlier messages are being loaded from the file.
    pub(crate) reads: bool,
    /// When the engine ordered the request.
    pub(crate) since: Timestamp,
    /// When the first piece of the reply arrived.
    pub(crate) first_at: Option<Timestamp>,
    /// The tokens used, if the provider reported them; otherwise front ends show an estimate from the length.
    pub(crate) usage: Option<Usage>,
    /// The retry that it waits for.
    pub(crate) retry: Option<Retry>,
}

impl LiveReply {
    /// Whether its request has been sent.
    pub(crate) fn has_left(&self) -> bool {
        self.retry.is_none() && !self.reads
    }

    /// What is being done for it, for the person.
    pub(crate) fn doing(&self) -> &'static str {
        if self.reads { running::READING } else { running::ANSWERING }
    }
}

/// A wait before a failed request is sent again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retry {
    /// The number of the next retry.
    pub(crate) attempt: u32,
    /// The most retries.
    pub(crate) of: u32,
    pub(crate) due: Timestamp,
    /// Why the last attempt failed.
    pub(crate) failure: ReplyFailure,
}

/// The current run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LiveRun {
    /// The run's id, given by its approval.
    pub run: RunId,
    /// The block whose text runs.
    pub(crate) block: BlockId,
    /// When it was approved.
    pub(crate) since: Timestamp,
    /// Whether the program has received the code.
    pub(crate) started: bool,
    /// Its output so far, bounded.
    pub(crate) output: OutputBuffer,
    /// The content of its terminal, if it has one and something was drawn.
    pub(crate) screen: Option<Box<TerminalScreen>>,
    /// Whether the program is known to wait for input in its terminal.
    pub(crate) asks: bool,
    /// The images made so far.
    pub(crate) images: Vec<ImageRef>,
    /// When the person first interrupted it.
    pub(crate) interrupted: Option<Timestamp>,
    /// Whether the person killed it.
    pub(crate) killed: bool,
    /// Resident memory as last reported, bytes.
    pub(crate) rss_bytes: u64,
    /// Processor time as last reported, milliseconds.
    pub(crate) cpu_ms: u64,
    /// Its time limit, milliseconds.
    pub(crate) wall_ms: u64,
    /// Which time the limit counts, as last reported.
    pub(crate) counted: CountedTime,
    /// When that began to count, and the processor time used before, milliseconds.
    pub(crate) counted_from: (Timestamp, u64),
}

/// What is known of a block besides its durable half.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct LiveBlock {
    /// The newest inspection, with the inspected revision; `None` while the block is being inspected.
    pub(crate) inspected: Option<(Revision, Inspection)>,
    /// Limits that the person set for it.
    pub(crate) limits: Option<Limits>,
    /// Whether the person wants it to run in a new kernel.
    pub(crate) new_kernel: bool,
    /// Whether the person wants it to have a terminal of its own; `None`: the default of its language.
    pub(crate) terminal: Option<bool>,
    /// The revision on which a second opinion was requested, and when.
    pub(crate) awaited_opinion: Option<(Revision, Timestamp)>,
}

/// A summary that is being written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LiveSummary {
    /// The step of its request.
    pub(crate) step: StepId,
    /// How many items of the conversation it will replace.
    pub(crate) upto: usize,
    /// The text so far.
    pub(crate) text: String,
    /// When it was requested.
    pub(crate) since: Timestamp,
    /// The tokens used, if reported.
    pub(crate) usage: Option<Usage>,
    /// The retry that it waits for.
    pub(crate) retry: Option<Retry>,
    /// The failure in which the turn was stuck when it was requested; `None`: no turn was going on.
    pub(crate) stuck: Option<ReplyFailure>,
}

/// A rule of the person covers the block that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RuleMatch {
    /// The rule that covers it.
    pub(crate) rule: RuleId,
    /// The block that waits.
    pub(crate) block: BlockId,
    /// The covered version; another one needs a decision.
    pub(crate) revision: Revision,
    /// The countdown to its start.
    pub(crate) countdown: Countdown,
}

/// The countdown before a covered block starts: [`super::always::START_DELAY_MS`] on screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Countdown {
    /// It is not on screen: the countdown does not run.
    NotShown,
    /// It is on screen since this moment, and starts when this timer fires.
    Since(Timestamp, TimerId),
}

/// The half of the state that ends with the process.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Live {
    /// The reply that is being written.
    pub(crate) reply: Option<LiveReply>,
    /// The summary that is being written.
    pub(crate) summary: Option<LiveSummary>,
    /// Whether a summary waits for messages to be loaded; it can be stopped.
    pub(crate) awaits_summary: bool,
    /// The current run.
    pub run: Option<LiveRun>,
    /// Blocks that are being inspected or wait.
    pub(crate) blocks: BTreeMap<BlockId, LiveBlock>,
    /// The rule that covers the block that waits.
    pub(crate) matched: Option<RuleMatch>,
    /// The prompt that is sent when the turn ends.
    pub(crate) queued: Option<Prompt>,
    /// The person's typed commands, which are proposed when the turn ends, before that prompt.
    pub(crate) commands: VecDeque<String>,
    /// Steps taken in this turn.
    pub(crate) steps: u32,
    /// What is known of the model in use; `None` until its provider reports it.
    pub(crate) model: Option<ModelInfo>,
    /// How much of its context the next request takes.
    pub(crate) context: ContextShare,
    /// What the session has cost.
    pub(crate) cost: Cost,
    /// The conditions of runs, as the model is told.
    pub(crate) conditions: Option<RunConditions>,
    /// The instruction files that exist, the nearest last.
    pub(crate) instructions: Vec<Instructions>,
    /// Whether the project's instruction files are sent to the model.
    pub(crate) use_instructions: bool,
    /// Whether the session's file is foreign: then every block waits for the person.
    pub(crate) foreign: bool,
    /// Whether the session was opened for reading only: then trying again to save it is useless.
    pub(crate) reads_only: bool,
    /// The kernels as last reported, by language; none until a block ran in one.
    pub(crate) kernels: BTreeMap<Language, KernelRef>,
    /// The variables of Python's kernel as last reported.
    pub(crate) variables: Vec<Variable>,
    /// The block after which they were reported.
    pub(crate) variables_by: Option<BlockId>,
    /// When the variables were reported.
    pub(crate) variables_at: Option<Timestamp>,
    /// Blocks within a merged text that its run did not reach, because it was ended at a difference.
    pub(crate) not_run: BTreeSet<(RunId, BlockId)>,
    /// Blocks that ended well in the current kernel, within a merged text that did not.
    pub(crate) ran_within: BTreeSet<BlockId>,
    /// The person's own functions that the kernel has.
    pub(crate) functions: Vec<Function>,
    /// Why the session file can't be written; no run starts while this is set.
    pub store_failure: Option<String>,
    /// How many entries this process has recorded.
    pub(crate) recorded: u64,
    /// How many of them are known to be saved.
    pub(crate) saved: u64,
    /// The newest line for the person.
    pub notice: Option<Notice>,
}

impl Live {
    /// Python's kernel: variables, functions and rebuilding concern only this one.
    pub(crate) fn python_kernel(&self) -> Option<KernelRef> {
        self.kernels.get(&Language::python()).copied()
    }

    /// The kernel that a run under these terms is in.
    pub(crate) fn kernel_of(&self, terms: &Terms) -> Option<KernelRef> {
        terms.kernel?;
        self.kernels.get(&terms.language).copied()
    }

    /// The instruction files that requests contain now.
    pub(crate) fn used_instructions(&self) -> impl Iterator<Item = &Instructions> {
        self.instructions.iter().filter(|file| file.own || self.use_instructions)
    }

    /// What `pop_queued` would remove from the queue, as it was typed: the prompt, else the newest command.
    pub(crate) fn peek_queued(&self) -> Option<String> {
        let command = || self.commands.back().map(|command| format!("!{command}"));
        self.queued.as_ref().map(|prompt| prompt.text.clone()).or_else(command)
    }

    /// Removes the prompt, else the newest command, from the queue.
    pub(super) fn pop_queued(&mut self) {
        if self.queued.take().is_none() {
            self.commands.pop_back();
        }
    }
}

/// The whole state. `Transcript` is durable, `Live` is not.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct State {
    pub(crate) transcript: Transcript,
    /// The half that ends with the process.
    pub(crate) live: Live,
    /// What the engine is doing.
    pub(crate) phase: Phase,
}

impl State {
    /// A state made of these entries alone, with long replies cut to their ends: shown while the session is being
    /// opened.
    pub(crate) fn at_a_glance(entries: Vec<(Timestamp, Entry)>) -> Self {
        let mut transcript = Transcript::fold(entries);
        transcript.keep_ends();
        Self { transcript, ..Self::default() }
    }
}

// Outside of this crate a state can only be read, not made.
impl State {
    /// The durable half: what the session file contains.
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// The half that ends with the process.
    pub fn live(&self) -> &Live {
        &self.live
    }

    /// What the engine is doing.
    pub fn phase(&self) -> &Phase {
        &self.phase
    }

    /// Why nothing can be approved while saving fails, and what to do if trying again is useless.
    pub(crate) fn unsaved(&self) -> Option<String> {
        let told = saving::failing(&one_line(self.live.store_failure.as_ref()?));
        Some(if self.live.reads_only { format!("{told} {}", saving::OPEN_AGAIN) } else { told })
    }

    /// Whether a settled block can be put back now.
    pub(crate) fn can_reopen_block(&self) -> bool {
        matches!(self.phase, Phase::Idle | Phase::Deciding(_) | Phase::Stuck(_))
    }

    /// The block that waits for a decision.
    pub fn waiting(&self) -> Option<&BlockItem> {
        match self.phase {
            Phase::Deciding(block) => self.transcript.blocks.get(&block),
            _ => None,
        }
    }

    /// The current run and its block, if it has a terminal of its own.
    pub(crate) fn terminal(&self) -> Option<(RunId, BlockId)> {
        let live = self.live.run.as_ref().filter(|live| live.started)?;
        let runs = &self.transcript.blocks.get(&live.block)?.runs;
        let run = runs.iter().find(|run| run.run == live.run)?;
        run.terms.rights.terminal.then_some((live.run, live.block))
    }

    /// The content of the current run's terminal, if it has one and something was drawn.
    pub(crate) fn terminal_screen(&self) -> Option<&TerminalScreen> {
        self.live.run.as_ref()?.screen.as_deref()
    }

    /// All blocks that are not settled, the waiting one first.
    pub(crate) fn queue(&self) -> impl DoubleEndedIterator<Item = &BlockItem> {
        // Blocks that fetch what another block needs come first.
        let first = |item: &&BlockItem| item.block.kind.prepares();
        self.transcript
            .open_blocks()
            .filter(first)
            .chain(self.transcript.open_blocks().filter(move |item| !first(item)))
    }

    /// The variables that the kernel has, as last reported.
    pub(crate) fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.live.variables.iter().filter(|variable| variable.change != Some(VariableChange::Deleted))
    }

    /// Whether the model knows the latest result of a block: a request was sent since it was settled.
    pub(crate) fn is_told(&self, block: BlockId) -> bool {
        let settled = self.transcript.settled.iter().rev().find(|settled| settled.block == block);
        settled.is_some_and(|settled| {
            let since = self.transcript.items.get(settled.after..).unwrap_or_default();
            let goes_on = self.live.reply.as_ref().is_some_and(|reply| reply.has_left());
            goes_on || since.iter().any(|item| matches!(item, Item::Reply(_)))
        })
    }

    /// The inspection of a block's newest revision; `None` while it is being inspected.
    pub(crate) fn inspected(&self, block: BlockId) -> Option<&Inspection> {
        let current = self.transcript.blocks.get(&block)?.block.current().revision;
        let (revision, inspection) = self.live.blocks.get(&block)?.inspected.as_ref()?;
        (*revision == current).then_some(inspection)
    }

    /// The newest second opinion on a block's newest revision.
    pub(crate) fn opinion(&self, block: BlockId) -> Option<&OpinionItem> {
        let item = self.transcript.blocks.get(&block)?;
        let current = item.block.current().revision;
        item.opinions.iter().rev().find(|opinion| opinion.revision == current)
    }

    /// Since when a second opinion on a block's newest revision is being waited for.
    pub(crate) fn awaited_opinion(&self, block: BlockId) -> Option<Timestamp> {
        let current = self.transcript.blocks.get(&block)?.block.current().revision;
        let (revision, since) = self.live.blocks.get(&block)?.awaited_opinion?;
        (revision == current).then_some(since)
    }

    /// Whether running a block takes the typed word: it has a high finding, was not checked in full, or nothing
    /// confines it. `true` while it is being inspected.
    pub fn needs_typed(&self, block: BlockId) -> bool {
        let Some(inspected) = self.inspected(block) else { return true };
        // sayso's own actions on files need no sandbox: no program is started.
        let unconfined = inspected.terms.as_ref().is_ok_and(|terms| {
            terms.executor.starts_programs() && terms.rights.sandbox.level == SandboxLevel::Off
        });
        inspected.review.needs_typed_word() || unconfined
    }
}
