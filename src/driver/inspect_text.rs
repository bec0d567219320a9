//! Reviews the text of a block on a worker: findings, with the sizes of what it names, and where its words come from.

use super::links::{SeenPaths, review_with_links};
use super::review_time::traces_in_time;
use crate::domain::{Block, BlockKind, Entry, Language, Reach, Review, Revision, Version};
use crate::engine::provenance::{TracedTexts, UnreadTexts};
use crate::exec;
use crate::review::{self, Scope};
use crate::workspace::facts;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// Why a block whose checks panicked counts as not checked.
pub(super) const CHECKS_BROKE_OFF: &str = "the checks broke off";

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
pub(super) async fn review_block(
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
