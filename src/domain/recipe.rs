//! A recipe as it is used: what it was begun with, what its steps came to, how it ended. What recipes there are, and what
//! they do, is told in the room `recipe`.

use super::{Answers, Form};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

/// A recipe as it is chosen: a line of the list, and the form of its inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipeCard {
    /// Its name: `/recipe NAME`, `--recipe NAME`.
    pub name: String,
    /// Its title on screen.
    pub title: String,
    /// When it fits, in a line.
    pub when: String,
    /// What it has to be told.
    pub inputs: Form,
    /// The person's own file; `None`: it ships with sayso.
    pub file: Option<PathBuf>,
}

/// What is told of the recipes that there are, in the order of their list; read when it is first looked at.
#[derive(Clone)]
pub struct RecipeCards(Arc<LazyLock<Vec<RecipeCard>, ReadCards>>);

type ReadCards = Box<dyn FnOnce() -> Vec<RecipeCard> + Send>;

impl RecipeCards {
    /// Cards that are read by this when they are first looked at.
    pub(crate) fn later(read: impl FnOnce() -> Vec<RecipeCard> + Send + 'static) -> Self {
        Self(Arc::new(LazyLock::new(Box::new(read))))
    }
}

impl From<Vec<RecipeCard>> for RecipeCards {
    fn from(cards: Vec<RecipeCard>) -> Self {
        Self::later(|| cards)
    }
}

impl Default for RecipeCards {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl Deref for RecipeCards {
    type Target = [RecipeCard];

    fn deref(&self) -> &[RecipeCard] {
        &self.0
    }
}

impl fmt::Debug for RecipeCards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecipeCards(..)")
    }
}

/// With what a recipe was begun. It holds all that its further course depends on, so that a session can go on with it
/// when files or the program have changed since.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecipeStart {
    /// The recipe's name, by which it was asked for.
    pub name: String,
    /// Its definition, in TOML.
    #[serde(with = "super::serial::shared")]
    pub definition: Arc<str>,
    /// The answers to its inputs.
    #[serde(default, with = "super::serial::pairs")]
    pub inputs: Answers,
    /// What was found in the working folder and on the machine: `runner` = `pytest`, the text of a file that was named.
    #[serde(default, with = "super::serial::pairs")]
    pub facts: Vec<(String, String)>,
    /// What the person asked, in one text: the prompt of its turn.
    #[serde(default)]
    pub prompt: String,
}

/// What one round of one of its steps came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundOutcome {
    /// The step of the recipe.
    pub step: String,
    /// Which round of it, from 1.
    pub round: u32,
    /// What the outcomes of its blocks came to, in a word: `red`, `green`, `broken`.
    pub verdict: String,
    /// The same for the person, in a line: `2 failed, 1 passed`.
    #[serde(default)]
    pub note: String,
}

/// How a recipe ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum RecipeEnd {
    /// It came to its end.
    Done,
    /// It could not go on, and why is told: nothing to mend, tests that pass before there is anything.
    GaveUp,
    /// A limit of its own was reached.
    Limit,
    /// The person stopped it, or its turn ended otherwise.
    #[serde(other)]
    Stopped,
}

impl RecipeEnd {
    /// The word in JSON and session files.
    pub(crate) fn as_str(self) -> &'static str {
        self.into()
    }
}

/// One durable fact about the recipe of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum RecipeFact {
    /// It began: the turn is its.
    Began(Box<RecipeStart>),
    /// A round of a step begins, and the model is told this.
    Said {
        /// The step of the recipe.
        step: String,
        /// Its title, for the person.
        #[serde(default)]
        title: String,
        /// Which round of it, from 1.
        round: u32,
        /// What the model is told.
        text: String,
    },
    /// A round was judged.
    Judged(RoundOutcome),
    /// The person answered a form.
    Answered {
        /// The name of the form.
        form: String,
        /// What was answered, field by field.
        #[serde(default, with = "super::serial::pairs")]
        answers: Answers,
    },
    /// It is over: the turn is nobody's but the person's again.
    Ended {
        /// How it ended.
        end: RecipeEnd,
        /// What came of it, for the person; Markdown.
        #[serde(default)]
        summary: String,
    },
}
