//! Reads and checks recipes, and decides the next step of a turn that follows one ([`crate::engine::Workflow`]).
//!
//! A recipe is a way of working with a model, written as data (`assets/recipes`, and the person's own files). This room
//! is pure: it runs nothing and does not know how a form or a list is drawn; the caller passes in facts about files and
//! the machine.

mod arguments;
mod check;
mod command;
mod definition;
mod hunks;
mod list;
mod machine;
mod scaffold;
mod scripts;
#[cfg(test)]
mod tests;
mod text;
mod view;
mod written;

pub(crate) use command::typescript_fact;
pub use list::RecipeList;
pub(crate) use list::shipped;
pub(crate) use scaffold::scaffold;

use crate::domain::{AnswerError, Answers, RecipeCard, RecipeStart};
use crate::engine::{Workflow, WorkflowError, WorkflowOpener, Workflows};
use crate::python::names::names;
use crate::text::position::LocatedError;
use definition::Definition;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Opens recipes for the engine.
pub(crate) fn workflows() -> Workflows {
    Workflows(Some(Arc::new(Recipes)))
}

/// A recipe that was read and checked.
#[derive(Clone, Debug)]
pub struct Recipe {
    card: RecipeCard,
    text: Arc<str>,
    definition: Arc<Definition>,
}

/// Something that the caller has to find out before a recipe can begin; most requests give a fact of its start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FactRequest {
    /// The text of the file that this input names. Fact `file:INPUT`.
    File {
        input: String,
        /// The path, relative to the working folder.
        path: PathBuf,
    },
    /// The test runners that can run here, the likeliest first. Fact `runners`: their names, separated by blanks.
    Runners,
    /// The command that runs the project's own tests, if there is one. Fact `tests`.
    Tests,
    /// Whether the tool that this input needs can be run here. No fact; if it can't, the recipe does not begin.
    Tool { input: String, tool: Tool },
    /// Whether Python has this package. If it lacks it and the person can be asked to install it: fact `lacks`, its
    /// name. If it lacks it otherwise, the recipe does not begin.
    Package(String),
    /// The file of functions that a new one is added to. Facts: `functions_file`, its path; `functions_text`, its text,
    /// empty if there is no such file yet; `functions_elsewhere`, the names that other files of functions set, one line
    /// for each name and file.
    Functions {
        input: String,
        /// The path as the input gives it; blank for the usual file.
        named: String,
    },
}

/// A tool that the machine has to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    /// A program, by the name under which a shell finds it.
    Program(String),
    /// One of the known test runners.
    Runner(String),
    /// What runs TypeScript; and the input in which the person could name it instead, if any.
    TypeScript { said_by: Option<String> },
    /// The program that this line of bash starts with.
    Line(String),
    /// Whatever runs this file, which is not known; and the input in which the person could name it, if any.
    Unknown { file: String, said_by: Option<String> },
}

impl Recipe {
    /// Reads a definition; `file` is its path, `None` for recipes that ship with sayso.
    ///
    /// # Errors
    /// Everything that is wrong with the definition.
    pub(crate) fn read(definition: &str, file: Option<&Path>) -> Result<Self, Vec<LocatedError>> {
        let name = file.unwrap_or(Path::new("recipe.toml"));
        let read = definition::read(definition, name)?;
        let card = RecipeCard {
            name: read.name.clone(),
            title: read.title.clone(),
            when: read.when.clone(),
            inputs: read.form(),
            file: file.map(Path::to_path_buf),
        };
        Ok(Self { card, text: definition.into(), definition: Arc::new(read) })
    }

    /// The recipe's entry in the list, and the form of its inputs.
    pub(crate) fn card(&self) -> &RecipeCard {
        &self.card
    }

    /// What the caller has to find out before the recipe begins with these answers.
    pub(crate) fn wants(&self, inputs: &Answers) -> Vec<FactRequest> {
        let mut wants: Vec<FactRequest> = Vec::new();
        for field in self.definition.files().filter(|field| self.definition.reads(&field.name)) {
            let named = inputs.iter().find(|(name, text)| *name == field.name && !text.is_empty());
            wants.extend(
                named.map(|(input, path)| FactRequest::File { input: input.clone(), path: path.into() }),
            );
        }
        if self.definition.steps.iter().any(|step| step.check.spec().wants_tests) {
            wants.extend([FactRequest::Runners, FactRequest::Tests]);
        }
        for step in &self.definition.steps {
            for want in step.check.wants(&step.options, inputs) {
                // Several steps may want the same thing.
                if !wants.contains(&want) {
                    wants.push(want);
                }
            }
        }
        if let Some(step) = self.definition.steps.iter().find(|step| step.check.spec().wants_functions) {
            let input = step.option("file").to_owned();
            let named = value_of(inputs, &input).unwrap_or_default().to_owned();
            wants.push(FactRequest::Functions { input, named });
        }
        wants
    }

    /// Whether it may need answers of the person while it goes on.
    pub(crate) fn asks_later(&self) -> bool {
        self.definition.steps.iter().any(|step| !step.protects.is_empty() || step.check.spec().asks)
    }

    /// The start of the recipe. `inputs` already passed the check of its form ([`crate::engine::answers::check`]).
    ///
    /// # Errors
    /// The inputs that are missing.
    pub(crate) fn start(
        &self,
        inputs: Answers,
        facts: Vec<(String, String)>,
    ) -> Result<RecipeStart, Vec<AnswerError>> {
        let either = &self.definition.either;
        if let Some(first) = either.first()
            && either.iter().all(|name| value_of(&inputs, name).is_none_or(|text| text.trim().is_empty()))
        {
            let why = format!("one of {} is needed", either.join(", "));
            return Err(vec![AnswerError { field: first.clone(), why }]);
        }
        let value =
            |name: &str| value_of(&inputs, name).or(value_of(&facts, name)).unwrap_or_default().to_owned();
        let prompt = self.definition.prompt.fill(value);
        Ok(RecipeStart { name: self.card.name.clone(), definition: self.text.clone(), inputs, facts, prompt })
    }
}

/// The names that a file of functions sets, each on a line with the file: a part of the fact `functions_elsewhere`.
pub(crate) fn names_in(file: &Path, text: &str) -> String {
    let names = names(text).map(|names| names.set).unwrap_or_default();
    names.iter().map(|name| format!("{name} {}\n", file.display())).collect()
}

fn value_of<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    pairs.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str())
}

#[derive(Debug)]
struct Recipes;

impl WorkflowOpener for Recipes {
    fn open(&self, start: &RecipeStart) -> Result<Arc<dyn Workflow>, WorkflowError> {
        match definition::read(&start.definition, Path::new("recipe.toml")) {
            Ok(definition) => Ok(Arc::new(definition)),
            Err(faults) => {
                let fault = faults.first().map(ToString::to_string).unwrap_or_default();
                Err(WorkflowError::Definition { name: start.name.clone(), fault })
            }
        }
    }
}
