//! What there is to know of a session at one moment: its durable half, its live half, and the phase.
//!
//! Front ends read this and nothing else; only the engine changes it.

pub(crate) use super::context::ContextShare;
pub use super::cost::Cost;
use super::reply::Segment;
use super::transcript::{BlockItem, Item, OpinionItem, Transcript};
use crate::domain::sentences::{running, saving};
use crate::domain::{
    BlockId, CountedTime, Entry, Form, Function, ImageName, ImageRef, Instructions, KernelRef, Language,
    Limits, ModelInfo, Notice, OutputBuffer, Prompt, Reach, ReplyFailure, Review, Revision, RuleId,
    RunConditions, RunId, SandboxLevel, StepId, TerminalScreen, Terms, TimerId, Timestamp, ToolCall,
    UndoCover, Usage, Variable, VariableChange,
};
use crate::text::line::one_line;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

/// What the engine is doing.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Phase {
    /// Nothing: the next prompt begins a turn.
    #[default]
    Idle,
    /// A request is out, or waits for what it [tells](LiveReply::reads); its reply streams in (or is waited for).
    Replying(StepId),
    /// This block waits for the person: the first of the reply that is not settled.
    Deciding(BlockId),
    /// This run goes on.
    Running(RunId),
    /// The turn stopped to ask whether to go on.
    Asking(Question),
    /// A summary of older items is being written; see [`Live::summary`].
    Compacting(StepId),
    /// The provider failed, or the context is full; the person can retry, change the model or end the turn. The prompt is kept.
    Stuck(ReplyFailure),
}

/// Why a turn stopped to ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// So many steps were taken in this turn.
    StepLimit(u32),
    /// This block's text was proposed so many times in this turn.
    Repeated(BlockId, u32),
    /// The recipe asks this; answered by `Command::Answer`.
    Form(Box<Form>),
    /// The session has cost so much, and may cost so much; both in billionths of a US dollar.
    Budget {
        /// What it has cost, as far as that is known.
        spent: u64,
        /// What it may cost.
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
    /// The text so far in segments. Byte ranges point into `text`. While the reply streams, only the last segment may still change.
    pub(crate) segments: Vec<Segment>,
    /// The tool calls so far; each is whole.
    pub(crate) calls: Vec<ToolCall>,
    /// Whether the request has not left yet: it waits for earlier messages, which are read from the file.
    pub(crate) reads: bool,
    /// When the request was ordered.
    pub(crate) since: Timestamp,
    /// When the first piece of it arrived.
    pub(crate) first_at: Option<Timestamp>,
    /// Tokens, where told; else an estimate from the length is shown as such.
    pub(crate) usage: Option<Usage>,
    /// A repetition that is waited for.
    pub(crate) retry: Option<Retry>,
}

impl LiveReply {
    /// Whether its request is out.
    pub(crate) fn has_left(&self) -> bool {
        self.retry.is_none() && !self.reads
    }

    /// What is done for it, for the person.
    pub(crate) fn doing(&self) -> &'static str {
        if self.reads { running::READING } else { running::ANSWERING }
    }
}

/// A wait before the request is sent again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retry {
    /// Which repetition comes next.
    pub(crate) attempt: u32,
    /// How many there are at most.
    pub(crate) of: u32,
    /// When it is due.
    pub(crate) due: Timestamp,
    /// Why the last try came to nothing.
    pub(crate) failure: ReplyFailure,
}

/// A run that goes on.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveRun {
    /// The run that was approved under this identity.
    pub run: RunId,
    /// The block whose text runs.
    pub(crate) block: BlockId,
    /// When it was approved.
    pub(crate) since: Timestamp,
    /// Whether the program has the code already.
    pub(crate) started: bool,
    /// What it printed so far, bounded.
    pub(crate) output: OutputBuffer,
    /// How its own terminal looks, where it has one and something was painted.
    pub(crate) screen: Option<Box<TerminalScreen>>,
    /// Whether it is known to wait for what is typed into its terminal.
    pub(crate) asks: bool,
    /// The images that it made so far.
    pub(crate) images: Vec<ImageRef>,
    /// When the person interrupted it first.
    pub(crate) interrupted: Option<Timestamp>,
    /// Whether it was ordered to be killed.
    pub(crate) killed: bool,
    /// Resident memory as last told, bytes.
    pub(crate) rss_bytes: u64,
    /// Processor time as last told, milliseconds.
    pub(crate) cpu_ms: u64,
    /// Its time limit, milliseconds.
    pub(crate) wall_ms: u64,
    /// What that counts, as it was told last.
    pub(crate) counted: CountedTime,
    /// When it began to count that, and the processor time before, milliseconds.
    pub(crate) counted_from: (Timestamp, u64),
}

