//! Runs a recipe through its turn: the recipe decides what comes next, the engine does it.
//!
//! A recipe never runs anything: it declines blocks, proposes blocks of its own (which wait like every other),
//! instructs the model, asks the person for answers, and ends. Its decisions depend on the transcript alone, so a
//! session that is opened again continues where it stopped. The room `recipe` defines the recipes.

use super::answers;
use super::resume::unanswered;
use super::state::{Question, State};
use super::transcript::{BlockItem, Item, SettledEvent, Transcript};
use super::{Engine, Phase, notices};
use crate::domain::{
    Answers, Block, BlockId, BlockKind, Entry, Finding, Form, Language, RecipeEnd, RecipeFact, RecipeStart,
    Review, RoundOutcome, TurnEnd,
};
use crate::text::line::one_line;
use std::fmt::Debug;
use std::sync::Arc;

/// Why a recipe can't go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorkflowError {
    /// Its definition can't be used.
    #[error("the recipe {name} can't be used: {fault}")]
    Definition {
        /// The recipe's name.
        name: String,
        /// What is wrong, and where in the definition.
        fault: String,
    },
    /// The session is foreign: nobody knows what was agreed in it, and by whom.
    #[error("the session is foreign, and so is what was agreed in it")]
    Foreign,
}

/// Opens the recipe that a session says was begun.
pub trait WorkflowOpener: Debug + Send + Sync {
    /// The workflow of the recipe that was begun with this.
    ///
    /// # Errors
    /// Why its definition can't be used.
    fn open(&self, start: &RecipeStart) -> Result<Arc<dyn Workflow>, WorkflowError>;
}

/// The opener of recipes, if there are any.
#[derive(Clone, Debug, Default)]
pub struct Workflows(pub Option<Arc<dyn WorkflowOpener>>);

/// One recipe. All answers depend on the arguments alone.
pub trait Workflow: Debug + Send + Sync {
    /// The next steps. Called at the start, when a reply had no block, when all blocks of the reply and of the recipe
    /// are settled, when a form was answered, and after the session was opened again. The last step says what to wait
    /// for (`Ask`, `Form` or `End`); without one, and without a waiting block, the turn ends.
    fn next(&self, context: &WorkflowContext<'_>) -> Vec<WorkflowStep>;

    /// Why a block that the model proposes is not offered to the person, in one line for both. Its reply is the newest
    /// item.
    fn declines(&self, context: &WorkflowContext<'_>, block: &Block) -> Option<String>;

    /// Findings about a block, added to its review: `changes the tests that you agreed to`.
    fn remarks(&self, context: &WorkflowContext<'_>, block: &Block, review: &Review) -> Vec<Finding>;

    /// A further finding about a block, given the current content of its file.
    fn outdated(&self, context: &WorkflowContext<'_>, block: &Block, on_disk: &str) -> Option<Finding> {
        let _ = (context, block, on_disk);
        None
    }

    /// The text with which a block of code is compared on screen, if it replaces another.
    fn before(&self, context: &WorkflowContext<'_>, block: &Block) -> Option<Arc<str>>;

    /// Files whose content is hashed before and after each run, since what a run itself says about them is not
    /// believed.
    fn protects(&self, context: &WorkflowContext<'_>) -> Vec<String> {
        let _ = context;
        Vec::new()
    }

    /// Whether the strict list of forbidden things applies to this block.
    fn strict(&self, context: &WorkflowContext<'_>, block: &Block) -> bool;
}

/// What a recipe wants next.
#[derive(Clone, Debug, PartialEq)]
pub enum WorkflowStep {
    /// Records the judgement of a round. Another step follows.
    Judge(RoundOutcome),
    /// Sends the model this text: a round begins. Another step follows.
    Say {
        /// The step of the recipe.
        step: String,
        /// Its title, for the person.
        title: String,
        /// Which round of it, from 1.
        round: u32,
        /// The text for the model.
        text: String,
    },
    /// Proposes a block of sayso's own. Several in a row wait one after the other.
    Propose {
        /// The kind of block.
        kind: BlockKind,
        /// The language of its text.
        language: Language,
        /// Its text.
        source: Arc<str>,
        /// What it is for: `run the tests`.
        note: String,
    },
    /// Asks the model.
    Ask,
    /// Asks the person to fill in this form.
    Form(Form),
    /// Ends the recipe. It is not called again.
    End {
        /// How it ended.
        end: RecipeEnd,
        /// The result for the person; Markdown.
        summary: String,
    },
}

/// What happened since a recipe began.
#[derive(Clone, Copy, Debug)]
pub struct WorkflowContext<'a> {
    /// The transcript of the session.
    pub(crate) transcript: &'a Transcript,
    /// What it was begun with.
    pub(crate) start: &'a RecipeStart,
    /// The index of the first item after its beginning.
    pub(crate) from: usize,
}

impl<'a> WorkflowContext<'a> {
    /// The context of the recipe in progress, if there is one.
    pub(crate) fn of(state: &'a State) -> Option<Self> {
        let transcript = &state.transcript;
        let mut items = transcript.items.iter().enumerate().rev();
        let (at, start) = items.find_map(|(at, item)| match item {
            Item::TurnEnd { .. } => Some(None),
            item => match item.fact()? {
                RecipeFact::Ended { .. } => Some(None),
                RecipeFact::Began(start) => Some(Some((at, start.as_ref()))),
                _ => None,
            },
        })??;
        Some(Self { transcript, start, from: at + 1 })
    }

    /// The items since it began, each with its index in the conversation.
    pub(crate) fn items(&self) -> impl DoubleEndedIterator<Item = (usize, &'a Item)> + use<'a> {
        let from = self.from;
        self.transcript.items.iter().enumerate().skip(from)
    }

    /// What was settled since the item at this index, in its order.
    pub(crate) fn settled_since(
        &self,
        place: usize,
    ) -> impl DoubleEndedIterator<Item = &'a SettledEvent> + use<'a> {
        self.transcript.settled.iter().filter(move |settled| settled.after > place)
    }

    /// A block with all that was decided about it.
    pub(crate) fn block(&self, block: BlockId) -> Option<&'a BlockItem> {
        self.transcript.blocks.get(&block)
    }

    /// The answer to an input; empty where there is none.
    pub(crate) fn input(&self, name: &str) -> &'a str {
        value_of(&self.start.inputs, name)
    }

    /// The fact found under this name; empty where there is none.
    pub(crate) fn fact(&self, name: &str) -> &'a str {
        value_of(&self.start.facts, name)
    }
}

fn value_of<'a>(pairs: &'a [(String, String)], name: &str) -> &'a str {
    pairs.iter().find(|(known, _)| known == name).map_or("", |(_, text)| text)
}

