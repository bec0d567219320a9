//! What a recipe is to the engine: it decides what comes next in its turn, and the engine does it.
//!
//! A recipe never runs anything: it declines blocks, proposes blocks of its own (which wait like every other),
//! instructs the model, asks the person for answers, and ends. Its decisions depend on the transcript alone, so a
//! session that is opened again continues where it stopped. The room `recipe` defines the recipes.

mod blocks;
mod progress;

use super::state::State;
use super::transcript::{BlockItem, Item, SettledEvent, Transcript};
use crate::domain::{
    Block, BlockId, BlockKind, Finding, Form, Language, RecipeEnd, RecipeFact, RecipeStart, Review,
    RoundOutcome,
};
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

#[cfg(test)]
mod tests;
