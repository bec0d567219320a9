//! The present question: what the next line answers.

use super::changes::ListedChanges;
use super::form::FormFill;
use super::provider::ProviderQuestion;
use crate::domain::{BlockId, Decision, Revision};
use crate::driver::HeldFile;
use crate::engine::rules::Offer;
use crate::engine::state::Question;
use crate::engine::{Command, Inspection, Phase, State};
use crate::text::number::dollars;
use crate::tui::widgets::words;
use std::time::{Duration, Instant};

/// An answer about a block that comes sooner than this was typed before the question was read.
pub(super) const READING_DELAY: Duration = Duration::from_millis(300);

/// A block as it was printed: an answer only holds for exactly this.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PrintedBlock {
    pub(crate) block: BlockId,
    pub(crate) revision: Revision,
    pub(crate) inspected: Inspection,
}

/// What is asked about a block.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum AnswerKind {
    /// Which word decides.
    Decision,
    /// The word `run`, which high findings and a missing sandbox require.
    TypedWord,
    /// The reason for rejecting it.
    Reason,
    /// One of these rules.
    Rule(Vec<Offer>),
}

/// What the next line answers.
#[derive(Debug)]
pub(super) enum Ask {
    /// Nothing is asked: a line becomes a message, sent when its turn comes.
    Nothing,
    Message,
    Block(Box<PrintedBlock>, AnswerKind),
    /// Whether to continue after the step limit, a repeated block or the end of the budget.
    GoOn(Question),
    /// Whether to retry after a failure of the provider.
    Stuck(String),
    Form(Box<FormFill>),
    Provider(ProviderQuestion),
    /// What to do with these changes of a run.
    Changes(Box<ListedChanges>),
    /// Whether the model is told the new text of these instruction files.
    Instructions(Vec<HeldFile>),
}

/// The question on the page, and since when it is there.
#[derive(Debug)]
pub(super) struct OpenQuestion {
    pub(crate) ask: Ask,
    pub(crate) since: Instant,
}

impl Ask {
    /// Whether its answer must not be shown, kept or sent as text.
    pub(super) fn is_secret(&self) -> bool {
        matches!(self, Ask::Provider(question) if question.is_secret())
    }
}

impl OpenQuestion {
    pub(super) fn nothing() -> Self {
        Self::of(Ask::Nothing)
    }

    /// A question that is on the page from now on.
    pub(super) fn of(ask: Ask) -> Self {
        Self { ask, since: Instant::now() }
    }

    /// Whether the question still applies to the present state of the session.
    pub(super) fn holds(&self, state: &State) -> bool {
        match (&self.ask, &state.phase) {
            (Ask::Provider(_), _) => true,
            (Ask::Form(form), phase) if form.begins() => *phase == Phase::Idle,
            (Ask::Message, Phase::Idle) => true,
            (Ask::Changes(_) | Ask::Instructions(_), phase) => leaves_time(phase),
            (Ask::Block(shown, _), Phase::Deciding(block)) => {
                shown.block == *block && PrintedBlock::of(state).is_some_and(|now| now == **shown)
            }
            (Ask::GoOn(asked), Phase::Asking(question)) => asked == question,
            (Ask::Form(form), Phase::Asking(Question::Form(asked))) => form.is_for(asked),
            (Ask::Stuck(why), Phase::Stuck(failure)) => *why == failure.message,
            (Ask::Nothing, phase) => match phase {
                Phase::Idle | Phase::Asking(_) | Phase::Stuck(_) => false,
                Phase::Deciding(_) => PrintedBlock::of(state).is_none(),
                Phase::Replying(_) | Phase::Running(_) | Phase::Compacting(_) => true,
            },
            _ => false,
        }
    }
}

impl PrintedBlock {
    /// The waiting block, if it can be decided about.
    pub(super) fn of(state: &State) -> Option<Self> {
        let (item, inspected) = super::block::waiting(state)?;
        Some(Self {
            block: item.block.id,
            revision: item.block.current().revision,
            inspected: inspected.clone(),
        })
    }

    /// The command that decides about it.
    pub(super) fn decide(&self, decision: Decision) -> Command {
        Command::Decide { block: self.block, revision: self.revision, decision }
    }
}

/// Whether a question asked by the person would hold nothing up in this phase.
pub(super) fn leaves_time(phase: &Phase) -> bool {
    matches!(phase, Phase::Idle | Phase::Deciding(_))
}

/// The question asked when a turn stops.
pub(super) fn question_text(question: &Question) -> String {
    match question {
        Question::StepLimit(steps) => {
            format!("{} taken in this turn.", words::count(*steps as usize, "step"))
        }
        Question::Repeated(block, times) => format!("Block {block} was proposed {times} times in this turn."),
        Question::Budget { spent, limit } => {
            format!("This session has cost {} of {}.", dollars(*spent), dollars(*limit))
        }
        Question::Form(form) => form.title.clone(),
    }
}
