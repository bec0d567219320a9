//! The check `mended`: after a change, the same run that failed before ends well, and not only because its error is
//! caught and hidden.

use super::run::code_runs;
use super::subject::{self, OPTIONS, Subject};
use super::swallowed::{ErrorHandling, NOT_DONE_MESSAGE, missing_lines, swallows};
use super::{Check, CheckResponse, CheckSpec, FAILED, NOTHING, OK, OwnRun, TIMED_OUT};
use crate::domain::{Block, BlockKind, Finding, Language, Outcome, Review, RunReport, Severity};
use crate::engine::transcript::{BlockItem, RunItem};
use crate::recipe::command;
use crate::recipe::view::{View, ended_ok};
use crate::text::diff::similarity;
use std::sync::Arc;

/// Longer texts are compared by lines instead of characters.
const MAX_BYTES_BY_CHARS: usize = 2_000;

const HIDDEN: &str = "hidden";

#[derive(Debug)]
pub(super) struct MendedCheck;

impl Check for MendedCheck {
    fn spec(&self) -> CheckSpec {
        CheckSpec { options: OPTIONS, ..CheckSpec::of("mended", &[OK, FAILED, TIMED_OUT, HIDDEN, NOTHING]) }
    }

    fn judge(&self, view: &View<'_>) -> CheckResponse {
        let subject = match Subject::of(view) {
            Ok(subject) => subject,
            Err(why) => return CheckResponse::unable(why.to_string()),
        };
        let newest = view.newest();
        let changed = match &subject {
            Subject::File { .. } => !view.written().is_empty(),
            // Code may write files when it runs; that does not change the code under repair.
            Subject::Code { .. } => newest.iter().any(|item| is_written(item)),
        };
        match view.own_run() {
            OwnRun::Ran(_, report) => {
                let handling = written(view).unwrap_or_default();
                let unexamined = handling.unexamined || !is_looked_at(view);
                judge(report, ErrorHandling { unexamined, ..handling })
            }
            OwnRun::Refused(_) => {
                CheckResponse::unable("It was not run again, so whether the change mends it is not known.")
            }
            OwnRun::None => {
                // A run of the corrected code is itself the proof.
                if let Subject::Code { language, source } = &subject
                    && let Some((new, report)) = corrected(&newest, language, source)
                {
                    judge(report, ErrorHandling::of(language, source, new))
                } else if changed {
                    CheckResponse::Propose(vec![subject.run("see whether it still fails")])
                } else {
                    CheckResponse::nothing(view, "no change was proposed")
                }
            }
        }
    }

    fn hint(&self, _: &View<'_>, verdict: &str, note: &str) -> String {
        match verdict {
            HIDDEN if note.starts_with(NOT_DONE_MESSAGE) => format!(
                "It ends without an error only because what failed is {note}. The cause is still there. Put that back, and remove \
                 the cause."
            ),
            HIDDEN => format!(
                "It ends without an error only because the error is caught away ({note}): the cause is still there. Take \
                 that out, and remove the cause."
            ),
            NOTHING => "You proposed no change. Propose the smallest one that mends it.".into(),
            TIMED_OUT => {
                format!("After your change it did not end in time ({note}). Find out why, and correct it.")
            }
            _ => format!(
                "After your change it still fails: {note}. Read the error, find the cause, and correct it."
            ),
        }
    }

    fn remarks(&self, view: &View<'_>, block: &Block, _: &Review) -> Vec<Finding> {
        let version = block.current();
        let hidden = match Subject::of(view) {
            Ok(Subject::File { path, .. }) => {
                let mut written =
                    block.kind.writes().filter(|file| view.shown_path(file) == view.shown_path(&path));
                let text = written.next().and_then(|file| block.text_for(version, file));
                let language = command::language_of(&path);
                text.and_then(|new| swallows(&language, &before_of(view)?, new))
            }
            Ok(Subject::Code { language, source }) if version.language.as_ref() == Some(&language) => {
                swallows(&language, &source, &version.source)
            }
            _ => None,
        };
        let message = |note: String| match note.strip_prefix(NOT_DONE_MESSAGE) {
            Some(what) => format!("does not do any more what failed ({what}): its cause stays"),
            None => format!("catches the error away ({note}): its cause stays"),
        };
        let finding = |note: String| Finding::new("recipe.hidden", Severity::Medium, message(note));
        hidden.map(finding).into_iter().collect()
    }

