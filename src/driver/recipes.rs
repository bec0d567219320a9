//! Starts recipes: their list, and what has to be found out about the machine before one starts.

mod book;
mod functions;
mod machine;
mod runners;

pub use book::RecipeBook;
pub use functions::FunctionFiles;

use super::Driver;
use super::job::JobResult;
use super::sources::Signal;
use crate::domain::{AnswerError, Answers, BlockKind, Outcome, RecipeStart};
use crate::engine::Event;
use crate::engine::answers;
use crate::engine::transcript::RunItem;
use crate::exec::Executor;
use crate::recipe::{FactRequest, Recipe, typescript_fact};
use crate::workspace::{self, AttachedFileError, FileError, test_markers};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::task::JoinError;

/// The most bytes of a file that is an input of a recipe.
pub(crate) const MAX_RECIPE_INPUT: u64 = 256 << 10;

/// How long looking at files may take: on a network it may take forever.
const INSPECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A fact that was found out: a name and a text.
type Fact = (String, String);

/// How a recipe begins, or why it does not.
type RecipeStartResult = Result<RecipeStart, Vec<AnswerError>>;

/// Where facts are looked for.
struct Site {
    cwd: PathBuf,
    functions: FunctionFiles,
    executor: Executor,
    /// Whether the person can be asked to approve installations.
    asks: bool,
    /// What was installed in this session.
    installed: Vec<Arc<str>>,
    /// Whether the model is a story, which needs nothing installed.
    is_story: bool,
}

impl Site {
    /// Whether a package needs no search.
    fn has(&self, package: &str) -> bool {
        self.is_story || self.installed.iter().any(|list| list.lines().any(|line| line == package))
    }
}

impl Driver {
    /// The package lists that were installed in this session.
    fn installed(&self) -> Vec<Arc<str>> {
        let mut lists = Vec::new();
        for item in self.engine.state().transcript.blocks.values() {
            if !matches!(item.block.kind, BlockKind::Install { .. }) {
                continue;
            }
            let succeeded =
                |run: &&RunItem| run.ended.as_ref().is_some_and(|(_, report)| report.outcome == Outcome::Ok);
            let versions =
                item.runs.iter().filter(succeeded).filter_map(|run| item.block.version(run.revision));
            lists.extend(versions.map(|version| version.source.clone()));
        }
        lists
    }

    /// Starts a recipe once the facts that it needs are found. Until then, and if something does not fit
    /// ([`JobResult::RecipeRefused`]), nothing has happened.
    pub(super) fn begin_recipe(&self, name: &str, answers: Answers) {
        let found = self.rooms.recipes.list().iter().find(|recipe| recipe.card().name == name).cloned();
        let site = Site {
            cwd: self.rooms.scope.cwd.clone(),
            functions: self.functions.clone(),
            executor: self.rooms.executor.clone(),
            asks: self.engine.asks(),
            installed: self.installed(),
            is_story: self.rooms.provider.as_ref().is_some_and(|provider| provider.is_story()),
        };
        let (name, inbox) = (name.to_owned(), self.rooms.inbox());
        let none = format!("there is no recipe {name}");
        let work = tokio::spawn(async move {
            match found {
                Some(recipe) => begin(&recipe, &answers, &site).await,
                None => Err(vec![answer_error("", none)]),
            }
        });
        tokio::spawn(async move {
            let signal = match begun(work.await) {
                Ok(start) => Signal::Event(Event::RecipeReady(Box::new(start))),
                Err(misfits) => Signal::Job(JobResult::RecipeRefused { name, misfits }),
            };
            let _ = inbox.send(signal).await;
        });
    }
}

/// What came of beginning a recipe. If that panics, it was not begun: nothing must wait for it for ever.
fn begun(work: Result<RecipeStartResult, JoinError>) -> RecipeStartResult {
    work.unwrap_or_else(|error| {
        tracing::error!(%error, "beginning a recipe broke off");
        Err(vec![answer_error("", "it broke off inside sayso; the log tells more")])
    })
}

fn answer_error(field: &str, why: impl ToString) -> AnswerError {
    AnswerError { field: field.to_owned(), why: why.to_string() }
}

