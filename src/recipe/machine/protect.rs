//! What was agreed to in an earlier step stays as it is: changing it takes a typed word, and where a run changed it
//! without one, the person is asked.

use super::super::check::Look;
use super::super::definition::CHANGED;
use super::path::Ending;
use super::view::View;
use super::written::{changes, named, same, settled_runs};
use crate::domain::{Block, BlockKind, Field, FieldKind, Finding, Form, Place, RecipeEnd, Review, Severity};
use crate::engine::transcript::BlockItem;

/// The rule of its remarks.
const RULE: &str = "recipe.protected";
/// The form that asks about a change.
const FORM: &str = "protected";
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
        message: format!("changes {file}, which you agreed to in an earlier step"),
        forbidden: false,
    };
    touched.into_iter().map(finding).collect()
}

/// What a change that nobody agreed to means for the round; `None` where there is none.
pub(super) fn look(view: &View<'_>) -> Result<Option<Look>, Ending> {
    if view.step.protects.is_empty() {
        return Ok(None);
    }
    let (answered, choice) = match view.answers(FORM) {
        Some((at, answers)) => (at, answers.first().map_or("", |(_, choice)| choice.as_str())),
        None => (0, KEEP),
    };
    let changed = changed(view, answered);
    if !changed.is_empty() {
        return Ok(Some(Look::Form(form(&changed))));
    }
    match choice {
        RESTORE => Ok(Some(Look::Judge { verdict: CHANGED, note: "a protected file was changed".into() })),
        STOP => Err(Ending::told(RecipeEnd::Stopped, "You stopped it because a protected file was changed.")),
        _ => Ok(None),
    }
}

/// Protected files that runs of this round changed behind this place, without a typed word.
fn changed(view: &View<'_>, since: usize) -> Vec<String> {
    let Some(from) = view.from else { return Vec::new() };
    let protected = files(view);
    let mut changed = Vec::new();
    let runs = settled_runs(view.course, from, usize::MAX).filter(|(after, ..)| *after > since);
    for (_, item, run) in runs.filter(|(_, item, _)| !agreed(item)) {
        for change in changes(&view.course, item, run) {
            if let Some(file) = protected.iter().find(|file| same(file, &change.path))
                && !changed.contains(file)
            {
                changed.push(file.clone());
            }
        }
    }
    changed
}

/// Whether the person was shown what a block changes, and typed the word.
fn agreed(item: &BlockItem) -> bool {
    let remarked = |(_, review): &(_, Review)| review.findings.iter().any(|finding| finding.rule == RULE);
    item.review.as_ref().is_some_and(remarked)
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