    fn diff_base(&self, view: &View<'_>, block: &Block) -> Option<Arc<str>> {
        match Subject::of(view) {
            Ok(Subject::Code { language, source })
                if matches!(block.kind, BlockKind::Code { .. })
                    && block.current().language.as_ref() == Some(&language) =>
            {
                Some(source.into())
            }
            _ => None,
        }
    }
}

/// Whether a file was written as the block says.
fn is_written(item: &BlockItem) -> bool {
    item.block.kind.writes().next().is_some() && item.runs.last().is_some_and(ended_ok)
}

/// The text of the failing file when the recipe began.
fn before_of(view: &View<'_>) -> Option<String> {
    let text = view.context.fact(&format!("file:{}", view.option("file")));
    (!text.is_empty()).then(|| text.to_owned())
}

/// How the newest version of the failing file handles errors.
fn written(view: &View<'_>) -> Option<ErrorHandling> {
    let file = view.file_of("file");
    let (_, new) = view.writes_of(&file).pop()?;
    Some(ErrorHandling::of(&command::language_of(&file), &before_of(view)?, &new))
}

/// Whether the whole change is known: only the failing file changed, its old text is known, and sayso itself wrote the
/// new one.
fn is_looked_at(view: &View<'_>) -> bool {
    let file = view.file_of("file");
    let others = view.all_written().iter().any(|other| *other != file);
    !others && before_of(view).is_some() && !view.writes_of(&file).is_empty()
}

/// The newest run of corrected code and its report: code in the same language that shares much with the failing text.
/// Code that only looks around (and ends well) proves nothing.
fn corrected<'a>(
    newest: &[&'a BlockItem],
    language: &Language,
    source: &str,
) -> Option<(&'a str, &'a RunReport)> {
    let fits = |item: &BlockItem, run: &RunItem| {
        item.block.version(run.revision).is_some_and(|version| {
            version.language.as_ref() == Some(language) && is_alike(language, source, &version.source)
        })
    };
    let ran = code_runs(newest).into_iter().rev();
    let (item, run, report) = ran.into_iter().find(|(item, run, _)| fits(item, run))?;
    Some((&item.block.version(run.revision)?.source, report))
}

/// Whether two texts are half the same, or `other` is `one` with its errors hidden. Long texts are compared by lines.
fn is_alike(language: &Language, one: &str, other: &str) -> bool {
    let (one, other) = (one.trim(), other.trim());
    let is_half = if one.len().max(other.len()) > MAX_BYTES_BY_CHARS {
        is_half_of_lines(one, other)
    } else {
        similarity(one, other) >= 0.5
    };
    is_half || swallows(language, one, other).is_some_and(|note| !note.starts_with(NOT_DONE_MESSAGE))
}

/// Whether half of the lines of two texts are the same, in any order: matching them in order could take quadratic time.
fn is_half_of_lines(one: &str, other: &str) -> bool {
    let (one, other): (Vec<&str>, Vec<&str>) = (one.lines().collect(), other.lines().collect());
    let same = one.len() - missing_lines(&one, &other).len();
    4 * same >= one.len() + other.len()
}

fn judge(report: &RunReport, handling: ErrorHandling) -> CheckResponse {
    let verdict = match (&report.outcome, handling.hidden) {
        (Outcome::Ok, Some(note)) => return CheckResponse::judge(HIDDEN, note),
        (Outcome::Ok, None) => {
            let handler = handling.new_handler.map(|handler| format!("; {handler}"));
            let but =
                if handling.unexamined { "; whether that is only caught away was not looked at" } else { "" };
            let note = format!("it runs without an error{}{but}", handler.unwrap_or_default());
            return CheckResponse::judge(OK, note);
        }
        (Outcome::TimedOut, _) => TIMED_OUT,
        _ => FAILED,
    };
    CheckResponse::judge(verdict, subject::describe_failure(report))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_compared_by_their_lines_in_no_more_than_their_size() {
        let lines = |name: &str, many: usize| (0..many).map(|n| format!("{name}{n}()\n")).collect::<String>();
        let python = Language::python();
        let (one, other) = (lines("a", 50_000), lines("b", 50_000));
        assert!(!is_alike(&python, &one, &other));
        assert!(is_alike(&python, &one, &(lines("a", 26_000) + &lines("b", 24_000))));
        assert!(!is_alike(&python, &one, &(lines("a", 24_000) + &lines("b", 26_000))));
    }
}
