//! What was agreed to in an earlier step stays as it is: changing it takes a typed word, and where a run changed it
//! without one, the person is asked.

use super::super::check::Look;
use super::super::definition::CHANGED;
use super::path::Ending;
use super::view::View;
use super::written::{changes, named, same, settled_runs};
use crate::domain::{
    Block, BlockKind, Field, FieldKind, Finding, Form, Grantor, Place, RecipeEnd, RecipeFact, Review,
    Revision, Severity,
};
use crate::engine::transcript::{BlockItem, Item, RunItem};

/// The rule of its remarks.
const RULE: &str = "recipe.protected";
/// The form that asks about a change.
const FORM: &str = "protected";
/// Files that say which tests run, and how.
const CONFIGURES: &[&str] =
    &["conftest.py", "pyproject.toml", "setup.cfg", "package.json", "Cargo.toml", "tox.ini", "pytest.ini"];
const KEEP: &str = "keep the change";
const RESTORE: &str = "go on without it";
const STOP: &str = "stop";

/// The files that may not be changed in this step.
pub(super) fn files(view: &View<'_>) -> Vec<String> {
    let mut files = Vec::new();
    for name in &view.step.protects {
        let Some(step) = view.definition.step(name).and_then(|at| view.definition.steps.get(at)) else {
            continue;
        };
        files.extend(view.written_in(name).into_iter().filter(|path| step.check.keeps(path)));
    }
    let target = match view.option("target") {
        "" => String::new(),
        input => view.named(view.course.input(input)),
    };
    // What the person wants written is never what holds it.
    files.retain(|file| target.is_empty() || !same(file, &target));
    files.dedup();
    files
}

/// What there is to say about a block that would change one of them.
pub(super) fn remarks(view: &View<'_>, block: &Block, review: &Review) -> Vec<Finding> {
    if view.step.protects.is_empty() || block.is_own() {
        return Vec::new();
    }
    let protected = files(view);
    let touched: Vec<&String> = match &block.kind {
        BlockKind::Write { path } => {
            let path = named(&view.course, path);
            protected.iter().filter(|file| same(file, &path)).collect()
        }
        _ => {
            let effects = &review.effects;
            let paths = effects.writes.iter().chain(&effects.deletes).map(|path| named(&view.course, path));
            let paths: Vec<String> = paths.filter(|path| !path.is_empty()).collect();
            let below = |file: &str, path: &str| {
                file.to_lowercase()
                    .strip_prefix(&path.to_lowercase())
                    .is_some_and(|rest| rest.starts_with('/'))
            };
            let hit = |file: &&String| paths.iter().any(|path| same(file, path) || below(file, path));
            protected.iter().filter(hit).collect()
        }
    };
    let finding = |file: &String| Finding {
        rule: RULE.into(),
        severity: Severity::High,
        place: Place::default(),
        message: message(file),
        forbidden: false,
    };
    let mut remarks: Vec<Finding> = touched.into_iter().map(finding).collect();
    remarks.extend(configures(view, block, review));
    remarks
}

/// What there is to say of a file that says how tests run, where tests are protected: it can turn them off.
fn configures(view: &View<'_>, block: &Block, review: &Review) -> Option<Finding> {
    let steps = view.step.protects.iter().filter_map(|name| view.definition.step(name));
    let mut checks = steps.filter_map(|step| view.definition.steps.get(step));
    if !checks.any(|step| step.check.name() == "tests") {
        return None;
    }
    let is_one = |path: &&str| CONFIGURES.contains(&path.rsplit('/').next().unwrap_or(path));
    let effects = &review.effects;
    let path = match &block.kind {
        BlockKind::Write { path } => Some(path.as_str()).filter(is_one),
        _ => effects.writes.iter().chain(&effects.deletes).map(|path| path.as_ref()).find(is_one),
    }?;
    Some(Finding {
        rule: "recipe.configures".into(),
        severity: Severity::High,
        place: Place::default(),
        message: format!("changes {}, which says how the tests run", named(&view.course, path)),
        forbidden: false,
    })
}

