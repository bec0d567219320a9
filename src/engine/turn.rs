//! A turn: from a prompt through its steps to its end. Handles prompts, the step limit, repeated blocks and the queue;
//! `request` sends the requests.
//!
//! What happens inside a step (a reply, a decision, a run) is handled elsewhere; each of those ends in
//! [`Engine::advance`].

mod request;

use super::command_line_runs::NamedBlocks;
use super::spending::HeldRequest;
use super::state::Question;
use super::transcript::BlockStatus;
use super::{Engine, Phase, Workflow, notices};
use crate::domain::{Block, BlockId, BlockKind, Entry, Language, Prompt, ReplyFailure, Sha256, TurnEnd};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is known of the current turn, besides the state.
#[derive(Debug, Default)]
pub(super) struct Turn {
    /// Whether a turn is going on. Settling blocks that were put back after its end does not ask the model again.
    pub(super) active: bool,
    /// Whether something that the model has to be told was settled since the last request.
    pub(super) unreported_results: bool,
    /// Whether a run was interrupted or never started since the last request: the turn then ends after its blocks.
    pub(super) run_was_stopped: bool,
    /// How often each text was proposed.
    pub(super) proposed: ProposalCounts,
    /// The recipe that the turn follows.
    pub(super) workflow: Option<Arc<dyn Workflow>>,
    /// The blocks of a turn of things named on the command line: no model is asked then.
    pub(super) named: Option<NamedBlocks>,
}

/// How often each text was proposed in a turn.
#[derive(Debug, Default)]
pub(super) struct ProposalCounts(BTreeMap<(Option<Language>, [u8; 32]), u32>);

impl ProposalCounts {
    /// Counts one more proposal of this block's text; returns how many there are now.
    pub(super) fn count(&mut self, block: &Block) -> u32 {
        let times = self.0.entry(Self::key(block)).or_default();
        *times = times.saturating_add(1);
        *times
    }

    /// The person wants to go on: counting starts again for this text.
    fn forget(&mut self, block: &Block) {
        self.0.remove(&Self::key(block));
    }

    fn key(block: &Block) -> (Option<Language>, [u8; 32]) {
        let version = block.original();
        let text = match &block.kind {
            BlockKind::Code { .. } => version.source.trim().to_owned(),
            // The same content in two files is not a repetition.
            kind => format!("{kind:?} {}", version.source),
        };
        (version.language.clone(), Sha256::of(text.as_bytes()).0)
    }
}

impl Engine {
    /// The person sends a prompt: begins a turn, or queues the prompt until the current one ends. If saving fails, it is
    /// tried again with what the prompt adds.
    pub(super) fn submit(&mut self, prompt: Prompt) {
        if prompt.text.trim().is_empty() {
            return;
        }
        self.take_prompt(prompt);
        if !self.state.live.reads_only {
            self.retry_store();
        }
    }

    fn take_prompt(&mut self, prompt: Prompt) {
        match &self.state.phase {
            Phase::Idle => {
                // A prompt may be queued already while a summary waits for messages: it comes first.
                self.state.live.queued = Some(prompt.behind(self.state.live.queued.take()));
                self.begin_queued();
                if self.state.live.queued.is_some() {
                    self.notify(notices::queued(self.state.live.leaves));
                }
            }
            Phase::Stuck(failure) => {
                // The unanswered prompt stays in the transcript; the new one is sent after it.
                let failure = failure.clone();
                let prompt = prompt.behind(self.state.live.queued.take());
                self.stop_workflow();
                self.record(Entry::TurnEnd(TurnEnd::Failed(Box::new(failure))));
                self.begin(prompt);
            }
            _ => {
                self.state.live.queued = Some(prompt.behind(self.state.live.queued.take()));
                self.notify(notices::queued(self.state.live.leaves));
            }
        }
    }

    fn begin(&mut self, prompt: Prompt) {
        self.open_turn();
        self.prompted(prompt);
        self.begin_step();
    }

    /// Begins a turn; the caller records its prompt.
    pub(super) fn open_turn(&mut self) {
        self.turn = Turn { active: true, ..Turn::default() };
        self.state.live.steps = 0;
    }

    /// Takes the next step, or asks the person first at the step limit.
    pub(super) fn step_or_ask(&mut self) {
        if self.state.live.steps >= self.settings.step_limit.max(1) {
            self.ask_person(Question::StepLimit(self.state.live.steps));
        } else {
            self.begin_step();
        }
    }

    /// Stops the turn to ask the person.
    pub(super) fn ask_person(&mut self, question: Question) {
        self.notify(notices::question(&question));
        self.state.phase = Phase::Asking(question);
    }

    /// Takes the next step: sends a request.
    fn begin_step(&mut self) {
        if self.propose_function_files() {
            return;
        }
        self.state.live.steps = self.state.live.steps.saturating_add(1);
        self.send_request();
    }

