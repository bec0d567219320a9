//! Facts about one use of a recipe: how it began, the results of its steps, how it ended. The room `recipe` defines the
//! recipes and what they do.

use super::word::words;
use super::{Answers, Form};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

/// A recipe as the person chooses it: an entry of the list, and the form of its inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipeCard {
    /// Its name: `/recipe NAME`, `--recipe NAME`.
    pub name: String,
    /// Its title on screen.
    pub title: String,
    /// When to use it, in a line.
    pub when: String,
    /// The form of its inputs.
    pub inputs: Form,
    /// The person's own file; `None`: it ships with sayso.
    pub file: Option<PathBuf>,
}

/// The cards of all recipes, in the order of their list; read on first use.
#[derive(Clone)]
pub struct RecipeCards(Arc<LazyLock<Vec<RecipeCard>, ReadCards>>);

type ReadCards = Box<dyn FnOnce() -> Vec<RecipeCard> + Send>;

impl RecipeCards {
    /// Cards that this function reads on first use.
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

/// How a recipe began. This holds everything that its further course depends on, so that a resumed session can continue
/// it even if files or the program have changed since.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecipeStart {
    /// The name by which it was requested.
    pub name: String,
    /// Its definition, in TOML.
    #[serde(with = "super::serial::shared")]
    pub definition: Arc<str>,
    /// The answers to its inputs.
    #[serde(default, with = "super::serial::pairs")]
    pub inputs: Answers,
    /// What was found in the working folder and on the machine: `runner` = `pytest`, the text of a named file.
    #[serde(default, with = "super::serial::pairs")]
    pub facts: Vec<(String, String)>,
    /// The person's request as one text: the prompt of the turn.
    #[serde(default)]
    pub prompt: String,
}

/// The result of one round of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundOutcome {
    /// The step of the recipe.
    pub step: String,
    /// The number of the round, from 1.
    pub round: u32,
    /// The judgement of its blocks' outcomes, in a word: `red`, `green`, `broken`.
    pub verdict: String,
    /// The same for the person, in one line: `2 failed, 1 passed`.
    #[serde(default)]
    pub note: String,
}

/// How a recipe ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum RecipeEnd {
    /// It completed.
    Done,
    /// It could not continue, and told the reason: nothing to repair, or tests that pass before there is any code.
    GaveUp,
    /// It reached a limit of its own.
    Limit,
    /// The person stopped it, or its turn ended otherwise.
    #[serde(other)]
    Stopped,
}

words!(RecipeEnd);

/// One durable fact about the recipe of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum RecipeFact {
    /// The recipe began: it now leads the turn.
    Began(Box<RecipeStart>),
    /// A round of a step began, with this text for the model.
    Said {
        /// The step of the recipe.
        step: String,
        /// Its title, for the person.
        #[serde(default)]
        title: String,
        /// The number of the round, from 1.
        round: u32,
        /// The text for the model.
        text: String,
    },
    /// A round was judged.
    Judged(RoundOutcome),
    /// The person answered a form.
    Answered {
        /// The name of the form.
        form: String,
        /// The answers, field by field.
        #[serde(default, with = "super::serial::pairs")]
        answers: Answers,
    },
    /// The recipe ended: the person leads the turn again.
    Ended {
        /// How it ended.
        end: RecipeEnd,
        /// The result, for the person; Markdown.
        #[serde(default)]
        summary: String,
    },
}