/// What a change that nobody agreed to means for the round; `None` where there is none.
pub(super) fn look(view: &View<'_>) -> Result<Option<Look>, Ending> {
    let Some(from) = view.from.filter(|_| !view.step.protects.is_empty()) else { return Ok(None) };
    let changed = changed(view);
    let behind = |place: usize| -> Vec<String> {
        let newer = changed.iter().filter(|(at, _)| *at > place);
        newer.map(|(_, file)| file.clone()).collect()
    };
    let Some((answered, answers)) = view.answers(FORM) else {
        // What was to be put back in this round is looked at when there is something to look at.
        let quiet = behind(from).is_empty() && !acted(view);
        let all = behind(0);
        return Ok((!quiet && !all.is_empty()).then(|| Look::Form(form(&all))));
    };
    let again = behind(answered);
    if !again.is_empty() {
        return Ok(Some(Look::Form(form(&again))));
    }
    match answers.first().map_or("", |(_, choice)| choice.as_str()) {
        RESTORE => Ok(Some(Look::Judge { verdict: CHANGED, note: "a protected file was changed".into() })),
        STOP => Err(Ending::told(RecipeEnd::Stopped, "You stopped it because a protected file was changed.")),
        _ => Ok(None),
    }
}

/// Whether the model answered in this round, by words alone or by writing: not where it only looked around.
fn acted(view: &View<'_>) -> bool {
    view.reply().is_some() && (view.newest().is_empty() || !view.written().is_empty())
}

/// One thing that happened to protected files.
enum Event<'a> {
    /// A run ended; whether that was in the step that made them.
    Ran { item: &'a BlockItem, run: &'a RunItem, makes: bool },
    /// The person wants the changes kept.
    Kept,
}

/// Protected files that are not as they were agreed on, each with the place of the change. A file is as agreed again
/// when its text was written back, when a write of it was agreed to with the typed word, or when the person keeps it.
fn changed(view: &View<'_>) -> Vec<(usize, String)> {
    let mut events: Vec<(usize, Event<'_>)> = Vec::new();
    for &(step, from, until) in view.spans() {
        let Some(step) = view.definition.steps.get(step) else { continue };
        let makes = view.step.protects.contains(&step.name);
        if makes || !step.protects.is_empty() {
            let runs = settled_runs(view.course, from, until);
            events.extend(runs.map(|(after, item, run)| (after, Event::Ran { item, run, makes })));
        }
    }
    events.extend(view.course.items().filter_map(|(at, item)| match item {
        Item::Recipe { fact: RecipeFact::Answered { form, answers }, .. } if form == FORM => {
            answers.first().is_some_and(|(_, choice)| choice == KEEP).then_some((at, Event::Kept))
        }
        _ => None,
    }));
    events.sort_by_key(|(at, event)| (*at, matches!(event, Event::Kept)));
    files(view).into_iter().filter_map(|file| Some((changed_at(view, &events, &file)?, file))).collect()
}

/// Where a file was changed, when it is not as it was agreed on.
fn changed_at(view: &View<'_>, events: &[(usize, Event<'_>)], file: &str) -> Option<usize> {
    let (mut text, mut changed) = (None, None);
    for (at, event) in events {
        let Event::Ran { item, run, makes } = event else {
            changed = None;
            continue;
        };
        if !changes(&view.course, item, run).iter().any(|change| same(file, &change.path)) {
            continue;
        }
        let written = match &item.block.kind {
            BlockKind::Write { path } if same(&named(&view.course, path), file) => {
                item.block.version(run.revision).map(|version| &version.source)
            }
            _ => None,
        };
        if *makes && !item.block.is_own() || agreed(item, run, file) {
            (text, changed) = (written, None);
        } else if written.is_some() && written == text {
            changed = None;
        } else {
            changed = Some(*at);
        }
    }
    changed
}

/// Whether the person was shown that this run changes this file, and typed the word.
fn agreed(item: &BlockItem, run: &RunItem, file: &str) -> bool {
    let told = message(file);
    let remarked = |(revision, review): &(Revision, Review)| {
        *revision == run.revision
            && review.findings.iter().any(|finding| finding.rule == RULE && finding.message == told)
    };
    run.by == Grantor::Person { typed: true } && item.review.as_ref().is_some_and(remarked)
}

fn message(file: &str) -> String {
    format!("changes {file}, which you agreed to in an earlier step")
}

fn form(changed: &[String]) -> Form {
    let choices = [KEEP, RESTORE, STOP].map(str::to_owned).to_vec();
    let field = Field {
        name: "what".into(),
        label: "What now?".into(),
        help: format!("{RESTORE}: the model is told to put back what was there"),
        kind: FieldKind::Choice(choices),
        required: true,
        default: None,
    };
    Form {
        name: FORM.into(),
        title: "Protected files were changed".into(),
        note: format!("A run changed {}, which you agreed to in an earlier step.", changed.join(", ")),
        fields: vec![field],
    }
}
