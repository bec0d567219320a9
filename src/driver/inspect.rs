//! Looking at a block: its review on a worker, the sizes of what it names, and the terms under which it would run.

use super::files::{self, Ground};
use super::sources::Signal;
use crate::domain::{Block, Language, Limits, Review, Revision, Source, Terms, Trace};
use crate::engine::provenance::Earlier;
use crate::engine::{Event, Inspection};
use crate::exec::Executor;
use crate::review::{self, Scope};
use crate::workspace::facts;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// A text that is made to be slow is judged as far as the checks came by then, and that is said.
const LONGEST_REVIEW: Duration = Duration::from_secs(1);

/// The review of a text, as far as it comes in a second.
pub fn review_in_time(source: &str, language: Option<&Language>, scope: &Scope) -> Review {
    let deadline = Instant::now() + LONGEST_REVIEW;
    review::review_while(source, language, scope, &|| Instant::now() < deadline)
}

/// Which words of a text came from an output or a file, as far as it comes in a second.
fn traces_in_time(source: &str, language: Option<&Language>, earlier: &Earlier) -> Vec<Trace> {
    let deadline = Instant::now() + LONGEST_REVIEW;
    let texts: Vec<(&str, Source)> = earlier.iter().map(|(text, from)| (&**text, *from)).collect();
    review::provenance::trace(source, language, &texts, &|| Instant::now() < deadline)
}

/// Looks at one revision of a block and tells what was found.
pub(super) fn spawn(
    block: Block,
    revision: Revision,
    limits: Option<Limits>,
    earlier: Arc<Earlier>,
    ground: Ground,
    executor: Executor,
    inbox: mpsc::Sender<Signal>,
) {
    tokio::spawn(async move {
        let id = block.id;
        if !block.kind.is_code() {
            let inspection = look_at_file(block, revision, limits, ground).await;
            let event = Event::Inspected(id, revision, Box::new(inspection));
            let _ = inbox.send(Signal::Event(event)).await;
            return;
        }
        let scope = ground.scope;
        let terms = find_terms(&block, revision, limits, &executor).await;
        let scope = match &terms {
            // An earlier `cd` changes what a relative path means.
            Ok(terms) => Scope { cwd: terms.cwd.clone(), ..scope },
            Err(_) => scope,
        };
        let review = look(block, revision, scope.clone(), earlier).await;
        let refused = terms
            .as_ref()
            .map_or_else(|_| Vec::new(), |terms| review::refusals(&review.effects, &terms.rights, &scope));
        let inspection = Inspection { review, terms, refused, before: None };
        let _ = inbox.send(Signal::Event(Event::Inspected(id, revision, Box::new(inspection)))).await;
    });
}

async fn look_at_file(
    block: Block,
    revision: Revision,
    limits: Option<Limits>,
    ground: Ground,
) -> Inspection {
    let work = tokio::task::spawn_blocking(move || files::inspect(&block, revision, limits, &ground));
    work.await.unwrap_or_else(|error| {
        tracing::error!(%error, "the look at a file broke off");
        let terms = Err("the look at the file broke off".into());
        Inspection { review: Review::default(), terms, refused: Vec::new(), before: None }
    })
}

async fn find_terms(
    block: &Block,
    revision: Revision,
    limits: Option<Limits>,
    executor: &Executor,
) -> Result<Terms, String> {
    match block.version(revision).and_then(|v| v.language.as_ref()) {
        Some(language) => executor.terms(language, limits).await,
        None => Err("No language yet. Choose one first.".into()),
    }
}

async fn look(block: Block, revision: Revision, scope: Scope, earlier: Arc<Earlier>) -> Review {
    let work = tokio::task::spawn_blocking(move || {
        let Some(version) = block.version(revision) else { return Review::default() };
        let mut review = review_in_time(&version.source, version.language.as_ref(), &scope);
        add_sizes(&mut review, &scope);
        review.traces = traces_in_time(&version.source, version.language.as_ref(), &earlier);
        review
    });
    work.await.unwrap_or_else(|error| {
        // A rule that breaks must not let a block pass as clean.
        tracing::error!(%error, "the review broke off");
        Review { unchecked: Some("the checks broke off".into()), ..Review::default() }
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
