//! The checks of a net, which has to hold before and after a change: `net` (the project's own tests), `record` (behaviour
//! as it is, written down as a test), `changed` (the change, and the net again).

use super::subject::said;
use super::{Check, CheckOption, Look, OptionKind, Own, OwnRun};
use crate::domain::{
    Block, BlockKind, Finding, Language, Outcome, Place, Review, RunReport, Severity, Stream,
};
use crate::engine::transcript::{BlockItem, RunItem};
use crate::recipe::hunks::hunks;
use crate::recipe::machine::View;
use crate::recipe::{command, scripts};

const GREEN: &str = "green";
const RED: &str = "red";
const NONE: &str = "none";
const NOTHING: &str = "nothing";

/// Hunks that are told apart at most; neighbours are joined beyond it.
const MOST_HUNKS: usize = 12;
/// What the script that tries hunks out is for.
const WHICH: &str = "find out which hunk breaks the net";
const FILE: CheckOption = CheckOption { name: "file", values: &[], kind: OptionKind::Input };

/// The project's own tests hold before anything is changed.
#[derive(Debug)]
pub(super) struct Net;

impl Check for Net {
    fn name(&self) -> &'static str {
        "net"
    }

    fn verdicts(&self) -> &'static [&'static str] {
        &[GREEN, RED, NONE]
    }

    fn options(&self) -> &'static [CheckOption] {
        &[CheckOption { name: "command", values: &[], kind: OptionKind::Input }]
    }

    fn alone(&self) -> bool {
        true
    }

    fn wants_tests(&self) -> bool {
        true
    }

    fn look(&self, view: &View<'_>) -> Look {
        let given = view.course.input(view.option("command")).trim();
        let line = if given.is_empty() { view.course.fact("tests").trim() } else { given };
        match view.own_run() {
            _ if line.is_empty() => {
                Look::Judge { verdict: NONE, note: "the project has no tests of its own".into() }
            }
            OwnRun::None => Look::Propose(vec![bash(line, "run the tests before anything is changed")]),
            OwnRun::Ran(_, report) => judge(report),
            OwnRun::Refused(_) => {
                Look::Unable("The tests did not run, and without a net nothing is changed.".into())
            }
        }
    }

    fn hint(&self, _: &View<'_>, _: &str, _: &str) -> String {
        String::new()
    }
}

/// The behaviour as it is was written down as a test that holds.
#[derive(Debug)]
pub(super) struct Record;

impl Check for Record {
    fn name(&self) -> &'static str {
        "record"
    }

    fn verdicts(&self) -> &'static [&'static str] {
        &[GREEN, RED, NOTHING]
    }

    fn options(&self) -> &'static [CheckOption] {
        &[FILE]
    }

    fn look(&self, view: &View<'_>) -> Look {
        let python = view.course.fact("python");
        let lines: Vec<String> =
            view.written().iter().filter_map(|file| command::line(file, python)).collect();
        match view.own_run() {
            OwnRun::Ran(_, report) => judge(report),
            OwnRun::Refused(_) => {
                Look::Unable("The test did not run, and without a net nothing is changed.".into())
            }
            OwnRun::None if view.reply().is_none() => Look::Ask,
            OwnRun::None if lines.is_empty() => {
                if let Some(file) = view.written().first() {
                    Look::Judge { verdict: NOTHING, note: format!("{file} can't be run by itself") }
                } else if view.newest().is_empty() {
                    Look::Judge { verdict: NOTHING, note: "no test was written".into() }
                } else {
                    Look::Ask
                }
            }
            OwnRun::None => {
                Look::Propose(vec![bash(&lines.join(" && "), "see whether the recorded behaviour holds")])
            }
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
        stays(view, block)
    }
}

/// Why the file that is worked on stays as it is in a step that prepares.
pub(super) fn stays(view: &View<'_>, block: &Block) -> Option<String> {
    let file = view.named(view.course.input(view.option("file")));
    let BlockKind::Write { path } = &block.kind else { return None };
    (view.named(path) == file)
        .then(|| format!("{file} stays as it is until there is something that holds it"))
}

/// The file was changed, and the net still holds; where it does not, which hunk is to blame.
#[derive(Debug)]
pub(super) struct Changed;

