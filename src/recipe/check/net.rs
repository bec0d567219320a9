//! The checks of a net that has to hold before anything is changed: `net` (the project's own tests) and `record` (the
//! current behaviour, written down as a test). `changed` checks whether it holds afterwards.

use super::subject::describe_failure;
use super::suite::{self, TestReading};
use super::{Check, CheckOption, CheckResponse, CheckSpec, NOTHING, OptionKind, OwnBlock, OwnRun};
use crate::domain::{Block, Outcome, RunReport, Stream};
use crate::recipe::command::{self, ProgramNames};
use crate::recipe::text::printable;
use crate::recipe::view::View;

pub(super) const GREEN: &str = "green";
pub(super) const RED: &str = "red";
const NONE: &str = "none";

/// The project's own tests pass before anything is changed.
#[derive(Debug)]
pub(super) struct Net;

impl Check for Net {
    fn spec(&self) -> CheckSpec {
        CheckSpec {
            options: &[CheckOption { name: "command", kind: OptionKind::Input }],
            needs_no_reply: true,
            wants_tests: true,
            ..CheckSpec::of("net", &[GREEN, RED, NONE])
        }
    }

    fn judge(&self, view: &View<'_>) -> CheckResponse {
        let given = view.context.input(view.option("command")).trim();
        let line = if given.is_empty() { view.context.fact("tests").trim() } else { given };
        match view.own_run() {
            _ if line.is_empty() => CheckResponse::judge(NONE, "the project has no tests of its own"),
            OwnRun::None => {
                CheckResponse::Propose(vec![OwnBlock::bash(line, "run the tests before anything is changed")])
            }
            OwnRun::Ran(item, report) => judge(&item.block.current().source, report, NONE),
            OwnRun::Refused(_) => {
                CheckResponse::unable("The tests did not run, and without a net nothing is changed.")
            }
        }
    }
}

/// The current behaviour was written down as a test that passes.
#[derive(Debug)]
pub(super) struct Record;

impl Check for Record {
    fn spec(&self) -> CheckSpec {
        CheckSpec { options: &[CheckOption::FILE], ..CheckSpec::of("record", &[GREEN, RED, NOTHING]) }
    }

    fn judge(&self, view: &View<'_>) -> CheckResponse {
        let names = ProgramNames::of(view);
        let lines: Vec<String> =
            view.written().iter().filter_map(|file| command::line(file, names)).collect();
        match view.own_run() {
            OwnRun::Ran(item, report) => judge(&item.block.current().source, report, NOTHING),
            OwnRun::Refused(_) => {
                CheckResponse::unable("The test did not run, and without a net nothing is changed.")
            }
            OwnRun::None if lines.is_empty() => {
                if let Some(file) = view.written().first() {
                    CheckResponse::judge(NOTHING, format!("{file} can't be run by itself"))
                } else {
                    CheckResponse::nothing(view, "no test was written")
                }
            }
            OwnRun::None => CheckResponse::Propose(vec![OwnBlock::bash(
                &lines.join(" && "),
                "see whether the recorded behaviour holds",
            )]),
        }
    }

    fn hint(&self, _: &View<'_>, verdict: &str, note: &str) -> String {
        match verdict {
            RED => format!(
                "The test does not hold on the code as it is: {note}. Record what the code does, not what it should do. \
                 Correct the test, and write the whole file again."
            ),
            _ => "You wrote no test. Write one file that can be run by itself.".into(),
        }
    }

    fn declines(&self, view: &View<'_>, block: &Block) -> Option<String> {
        why_kept(view, block)
    }
}

/// Refuses changes of the file under work in a step that only prepares.
pub(super) fn why_kept(view: &View<'_>, block: &Block) -> Option<String> {
    let file = view.file_of("file");
    let is_file = block.kind.writes().any(|path| view.shown_path(path) == file);
    is_file.then(|| format!("{file} stays as it is until there is something that holds it"))
}

/// The seconds that a block with several tries may take: 80% of the time limit of the newest run.
pub(super) fn budget(view: &View<'_>) -> u64 {
    let runs = view.context.transcript.blocks.values().flat_map(|item| &item.runs);
    match runs.max_by_key(|run| run.run).map(|run| run.terms.limits.wall_ms) {
        None => 45,
        Some(0) => 600,
        Some(wall) => (wall / 1_000 * 4 / 5).max(1),
    }
}

pub(super) fn printed(report: &RunReport) -> String {
    String::from_utf8_lossy(&report.output.bytes(Stream::Stdout)).into_owned()
}

/// Judges a run of a net by this line; `empty` is the verdict if no test ran.
pub(super) fn judge(line: &str, report: &RunReport, empty: &'static str) -> CheckResponse {
    match (&report.outcome, suite::reading(line, report)) {
        (Outcome::Ok | Outcome::Failed, Some(TestReading::Missing(why))) => {
            CheckResponse::unable(format!("The net could not run: {why}."))
        }
        (Outcome::Ok | Outcome::Failed, Some(TestReading::Empty)) => {
            CheckResponse::judge(empty, "not one test was tried")
        }
        (Outcome::Ok, None) => CheckResponse::judge(GREEN, last_line(report)),
        (Outcome::Refused(_) | Outcome::NotStarted(_), _) => {
            CheckResponse::unable(format!("The net could not run: {}.", describe_failure(report)))
        }
        _ => CheckResponse::judge(RED, last_output(report)),
    }
}

/// The last line that a runner printed; many print their counts there.
fn last_line(report: &RunReport) -> String {
    let text = printed(report);
    let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it holds");
    clean_line(last.trim_matches(['=', ' ']))
}

pub(super) fn last_output(report: &RunReport) -> String {
    let (errors, last) = (describe_failure(report), last_line(report));
    if last == "it holds" || report.outcome == Outcome::TimedOut {
        errors
    } else {
        format!("{last} ({errors})")
    }
}

/// A line made fit for a note.
pub(super) fn clean_line(line: &str) -> String {
    printable(line, 200)
}
