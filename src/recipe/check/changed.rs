//! The check `changed`: the model changed a file that a net (tests, or a recorded behaviour) covers, and the net still
//! holds. If it does not, a block of sayso's own finds the hunk that breaks it.

use super::net::{GREEN, RED, budget, clean_line, judge, last_output, printed};
use super::suite::Tests;
use super::{Check, CheckOption, CheckResponse, CheckSpec, NOTHING, OptionKind, OwnBlock, OwnRun};
use crate::domain::{Block, Finding, Language, Review, Severity};
use crate::engine::transcript::BlockItem;
use crate::recipe::hunks::hunks;
use crate::recipe::scripts;
use crate::recipe::view::{View, ended_ok, ended_run};

/// At most this many hunks are tried one by one; beyond it, neighbours are joined.
const MAX_HUNKS: usize = 12;
/// The note of the block whose script tries the hunks.
const SCRIPT_PURPOSE: &str = "find out which hunk breaks the net";

/// The file was changed and the net still holds; if not, finds the hunk that breaks it.
#[derive(Debug)]
pub(super) struct ChangedCheck;

impl Check for ChangedCheck {
    fn spec(&self) -> CheckSpec {
        CheckSpec {
            options: &[
                CheckOption::FILE,
                CheckOption { name: "net", kind: OptionKind::Step },
                CheckOption { name: "record", kind: OptionKind::Step },
            ],
            ..CheckSpec::of("changed", &[GREEN, RED, NOTHING])
        }
    }

    fn judge(&self, view: &View<'_>) -> CheckResponse {
        let Some(line) = net_of(view) else {
            return CheckResponse::unable("There is no net that held, so nothing is changed.");
        };
        match view.own_run() {
            OwnRun::None if !view.written().is_empty() && has_changed(view) => {
                CheckResponse::Propose(vec![OwnBlock::bash(&line, "run the net again")])
            }
            OwnRun::None => CheckResponse::nothing(view, "no change was proposed"),
            OwnRun::Refused(_) if is_hunk_search(view.own_blocks().last().copied()) => broken_net(view, ""),
            OwnRun::Refused(_) => CheckResponse::unable(
                "The net did not run again, so whether the change breaks it is not known.",
            ),
            OwnRun::Ran(item, report) if is_hunk_search(Some(item)) => broken_net(view, &printed(report)),
            OwnRun::Ran(_, report) => match judge(&line, report, RED) {
                CheckResponse::Judge { verdict: RED, note } => {
                    find_breaking_hunk(view, &line).unwrap_or(CheckResponse::judge(RED, note))
                }
                response => response,
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
        let file = view.file_of("file");
        let written = block.kind.writes().map(|path| view.shown_path(path));
        let beside = written.filter(|path| *path != file && !block.is_own());
        let finding = |path: String| {
            let (severity, message) = if Tests.can_protect(&path) {
                (Severity::High, format!("changes {path}, which looks like a part of the net"))
            } else {
                (Severity::Medium, format!("writes {path}, but {file} is what is refactored"))
            };
            Finding::new("recipe.beside", severity, message)
        };
        beside.map(finding).collect()
    }
}

/// The line of bash whose run held before: the recorded behaviour, else the project's own tests.
fn net_of(view: &View<'_>) -> Option<String> {
    let held = |step: &str| {
        view.judged_last(step, GREEN)?;
        let runs = view.runs_in(step).into_iter().rev();
        let mut held = runs.filter(|(item, run)| item.block.is_own() && ended_ok(run));
        held.next().and_then(|(item, run)| Some(item.block.version(run.revision)?.source.trim().to_owned()))
    };
    held(view.option("record")).or_else(|| held(view.option("net")))
}

/// Whether the file under work was written in this step; other files need no net.
fn has_changed(view: &View<'_>) -> bool {
    let file = view.file_of("file");
    view.written_in(view.step).contains(&file)
}

fn is_hunk_search(item: Option<&BlockItem>) -> bool {
    item.is_some_and(|item| item.block.origin.note.as_deref() == Some(SCRIPT_PURPOSE))
}

/// Proposes a block that finds the hunk that breaks the net, if there are at least two.
fn find_breaking_hunk(view: &View<'_>, line: &str) -> Option<CheckResponse> {
    let file = view.file_of("file");
    let (old, new) = versions(view, &file)?;
    let hunks = hunks(&old, &new, MAX_HUNKS);
    let below = !file.starts_with('/') && !file.split('/').any(|part| part == "..");
    if hunks.len() < 2 || !below {
        return None;
    }
    let script = scripts::which_hunk(&view.folder(), &file, line, &hunks, budget(view));
    Some(CheckResponse::Propose(vec![OwnBlock::code(Language::python(), script, SCRIPT_PURPOSE.into())]))
}

/// The text of the file when the net last held, and after the newest change.
fn versions(view: &View<'_>, file: &str) -> Option<(String, String)> {
    let writes = view.writes_of(file);
    let (_, new) = writes.last()?;
    let held = view.judged_last(view.step, GREEN).unwrap_or_default();
    let old = writes.iter().rev().find(|(after, _)| *after <= held).map(|(_, text)| text.clone());
    let first = || view.context.fact(&format!("file:{}", view.option("file"))).to_owned();
    Some((old.unwrap_or_else(first), new.clone()))
}

fn broken_net(view: &View<'_>, printed: &str) -> CheckResponse {
    let mut nets = view.own_blocks().into_iter().rev().filter(|item| !is_hunk_search(Some(item)));
    let broken = nets.find_map(ended_run).map(|(_, report)| last_output(report));
    let mut all: Vec<String> = scripts::results(printed).into_iter().map(clean_line).collect();
    all.extend(broken);
    CheckResponse::judge(RED, all.join("; "))
}