async fn begin(recipe: &Recipe, answers: &Answers, site: &Site) -> RecipeStartResult {
    let inputs = answers::check(&recipe.card().inputs, answers)?;
    let (mut facts, mut misfits) = (Vec::new(), Vec::new());
    let setup = OnceCell::new();
    for want in recipe.wants(&inputs) {
        match want {
            FactRequest::File { input, path } => match named_text(&site.cwd, path).await {
                Ok(text) => facts.push((format!("file:{input}"), text)),
                Err(why) => misfits.push(answer_error(&input, why)),
            },
            FactRequest::Functions { input, named } => {
                match functions::facts(&site.functions, &site.cwd, &named).await {
                    Ok(found) => facts.extend(found),
                    Err(why) => misfits.push(answer_error(&input, why)),
                }
            }
            FactRequest::Tool { input, tool } => {
                let seen = setup.get_or_init(|| TestSetup::detect(site)).await;
                if let Some(why) = machine::missing(site, &seen.machine, &tool).await {
                    misfits.push(answer_error(&input, why));
                }
            }
            FactRequest::Package(package) if site.has(&package) => {}
            FactRequest::Package(package) => match machine::lacks_package(&site.executor, &package).await {
                true if site.asks => facts.push(("lacks".to_owned(), package)),
                true => misfits.push(answer_error("", format!(
                    "{package} is not installed for the Python that blocks use: install it there, or begin it where you can be asked"
                ))),
                false => {}
            },
            FactRequest::Runners | FactRequest::Tests => {
                let seen = setup.get_or_init(|| TestSetup::detect(site)).await;
                facts.extend(if want == FactRequest::Runners { seen.runners() } else { seen.command() });
            }
        }
    }
    if misfits.is_empty() { recipe.start(inputs, facts) } else { Err(misfits) }
}

/// Why a recipe can't have the text of a file.
#[derive(Debug, thiserror::Error)]
enum TextError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{}", without_full_stop(.0))]
    NamedFile(#[from] AttachedFileError),
    #[error("it could not be read in time")]
    TooSlow,
    #[error("this file is no text")]
    NoText,
}

/// The reason as a part of a sentence.
fn without_full_stop(why: &AttachedFileError) -> String {
    why.to_string().trim_end_matches('.').to_owned()
}

/// The text of a file that the person named for this folder; it is told to the model. No link leads out of the folder.
async fn named_text(cwd: &Path, path: PathBuf) -> Result<String, TextError> {
    let cwd = cwd.to_path_buf();
    let bytes =
        with_timeout(move || workspace::attached_files::read_named(&cwd, &path, MAX_RECIPE_INPUT)).await;
    text(bytes.ok_or(TextError::TooSlow)??)
}

/// The text of a file that the configuration names.
async fn own_text(path: PathBuf) -> Result<String, TextError> {
    let bytes = with_timeout(move || workspace::read::bounded(&path, MAX_RECIPE_INPUT)).await;
    text(bytes.ok_or(TextError::TooSlow)??)
}

fn text(bytes: Vec<u8>) -> Result<String, TextError> {
    String::from_utf8(bytes).map_err(|_| TextError::NoText)
}

/// Does file access on a worker; `None` if it takes too long.
async fn with_timeout<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let work = tokio::task::spawn_blocking(work);
    tokio::time::timeout(INSPECT_TIMEOUT, work).await.ok().and_then(Result::ok)
}

/// What decides how tests could be run here.
struct TestSetup {
    marks: test_markers::ProjectMarkers,
    machine: runners::Machine,
}

impl TestSetup {
    async fn detect(site: &Site) -> Self {
        let cwd = site.cwd.clone();
        let (marks, machine) = tokio::join!(
            with_timeout(move || test_markers::find(&cwd)),
            machine::probe(&site.executor, &site.cwd)
        );
        Self { marks: marks.unwrap_or_default(), machine }
    }

    /// The runners that could run here, and the commands for the Python in use and for TypeScript.
    fn runners(&self) -> Vec<Fact> {
        let runners = runners::runners(&self.marks, &self.machine).join(" ");
        let python = self.machine.python.clone().map(|python| ("python".to_owned(), python));
        let typescript = self.machine.typescript.as_deref().map(typescript_fact);
        [("runners".to_owned(), runners)].into_iter().chain(python).chain(typescript).collect()
    }

    /// The command of the project's own tests.
    fn command(&self) -> Vec<Fact> {
        let command = runners::command(&self.marks, &self.machine);
        command.map(|command| ("tests".to_owned(), command)).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::allowing_panics;

    #[test]
    fn a_recipe_whose_beginning_panics_was_not_begun() {
        let begin = || -> RecipeStartResult { panic!("a fault in a look") };
        let work = allowing_panics(async { tokio::task::spawn_blocking(begin).await });
        let why = answer_error("", "it broke off inside sayso; the log tells more");
        assert_eq!(begun(work), Err(vec![why]));
    }
}