/// What is known of a block beyond its durable half.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct LiveBlock {
    /// The newest inspection: of which revision, its review and terms. `None` while it is being looked at.
    pub(crate) inspected: Option<InspectionResult>,
    /// Limits chosen for it by the person.
    pub(crate) limits: Option<Limits>,
    /// Whether the person wants it to run in a new kernel.
    pub(crate) fresh: bool,
    /// Whether the person wants it to have a terminal of its own; `None`: as its language has it.
    pub(crate) terminal: Option<bool>,
    /// Of which revision a second opinion is waited for, and since when.
    pub(crate) consulting: Option<(Revision, Timestamp)>,
}

/// A summary that is being written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LiveSummary {
    /// The step of its request.
    pub(crate) step: StepId,
    /// How many items of the conversation it will stand for.
    pub(crate) upto: usize,
    /// The text so far.
    pub(crate) text: String,
    /// When it was ordered.
    pub(crate) since: Timestamp,
    /// Tokens used, once they were told.
    pub(crate) usage: Option<Usage>,
    /// A repetition that is waited for.
    pub(crate) retry: Option<Retry>,
    /// The failure in which the turn was stuck when it was ordered; `None`: no turn goes on.
    pub(crate) stuck: Option<ReplyFailure>,
}

/// An inspection that has arrived.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct InspectionResult {
    /// The version that was looked at.
    pub(crate) revision: Revision,
    /// What the checks say of it.
    pub(crate) review: Review,
    /// The terms, or why it can't run here.
    pub(crate) terms: Result<Terms, String>,
    /// What its run reaches, by what enforces it.
    pub(crate) reach: Reach,
    /// What it would do that the sandbox will refuse, in words.
    pub(crate) refused: Vec<String>,
    /// What stands in the file that the block would write, where it is text that can be compared.
    pub(crate) before: Option<Arc<str>>,
    /// Packages that it needs and that are not there, as far as that is known.
    pub(crate) lacking: Vec<String>,
    /// The container image that it needs and that is not there.
    pub(crate) image: Option<ImageName>,
    /// The project's `.venv`, where packages of this block could go, when it is the environment in use.
    pub(crate) venv: Option<PathBuf>,
    /// What of the files that it may change would be remembered, to be taken back; `None`: it may change none.
    pub(crate) undo: Option<UndoCover>,
}

/// The block that waits is covered by a rule of the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RuleMatch {
    /// The rule that covers it.
    pub(crate) rule: RuleId,
    /// The block that waits.
    pub(crate) block: BlockId,
    /// The version that is covered; another one is asked about.
    pub(crate) revision: Revision,
    /// The moment before it starts.
    pub(crate) countdown: Countdown,
}

/// The moment before a covered block starts: [`super::always::START_DELAY_MS`] on screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Countdown {
    /// It is not on screen: no time runs.
    NotShown,
    /// It is on screen since then, and starts when this timer fires.
    Since(Timestamp, TimerId),
}

