//! The check `mended`: after a change, the same run that failed before ends well.

use super::run::code_runs;
use super::subject::{self, OPTIONS, Subject};
use super::{Check, CheckOption, Look, OwnRun};
use crate::domain::{Block, BlockKind, Outcome, RunReport};
use crate::recipe::machine::View;
use std::sync::Arc;

const OK: &str = "ok";
const FAILED: &str = "failed";
const TIMED_OUT: &str = "timed_out";
const NOTHING: &str = "nothing";

#[derive(Debug)]
pub(super) struct Mended;

impl Check for Mended {
    fn name(&self) -> &'static str {
        "mended"
    }

    fn verdicts(&self) -> &'static [&'static str] {
        &[OK, FAILED, TIMED_OUT, NOTHING]
    }

    fn options(&self) -> &'static [CheckOption] {
        OPTIONS
    }

    fn look(&self, view: &View<'_>) -> Look {
        if view.reply().is_none() {
            return Look::Ask;
        }
        let subject = match Subject::of(view) {
            Ok(subject) => subject,
            Err(why) => return Look::Unable(why),
        };
        let changed = !view.written().is_empty();
        let newest = view.newest();
        match (&subject, view.own_run()) {
            (_, OwnRun::Ran(_, report)) => judge(report),
            (_, OwnRun::Refused(_)) => {
                Look::Unable("It was not run again, so whether the change mends it is not known.".into())
            }
            // The corrected code is the run.
            (Subject::Code { .. }, OwnRun::None) if !changed => match code_runs(&newest).last() {
                Some((.., report)) => judge(report),
                None => nothing(newest.is_empty()),
            },
            (_, OwnRun::None) if changed => Look::Propose(vec![subject.run("see whether it still fails")]),
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

fn nothing(empty: bool) -> Look {
    if empty { Look::Judge { verdict: NOTHING, note: "no change was proposed".into() } } else { Look::Ask }
}

fn judge(report: &RunReport) -> Look {
    let verdict = match &report.outcome {
        Outcome::Ok => return Look::Judge { verdict: OK, note: "it runs without an error".into() },
        Outcome::TimedOut => TIMED_OUT,
        _ => FAILED,
    };
    Look::Judge { verdict, note: subject::said(report) }
}
