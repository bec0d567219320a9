//! Looking at a block: its review on a worker, the sizes of what it names, and the terms under which it would run.

use super::files::{self, Ground, Places};
use super::sources::Signal;
use crate::domain::{
    Block, BlockId, BlockKind, Effects, Finding, ImageName, InstallInto, Language, Limits, OnDisk,
    PackageList, Place, Reach, Review, Revision, Severity, Sha256, Source, Target, Terms, Trace, Version,
    packages,
};
use crate::engine::provenance::Earlier;
use crate::engine::{Event, Inspection};
use crate::exec::{self, Executor};
use crate::review::{self, Links, Scope};
use crate::workspace::facts;
use crate::workspace::leads::{self, Leads};
use crate::workspace::place::Place as Held;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;

/// A worker that looks at one text is ended after so much time of its own. What a review finds depends on counted steps,
/// which take a second or two at the most; this is far above them, and no busy machine brings it nearer, because only the
/// time counts in which the worker itself was running.
const LONGEST_REVIEW: Duration = Duration::from_secs(30);

/// The review of a text. The same text gets the same one, however busy the machine is.
pub fn review_in_time(source: &str, language: Option<&Language>, scope: &Scope) -> Review {
    review::review_while(source, language, scope, &within(LONGEST_REVIEW))
}

/// The review of a text that may run here: where paths that it names lead elsewhere, the place counts that they lead to.
fn review_with_links(source: &str, language: Option<&Language>, scope: &Scope) -> (Review, Seen) {
    let review = review_in_time(source, language, scope);
    let seen = Seen::of(&review, scope);
    let (followed, kept) = seen.leads.clone();
    let links = Links { followed, kept };
    if links.is_empty() {
        return (review, seen);
    }
    let (cwd, home) = (facts::real(&scope.cwd), scope.home.as_deref().map(facts::real));
    let told = told_links(&links, &cwd, source);
    let scope = Scope { cwd, home, links: Arc::new(links), ..scope.clone() };
    let mut review = review_in_time(source, language, &scope);
    review.findings.extend(told);
    review.findings.sort_by_key(|finding| finding.place);
    (review, seen)
}

/// A remark on each path that leads elsewhere.
fn told_links(links: &Links, cwd: &Path, source: &str) -> Vec<Finding> {
    let one = |(name, place): (&String, &PathBuf)| {
        let outside = !place.starts_with(cwd);
        let last = name.trim_end_matches('/').rsplit('/').next().unwrap_or(name);
        let line = source.lines().position(|line| line.contains(last)).unwrap_or(0);
        let line = u32::try_from(line + 1).unwrap_or(u32::MAX);
        Finding {
            rule: "file.link".into(),
            severity: if outside { Severity::Medium } else { Severity::Info },
            place: Place { line, column: 1, end_line: line, end_column: 1 },
            message: format!("{name} leads by links to {}", place.display()),
            forbidden: false,
        }
    };
    let both =
        links.followed.iter().chain(links.kept.iter().filter(|(n, _)| !links.followed.contains_key(*n)));
    both.map(one).collect()
}

/// Where the paths led that a block names when it was looked at, to be compared right before it starts.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    cwd: PathBuf,
    home: Option<PathBuf>,
    effects: Effects,
    leads: (Leads, Leads),
}

impl Seen {
    fn of(review: &Review, scope: &Scope) -> Self {
        let (cwd, home, effects) = (scope.cwd.clone(), scope.home.clone(), review.effects.clone());
        let leads = leads::of_effects(&cwd, home.as_deref(), &effects);
        Self { cwd, home, effects, leads }
    }

    /// The first path that leads elsewhere by now. This looks at the disk: for a worker.
    pub(super) fn changed(&self) -> Option<String> {
        let now = leads::of_effects(&self.cwd, self.home.as_deref(), &self.effects);
        let pairs = [(&self.leads.0, &now.0), (&self.leads.1, &now.1)];
        pairs.into_iter().find_map(|(then, now)| {
            let names = then.keys().chain(now.keys());
            names.into_iter().find(|name| then.get(*name) != now.get(*name)).cloned()
        })
    }
}

/// What was seen of blocks, by the newest look at each.
pub(super) type AllSeen = Arc<Mutex<HashMap<(BlockId, Revision), Seen>>>;

/// Whether this thread has still worked for less than so much from now on.
fn within(longest: Duration) -> impl Fn() -> bool {
    let end = worked() + longest;
    move || worked() < end
}