impl Check for Changed {
    fn name(&self) -> &'static str {
        "changed"
    }

    fn verdicts(&self) -> &'static [&'static str] {
        &[GREEN, RED, NOTHING]
    }

    fn options(&self) -> &'static [CheckOption] {
        &[
            FILE,
            CheckOption { name: "net", values: &[], kind: OptionKind::Step },
            CheckOption { name: "record", values: &[], kind: OptionKind::Step },
        ]
    }

    fn look(&self, view: &View<'_>) -> Look {
        if view.reply().is_none() {
            return Look::Ask;
        }
        let Some(line) = net_of(view) else {
            return Look::Unable("There is no net that held, so nothing is changed.".into());
        };
        let newest = view.newest();
        match view.own_run() {
            OwnRun::None if !view.written().is_empty() => {
                Look::Propose(vec![bash(&line, "run the net again")])
            }
            OwnRun::None if newest.is_empty() => {
                Look::Judge { verdict: NOTHING, note: "no change was proposed".into() }
            }
            OwnRun::None => Look::Ask,
            OwnRun::Refused(_) if is_which(view.own().last().copied()) => red(view, ""),
            OwnRun::Refused(_) => Look::Unable(
                "The net did not run again, so whether the change breaks it is not known.".into(),
            ),
            OwnRun::Ran(item, report) if is_which(Some(item)) => red(view, &printed(report)),
            OwnRun::Ran(_, report) => match judge(report) {
                Look::Judge { verdict: RED, note } => {
                    which(view, &line).unwrap_or(Look::Judge { verdict: RED, note })
                }
                look => look,
            },
        }
    }

    fn hint(&self, _: &View<'_>, verdict: &str, note: &str) -> String {
        match verdict {
            RED => format!(
                "The net held before your change and breaks with it: {note}. The change is wrong, not the net. Correct the \
                 change and write the whole file again."
            ),
            _ => "You proposed no change. Write the whole changed file.".into(),
        }
    }

    fn remarks(&self, view: &View<'_>, block: &Block, _: &Review) -> Vec<Finding> {
        let BlockKind::Write { path } = &block.kind else { return Vec::new() };
        let (path, file) = (view.named(path), view.named(view.course.input(view.option("file"))));
        if path == file || block.is_own() {
            return Vec::new();
        }
        let is_net = super::find("tests").is_some_and(|tests| tests.keeps(&path));
        let (severity, message) = if is_net {
            (Severity::High, format!("changes {path}, which looks like a part of the net"))
        } else {
            (Severity::Medium, format!("writes {path}, but {file} is what is refactored"))
        };
        let (rule, place) = ("recipe.beside".to_owned(), Place::default());
        vec![Finding { rule, severity, place, message, forbidden: false }]
    }
}

/// The line of bash that held before: of the recorded behaviour, else of the project's own tests.
fn net_of(view: &View<'_>) -> Option<String> {
    let held = |step: &str| {
        let runs = view.runs_in(step).into_iter().rev();
        let mut held = runs.filter(|(item, run)| item.block.is_own() && is_ok(run));
        held.next().and_then(|(item, run)| Some(item.block.version(run.revision)?.source.trim().to_owned()))
    };
    held(view.option("record")).or_else(|| held(view.option("net")))
}

fn is_ok(run: &RunItem) -> bool {
    run.ended.as_ref().is_some_and(|(_, report)| report.outcome == Outcome::Ok)
}

fn is_which(item: Option<&BlockItem>) -> bool {
    item.is_some_and(|item| item.block.origin.note.as_deref() == Some(WHICH))
}

/// The block that finds out which hunk it is, where there are several.
fn which(view: &View<'_>, line: &str) -> Option<Look> {
    let file = view.named(view.course.input(view.option("file")));
    let (old, new) = versions(view, &file)?;
    let hunks = hunks(&old, &new, MOST_HUNKS);
    let below = !file.starts_with('/') && !file.split('/').any(|part| part == "..");
    if hunks.len() < 2 || !below {
        return None;
    }
    let script = scripts::which_hunk(&view.folder(), &file, line, &hunks, budget(view));
    Some(Look::Propose(vec![Own::code(Language::python(), script, WHICH.into())]))
}

/// The file as it was when the net held last, and as the newest change left it.
fn versions(view: &View<'_>, file: &str) -> Option<(String, String)> {
    let writes = view.writes_of(file);
    let (_, new) = writes.last()?;
    let held = view.judged_last(&view.step.name, GREEN).unwrap_or_default();
    let old = writes.iter().rev().find(|(after, _)| *after <= held).map(|(_, text)| text.clone());
    let first = || view.course.fact(&format!("file:{}", view.option("file"))).to_owned();
    Some((old.unwrap_or_else(first), new.clone()))
}

fn red(view: &View<'_>, printed: &str) -> Look {
    let nets = view.own().into_iter().filter(|item| !is_which(Some(item)));
    let broken =
        nets.filter_map(|item| crate::recipe::machine::ended(item)).last().map(|(_, report)| said_by(report));
    let mut all: Vec<String> = scripts::results(printed).into_iter().map(clean).collect();
    all.extend(broken);
    Look::Judge { verdict: RED, note: all.join("; ") }
}

fn clean(line: &str) -> String {
    line.chars().filter(|c| !c.is_control()).take(200).collect()
}

/// Seconds that a block which tries several things may take: what runs are allowed here, with some room.
pub(super) fn budget(view: &View<'_>) -> u64 {
    let runs = view.course.transcript.blocks.values().flat_map(|item| &item.runs);
    match runs.max_by_key(|run| run.run).map(|run| run.terms.limits.wall_ms) {
        None => 45,
        Some(0) => 600,
        Some(wall) => (wall / 1_000 * 4 / 5).max(1),
    }
}

pub(super) fn bash(line: &str, note: &str) -> Own {
    Own::code(Language::bash(), format!("{line}\n"), note.to_owned())
}

pub(super) fn printed(report: &RunReport) -> String {
    String::from_utf8_lossy(&report.output.bytes(Stream::Stdout)).into_owned()
}

fn judge(report: &RunReport) -> Look {
    match &report.outcome {
        Outcome::Ok => Look::Judge { verdict: GREEN, note: last_line(report) },
        Outcome::Refused(_) | Outcome::NotStarted(_) => {
            Look::Unable(format!("The net could not run: {}.", said(report)))
        }
        _ => Look::Judge { verdict: RED, note: said_by(report) },
    }
}

/// What a runner said last; many print their counts there.
fn last_line(report: &RunReport) -> String {
    let text = printed(report);
    let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it holds");
    clean(last.trim_matches(['=', ' ']))
}

fn said_by(report: &RunReport) -> String {
    let (errors, last) = (said(report), last_line(report));
    if last == "it holds" || report.outcome == Outcome::TimedOut {
        errors
    } else {
        format!("{last} ({errors})")
    }
}