impl Engine {
    /// Begins a recipe that the driver has prepared.
    pub(super) fn begin_recipe(&mut self, start: RecipeStart) {
        if self.state.phase != Phase::Idle {
            return self.notify(notices::recipe_not_now());
        }
        let Some(opener) = self.settings.workflows.0.clone() else { return };
        match opener.open(&start) {
            Ok(way) => {
                self.open_turn();
                self.turn.workflow = Some(way);
                self.prompted(start.prompt.clone().into());
                self.record(Entry::Recipe(RecipeFact::Began(Box::new(start))));
                self.follow_workflow();
            }
            Err(why) => self.notify(notices::recipe_refused(&start.name, &why.to_string())),
        }
    }

    /// Takes the recipe's next steps.
    pub(super) fn follow_workflow(&mut self) {
        self.take_moves(Self::step_or_ask);
    }

    /// Takes the recipe's next steps after the session was opened again: the model is asked only when the person wants
    /// it.
    pub(super) fn resume_workflow(&mut self) {
        self.take_moves(|engine| {
            let message = "The session was closed before the reply came. The recipe goes on with it.";
            engine.state.phase = unanswered(message);
        });
    }

    /// Takes the recipe's next steps; `ask` is what to do where the model is asked.
    fn take_moves(&mut self, ask: fn(&mut Self)) {
        for wanted in self.moves() {
            if wanted == WorkflowStep::Ask {
                return ask(self);
            }
            if self.make_move(wanted) {
                return;
            }
        }
        self.leave_workflow();
    }

    /// Takes a step other than `Ask`; returns whether it was the last.
    fn make_move(&mut self, wanted: WorkflowStep) -> bool {
        match wanted {
            WorkflowStep::Judge(outcome) => self.record(Entry::Recipe(RecipeFact::Judged(outcome))),
            WorkflowStep::Say { step, title, round, text } => {
                self.record(Entry::Recipe(RecipeFact::Said { step, title, round, text }));
            }
            WorkflowStep::Propose { kind, language, source, note } => {
                let block = self.propose_own(kind, language, source, note);
                self.order_inspection(block);
            }
            WorkflowStep::Form(form) => {
                let question = Question::Form(Box::new(form));
                self.notify(notices::question(&question));
                self.state.phase = Phase::Asking(question);
                return true;
            }
            WorkflowStep::End { end, summary } => {
                self.turn.workflow = None;
                self.record(Entry::Recipe(RecipeFact::Ended { end, summary }));
                let stopped = end == RecipeEnd::Stopped;
                self.finish(if stopped { TurnEnd::Stopped } else { TurnEnd::Answered });
                return true;
            }
            WorkflowStep::Ask => {}
        }
        false
    }

