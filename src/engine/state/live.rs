//! The half of a session's state that ends with the process: the reply, the run and the summary that go on, what waits,
//! and what was reported last.

use crate::domain::sentences::running;
use crate::domain::{
    BlockId, CountedTime, Function, ImageRef, Instructions, KernelRef, Language, Limits, ModelInfo, Notice,
    OutputBuffer, Prompt, ReplyFailure, Revision, RuleId, RunConditions, RunId, StepId, TerminalScreen,
    Terms, TimerId, Timestamp, ToolCall, Usage, Variable,
};
use crate::engine::Inspection;
use crate::engine::context::ContextShare;
use crate::engine::cost::Cost;
use crate::engine::reply::Segment;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;

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
    /// What the request waits for, in words for the person; `None` once it was sent.
    pub(crate) waits: Option<&'static str>,
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
    /// Whether nothing of it has arrived.
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.reasoning.is_empty() && self.calls.is_empty()
    }

    /// Whether its request has been sent.
    pub(crate) fn has_left(&self) -> bool {
        self.retry.is_none() && self.waits.is_none()
    }

    /// What is being done for it, for the person.
    pub(crate) fn doing(&self) -> &'static str {
        self.waits.unwrap_or(running::ANSWERING)
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

/// The countdown before a covered block starts: [`crate::engine::always::START_DELAY_MS`] on screen.
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
    /// Whether a summary waits for messages to be loaded, or for what is known of the model; it can be stopped.
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
    /// Whether the person leaves: nothing is sent any more, and what is queued stays queued.
    pub(crate) leaves: bool,
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
    /// Those that changed since a run began: their present texts are not sent before the person decides.
    pub(crate) held_instructions: Vec<PathBuf>,
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

    /// Whether a file of the project's instructions changed since a run began, and waits for the person's decision.
    pub(crate) fn holds_project_instructions(&self) -> bool {
        self.held_instructions.iter().any(|path| path.ends_with("AGENTS.md"))
    }

    /// What `pop_queued` would remove from the queue, as it was typed: the prompt, else the newest command.
    pub(crate) fn peek_queued(&self) -> Option<String> {
        let command = || self.commands.back().map(|command| format!("!{command}"));
        self.queued.as_ref().map(|prompt| prompt.text.clone()).or_else(command)
    }

    /// The queued prompt; and the queued commands as one, because in one text the first would take the others along.
    pub(crate) fn queued_texts(&self) -> (Option<String>, Option<String>) {
        let prompt = self.queued.as_ref().map(|prompt| prompt.text.clone());
        let commands = self.commands.iter().cloned().collect::<Vec<_>>().join("\n");
        (prompt, (!commands.is_empty()).then(|| format!("!{commands}")))
    }

    /// Removes the prompt, else the newest command, from the queue.
    pub(in crate::engine) fn pop_queued(&mut self) {
        if self.queued.take().is_none() {
            self.commands.pop_back();
        }
    }
}
