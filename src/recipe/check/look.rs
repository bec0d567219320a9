//! The check `look`: something is looked at by a block of sayso's own before the model is asked. What a line of bash prints,
//! or which columns a file of data has.

use super::net::{FILE, bash, printed};
use super::subject::said;
use super::{Check, CheckFacts, CheckOption, CheckResponse, OptionKind, OwnBlock, OwnRun};
use crate::domain::{Language, Outcome};
use crate::recipe::scripts;
use crate::recipe::view::View;

const SHOWN: &str = "shown";
const FAILED: &str = "failed";
const NOTHING: &str = "nothing";

/// What is there was shown; where nothing was named, there is nothing.
#[derive(Debug)]
pub(super) struct ShownFacts;

impl Check for ShownFacts {
    fn facts(&self) -> CheckFacts {
        CheckFacts {
            options: &[FILE, CheckOption { name: "command", values: &[], kind: OptionKind::Input }],
            alone: true,
            ..CheckFacts::of("look", &[SHOWN, FAILED, NOTHING])
        }
    }

    fn look(&self, view: &View<'_>) -> CheckResponse {
        let input = |option: &str| view.context.input(view.option(option)).trim();
        let (file, line) = (input("file"), input("command"));
        let judge = |verdict, note: String| CheckResponse::Judge { verdict, note };
        match view.own_run() {
            OwnRun::None if !line.is_empty() => CheckResponse::Propose(vec![bash(line, "look at it")]),
            OwnRun::None if is_table(file) => {
                let (source, note) =
                    (scripts::columns(&view.folder(), file), "see which columns there are".to_owned());
                CheckResponse::Propose(vec![OwnBlock::code(Language::python(), source, note)])
            }
            OwnRun::None if !file.is_empty() => judge(NOTHING, "no table of text".into()),
            OwnRun::None => judge(NOTHING, "nothing was named".into()),
            OwnRun::Refused(_) => judge(FAILED, "it was not looked at".into()),
            OwnRun::Ran(_, report) if report.outcome != Outcome::Ok => judge(FAILED, said(report)),
            OwnRun::Ran(_, report) if printed(report).trim().is_empty() => {
                judge(NOTHING, "there is nothing in it".into())
            }
            OwnRun::Ran(_, report) => {
                let lines = printed(report).lines().count();
                judge(SHOWN, if lines == 1 { "1 line".into() } else { format!("{lines} lines") })
            }
        }
    }
}

/// Whether a file is a table by its name, and text: others the model looks at by libraries that read them.
fn is_table(file: &str) -> bool {
    let end = file.rsplit_once('.').map_or("", |(_, end)| end);
    ["csv", "tsv", "tab", "txt"].iter().any(|known| end.eq_ignore_ascii_case(known))
}