/// What dies with the process.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Live {
    /// The reply that is being written.
    pub(crate) reply: Option<LiveReply>,
    /// The summary that is being written.
    pub(crate) summary: Option<LiveSummary>,
    /// Whether one waits for what it reads: it can be stopped.
    pub(crate) awaits_summary: bool,
    /// The run that goes on.
    pub run: Option<LiveRun>,
    /// Blocks that are looked at or wait.
    pub(crate) blocks: BTreeMap<BlockId, LiveBlock>,
    /// The rule that covers the block that waits.
    pub(crate) matched: Option<RuleMatch>,
    /// The prompt that is sent when the turn ends.
    pub(crate) queued: Option<Prompt>,
    /// Commands of the person's own that are proposed when the turn ends, in front of that prompt.
    pub(crate) commands: VecDeque<String>,
    /// Steps taken in this turn.
    pub(crate) steps: u32,
    /// What is known of the model in use; `None` until it was told.
    pub(crate) model: Option<ModelInfo>,
    /// How much of its context the next request takes.
    pub(crate) context: ContextShare,
    /// What the session has cost.
    pub(crate) cost: Cost,
    /// The conditions of runs, as the model is told them.
    pub(crate) conditions: Option<RunConditions>,
    /// The files of instructions that are there, the nearest last.
    pub(crate) instructions: Vec<Instructions>,
    /// Whether those of the project are told to the model.
    pub(crate) use_instructions: bool,
    /// Whether the session's file is foreign: each block waits by itself.
    pub(crate) foreign: bool,
    /// Whether the session was opened for reading only: trying again to save it is of no use.
    pub(crate) reads_only: bool,
    /// The kernels as last told, by what each runs; none until a block ran in one.
    pub(crate) kernels: BTreeMap<Language, KernelRef>,
    /// The variables of Python's kernel as last told, and when.
    pub(crate) variables: Vec<Variable>,
    /// The block after which they were told.
    pub(crate) variables_by: Option<BlockId>,
    /// When the variables were told.
    pub(crate) variables_at: Option<Timestamp>,
    /// Blocks of a text of several that its run, which was ended at a difference, did not reach.
    pub(crate) not_run: BTreeSet<(RunId, BlockId)>,
    /// Blocks that ended well in the kernel that is there, within a text that did not.
    pub(crate) ran_within: BTreeSet<BlockId>,
    /// The person's own functions that the kernel has.
    pub(crate) functions: Vec<Function>,
    /// Why the session file can't be written; runs are held while this is set.
    pub store_failure: Option<String>,
    /// Entries that were recorded in this process.
    pub(crate) recorded: u64,
    /// So many of them are known to be on disk.
    pub(crate) saved: u64,
    /// The newest line for the person.
    pub notice: Option<Notice>,
}

impl Live {
    /// Python's kernel: variables, functions and rebuilding are its.
    pub(crate) fn python_kernel(&self) -> Option<KernelRef> {
        self.kernels.get(&Language::python()).copied()
    }

    /// The kernel that a run under these terms is in.
    pub(crate) fn kernel_of(&self, terms: &Terms) -> Option<KernelRef> {
        terms.kernel?;
        self.kernels.get(&terms.language).copied()
    }

    /// The files of instructions that requests carry now.
    pub(crate) fn used_instructions(&self) -> impl Iterator<Item = &Instructions> {
        self.instructions.iter().filter(|file| file.own || self.use_instructions)
    }

    /// What leaves the queue next when it is taken back, as it was typed: the prompt, else the newest command.
    pub(crate) fn taken_back(&self) -> Option<String> {
        let command = || self.commands.back().map(|command| format!("!{command}"));
        self.queued.as_ref().map(|prompt| prompt.text.clone()).or_else(command)
    }

    /// Takes it out of the queue.
    pub(super) fn take_back(&mut self) {
        if self.queued.take().is_none() {
            self.commands.pop_back();
        }
    }
}

/// The whole state. `Transcript` is durable, `Live` is not.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct State {
    pub(crate) transcript: Transcript,
    /// What dies with the process.
    pub(crate) live: Live,
    /// What the engine is doing.
    pub(crate) phase: Phase,
}

impl State {
    /// What these entries tell and nothing else, and of long replies the end: to be looked at while the session is opened
    /// that they belong to.
    pub(crate) fn at_a_glance(entries: Vec<(Timestamp, Entry)>) -> Self {
        let mut transcript = Transcript::fold(entries);
        transcript.keep_ends();
        Self { transcript, ..Self::default() }
    }
}

// Outside of this crate a state is only read: none is made there that no engine came to.
impl State {
    /// The durable half: what the session file tells.
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// The other half, which ends with the process.
    pub fn live(&self) -> &Live {
        &self.live
    }

    /// What the engine waits for.
    pub fn phase(&self) -> &Phase {
        &self.phase
    }

