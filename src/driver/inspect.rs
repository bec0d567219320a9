//! Inspects a block: its review (`inspect_text`, `inspect_files`), and the terms under which it would run.

use super::block_paths::HeldBlockPaths;
use super::inspect_files::{self, FileScope, impossible};
use super::inspect_text::{CHECKS_BROKE_OFF, EarlierTexts, review_block};
use super::links::AllSeenPaths;
use super::sources::Signal;
use super::undo::{UndoRoom, writable_folders};
use crate::domain::{
    Block, BlockId, BlockKind, HardLinks, ImageName, InstallInto, Language, Limits, OnDisk, PackageList,
    Reach, Review, Revision, Sha256, Target, Terms, UndoCover, packages,
};
use crate::engine::{Event, Inspection, RunOptions};
use crate::exec::{self, Executor, ExecutorError, TermsFor};
use crate::review::{self, Scope};
use crate::workspace::{self, facts, link_targets};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use tokio::sync::mpsc;

/// What the inspection of a block needs, and where it leaves the paths that it found.
pub(super) struct Inspector {
    pub(super) earlier: Arc<EarlierTexts>,
    pub(super) files: FileScope,
    pub(super) executor: Executor,
    pub(super) undo: Arc<UndoRoom>,
    /// Gets the paths that the review of code followed.
    pub(super) seen_paths: AllSeenPaths,
    /// Gets the opened paths of a block about files.
    pub(super) block_paths: HeldBlockPaths,
}

impl Inspector {
    /// Inspects one revision of a block and sends the result.
    pub(super) fn spawn(
        self,
        block: Block,
        revision: Revision,
        options: RunOptions,
        inbox: mpsc::Sender<Signal>,
    ) {
        let (id, scope) = (block.id, self.files.scope.clone());
        let work = async move {
            if block.kind.acts_on_file() {
                self.inspect_file(block, revision, options.limits).await
            } else {
                self.inspect_code(block, revision, options).await
            }
        };
        tokio::spawn(async move {
            let inspection = finished(work, &scope).await;
            let _ = inbox.send(Signal::Event(Event::Inspected(id, revision, Box::new(inspection)))).await;
        });
    }

    /// Inspects a block about files, and holds the paths that it acts on open.
    async fn inspect_file(&self, block: Block, revision: Revision, limits: Option<Limits>) -> Inspection {
        let (id, files) = (block.id, self.files.clone());
        let work =
            tokio::task::spawn_blocking(move || inspect_files::inspect(&block, revision, limits, &files));
        let (mut inspection, paths) = work.await.unwrap_or_else(|error| {
            tracing::error!(%error, "the look at a file broke off");
            (impossible("the look at the file broke off".into()), Vec::new())
        });
        if let Ok(terms) = &inspection.terms {
            inspection.undo = self.undo_cover((id, revision), terms.clone()).await;
        }
        if !paths.is_empty() {
            self.block_paths.hold(id, revision, paths);
        }
        inspection
    }

    /// Inspects code, or a block that names what to fetch.
    async fn inspect_code(&self, block: Block, revision: Revision, options: RunOptions) -> Inspection {
        let (id, kind) = (block.id, block.kind.clone());
        let language = block.version(revision).and_then(|version| version.language.clone());
        let terms = self.terms_of(&block, revision, options).await;
        let (lacking, reach, scope) = match &terms {
            Ok(terms) => (
                missing_packages(&block, revision, &self.executor).await,
                self.executor.reach(terms).await,
                // An earlier `cd` changes what relative paths mean.
                Scope { cwd: terms.cwd.clone(), ..self.files.scope.clone() },
            ),
            Err(_) => (Vec::new(), Reach::default(), self.files.scope.clone()),
        };
        let (review, seen) =
            review_block(block, revision, scope.clone(), self.earlier.clone(), reach.clone()).await;
        let is_python = language == Some(Language::python());
        let venv = match kind {
            BlockKind::Install { .. } if is_python => self.executor.project_venv().await,
            _ => None,
        };
        let usual = Inspection { lacking, venv, ..Inspection::new(review, terms) };
        let inspection = match &usual.terms {
            Ok(terms) => {
                let (reach, refused) = refused_effects(&usual.review, reach, &scope).await;
                let undo = self.undo_cover((id, revision), terms.clone()).await;
                let links = hard_links(terms, &self.files.scope.cwd).await;
                Inspection { reach, refused, undo, links, ..usual }
            }
            Err(_) => {
                let image = missing_image(language.filter(|_| kind.is_code()), &self.executor).await;
                Inspection { image, ..usual }
            }
        };
        self.seen_paths.lock().unwrap_or_else(PoisonError::into_inner).insert((id, revision), seen);
        inspection
    }

    /// The terms under which a revision would run, or why it can't run, in words.
    async fn terms_of(
        &self,
        block: &Block,
        revision: Revision,
        options: RunOptions,
    ) -> Result<Terms, String> {
        let terms = find_terms(block, revision, options, &self.executor).await;
        let terms = terms.map_err(|why| why.to_string())?;
        let code = block.version(revision).filter(|_| block.kind.is_code());
        let refused = code.and_then(|code| exec::refuses(terms.language.as_str(), &code.source));
        refused.map_or(Ok(terms), Err)
    }

