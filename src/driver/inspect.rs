//! Inspects a block: its review on a worker, the sizes of what it names, and the terms under which it would run.

use super::block_paths::HeldBlockPaths;
use super::inspect_files::{self, FileScope, impossible};
use super::links::{AllSeenPaths, SeenPaths, review_with_links};
use super::review_time::traces_in_time;
use super::sources::Signal;
use super::undo::{UndoRoom, writable_folders};
use crate::domain::{
    Block, BlockId, BlockKind, Entry, HardLinks, ImageName, InstallInto, Language, Limits, OnDisk,
    PackageList, Reach, Review, Revision, Sha256, Target, Terms, UndoCover, Version, packages,
};
use crate::engine::provenance::{TracedTexts, UnreadTexts};
use crate::engine::{Event, Inspection, RunOptions};
use crate::exec::{self, Executor, ExecutorError, TermsFor};
use crate::review::{self, Scope};
use crate::workspace::{self, facts, link_targets};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, PoisonError};
use tokio::sync::mpsc;

/// Why a block whose checks panicked counts as not checked.
const CHECKS_BROKE_OFF: &str = "the checks broke off";

/// Reads an entry of the session file.
pub(super) type EntryReader = Box<dyn FnMut(u64) -> Result<Entry, String>>;

/// The texts that were said, printed and read before a step. Those that are only in the file are read once, by the
/// first worker that needs them.
pub(super) struct EarlierTexts {
    gathered: UnreadTexts,
    read: Box<dyn Fn() -> EntryReader + Send + Sync>,
    texts: OnceLock<Result<TracedTexts, String>>,
}

impl EarlierTexts {
    /// `read` returns a reader of the session file.
    pub(super) fn new(gathered: UnreadTexts, read: impl Fn() -> EntryReader + Send + Sync + 'static) -> Self {
        Self { gathered, read: Box::new(read), texts: OnceLock::new() }
    }

    fn texts(&self) -> &Result<TracedTexts, String> {
        self.texts.get_or_init(|| self.gathered.read((self.read)()))
    }
}

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

/// The review of a block whose text is not code but names what to fetch: packages or an image.
fn review_of_name(kind: &BlockKind, version: &Version, reach: &Reach) -> Option<Review> {
    match kind {
        BlockKind::Install { .. } => {
            let language = version.language.as_ref().map_or("python", Language::as_str);
            Some(exec::packages::review(language, &version.source, reach))
        }
        BlockKind::Pull { .. } => Some(exec::images::review(&version.source)),
        _ => None,
    }
}

/// The review of one revision of a block, and the paths that it followed.
async fn review_block(
    block: Block,
    revision: Revision,
    scope: Scope,
    earlier: Arc<EarlierTexts>,
    reach: Reach,
) -> (Review, SeenPaths) {
    let known = scope.clone();
    let work = tokio::task::spawn_blocking(move || {
        let version = block.version(revision);
        version.map(|version| review_version(&block, version, &scope, &earlier, &reach)).unwrap_or_default()
    });
    work.await.unwrap_or_else(|error| {
        // A panic in a rule must not let a block pass as clean.
        tracing::error!(%error, "the review broke off");
        (review::unchecked(CHECKS_BROKE_OFF, &known), SeenPaths::default())
    })
}

/// The review of one version of a block, and the paths that it followed. This accesses the disk: for a worker.
fn review_version(
    block: &Block,
    version: &Version,
    scope: &Scope,
    earlier: &EarlierTexts,
    reach: &Reach,
) -> (Review, SeenPaths) {
    if let Some(mut review) = review_of_name(&block.kind, version, reach) {
        scope.rules.forbid().mark(&mut review);
        return (review, SeenPaths::default());
    }
    let (mut review, seen) = review_with_links(&version.source, version.language.as_ref(), scope);
    add_sizes(&mut review, scope);
    // The words of a block that sayso itself proposes have no other source.
    if block.is_own() {
        return (review, seen);
    }
    match earlier.texts() {
        Ok(texts) => review.traces = traces_in_time(&version.source, version.language.as_ref(), texts),
        // Without these texts, it is not known which words came from an output.
        Err(why) => {
            review
                .unchecked
                .get_or_insert(format!("an earlier message or output can't be read again: {why}"));
        }
    }
    (review, seen)
}

/// Adds the size of what would be deleted to the finding: `deletes a folder: out/charts (3 files, 1.2 MB)`. The finding
/// has to name exactly this path: another name may end in the same letters.
fn add_sizes(review: &mut Review, scope: &Scope) {
    let deletes = &review.effects.deletes;
    // What several lines delete is counted once.
    let mut sizes: HashMap<&str, Option<String>> = HashMap::new();
    for finding in &mut review.findings {
        let named = finding.message.split_once(": ").map(|(_, named)| named);
        let Some(path) = deletes.iter().find(|path| Some(path.as_str()) == named) else { continue };
        let describe = || facts::describe(&scope.cwd, scope.home.as_deref(), path);
        if let Some(size) = sizes.entry(path.as_str()).or_insert_with(describe) {
            finding.message = format!("{} ({size})", finding.message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Origin, samples};
    use crate::review::{Forbid, RuleRegistry};

    #[tokio::test]
    async fn what_is_forbidden_is_so_for_images_too() {
        let pull = samples::block(1, BlockKind::Pull { wanted_by: None }, "python:3.13-slim\n");
        let block = Block { origin: Origin::own(""), ..pull };
        let book = RuleRegistry::default().forbidding(Forbid::new(["sayso.pull".to_owned()]));
        for (book, forbidden) in [(RuleRegistry::default(), false), (book, true)] {
            let scope = Scope { rules: Arc::new(book), ..Scope::default() };
            let earlier =
                EarlierTexts::new(UnreadTexts::default(), || Box::new(|_| Err("nothing is away".to_owned())));
            let (earlier, reach) = (Arc::new(earlier), Reach::default());
            let (review, _) = review_block(block.clone(), Revision(1), scope, earlier, reach).await;
            assert_eq!(review.findings.len(), 1);
            assert_eq!(review.findings.iter().all(|finding| finding.forbidden), forbidden);
        }
    }

    #[test]
    fn an_inspection_that_panics_ends_with_a_block_that_can_not_run() {
        // A panic restores the terminal and disturbs a test beside this one, unless the thread has this name.
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).thread_name("paint-test").build().unwrap();
        let found = runtime.block_on(finished(async { panic!("a fault in a look") }, &Scope::default()));
        assert_eq!(found.terms, Err("the checks broke off".to_owned()));
        assert_eq!(found.review.unchecked.as_deref(), Some("the checks broke off"));
    }

    #[test]
    fn a_size_is_told_of_the_path_that_it_is_of() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("data")).unwrap();
        std::fs::write(folder.path().join("data/x"), "abc").unwrap();
        let scope = Scope { cwd: folder.path().into(), ..Scope::default() };
        let text = "rm -f ta\nrm -rf data\n";
        let (mut review, _) = review_with_links(text, Some(&crate::domain::Language::bash()), &scope);
        add_sizes(&mut review, &scope);
        let told: Vec<&str> = review.findings.iter().map(|finding| finding.message.as_str()).collect();
        let of_data: Vec<&&str> = told.iter().filter(|message| message.contains(": data")).collect();
        assert!(!of_data.is_empty(), "{told:?}");
        for message in of_data {
            assert!(message.contains("3 B") && !message.contains("does not exist"), "{told:?}");
        }
    }
}
