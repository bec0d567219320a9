//! The check `same`: a program in another language prints the same lines as the examples of the old program.

use super::net::{GREEN, RED, judge, why_kept};
use super::subject::describe_failure;
use super::{Check, CheckOption, CheckResponse, CheckSpec, NOTHING, OptionKind, OwnBlock, OwnRun};
use crate::domain::{Answers, Block};
use crate::recipe::command::{self, ProgramNames};
use crate::recipe::view::View;
use crate::recipe::{FactRequest, Tool};

/// The exit status of the comparison when one of the two programs fails.
const OLD_FAILS: i32 = 90;
const NEW_FAILS: i32 = 91;
const NEW_FAIL: &str = "the examples of the new program fail";

/// The new program prints the same as the old one.
#[derive(Debug)]
pub(super) struct SameOutput;

impl Check for SameOutput {
    fn spec(&self) -> CheckSpec {
        CheckSpec {
            options: &[
                CheckOption::FILE,
                CheckOption { name: "target", kind: OptionKind::Input },
                CheckOption { name: "command", kind: OptionKind::Input },
                CheckOption { name: "record", kind: OptionKind::Step },
            ],
            wants_tests: true,
            ..CheckSpec::of("same", &[GREEN, RED, NOTHING])
        }
    }

    fn wants(&self, options: &[(String, String)], inputs: &Answers) -> Vec<FactRequest> {
        let said_by = super::answer(options, "command");
        let own = super::answer(inputs, said_by);
        let named = [("file", None), ("target", Some(said_by))];
        // If the person gave a command, it says how the new program is run, so the name of the target need not.
        let line = FactRequest::Tool { input: said_by.to_owned(), tool: Tool::Line(own.to_owned()) };
        let named = named.into_iter().take(if own.is_empty() { 2 } else { 1 });
        let tool = |(option, said_by): (&str, Option<&str>)| {
            let input = super::answer(options, option);
            let file = super::answer(inputs, input).to_owned();
            let unknown = || Tool::Unknown { file: file.clone(), said_by: said_by.map(str::to_owned) };
            let tool = command::tool(&file, said_by).unwrap_or_else(unknown);
            (!file.is_empty()).then(|| FactRequest::Tool { input: input.to_owned(), tool })
        };
        named.filter_map(tool).chain((!own.is_empty()).then_some(line)).collect()
    }

    fn judge(&self, view: &View<'_>) -> CheckResponse {
        let nothing = |note: String| CheckResponse::judge(NOTHING, note);
        match view.own_run() {
            OwnRun::Ran(_, report) if report.receipt.exit_code == Some(OLD_FAILS) => CheckResponse::unable(
                "The examples of the old program fail, so there is nothing to compare with.",
            ),
            OwnRun::Ran(_, report) if report.receipt.exit_code == Some(NEW_FAILS) => CheckResponse::Judge {
                verdict: RED,
                note: format!("{NEW_FAIL}: {}", describe_failure(report)),
            },
            OwnRun::Ran(item, report) => judge(&item.block.current().source, report, NOTHING),
            OwnRun::Refused(_) => {
                CheckResponse::unable("The two were not compared, so whether they do the same is not known.")
            }
            OwnRun::None if view.written().is_empty() && !view.newest().is_empty() => CheckResponse::Ask,
            OwnRun::None => {
                let Some(old) = run_of(view, &view.written_in(view.option("record"))) else {
                    return CheckResponse::unable(
                        "There are no examples of the old program to compare with.",
                    );
                };
                match new_run(view) {
                    Some(new) => CheckResponse::Propose(vec![OwnBlock::bash(
                        &comparison_script(&old, &new),
                        "compare what both print",
                    )]),
                    None if view.written().is_empty() => nothing("no file was written".into()),
                    None => nothing("there are no examples of the new program that can be run".into()),
                }
            }
        }
    }

    fn hint(&self, _: &View<'_>, verdict: &str, note: &str) -> String {
        match verdict {
            RED if note.starts_with(NEW_FAIL) => format!("{note}. Correct the new program."),
            RED => format!(
                "They do not print the same: {note}. Lines with `<` are of the old program, which is right; lines with `>` are \
                 of the new one. Correct the new one."
            ),
            _ => "Write the new program, and the same examples for it as a file that can be run by itself."
                .into(),
        }
    }

    fn declines(&self, view: &View<'_>, block: &Block) -> Option<String> {
        why_kept(view, block)
    }
}

/// The line of bash that runs the examples of the new program: the person's command, else the newest file written
/// besides the program itself.
fn new_run(view: &View<'_>) -> Option<String> {
    let given = view.context.input(view.option("command")).trim();
    if !given.is_empty() {
        return Some(given.to_owned());
    }
    let target = view.file_of("target");
    let beside: Vec<String> = view.written_in(view.step).into_iter().filter(|file| *file != target).collect();
    run_of(view, &beside)
}

/// The line of bash for the newest of these files that can be run.
fn run_of(view: &View<'_>, files: &[String]) -> Option<String> {
    files.iter().rev().find_map(|file| command::line(file, ProgramNames::of(view)))
}

/// The line of bash that runs both and compares their output. Both have to end well and print something.
fn comparison_script(old: &str, new: &str) -> String {
    // A newline before the closing bracket, because a command may end in a comment.
    format!(
        "old=$({old}\n) || exit {OLD_FAILS}\nnew=$({new}\n) || exit {NEW_FAILS}\n[ -n \"$old\" ] || {{ echo 'the examples print nothing'; exit 1; }}\n\
         diff <(printf '%s\\n' \"$old\") <(printf '%s\\n' \"$new\") || exit\n\
         echo \"the same: $(printf '%s\\n' \"$old\" | wc -l) lines\""
    )
}
