//! The checks of speed: `measured` (a workload was written, and its time is known) and `faster` (the same workload
//! after the change, compared with before).

use super::net::{budget, printed, why_kept};
use super::{Check, CheckOption, CheckResponse, CheckSpec, FAILED, NOTHING, OptionKind, OwnBlock, OwnRun};
use crate::domain::{Block, Language, Outcome, RunReport};
use crate::recipe::command::{self, ProgramNames};
use crate::recipe::scripts::{self, Figures};
use crate::recipe::view::View;

const MEASURED: &str = "measured";
const FASTER: &str = "faster";
const SAME: &str = "same";
const SLOWER: &str = "slower";

/// A workload was written and measured.
#[derive(Debug)]
pub(super) struct MeasuredCheck;

impl Check for MeasuredCheck {
    fn spec(&self) -> CheckSpec {
        CheckSpec { options: &[CheckOption::FILE], ..CheckSpec::of("measured", &[MEASURED, FAILED, NOTHING]) }
    }

    fn judge(&self, view: &View<'_>) -> CheckResponse {
        match view.own_run() {
            OwnRun::Ran(_, report) => match Figures::of(&seconds(report)) {
                Some(figures) => CheckResponse::judge(MEASURED, figures.describe()),
                None => CheckResponse::judge(FAILED, why(report)),
            },
            OwnRun::Refused(_) => CheckResponse::unable("It was not measured, so nothing is made faster."),
            OwnRun::None => match workload(view, &view.written()) {
                Some(words) => CheckResponse::Propose(vec![measure(
                    view,
                    &words,
                    &[],
                    "measure it before anything is changed",
                )]),
                None if !view.written().is_empty() => {
                    CheckResponse::judge(NOTHING, "what was written can't be run by itself")
                }
                None => CheckResponse::nothing(view, "no workload was written"),
            },
        }
    }

    fn hint(&self, _: &View<'_>, verdict: &str, note: &str) -> String {
        match verdict {
            FAILED => {
                format!("The workload can't be measured: {note}. Correct it, and write the whole file again.")
            }
            _ => "You wrote no workload. Write one file that can be run by itself.".into(),
        }
    }

    fn declines(&self, view: &View<'_>, block: &Block) -> Option<String> {
        why_kept(view, block)
    }
}

/// The workload is measured again.
#[derive(Debug)]
pub(super) struct Faster;

impl Check for Faster {
    fn spec(&self) -> CheckSpec {
        CheckSpec {
            options: &[CheckOption { name: "workload", kind: OptionKind::Step }],
            needs_no_reply: true,
            ..CheckSpec::of("faster", &[FASTER, SAME, SLOWER, FAILED])
        }
    }

    fn judge(&self, view: &View<'_>) -> CheckResponse {
        let step = view.option("workload");
        let (before, words) = (before(view, step), workload(view, &view.written_in(step)));
        let (Some(words), Some(then)) = (words, Figures::of(&before)) else {
            return CheckResponse::unable(
                "It was not measured before the change, so there is nothing to compare with.",
            );
        };
        match view.own_run() {
            OwnRun::None => CheckResponse::Propose(vec![measure(view, &words, &before, "measure it again")]),
            OwnRun::Refused(_) => CheckResponse::unable(format!(
                "Before the change it took {}. It was not measured again.",
                then.describe()
            )),
            OwnRun::Ran(_, report) => match Figures::of(&seconds(report)) {
                Some(now) => compare(then, now),
                None => CheckResponse::judge(FAILED, why(report)),
            },
        }
    }

    fn hint(&self, _: &View<'_>, verdict: &str, note: &str) -> String {
        match verdict {
            FAILED => format!("After your change the workload fails: {note}."),
            _ => format!("Your change did not make it faster: {note}."),
        }
    }
}

/// The command that runs the first of these files that can be run.
fn workload(view: &View<'_>, files: &[String]) -> Option<Vec<String>> {
    files.iter().find_map(|file| command::command(file, ProgramNames::of(view)))
}

fn measure(view: &View<'_>, words: &[String], before: &[f64], note: &str) -> OwnBlock {
    let script = scripts::measure(&view.folder(), words, before, budget(view));
    OwnBlock::code(Language::python(), script, note.to_owned())
}

/// The seconds of the runs before the change.
fn before(view: &View<'_>, step: &str) -> Vec<f64> {
    let runs = view.runs_in(step).into_iter().rev().filter(|(item, _)| item.block.is_own());
    let reports = runs.filter_map(|(_, run)| run.ended.as_ref());
    reports.map(|(_, report)| seconds(report)).find(|seconds| !seconds.is_empty()).unwrap_or_default()
}

/// The seconds that a run measured; none unless it ended well.
fn seconds(report: &RunReport) -> Vec<f64> {
    if report.outcome == Outcome::Ok { scripts::seconds(&printed(report)) } else { Vec::new() }
}

fn why(report: &RunReport) -> String {
    let output = printed(report);
    let said: Vec<&str> = scripts::results(&output);
    if said.is_empty() { super::subject::describe_failure(report) } else { said.join("; ") }
}

/// Compares two measurements; a difference within the spread of the runs is none.
fn compare(then: Figures, now: Figures) -> CheckResponse {
    let both = format!("before {}, after {}", then.describe(), now.describe());
    let (verdict, note) = if now.median < then.least && now.most < then.median {
        (FASTER, format!("{both}: {:.1} times as fast", then.median / now.median.max(1e-9)))
    } else if now.median > then.most && now.least > then.median {
        (SLOWER, format!("{both}: it takes {:.1} times as long", now.median / then.median.max(1e-9)))
    } else {
        (SAME, format!("{both}: no difference beyond the spread of the runs"))
    };
    CheckResponse::Judge { verdict, note }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(then: &[f64], now: &[f64]) -> &'static str {
        match compare(Figures::of(then).unwrap(), Figures::of(now).unwrap()) {
            CheckResponse::Judge { verdict, .. } => verdict,
            _ => "",
        }
    }

    #[test]
    fn a_difference_within_the_spread_is_none() {
        assert_eq!(verdict(&[1.0, 1.1, 1.2], &[0.5, 0.6, 0.7]), FASTER);
        assert_eq!(verdict(&[1.0, 1.1, 1.2], &[1.05, 1.1, 1.3]), SAME);
        assert_eq!(verdict(&[1.0, 1.1, 1.2], &[2.0, 2.1, 2.2]), SLOWER);
        assert_eq!(verdict(&[1.0, 1.1, 1.2], &[0.9, 0.95, 9.0]), SAME);
    }
}