/// How long this thread has been running on a processor.
fn worked() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let (seconds, nanos) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    Duration::new(seconds.unwrap_or_default(), nanos.unwrap_or_default())
}

/// Which words of a text came from an output or a file.
fn traces_in_time(source: &str, language: Option<&Language>, earlier: &Earlier) -> Vec<Trace> {
    let texts: Vec<(&str, Source)> = earlier.iter().map(|(text, from)| (&**text, *from)).collect();
    review::provenance::trace(source, language, &texts, &within(LONGEST_REVIEW))
}

/// Looks at one revision of a block and tells what was found.
pub(super) fn spawn(
    block: Block,
    revision: Revision,
    (limits, fresh): (Option<Limits>, bool),
    earlier: Arc<Earlier>,
    ground: Ground,
    executor: Executor,
    (seen, places, inbox): (AllSeen, Places, mpsc::Sender<Signal>),
) {
    tokio::spawn(async move {
        let id = block.id;
        if block.kind.acts_on_file() {
            let (inspection, place) = look_at_file(block, revision, limits, ground).await;
            if let Some(place) = place {
                places.hold(id, revision, place);
            }
            let event = Event::Inspected(id, revision, Box::new(inspection));
            let _ = inbox.send(Signal::Event(event)).await;
            return;
        }
        let scope = ground.scope;
        let terms = find_terms(&block, revision, (limits, fresh), &executor).await;
        let scope = match &terms {
            // An earlier `cd` changes what a relative path means.
            Ok(terms) => Scope { cwd: terms.cwd.clone(), ..scope },
            Err(_) => scope,
        };
        let language = block.version(revision).and_then(|version| version.language.clone());
        let is_code = block.kind.is_code();
        let is_python_install =
            matches!(block.kind, BlockKind::Install { .. }) && language == Some(Language::python());
        let lacking = lacking(&block, revision, terms.is_ok(), &executor).await;
        let (review, noted) = look(block, revision, scope.clone(), earlier).await;
        seen.lock().unwrap_or_else(PoisonError::into_inner).insert((id, revision), noted);
        let (reach, refused) = match &terms {
            Ok(terms) => told(&review, executor.reach(terms).await, &scope).await,
            Err(_) => (Reach::default(), Vec::new()),
        };
        let image = match &terms {
            Err(_) => missing_image(language.filter(|_| is_code), &executor).await,
            Ok(_) => None,
        };
        let venv = if is_python_install { executor.project_venv().await } else { None };
        let inspection = Inspection { review, terms, reach, refused, before: None, lacking, image, venv };
        let _ = inbox.send(Signal::Event(Event::Inspected(id, revision, Box::new(inspection)))).await;
    });
}

/// What of a block's effects will be refused, by what its run reaches; with that. Links are followed on a worker.
async fn told(review: &Review, reach: Reach, scope: &Scope) -> (Reach, Vec<String>) {
    let (effects, scope) = (review.effects.clone(), scope.clone());
    let work = tokio::task::spawn_blocking(move || {
        let scope = Scope { cwd: facts::real(&scope.cwd), ..scope };
        let refused = review::refusals(&effects, &reach, &scope, &facts::real);
        (reach, refused)
    });
    work.await.unwrap_or_default()
}

/// The packages that a block of Python needs and that are not there.
async fn lacking(block: &Block, revision: Revision, possible: bool, executor: &Executor) -> Vec<String> {
    let version = block.version(revision).filter(|v| v.language == Some(Language::python()));
    match (&block.kind, version) {
        (BlockKind::Code { .. } | BlockKind::Load { .. }, Some(version)) if possible => {
            executor.lacking(&version.source, &packages::asked_for(&block.origin.info)).await
        }
        _ => Vec::new(),
    }
}

/// The container image for want of which a block in this language can't run.
async fn missing_image(language: Option<Language>, executor: &Executor) -> Option<ImageName> {
    let missing = executor.missing(&language?).await?;
    ImageName::parse(&missing.name).ok()
}

async fn look_at_file(
    block: Block,
    revision: Revision,
    limits: Option<Limits>,
    ground: Ground,
) -> (Inspection, Option<Held>) {
    let work = tokio::task::spawn_blocking(move || files::inspect(&block, revision, limits, &ground));
    work.await.unwrap_or_else(|error| {
        tracing::error!(%error, "the look at a file broke off");
        let terms = Err("the look at the file broke off".into());
        let inspection = Inspection {
            review: Review::default(),
            terms,
            reach: Reach::default(),
            refused: Vec::new(),
            before: None,
            lacking: Vec::new(),
            image: None,
            venv: None,
        };
        (inspection, None)
    })
}

