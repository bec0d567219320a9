//! Builds the texts: for the model when a round begins, for the person at the end.

use super::super::check;
use super::super::definition::{PROTECTED_CHANGED, RecipeStep};
use super::super::text::{Text, bounded};
use super::super::view::{View, ended_run};
use super::super::written;
use super::protect;
use super::rounds::{Ending, RoundCause, Rounds};
use crate::domain::{Block, RoundOutcome};
use crate::text::fence::fenced;

/// How the model writes a file, with and without tools.
const WRITE_HINT: &str = "To write a file, put its whole text into one fenced block and name the file behind the language, \
    like this:\n\n```python path=folder/name.py\n…\n```\n\nWhere you have the tool write_file, call it instead. A file that is there may be changed \
    by an edit, too: the fence `edit path=folder/name.py` with SEARCH/REPLACE blocks, or the tool edit_file.";
const CHANGED_BACK: &str = "Your last block changed files that were agreed on: {protected}. The person wants them as they \
    were. Put back what was there, and reach the aim of this step without changing them.";

/// The text for the model when the current round begins; empty if the model is not asked.
pub(super) fn round_message(rounds: &Rounds<'_>) -> String {
    let step = rounds.step();
    let (before, say) = match rounds.cause() {
        RoundCause::First => (fill(rounds, &rounds.definition.say), fill(rounds, &step.say)),
        RoundCause::Verdict { say: Some(say), again } => {
            (fill(rounds, say), if *again { String::new() } else { fill(rounds, &step.say) })
        }
        RoundCause::Verdict { say: None, again: false } => (String::new(), fill(rounds, &step.say)),
        RoundCause::Verdict { say: None, again: true } if rounds.is_restoring() => {
            (fill(rounds, &Text::parse(CHANGED_BACK)), String::new())
        }
        RoundCause::Verdict { say: None, again: true } => {
            let last = rounds.view_of(rounds.rounds.len().saturating_sub(2));
            let hint = rounds
                .judged
                .last()
                .map(|RoundOutcome { verdict, note, .. }| step.check.hint(&last, verdict, note));
            (hint.unwrap_or_default(), String::new())
        }
    };
    join_parts([before, say])
}

/// Why the step does not allow a block.
pub(super) fn not_wanted(step: &RecipeStep, block: &Block) -> String {
    let title = &step.title;
    if step.blocks.is_empty() {
        return format!("nothing runs in the step \"{title}\"; answer in words");
    }
    let wanted: Vec<&str> = step.blocks.iter().map(|kind| kind.as_str()).collect();
    let (kind, wanted) = (block.kind.as_str(), wanted.join(", "));
    format!("the step \"{title}\" has no use for a block of kind {kind}, only for: {wanted}")
}

/// The text shown at the end.
pub(super) fn summary(rounds: &Rounds<'_>, ending: &Ending) -> String {
    join_parts([fill(rounds, &ending.say), fill(rounds, &rounds.definition.summary)])
}

fn join_parts(parts: [String; 2]) -> String {
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n\n")
}

fn fill(rounds: &Rounds<'_>, text: &Text) -> String {
    let view = rounds.view();
    text.fill(|name| value(rounds, &view, name))
}

/// The value of a place in a text.
fn value(rounds: &Rounds<'_>, view: &View<'_>, name: &str) -> String {
    let last = rounds.judged.last();
    match name {
        "write" => WRITE_HINT.into(),
        "runner" => check::runner(view),
        "verdict" => last.map(|last| last.verdict.clone()).unwrap_or_default(),
        "note" => last.map(|last| last.note.clone()).unwrap_or_default(),
        "round" => view.round.to_string(),
        "rounds" => rounds.step().rounds.to_string(),
        "step" => rounds.step().title.clone(),
        "files" => markdown_list(&view.all_written()),
        "protected" => protect::files(rounds, view).join(", "),
        "images" => markdown_list(&images(view)),
        "steps" => steps(rounds),
        name if name.starts_with("data:") => {
            data(view.context.input(name.strip_prefix("data:").unwrap_or_default()))
        }
        name => match (name.strip_prefix("file:"), name.strip_prefix("fact:")) {
            (Some(input), _) => data(view.context.fact(&format!("file:{input}"))),
            (_, Some(fact)) => view.context.fact(fact).to_owned(),
            _ => view.context.input(name).to_owned(),
        },
    }
}

/// A text in a fence that it can't close, even after it was truncated; empty if the text is blank.
fn data(text: &str) -> String {
    if text.trim().is_empty() { String::new() } else { fenced("", &bounded(text.to_owned())) }
}

fn markdown_list(names: &[String]) -> String {
    let lines: Vec<String> = names.iter().map(|name| format!("- {}", code(name))).collect();
    lines.join("\n")
}

/// A name as inline code; it comes from the model, so backticks are replaced.
fn code(name: &str) -> String {
    format!("`{}`", name.replace('`', "'"))
}

/// The images that runs since the recipe's beginning showed.
fn images(view: &View<'_>) -> Vec<String> {
    let runs = written::runs(view.context, view.context.from.saturating_sub(1), usize::MAX);
    let images = runs.filter_map(|(_, item, _)| ended_run(item)).flat_map(|(_, report)| &report.images);
    let mut paths: Vec<String> = images.map(|image| image.path.to_string_lossy().into_owned()).collect();
    paths.dedup();
    paths
}

/// The result of each round, as a Markdown list.
fn steps(rounds: &Rounds<'_>) -> String {
    let line = |RoundOutcome { step, round, verdict, note }: &RoundOutcome| {
        let title = rounds.definition.step_named(step).map_or(step.as_str(), |step| step.title.as_str());
        let note = if note.is_empty() { verdict } else { note };
        let verdict = if verdict == PROTECTED_CHANGED { "changed what is protected" } else { verdict };
        format!("- {title}, round {round}: {verdict} ({note})")
    };
    rounds.judged.iter().map(line).collect::<Vec<_>>().join("\n")
}
