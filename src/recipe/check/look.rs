//! The check `look`: before the model is asked, a block of sayso's own shows something: the output of a line of bash,
//! or the columns of a data file.

use super::net::printed;
use super::subject::describe_failure;
use super::{Check, CheckOption, CheckResponse, CheckSpec, FAILED, NOTHING, OptionKind, OwnBlock, OwnRun};
use crate::domain::{Answers, BlockKind, Language, Outcome};
use crate::recipe::FactRequest;
use crate::recipe::scripts;
use crate::recipe::view::{View, ended_run};
use crate::text::number::counted;

const SHOWN: &str = "shown";

/// Python packages that a step may require.
const PACKAGES: &[&str] = &["matplotlib", "numpy", "pandas", "polars"];

/// Shows the output or the columns; verdict `nothing` if the inputs name neither.
#[derive(Debug)]
pub(super) struct ShownFacts;

impl Check for ShownFacts {
    fn spec(&self) -> CheckSpec {
        CheckSpec {
            options: &[
                CheckOption::FILE,
                CheckOption { name: "command", kind: OptionKind::Input },
                CheckOption { name: "package", kind: OptionKind::Word(PACKAGES) },
            ],
            needs_no_reply: true,
            ..CheckSpec::of("look", &[SHOWN, FAILED, NOTHING])
        }
    }

    fn wants(&self, options: &[(String, String)], _: &Answers) -> Vec<FactRequest> {
        let package = super::answer(options, "package");
        (!package.is_empty()).then(|| FactRequest::Package(package.to_owned())).into_iter().collect()
    }

    fn judge(&self, view: &View<'_>) -> CheckResponse {
        if let Some(response) = install(view) {
            return response;
        }
        let input = |option: &str| view.context.input(view.option(option)).trim();
        let (file, line) = (input("file"), input("command"));
        let judge = |verdict, note: String| CheckResponse::Judge { verdict, note };
        match view.own_run() {
            OwnRun::None if !line.is_empty() => {
                CheckResponse::Propose(vec![OwnBlock::bash(line, "look at it")])
            }
            OwnRun::None if is_table(file) => {
                let (source, note) =
                    (scripts::columns(&view.folder(), file), "see which columns there are".to_owned());
                CheckResponse::Propose(vec![OwnBlock::code(Language::python(), source, note)])
            }
            OwnRun::None if !file.is_empty() => {
                judge(NOTHING, format!("{file} is no table of text: only a library like pandas reads it"))
            }
            OwnRun::None => judge(NOTHING, "nothing was named".into()),
            OwnRun::Refused(_) => judge(FAILED, "it was not looked at".into()),
            OwnRun::Ran(_, report) if report.outcome != Outcome::Ok => {
                judge(FAILED, describe_failure(report))
            }
            OwnRun::Ran(_, report) if printed(report).trim().is_empty() => {
                judge(NOTHING, "there is nothing in it".into())
            }
            OwnRun::Ran(_, report) => {
                let lines = printed(report).lines().count();
                judge(SHOWN, counted(lines, "line"))
            }
        }
    }
}

/// If the machine lacks the package that the step requires, proposes to install it; `None` once it is there.
fn install(view: &View<'_>) -> Option<CheckResponse> {
    let package = view.option("package");
    if package.is_empty() || view.context.fact("lacks") != package {
        return None;
    }
    let Some(item) = view.install() else {
        return Some(CheckResponse::Propose(vec![OwnBlock {
            kind: BlockKind::Install { wanted_by: None },
            language: Language::python(),
            source: format!("{package}\n"),
            note: format!("{package} is needed, and is not there: install it first?"),
        }]));
    };
    let is_there = ended_run(item).is_some_and(|(_, report)| report.outcome == Outcome::Ok);
    (!is_there).then(|| {
        CheckResponse::unable(format!(
            "{package} is not installed, and it is needed. Nothing was asked of the model."
        ))
    })
}

/// Whether the name of a file says that it is a table stored as text, perhaps gzipped; the model reads other formats
/// with a library.
fn is_table(file: &str) -> bool {
    let file = file.to_ascii_lowercase();
    let end = file.trim_end_matches(".gz").rsplit_once('.').map_or("", |(_, end)| end);
    ["csv", "tsv", "tab", "txt", "json", "jsonl", "ndjson"].contains(&end)
}