async fn find_terms(
    block: &Block,
    revision: Revision,
    (limits, fresh): (Option<Limits>, bool),
    executor: &Executor,
) -> Result<Terms, String> {
    let Some(version) = block.version(revision) else { return Err("It is not there any more.".into()) };
    let Some(language) = &version.language else { return Err("No language yet. Choose one first.".into()) };
    if let BlockKind::Install { .. } = block.kind {
        let list = PackageList::parse(language.as_str(), &version.source);
        let into = list.map_or(InstallInto::default(), |list| list.into);
        return executor.install_terms(language, into, limits).await;
    }
    if let BlockKind::Pull { .. } = block.kind {
        return executor.pull_terms(language, limits).await;
    }
    if let BlockKind::Load { path } = &block.kind {
        let terms = executor.load_terms(language, limits).await?;
        let target = Some(file_of_functions(path, &version.source, &terms.cwd));
        return Ok(Terms { target, ..terms });
    }
    if fresh { executor.fresh_terms(language, limits).await } else { executor.terms(language, limits).await }
}

/// The file that is loaded. What counts is the text that was read from it; the file itself is not looked at again.
fn file_of_functions(path: &str, source: &str, cwd: &Path) -> Target {
    let path = PathBuf::from(path);
    Target {
        outside: !path.starts_with(cwd),
        found: OnDisk::File(Some(Sha256::of(source.as_bytes()))),
        bytes: source.len() as u64,
        folders: 0,
        link: None,
        folder: None,
        path,
    }
}

/// The review of a block whose text is no code but names what is fetched: packages, an image.
fn review_of_name(kind: &BlockKind, version: &Version) -> Option<Review> {
    match kind {
        BlockKind::Install { .. } => {
            let language = version.language.as_ref().map_or("python", Language::as_str);
            Some(exec::packages::review(language, &version.source))
        }
        BlockKind::Pull { .. } => Some(exec::images::review(&version.source)),
        _ => None,
    }
}

async fn look(block: Block, revision: Revision, scope: Scope, earlier: Arc<Earlier>) -> (Review, Seen) {
    let known = scope.clone();
    let work = tokio::task::spawn_blocking(move || {
        let Some(version) = block.version(revision) else { return Default::default() };
        if let Some(mut review) = review_of_name(&block.kind, version) {
            scope.book.forbid().mark(&mut review);
            return (review, Seen::default());
        }
        let (mut review, seen) = review_with_links(&version.source, version.language.as_ref(), &scope);
        add_sizes(&mut review, &scope);
        // What sayso itself proposes has its words from nowhere else.
        if !block.is_own() {
            review.traces = traces_in_time(&version.source, version.language.as_ref(), &earlier);
        }
        (review, seen)
    });
    work.await.unwrap_or_else(|error| {
        // A rule that breaks must not let a block pass as clean.
        tracing::error!(%error, "the review broke off");
        (review::unchecked("the checks broke off", &known), Seen::default())
    })
}

