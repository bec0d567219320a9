//! Layers over the panes: questions, boxes, lists. The topmost takes the keys; Esc closes it.

mod always;
mod ask;
mod form;
mod lists;
mod models;
mod welcome;

pub use always::Always;
pub use ask::{Answer, Ask, Choice as AskChoice};
pub use form::{FormBox, Purpose, Reply};
pub use lists::{CommandList, OldMessages, Recipes, Sessions};
pub use models::{Models, Row as ModelRow, model_name};
pub use welcome::{Cloud, Filling, Row as WelcomeRow, USUAL_SERVER, Welcome};

use super::field::Field;
use super::filter::Cursor;
use super::limits::LimitsForm;
use crate::domain::{BlockId, Language, Revision};
use crate::tui::keymap::Context;
use crate::tui::view::roll::Anchor;

/// A layer.
#[derive(Debug)]
pub enum Layer {
    /// Where answers should come from.
    Welcome(Welcome),
    /// The sessions.
    Sessions(Sessions),
    /// The models.
    Models(Models),
    /// The keys of the place that the person came from.
    Help(Help),
    /// How things stand; the first row on screen.
    Status(usize),
    /// The recipes.
    Recipes(Recipes),
    /// A form.
    Form(Box<FormBox>),
    /// What was done so far, step by step: how many rows from its end.
    Steps(usize),
    /// The commands.
    Commands(CommandList),
    /// The word that has to be typed.
    Confirm(Confirm),
    /// Which rule an "always" makes.
    Always(Always),
    /// The rules of this session.
    Rules(Cursor),
    /// Why a block is rejected.
    Reject(Reject),
    /// A question with letters for answers.
    Ask(Ask),
    /// The limits of a block.
    Limits(LimitsForm),
    /// The language of a block.
    Language(BlockId, Vec<Language>, Cursor),
    /// Messages sent before.
    OldMessages(OldMessages),
    /// A text that is looked for.
    Find(Find),
    /// Another name for the session.
    Rename(Field),
    /// A key for a provider; stays in memory.
    Key(String, Field),
    /// A text that is looked for in the editor.
    FindInEditor(Field),
}

/// The help.
#[derive(Debug)]
pub struct Help {
    /// Where the person came from.
    pub context: Context,
    /// What the place is called.
    pub place: String,
    /// The first row on screen.
    pub top: usize,
}

/// The box for the typed word.
#[derive(Debug)]
pub struct Confirm {
    /// The block.
    pub block: BlockId,
    /// The version that was reviewed.
    pub revision: Revision,
    /// The terms that were on screen.
    pub terms: u64,
    /// What was typed.
    pub field: Field,
}

/// The box for a reason.
#[derive(Debug)]
pub struct Reject {
    /// The block.
    pub block: BlockId,
    /// The version on screen.
    pub revision: Revision,
    /// The reason.
    pub field: Field,
}

/// A place where a text was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    /// An item of the conversation.
    Chat(usize),
    /// A line of a block's code, from 0.
    Code(BlockId, usize),
    /// A line of the output on screen.
    Output(usize),
}

/// A search.
#[derive(Debug)]
pub struct Find {
    /// What is looked for.
    pub field: Field,
    /// Where it was found.
    pub hits: Vec<Hit>,
    /// Which of them is shown.
    pub at: usize,
    /// Where the panes stood before: conversation, output, and the block on screen.
    pub before: (Option<Anchor>, Option<Anchor>, Option<BlockId>),
}

impl Layer {
    /// The field that letters go into, if there is one.
    pub fn field(&mut self) -> Option<&mut Field> {
        match self {
            Layer::Sessions(list) => Some(list.field()),
            Layer::Models(list) => Some(&mut list.filter),
            Layer::Commands(list) => Some(&mut list.filter),
            Layer::Recipes(list) => Some(&mut list.filter),
            Layer::Form(form) => form.field(),
            Layer::OldMessages(list) => Some(&mut list.filter),
            Layer::Confirm(confirm) => Some(&mut confirm.field),
            Layer::Reject(reject) => Some(&mut reject.field),
            Layer::Find(find) => Some(&mut find.field),
            Layer::Limits(form) => form.field(),
            Layer::Rename(field) | Layer::Key(_, field) | Layer::FindInEditor(field) => Some(field),
            Layer::Welcome(welcome) => welcome.field.as_mut().map(|(_, field)| field),
            Layer::Help(_)
            | Layer::Status(_)
            | Layer::Steps(_)
            | Layer::Ask(_)
            | Layer::Always(_)
            | Layer::Rules(_)
            | Layer::Language(..) => None,
        }
    }

    /// Where keys are looked up while it is on top.
    pub fn context(&self) -> Context {
        match self {
            Layer::Sessions(_)
            | Layer::Models(_)
            | Layer::Commands(_)
            | Layer::Recipes(_)
            | Layer::OldMessages(_)
            | Layer::Welcome(_)
            | Layer::Find(_)
            | Layer::Always(_)
            | Layer::Rules(_)
            | Layer::Limits(_)
            | Layer::Language(..) => Context::Picker,
            Layer::Reject(_) => Context::Message,
            Layer::Confirm(_) | Layer::Rename(_) | Layer::Key(..) | Layer::FindInEditor(_) => Context::Text,
            Layer::Form(_) => Context::Form,
            Layer::Help(_) | Layer::Status(_) | Layer::Steps(_) => Context::Pane,
            Layer::Ask(_) => Context::Everywhere,
        }
    }
}
