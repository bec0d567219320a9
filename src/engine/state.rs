//! The state of a session: its durable half, its live half, and the phase.
//!
//! Front ends read this and nothing else; only the engine changes it.

mod live;

use super::inspection::Inspection;
use super::transcript::{BlockItem, Item, OpinionItem, Transcript};
use crate::domain::sentences::saving;
use crate::domain::{
    BlockId, Entry, Form, ReplyFailure, RunId, StepId, TerminalScreen, Terms, Timestamp, Variable,
    VariableChange,
};
use crate::text::line::one_line;
pub(crate) use live::{Countdown, LiveReply, LiveSummary, RuleMatch};
pub use live::{Live, LiveRun, Retry};

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
        let why = one_line(self.live.store_failure.as_ref()?);
        Some(saving::failing(&why, self.live.reads_only))
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
        let unconfined = inspected.terms.as_ref().is_ok_and(Terms::is_unconfined);
        inspected.review.needs_typed_word() || unconfined
    }
}
