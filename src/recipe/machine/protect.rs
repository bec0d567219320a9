//! Protects files that the person agreed to in an earlier step: changing one takes the typed word, and if a run changes
//! one without it, the person is asked. What counts is the content of the files right before and after each run
//! (`content`).

mod content;

use super::super::check::{CheckResponse, choice_form};
use super::super::definition::PROTECTED_CHANGED;
use super::super::view::{Span, View, ended_ok};
use super::super::written::{changes, runs, same};
use super::rounds::{Ending, Rounds};
use crate::domain::{
    Block, Finding, Form, Grantor, RecipeEnd, RecipeFact, Review, Revision, Severity, Sha256, paths,
};
use crate::engine::transcript::{BlockItem, RunItem};
use content::{FileObservation, ProtectedContent};
use std::collections::BTreeSet;

/// The rule of the findings about protected files.
const RULE: &str = "recipe.protected";
/// The form that asks about a change.
const FORM: &str = "protected";
/// Files that configure which tests run, and how.
const TEST_CONFIG_FILES: &[&str] =
    &["conftest.py", "pyproject.toml", "setup.cfg", "package.json", "Cargo.toml", "tox.ini", "pytest.ini"];
const KEEP: &str = "keep the change";
const RESTORE: &str = "go on without it";
const STOP: &str = "stop";

/// The files protected by any step and written by now; the driver hashes them around each run from then on.
pub(super) fn all_files(rounds: &Rounds<'_>) -> Vec<String> {
    let names: BTreeSet<&String> = rounds.definition.steps.iter().flat_map(|step| &step.protects).collect();
    written(rounds, &rounds.view(), names)
}

fn written<'a>(
    rounds: &Rounds<'_>,
    view: &View<'_>,
    steps: impl IntoIterator<Item = &'a String>,
) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for name in steps {
        let Some(step) = rounds.definition.step_named(name) else { continue };
        files.extend(view.written_in(name).into_iter().filter(|path| step.check.can_protect(path)));
    }
    files
}

/// The files that this step may not change.
pub(super) fn files(rounds: &Rounds<'_>, view: &View<'_>) -> Vec<String> {
    let mut files = written(rounds, view, view.protects);
    let targets: Vec<String> = match view.option("target") {
        "" => Vec::new(),
        input => paths(view.context.input(input)).map(|path| view.shown_path(path)).collect(),
    };
    // A file that the person wants written is never protected.
    files.retain(|file| !targets.iter().any(|target| same(file, target)));
    files.dedup();
    files
}

/// Findings about a block that would change a protected file.
pub(super) fn remarks(rounds: &Rounds<'_>, view: &View<'_>, block: &Block, review: &Review) -> Vec<Finding> {
    if view.protects.is_empty() || block.is_own() {
        return Vec::new();
    }
    let protected = files(rounds, view);
    let written: Vec<String> = block.kind.writes().map(|file| view.shown_path(file)).collect();
    let touches = |file: &&String| match written.as_slice() {
        [] => mentions_file(view, review, file),
        written => written.iter().any(|written| same(file, written)),
    };
    let touched: Vec<&String> = protected.iter().filter(touches).collect();
    let finding = |file: &String| Finding::new(RULE, Severity::High, message(file));
    let mut remarks: Vec<Finding> = touched.into_iter().map(finding).collect();
    remarks.extend(configures(rounds, view, block, review));
    remarks
}

/// Whether a review says that the text changes this file, or a folder around it.
fn mentions_file(view: &View<'_>, review: &Review, file: &str) -> bool {
    let below = |path: &str| {
        file.to_lowercase().strip_prefix(&path.to_lowercase()).is_some_and(|rest| rest.starts_with('/'))
    };
    let effects = &review.effects;
    let mut paths = effects.writes.iter().chain(&effects.deletes).map(|path| view.shown_path(path));
    paths.any(|path| !path.is_empty() && (same(file, &path) || below(&path)))
}

/// A finding about a change of a file that configures tests, where tests are protected: it could turn them off.
fn configures(rounds: &Rounds<'_>, view: &View<'_>, block: &Block, review: &Review) -> Option<Finding> {
    let mut steps = view.protects.iter().filter_map(|name| rounds.definition.step_named(name));
    if !steps.any(|step| step.check.spec().name == "tests") {
        return None;
    }
    let is_one = |path: &&str| TEST_CONFIG_FILES.contains(&path.rsplit('/').next().unwrap_or(path));
    let effects = &review.effects;
    let told = effects.writes.iter().chain(&effects.deletes);
    let path = block.kind.writes().chain(told).map(String::as_str).find(is_one)?;
    let message = format!("changes {}, which says how the tests run", view.shown_path(path));
    Some(Finding::new("recipe.configures", Severity::High, message))
}

