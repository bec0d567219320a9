//! Recipes: ways of working with a model, as data (`assets/recipes`, and files of the person). This room reads them,
//! checks them, and says what comes next in a turn that follows one ([`crate::engine::Way`]). It is pure, runs nothing and
//! knows nothing of how a form or a list is drawn; what stands in files and on the machine is told to it as facts.

use crate::domain::{Answers, Misfit, RecipeCard, RecipeStart};
use crate::engine::{Way, WayFinder, Ways};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Who opens recipes, for the engine.
pub fn ways() -> WayFinder {
    WayFinder(Some(Arc::new(Recipes)))
}

/// The recipes that ship with sayso, in the order of their list.
pub fn shipped() -> Vec<Recipe> {
    Vec::new()
}

/// A recipe that was read and checked.
#[derive(Clone, Debug)]
pub struct Recipe {
    card: RecipeCard,
    definition: Arc<str>,
}

/// What is wrong with the definition of a recipe.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}:{column}: {what}", .file.display())]
pub struct Fault {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub hint: String,
}

/// Something that has to be found out before a recipe can begin; each becomes a fact of its start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Want {
    /// The text of the file that this input names: the fact `file:INPUT`.
    File {
        /// The input.
        input: String,
        /// The path, relative to the working folder.
        path: PathBuf,
    },
    /// Which test runners could run here, the likeliest first: the fact `runners`, their names with blanks between.
    Runners,
    /// The command that runs the project's own tests, where it has some: the fact `tests`.
    Tests,
}

impl Recipe {
    /// Reads a definition; `file` is where it stands, `None` for those that ship.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read(definition: &str, file: Option<&Path>) -> Result<Self, Vec<Fault>> {
        let _ = definition;
        let file = file.unwrap_or(Path::new("recipe.toml")).to_owned();
        let what = "recipes can't be read".into();
        Err(vec![Fault { file, line: 1, column: 1, what, hint: String::new() }])
    }

    /// Its line in the list, and the form of its inputs.
    pub fn card(&self) -> &RecipeCard {
        &self.card
    }

    /// What has to be found out before it begins with these answers.
    pub fn wants(&self, inputs: &Answers) -> Vec<Want> {
        let _ = inputs;
        Vec::new()
    }

    /// Whether it may ask for more while it goes on.
    pub fn asks_later(&self) -> bool {
        true
    }

    /// Its beginning. `inputs` went through its form ([`crate::domain::Form::check`]).
    ///
    /// # Errors
    /// Each input that what was found shows not to fit.
    pub fn start(&self, inputs: Answers, facts: Vec<(String, String)>) -> Result<RecipeStart, Vec<Misfit>> {
        let prompt = format!("{}: {}", self.card.title, inputs.first().map_or("", |(_, text)| text.as_str()));
        Ok(RecipeStart {
            name: self.card.name.clone(),
            definition: self.definition.clone(),
            inputs,
            facts,
            prompt,
        })
    }
}

#[derive(Debug)]
struct Recipes;

impl Ways for Recipes {
    fn open(&self, start: &RecipeStart) -> Result<Arc<dyn Way>, String> {
        Err(format!("there is no recipe {}", start.name))
    }
}