/// Says of what would be deleted how much it is: `deletes a folder: out/charts (3 files, 1.2 MB)`.
fn add_sizes(review: &mut Review, scope: &Scope) {
    for path in &review.effects.deletes {
        let Some(size) = facts::describe(&scope.cwd, scope.home.as_deref(), path) else { continue };
        let named = review.findings.iter_mut().filter(|f| f.message.ends_with(path.as_str()));
        for finding in named {
            finding.message = format!("{} ({size})", finding.message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Dialect, Origin, StepId};
    use crate::review::{Book, Forbid};

    #[tokio::test]
    async fn what_is_forbidden_is_so_for_images_too() {
        let version = Version {
            revision: Revision(1),
            source: Arc::from("python:3.13-slim\n"),
            language: Some(Language::python()),
            whole: true,
        };
        let origin = Origin {
            dialect: Dialect::default(),
            info: String::new(),
            range: 0..0,
            closed: true,
            call: None,
            note: None,
            own: true,
        };
        let kind = BlockKind::Pull { wanted_by: None };
        let block = Block { id: BlockId(1), step: StepId(1), kind, origin, versions: vec![version] };
        let book = Book::default().forbidding(Forbid::new(["sayso.pull".to_owned()]));
        for (book, forbidden) in [(Book::default(), false), (book, true)] {
            let scope = Scope { book: Arc::new(book), ..Scope::default() };
            let (review, _) = look(block.clone(), Revision(1), scope, Arc::default()).await;
            assert_eq!(review.findings.len(), 1);
            assert_eq!(review.findings.iter().all(|finding| finding.forbidden), forbidden);
        }
    }

    /// A working folder, a home beside it with a key, and what a text in the folder is told to do.
    #[cfg(unix)]
    struct Place {
        base: tempfile::TempDir,
    }

    #[cfg(unix)]
    impl Place {
        fn new() -> Self {
            let base = tempfile::tempdir().unwrap();
            std::fs::create_dir_all(base.path().join("home/.ssh")).unwrap();
            std::fs::create_dir(base.path().join("work")).unwrap();
            std::fs::write(base.path().join("home/.ssh/authorized_keys"), "mine\n").unwrap();
            Self { base }
        }

        fn keys(&self) -> PathBuf {
            self.base.path().canonicalize().unwrap().join("home/.ssh/authorized_keys")
        }

        fn link(&self, to: impl AsRef<Path>, name: &str) {
            std::os::unix::fs::symlink(to, self.base.path().join("work").join(name)).unwrap();
        }

        fn look(&self, language: Language, text: &str) -> (Review, Seen) {
            let at = |name: &str| self.base.path().join(name);
            let scope = Scope { cwd: at("work"), home: Some(at("home")), ..Scope::default() };
            review_with_links(text, Some(&language), &scope)
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_counts_by_the_place_that_it_leads_to() {
        let place = Place::new();
        place.link("../home/.ssh/authorized_keys", "b");
        place.link("b", "chain");
        place.link("../home/.ssh", "folder");
        place.link("../home/.ssh/authorized_keys2", "dangling");
        let keys = place.keys();
        for (language, text) in [
            (Language::bash(), "cp a b"),
            (Language::bash(), "cp a ./b"),
            (Language::bash(), "echo x >> chain"),
            (Language::bash(), "cat a > folder/authorized_keys"),
            (Language::bash(), "echo x > dangling"),
            (Language::python(), "open('b', 'a').write('x')"),
            (Language::python(), "import pathlib\npathlib.Path('folder/authorized_keys').write_text('x')"),
        ] {
            let (review, _) = place.look(language, text);
            let told: Vec<_> = review.findings.iter().map(|f| (f.severity, f.message.as_str())).collect();
            assert_eq!(review.gravest(), Some(Severity::High), "{text} {told:?}");
            let shown = keys.to_string_lossy().into_owned();
            assert!(told.iter().any(|(_, message)| message.contains(&shown)), "{text} {told:?}");
            assert!(review.effects.writes.iter().any(|path| path.starts_with(&shown)), "{text}");
        }
        let (plain, _) = place.look(Language::bash(), "cp a c");
        assert!(plain.is_clean(), "{:?}", plain.findings);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_the_text_itself_makes_is_followed() {
        let place = Place::new();
        for (language, text) in [
            (Language::bash(), "ln -s ~/.ssh/authorized_keys b\ncp a b"),
            (Language::bash(), "ln -sf ~/.ssh d && echo x >> d/authorized_keys"),
            (Language::python(), "import os\nos.symlink('/etc/cron.d/x', 'b')\nopen('b', 'w').write('x')"),
        ] {
            let (review, _) = place.look(language, text);
            assert_eq!(review.gravest(), Some(Severity::High), "{text} {:?}", review.findings);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_path_that_leads_elsewhere_by_now_is_noticed_before_the_start() {
        let place = Place::new();
        std::fs::write(place.base.path().join("work/b"), "x").unwrap();
        let (review, seen) = place.look(Language::bash(), "cp a b");
        assert!(review.is_clean());
        assert_eq!(seen.changed(), None);
        std::fs::remove_file(place.base.path().join("work/b")).unwrap();
        assert_eq!(seen.changed(), None, "it still leads to itself");
        place.link("../home/.ssh/authorized_keys", "b");
        assert_eq!(seen.changed().as_deref(), Some("b"));
        let (_, seen) = place.look(Language::bash(), "cp a b");
        assert_eq!(seen.changed(), None);
        std::fs::remove_file(place.base.path().join("work/b")).unwrap();
        place.link("../home/.ssh/config", "b");
        assert_eq!(seen.changed().as_deref(), Some("b"));
    }
}