    /// What of the files that a run may change would be copied for undo.
    async fn undo_cover(&self, block: (BlockId, Revision), terms: Terms) -> Option<UndoCover> {
        let (undo, working) = (self.undo.clone(), self.files.scope.cwd.clone());
        let work = tokio::task::spawn_blocking(move || undo.cover(block, &terms, &working));
        work.await.unwrap_or_else(|error| Some(UndoCover::none(error.to_string())))
    }
}

/// The result of an inspection, which gets a task of its own. If that panics, the block neither waits for ever nor
/// passes: nothing of it is checked, and it can't run.
async fn finished(work: impl Future<Output = Inspection> + Send + 'static, scope: &Scope) -> Inspection {
    tokio::spawn(work).await.unwrap_or_else(|error| {
        tracing::error!(%error, "the inspection of a block broke off");
        Inspection::new(review::unchecked(CHECKS_BROKE_OFF, scope), Err(CHECKS_BROKE_OFF.into()))
    })
}

/// Which effects of a block its run can't carry out, judging by its reach; returns the reach too. Links are followed on
/// a worker.
async fn refused_effects(review: &Review, reach: Reach, scope: &Scope) -> (Reach, Vec<String>) {
    let (effects, scope) = (review.effects.clone(), scope.clone());
    let work = tokio::task::spawn_blocking(move || {
        let scope = Scope { cwd: facts::resolve_links(&scope.cwd), ..scope };
        let resolve = |path: &Path| facts::resolve_links(&link_targets::as_the_run(&scope.cwd, path));
        let refused = review::refusals(&effects, &reach, &scope, &resolve);
        (reach, refused)
    });
    work.await.unwrap_or_default()
}

/// The files with further names where a confined run may write. Without confinement it may write anything anyway.
async fn hard_links(terms: &Terms, working: &Path) -> HardLinks {
    if !terms.rights.sandbox.writes_confined || !terms.executor.starts_programs() {
        return HardLinks::default();
    }
    let folders = writable_folders(terms, working);
    tokio::task::spawn_blocking(move || workspace::hard_links::find(&folders)).await.unwrap_or_default()
}

/// The missing packages that a block of Python needs.
async fn missing_packages(block: &Block, revision: Revision, executor: &Executor) -> Vec<String> {
    let version = block.version(revision).filter(|v| v.language == Some(Language::python()));
    match (&block.kind, version) {
        (BlockKind::Code { .. } | BlockKind::Load { .. }, Some(version)) => {
            executor.missing_packages(&version.source, &packages::asked_for(&block.origin.info)).await
        }
        _ => Vec::new(),
    }
}

/// The missing container image without which a block in this language can't run.
async fn missing_image(language: Option<Language>, executor: &Executor) -> Option<ImageName> {
    let missing = executor.missing_image(&language?).await?;
    ImageName::parse(&missing.name).ok()
}

/// Why a revision can't run.
#[derive(Debug, thiserror::Error)]
enum InspectError {
    #[error("It is not there any more.")]
    Gone,
    #[error("No language yet. Choose one first.")]
    NoLanguage,
    #[error(transparent)]
    Executor(#[from] ExecutorError),
}

async fn find_terms(
    block: &Block,
    revision: Revision,
    options: RunOptions,
    executor: &Executor,
) -> Result<Terms, InspectError> {
    let version = block.version(revision).ok_or(InspectError::Gone)?;
    let language = version.language.as_ref().ok_or(InspectError::NoLanguage)?;
    let purpose = match block.kind {
        BlockKind::Install { .. } => {
            let list = PackageList::parse(language.as_str(), &version.source);
            TermsFor::Install(list.map_or(InstallInto::default(), |list| list.into))
        }
        BlockKind::Pull { .. } => TermsFor::Pull,
        BlockKind::Load { .. } => TermsFor::Load,
        _ if options.new_kernel && !options.terminal => TermsFor::NewKernel,
        _ => TermsFor::Usual,
    };
    let terms = executor.terms_for(language, purpose, options.limits).await?;
    Ok(match &block.kind {
        BlockKind::Load { path } => {
            let target = Some(file_of_functions(path, &version.source, &terms.cwd));
            Terms { target, ..terms }
        }
        _ if options.terminal && purpose == TermsFor::Usual => executor.terminal_terms(terms).await?,
        _ => terms,
    })
}

/// The target of a block that loads functions: the text that was read at the start counts, not the current file.
fn file_of_functions(path: &str, source: &str, cwd: &Path) -> Target {
    let path = PathBuf::from(path);
    let found = OnDisk::File(Some(Sha256::of(source.as_bytes())));
    Target { outside: !path.starts_with(cwd), bytes: source.len() as u64, ..Target::at(path, found) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::allowing_panics;

    #[test]
    fn an_inspection_that_panics_ends_with_a_block_that_can_not_run() {
        let found = allowing_panics(finished(async { panic!("a fault in a look") }, &Scope::default()));
        assert_eq!(found.terms, Err("the checks broke off".to_owned()));
        assert_eq!(found.review.unchecked.as_deref(), Some("the checks broke off"));
    }
}