/// What comes next if a protected file was changed without agreement; `None` if none was.
pub(super) fn respond(rounds: &Rounds<'_>, view: &View<'_>) -> Result<Option<CheckResponse>, Ending> {
    let Some(from) = view.from.filter(|_| !view.protects.is_empty()) else { return Ok(None) };
    let changed = changed(rounds, view);
    let behind = |place: usize| -> Vec<String> {
        let newer = changed.iter().filter(|(at, _)| *at > place);
        newer.map(|(_, file)| file.clone()).collect()
    };
    let Some((answered, answers)) = view.answers(FORM) else {
        // After "go on without it", this round has to restore the file: wait until the model has answered before asking
        // again.
        let quiet = behind(from).is_empty() && !has_answered(view);
        let all = behind(0);
        return Ok((!quiet && !all.is_empty()).then(|| CheckResponse::Form(form(&all))));
    };
    let again = behind(answered);
    if !again.is_empty() {
        return Ok(Some(CheckResponse::Form(form(&again))));
    }
    match answers.first().map_or("", |(_, choice)| choice.as_str()) {
        RESTORE => Ok(Some(CheckResponse::Judge {
            verdict: PROTECTED_CHANGED,
            note: "a protected file was changed".into(),
        })),
        STOP => Err(Ending::with_words(
            RecipeEnd::Stopped,
            "You stopped it because a protected file was changed.",
        )),
        _ => Ok(None),
    }
}

/// Whether the model answered in this round, with words alone or by writing; merely looking around does not count.
fn has_answered(view: &View<'_>) -> bool {
    view.reply().is_some() && (view.newest().is_empty() || !view.written().is_empty())
}

/// Something that happened to protected files.
enum ProtectedEvent<'a> {
    /// A run ended; `makes` says whether it was in the step that writes them.
    Ran { item: &'a BlockItem, run: &'a RunItem, makes: bool },
    /// The person chose to keep the changes.
    Kept,
}

/// The protected files that differ from what was agreed on, each with the index of the change. A file agrees again once
/// its text was restored, the person typed the word for a write to it, or chose to keep the change.
fn changed(rounds: &Rounds<'_>, view: &View<'_>) -> Vec<(usize, String)> {
    let mut events: Vec<(usize, ProtectedEvent<'_>)> = Vec::new();
    for &Span { step, from, until } in &view.spans {
        let Some(step) = rounds.definition.step_named(step) else { continue };
        let makes = view.protects.contains(&step.name);
        if makes || !step.protects.is_empty() {
            let runs = runs(view.context, from, until);
            events.extend(runs.map(|(after, item, run)| (after, ProtectedEvent::Ran { item, run, makes })));
        }
    }
    events.extend(view.context.items().filter_map(|(at, item)| match item.fact()? {
        RecipeFact::Answered { form, answers } if form == FORM => {
            answers.first().is_some_and(|(_, choice)| choice == KEEP).then_some((at, ProtectedEvent::Kept))
        }
        _ => None,
    }));
    events.sort_by_key(|(at, event)| (*at, matches!(event, ProtectedEvent::Kept)));
    files(rounds, view)
        .into_iter()
        .filter_map(|file| Some((changed_at(view, &events, &file)?, file)))
        .collect()
}

/// The index at which a file was changed, if it differs from what was agreed on.
fn changed_at(view: &View<'_>, events: &[(usize, ProtectedEvent<'_>)], file: &str) -> Option<usize> {
    let mut content = ProtectedContent::default();
    for (at, event) in events {
        match event {
            ProtectedEvent::Kept => content.keep(),
            ProtectedEvent::Ran { item, run, makes } => {
                content.note_run(*at, &observe(view, (item, run), *makes, file));
            }
        }
    }
    content.changed
}

/// What one run shows about one file.
fn observe(view: &View<'_>, (item, run): (&BlockItem, &RunItem), makes: bool, file: &str) -> FileObservation {
    let report = run.ended.as_ref().map(|(_, report)| report);
    let mut hashed = report.into_iter().flat_map(|report| &report.receipt.protected);
    let is_file = |path: &str| same(file, &view.shown_path(path));
    let written = item.block.kind.writes().find(|path| is_file(path));
    let writes = written.is_some();
    // For several files, the approval's hash covers all their texts, so this file's text is hashed here.
    let hash = match item.block.kind.writes().count() {
        0 | 1 => Some(run.sha256).filter(|_| writes),
        _ => written.zip(item.block.version(run.revision)).and_then(|(path, version)| {
            item.block.text_for(version, path).map(|text| Sha256::of(text.as_bytes()))
        }),
    };
    let tells = item.review.as_ref().filter(|(revision, _)| *revision == run.revision);
    FileObservation {
        hashes: hashed.find(|known| is_file(&known.path)).map(|known| (known.before, known.after)),
        written: hash.filter(|_| ended_ok(run)),
        listed: changes(&view.context, item, run).iter().any(|change| same(file, &change.path)),
        own: item.block.is_own(),
        makes: makes && !item.block.is_own(),
        told: writes || tells.is_some_and(|(_, review)| mentions_file(view, review, file)),
        agreed: agreed(item, run, file),
    }
}

/// Whether the person saw that this run changes this file, and typed the word.
fn agreed(item: &BlockItem, run: &RunItem, file: &str) -> bool {
    let told = message(file);
    let remarked = |(revision, review): &(Revision, Box<Review>)| {
        *revision == run.revision
            && review.findings.iter().any(|finding| finding.rule == RULE && finding.message == told)
    };
    run.by == Grantor::Person { typed: true } && item.review.as_ref().is_some_and(remarked)
}

fn message(file: &str) -> String {
    format!("changes {file}, which you agreed to in an earlier step")
}

fn form(changed: &[String]) -> Form {
    let note = format!("Not as you agreed to in an earlier step: {}.", changed.join(", "));
    let help = format!("{RESTORE}: the model is told to put back what was there");
    choice_form(FORM, "Protected files were changed", note, help, &[KEEP, RESTORE, STOP])
}
