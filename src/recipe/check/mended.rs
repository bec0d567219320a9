//! The check `mended`: after a change, the same run that failed before ends well.

use super::run::code_runs;
use super::subject::{self, OPTIONS, Subject};
use super::{Check, CheckFacts, CheckResponse, OwnRun};
use crate::domain::{Block, BlockKind, Language, Outcome, RunReport};
use crate::engine::transcript::{BlockItem, RunItem};
use crate::recipe::view::{View, ended};
use similar::TextDiff;
use std::sync::Arc;

/// Bytes beyond which texts are compared by lines.
const BY_LINES: usize = 2_000;

const OK: &str = "ok";
const FAILED: &str = "failed";
const TIMED_OUT: &str = "timed_out";
const NOTHING: &str = "nothing";

#[derive(Debug)]
pub(super) struct MendedCheck;

impl Check for MendedCheck {
    fn facts(&self) -> CheckFacts {
        CheckFacts { options: OPTIONS, ..CheckFacts::of("mended", &[OK, FAILED, TIMED_OUT, NOTHING]) }
    }

    fn look(&self, view: &View<'_>) -> CheckResponse {
        if view.reply().is_none() {
            return CheckResponse::Ask;
        }
        let subject = match Subject::of(view) {
            Ok(subject) => subject,
            Err(why) => return CheckResponse::Unable(why.to_string()),
        };
        let newest = view.newest();
        let changed = match &subject {
            Subject::File { .. } => !view.written().is_empty(),
            // Code may write files when it runs; that is no change of anything.
            Subject::Code { .. } => newest.iter().any(|item| is_written(item)),
        };
        match (&subject, view.own_run()) {
            (_, OwnRun::Ran(_, report)) => judge(report),
            (_, OwnRun::Refused(_)) => CheckResponse::Unable(
                "It was not run again, so whether the change mends it is not known.".into(),
            ),
            // The corrected code is the run.
            (Subject::Code { language, source }, OwnRun::None)
                if corrected(&newest, language, source).is_some() =>
            {
                corrected(&newest, language, source).map_or_else(|| nothing(false), judge)
            }
            (_, OwnRun::None) if changed => {
                CheckResponse::Propose(vec![subject.run("see whether it still fails")])
            }
            (_, OwnRun::None) => nothing(newest.is_empty()),
        }
    }

    fn hint(&self, _: &View<'_>, verdict: &str, note: &str) -> String {
        match verdict {
            NOTHING => "You proposed no change. Propose the smallest one that mends it.".into(),
            TIMED_OUT => {
                format!("After your change it did not end in time ({note}). Find out why, and correct it.")
            }
            _ => format!(
                "After your change it still fails: {note}. Read the error, find the cause, and correct it."
            ),
        }
    }

    fn before(&self, view: &View<'_>, block: &Block) -> Option<Arc<str>> {
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
    item.block.kind.writes().next().is_some()
        && ended(item).is_some_and(|(_, report)| report.outcome == Outcome::Ok)
}

/// How the newest run of corrected code ended: of code in the same language that has much of the text that failed. Code
/// that only looks at something, and ends well, says nothing.
fn corrected<'a>(newest: &[&'a BlockItem], language: &Language, source: &str) -> Option<&'a RunReport> {
    let fits = |item: &BlockItem, run: &RunItem| {
        item.block.version(run.revision).is_some_and(|version| {
            version.language.as_ref() == Some(language) && is_alike(source, &version.source)
        })
    };
    let ran = code_runs(newest).into_iter().rev();
    ran.into_iter().find(|(item, run, _)| fits(item, run)).map(|(.., report)| report)
}

/// Whether half of two texts is the same; long ones are compared by their lines.
fn is_alike(one: &str, other: &str) -> bool {
    let (one, other) = (one.trim(), other.trim());
    let ratio = if one.len().max(other.len()) > BY_LINES {
        TextDiff::from_lines(one, other).ratio()
    } else {
        TextDiff::from_chars(one, other).ratio()
    };
    ratio >= 0.5
}

fn nothing(empty: bool) -> CheckResponse {
    if empty {
        CheckResponse::Judge { verdict: NOTHING, note: "no change was proposed".into() }
    } else {
        CheckResponse::Ask
    }
}

fn judge(report: &RunReport) -> CheckResponse {
    let verdict = match &report.outcome {
        Outcome::Ok => return CheckResponse::Judge { verdict: OK, note: "it runs without an error".into() },
        Outcome::TimedOut => TIMED_OUT,
        _ => FAILED,
    };
    CheckResponse::Judge { verdict, note: subject::said(report) }
}