    /// Why approving is held, where nothing can be saved; with what to do where trying again is of no use.
    pub(crate) fn unsaved(&self) -> Option<String> {
        let told = saving::failing(&one_line(self.live.store_failure.as_ref()?));
        Some(if self.live.reads_only { format!("{told} {}", saving::OPEN_AGAIN) } else { told })
    }

    /// Whether a settled block can be put back now.
    pub(crate) fn can_put_back(&self) -> bool {
        matches!(self.phase, Phase::Idle | Phase::Deciding(_) | Phase::Stuck(_))
    }

    /// The block that waits for a decision.
    pub fn waiting(&self) -> Option<&BlockItem> {
        match self.phase {
            Phase::Deciding(block) => self.transcript.blocks.get(&block),
            _ => None,
        }
    }

    /// The run that goes on, and its block, where it has a terminal of its own.
    pub(crate) fn terminal(&self) -> Option<(RunId, BlockId)> {
        let live = self.live.run.as_ref().filter(|live| live.started)?;
        let runs = &self.transcript.blocks.get(&live.block)?.runs;
        let run = runs.iter().find(|run| run.run == live.run)?;
        run.terms.rights.terminal.then_some((live.run, live.block))
    }

    /// How the terminal of the run that goes on looks, where it has one and something was painted.
    pub(crate) fn terminal_screen(&self) -> Option<&TerminalScreen> {
        self.live.run.as_ref()?.screen.as_deref()
    }

    /// All blocks that are not settled, the waiting one first.
    pub(crate) fn queue(&self) -> impl DoubleEndedIterator<Item = &BlockItem> {
        // What a block needs is fetched before it.
        let first = |item: &&BlockItem| item.block.kind.prepares();
        self.transcript
            .open_blocks()
            .filter(first)
            .chain(self.transcript.open_blocks().filter(move |item| !first(item)))
    }

    /// The kernel's variables that are there, as last told.
    pub(crate) fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.live.variables.iter().filter(|variable| variable.change != Some(VariableChange::Deleted))
    }

    /// Whether the model was told what became of a block last: a request went out since that was settled.
    pub(crate) fn is_told(&self, block: BlockId) -> bool {
        let settled = self.transcript.settled.iter().rev().find(|settled| settled.block == block);
        settled.is_some_and(|settled| {
            let since = self.transcript.items.get(settled.after..).unwrap_or_default();
            let goes_on = self.live.reply.as_ref().is_some_and(|reply| reply.has_left());
            goes_on || since.iter().any(|item| matches!(item, Item::Reply(_)))
        })
    }

    /// The inspection of a block's newest revision; `None` while it is being looked at.
    pub(crate) fn inspected(&self, block: BlockId) -> Option<&InspectionResult> {
        let current = self.transcript.blocks.get(&block)?.block.current().revision;
        self.live.blocks.get(&block)?.inspected.as_ref().filter(|i| i.revision == current)
    }

    /// The newest second opinion on a block's newest revision.
    pub(crate) fn opinion(&self, block: BlockId) -> Option<&OpinionItem> {
        let item = self.transcript.blocks.get(&block)?;
        let current = item.block.current().revision;
        item.opinions.iter().rev().find(|opinion| opinion.revision == current)
    }

    /// Since when a second opinion on a block's newest revision is waited for.
    pub(crate) fn consulting(&self, block: BlockId) -> Option<Timestamp> {
        let current = self.transcript.blocks.get(&block)?.block.current().revision;
        let (revision, since) = self.live.blocks.get(&block)?.consulting?;
        (revision == current).then_some(since)
    }

    /// Whether running a block takes the typed word: it has a high finding, it was not checked in full, or nothing
    /// confines it. `true` while it is being looked at.
    pub fn needs_typed(&self, block: BlockId) -> bool {
        let Some(inspected) = self.inspected(block) else { return true };
        // What sayso does with a file itself needs no sandbox: it does nothing else.
        let unconfined = inspected.terms.as_ref().is_ok_and(|terms| {
            terms.executor.starts_programs() && terms.rights.sandbox.level == SandboxLevel::Off
        });
        inspected.review.takes_word() || unconfined
    }
}