    /// Moves on after a decision or the end of a run: the next block waits, or the step is over.
    pub(super) fn advance(&mut self) {
        if self.state.live.run.is_some() {
            return;
        }
        let next = self.state.queue().next().map(|item| item.block.id);
        match next {
            Some(block) => self.wait_for_decision(block),
            None if !self.turn.active => {
                self.state.phase = Phase::Idle;
                self.begin_queued();
            }
            None if self.turn.run_was_stopped => {
                self.files.preparing = false;
                self.finish(TurnEnd::Stopped);
            }
            None if self.turn.named.is_some() => self.finish(TurnEnd::Answered),
            None if std::mem::take(&mut self.files.preparing) => self.begin_step(),
            None if self.turn.workflow.is_some() => self.follow_workflow(),
            None if !self.turn.unreported_results => self.finish(TurnEnd::Stopped),
            None => self.step_or_ask(),
        }
    }

    /// Goes on with the blocks of a complete reply, or asks the person first if one was proposed too often.
    pub(super) fn detect_repeats(&mut self, blocks: &[BlockId]) {
        let mut repeated = None;
        for id in blocks {
            let Some(item) = self.state.transcript.blocks.get(id) else { continue };
            let times = self.turn.proposed.count(&item.block);
            if times >= self.settings.repeat_limit.max(2) && repeated.is_none() {
                repeated = Some(Question::Repeated(*id, times));
            }
        }
        match repeated {
            Some(question) => self.ask_person(question),
            None => self.advance(),
        }
    }

    /// The person goes on after the step limit, a repeated block or the budget.
    pub(super) fn continue_turn(&mut self) {
        let Phase::Asking(question) = &self.state.phase else { return };
        match *question {
            Question::StepLimit(_) => {
                self.state.live.steps = 0;
                self.begin_step();
            }
            Question::Repeated(block, _) => {
                if let Some(item) = self.state.transcript.blocks.get(&block) {
                    self.turn.proposed.forget(&item.block);
                }
                self.advance();
            }
            Question::Budget { .. } => self.raise_budget(),
            // A form is answered by `Command::Answer`.
            Question::Form(_) => {}
        }
    }

    /// The person does not go on: ends the turn.
    pub(super) fn end_turn(&mut self) {
        let end = match &self.state.phase {
            Phase::Asking(Question::StepLimit(_)) => TurnEnd::StepLimit,
            Phase::Asking(Question::Form(_)) => TurnEnd::Stopped,
            Phase::Asking(Question::Repeated(..)) => {
                self.skip_open();
                TurnEnd::Repeated
            }
            Phase::Asking(Question::Budget { .. }) => match std::mem::take(&mut self.request_on_hold) {
                HeldRequest::Request => TurnEnd::Budget,
                HeldRequest::Summary(stuck) => return self.leave_summary(stuck),
            },
            Phase::Stuck(failure) => TurnEnd::Failed(Box::new(failure.clone())),
            _ => return,
        };
        self.finish(end);
    }

    /// Ends the turn; a queued prompt or command begins the next one.
    pub(super) fn finish(&mut self, end: TurnEnd) {
        self.stop_workflow();
        self.record(Entry::TurnEnd(end));
        self.turn = Turn::default();
        self.state.phase = Phase::Idle;
        self.begin_queued();
    }

    /// The provider failed: the prompt is kept, and the person chooses what to do.
    pub(super) fn fail_turn(&mut self, failure: ReplyFailure) {
        self.notify(notices::failure(&failure));
        self.state.phase = Phase::Stuck(failure);
    }

    /// Stops what goes on. Never decides about a waiting block.
    pub(super) fn stop(&mut self) {
        match self.state.phase {
            Phase::Replying(step) => self.stop_reply(step),
            Phase::Running(run) => self.interrupt(run),
            Phase::Compacting(step) => self.stop_summary(step),
            // Stops the countdown of a covered block; the block itself still waits.
            Phase::Deciding(_) => self.stop_covered_start(),
            Phase::Idle | Phase::Stuck(_) if self.loads.awaits_summary() => self.drop_summary(),
            _ => {}
        }
    }

    /// The person leaves. A reply of which nothing came stays unanswered, so that it can be asked for again; so does one
    /// that a recipe waits for, because a reply that is stopped ends the recipe. A request that waits is not sent.
    pub(super) fn leave(&mut self) {
        self.state.live.leaves = true;
        self.loads.stop_waiting();
        let Phase::Replying(step) = self.state.phase else { return };
        let came = self.state.live.reply.as_ref().is_some_and(|reply| !reply.is_empty());
        if came && self.turn.workflow.is_none() {
            self.stop_reply(step);
        }
    }

    /// Puts a settled block back: it waits for a new decision.
    pub(super) fn reopen_block(&mut self, block: BlockId) {
        let Some(item) = self.state.transcript.blocks.get(&block) else { return };
        if item.status == BlockStatus::Open {
            return;
        }
        if !self.state.can_reopen_block() {
            return self.notify(notices::not_now(block));
        }
        self.record(Entry::Reopened(block));
        self.order_inspection(block);
        self.advance();
    }

    /// Begins with what is queued: typed commands first, so that the prompt includes their results. Once the person
    /// leaves, nothing begins: the draft gets what is queued.
    pub(super) fn begin_queued(&mut self) {
        if self.state.live.leaves {
            return;
        }
        if let Some(command) = self.state.live.commands.pop_front() {
            self.propose_command(command);
        } else if let Some(prompt) = self.state.live.queued.take() {
            self.begin(prompt);
        }
    }
}