    fn moves(&self) -> Vec<WorkflowStep> {
        match (&self.turn.workflow, WorkflowContext::of(&self.state)) {
            (Some(way), Some(context)) => way.next(&context),
            _ => Vec::new(),
        }
    }

    /// Handles steps without a last one: blocks of the recipe wait, or it does not know how to go on.
    fn leave_workflow(&mut self) {
        let next = self.state.queue().next().map(|item| item.block.id);
        match next {
            Some(block) => self.wait_for_decision(block),
            None => self.finish(TurnEnd::Stopped),
        }
    }

    /// The turn ends before its recipe has ended.
    pub(super) fn stop_workflow(&mut self) {
        if self.turn.workflow.take().is_some() {
            let (end, summary) = (RecipeEnd::Stopped, String::new());
            self.record(Entry::Recipe(RecipeFact::Ended { end, summary }));
        }
    }

    /// Opens the recipe again that was in progress when the session was closed.
    pub(super) fn reopen_workflow(&mut self) {
        let Some(start) = WorkflowContext::of(&self.state).map(|context| context.start.clone()) else {
            return;
        };
        let Some(opener) = self.settings.workflows.0.clone() else { return };
        let opened = if self.state.live.foreign { Err(WorkflowError::Foreign) } else { opener.open(&start) };
        match opened {
            Ok(way) => self.turn.workflow = Some(way),
            Err(why) => {
                let (end, summary) = (RecipeEnd::GaveUp, String::new());
                self.record(Entry::Recipe(RecipeFact::Ended { end, summary }));
                self.notify(notices::recipe_refused(&start.name, &why.to_string()));
            }
        }
    }

    /// The blocks of a reply that the recipe offers to the person; the others are declined, and the model is told why.
    pub(super) fn filter_blocks(&mut self, blocks: Vec<BlockId>) -> Vec<BlockId> {
        let Some(way) = self.turn.workflow.clone() else { return blocks };
        let mut declined = Vec::new();
        if let Some(context) = WorkflowContext::of(&self.state) {
            let all = blocks.iter().filter_map(|id| context.block(*id));
            declined.extend(all.filter_map(|item| {
                let why = way.declines(&context, &item.block)?;
                Some((item.block.id, item.block.current().revision, one_line(&why)))
            }));
        }
        for (block, revision, why) in &declined {
            self.turn.unreported_results = true;
            self.record(Entry::Declined { block: *block, revision: *revision, why: why.clone() });
            self.settled(*block);
        }
        if let Some((block, _, why)) = declined.first() {
            self.notify(notices::declined(*block, why));
        }
        blocks.into_iter().filter(|block| !declined.iter().any(|(known, ..)| known == block)).collect()
    }

    /// Adds the recipe's findings to the review of an inspected block; returns the text to compare the block with.
    pub(super) fn remarks(
        &self,
        block: BlockId,
        review: &mut Review,
        on_disk: Option<&str>,
    ) -> Option<Arc<str>> {
        let (way, context) = (self.turn.workflow.as_ref()?, WorkflowContext::of(&self.state)?);
        let item = context.block(block)?;
        review.findings.extend(way.remarks(&context, &item.block, review));
        review.findings.extend(on_disk.and_then(|text| way.outdated(&context, &item.block, text)));
        if item.block.is_own() { None } else { way.before(&context, &item.block) }
    }

    /// The files that the recipe protects.
    pub(super) fn protected_files(&self) -> Vec<String> {
        match (&self.turn.workflow, WorkflowContext::of(&self.state)) {
            (Some(way), Some(context)) => way.protects(&context),
            _ => Vec::new(),
        }
    }

    /// Whether the strict list of forbidden things applies to a block.
    pub(super) fn is_strict(&self, block: &Block) -> bool {
        match (&self.turn.workflow, WorkflowContext::of(&self.state)) {
            (Some(way), Some(context)) => way.strict(&context, block),
            _ => false,
        }
    }

    /// The person answers the form that waits.
    pub(super) fn answer_form(&mut self, answers: &Answers) {
        let Phase::Asking(Question::Form(form)) = &self.state.phase else { return };
        match answers::check(form, answers) {
            Ok(answers) => {
                let form = form.name.clone();
                self.record(Entry::Recipe(RecipeFact::Answered { form, answers }));
                self.follow_workflow();
            }
            Err(misfits) => {
                if let Some(misfit) = misfits.first() {
                    self.notify(notices::misfit(misfit));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
