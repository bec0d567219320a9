//! Recipes: ways of working with a model, as data (`assets/recipes`, and files of the person). This room reads them,
//! checks them, and says what comes next in a turn that follows one ([`crate::engine::Workflow`]). It is pure, runs nothing and
//! knows nothing of how a form or a list is drawn; what stands in files and on the machine is told to it as facts.

mod arguments;
mod check;
mod command;
mod definition;
mod hunks;
#[cfg(test)]
mod kept;
mod list;
mod machine;
mod scaffold;
mod scripts;
mod shipped;
mod text;
mod view;
mod written;

pub(crate) use command::typescript_fact;
pub use list::RecipeList;
pub(crate) use scaffold::scaffold;
pub(crate) use shipped::shipped;

use crate::domain::{AnswerError, Answers, RecipeCard, RecipeStart};
use crate::engine::{Workflow, WorkflowError, WorkflowOpener, Workflows};
use crate::python::names::names;
use crate::text::located::LocatedError;
use definition::Definition;
use machine::Machine;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Who opens recipes, for the engine.
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

/// Something that has to be found out before a recipe can begin; each becomes a fact of its start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FactRequest {
    /// The text of the file that this input names: the fact `file:INPUT`.
    File {
        input: String,
        /// The path, relative to the working folder.
        path: PathBuf,
    },
    /// Which test runners could run here, the likeliest first: the fact `runners`, their names with blanks between.
    Runners,
    /// The command that runs the project's own tests, where it has some: the fact `tests`.
    Tests,
    /// That this input names something that can be run here: no fact, but why it can't begin.
    Tool { input: String, tool: Tool },
    /// Whether Python has this package: the fact `lacks`, its name, where it has not and the person can be asked to have it
    /// installed; else why it can't begin.
    Package(String),
    /// The file of functions where a new one goes, as this input names it: the facts `functions_file`, its path,
    /// `functions_text`, its text, which is empty where there is no such file yet, and `functions_elsewhere`, the names
    /// that other files of functions set, each with its file on a line.
    Functions {
        input: String,
        /// As it was named; blank: the usual one.
        named: String,
    },
}

/// What has to be on the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    /// A program, by the name that a shell finds it by.
    Program(String),
    /// One of the test runners that are known.
    Runner(String),
    /// What runs TypeScript; the input that could say it, where there is one.
    TypeScript { said_by: Option<String> },
    /// The program that a line of bash begins with.
    Line(String),
    /// What runs this file, of which nobody knows what that is; the input that could say it, where there is one.
    Unknown { file: String, said_by: Option<String> },
}

impl Recipe {
    /// Reads a definition; `file` is where it stands, `None` for those that ship.
    ///
    /// # Errors
    /// Everything that is wrong with it.
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

    /// Its line in the list, and the form of its inputs.
    pub(crate) fn card(&self) -> &RecipeCard {
        &self.card
    }

    /// What has to be found out before it begins with these answers.
    pub(crate) fn wants(&self, inputs: &Answers) -> Vec<FactRequest> {
        let mut wants: Vec<FactRequest> = Vec::new();
        for field in self.definition.files().filter(|field| self.definition.reads(&field.name)) {
            let named = inputs.iter().find(|(name, text)| *name == field.name && !text.is_empty());
            wants.extend(
                named.map(|(input, path)| FactRequest::File { input: input.clone(), path: path.into() }),
            );
        }
        if self.definition.steps.iter().any(|step| step.check.facts().wants_tests) {
            wants.extend([FactRequest::Runners, FactRequest::Tests]);
        }
        for step in &self.definition.steps {
            for want in step.check.wants(&step.options, inputs) {
                // Several steps may want the same.
                if !wants.contains(&want) {
                    wants.push(want);
                }
            }
        }
        if let Some(step) = self.definition.steps.iter().find(|step| step.check.facts().wants_functions) {
            let input = step.option("file").to_owned();
            let named = value_of(inputs, &input).unwrap_or_default().to_owned();
            wants.push(FactRequest::Functions { input, named });
        }
        wants
    }

    /// Whether it may ask for more while it goes on.
    pub(crate) fn asks_later(&self) -> bool {
        self.definition.steps.iter().any(|step| !step.protects.is_empty() || step.check.facts().asks)
    }

    /// Its beginning. `inputs` went through its form ([`crate::engine::answers::check`]).
    ///
    /// # Errors
    /// Each input that what was found shows not to fit.
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

/// The names that a file of functions sets, each with the file on a line: what the fact `functions_elsewhere` is made of.
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
            Ok(definition) => Ok(Arc::new(Machine::new(definition))),
            Err(faults) => {
                let fault = faults.first().map(ToString::to_string).unwrap_or_default();
                Err(WorkflowError::Definition { name: start.name.clone(), fault })
            }
        }
    }
}
