//! The check `run`: the newest code block of the model ran, and showed what the step needs.

use super::{Check, CheckOption, CheckResponse, CheckSpec, FAILED, NOTHING, OK, OptionKind, TIMED_OUT};
use crate::domain::{BlockKind, Outcome, RunReport, Stream};
use crate::engine::transcript::{BlockItem, BlockStatus, RunItem};
use crate::recipe::view::{View, ended_run};

const NOTHING_SHOWN: &str = "nothing_shown";

const IMAGE: &str = "image";
const TABLE: &str = "table";

const IMAGE_EXTENSIONS: &[&str] = &[".png", ".svg", ".jpg", ".jpeg", ".pdf", ".gif", ".webp"];

#[derive(Debug)]
pub(super) struct RunCheck;

impl Check for RunCheck {
    fn spec(&self) -> CheckSpec {
        CheckSpec {
            options: &[CheckOption { name: "needs", kind: OptionKind::Word(&[IMAGE, TABLE]) }],
            ..CheckSpec::of("run", &[OK, FAILED, TIMED_OUT, NOTHING_SHOWN, NOTHING])
        }
    }

    fn judge(&self, view: &View<'_>) -> CheckResponse {
        let ran: Vec<&RunReport> =
            code_runs(&view.newest()).into_iter().map(|(_, _, report)| report).collect();
        let Some(newest) = ran.last() else {
            return CheckResponse::nothing(view, "no code was proposed");
        };
        let (verdict, note) = match &newest.outcome {
            Outcome::Ok => judge_output(view.option("needs"), &ran),
            Outcome::TimedOut | Outcome::Limit(_) => (TIMED_OUT, detail(newest)),
            _ => (FAILED, detail(newest)),
        };
        CheckResponse::Judge { verdict, note }
    }

    fn hint(&self, view: &View<'_>, verdict: &str, note: &str) -> String {
        match (verdict, view.option("needs")) {
            (NOTHING_SHOWN, IMAGE) => {
                "The block ran, but it showed no image. Draw it with matplotlib and end with plt.show()."
                    .into()
            }
            (NOTHING_SHOWN, _) => {
                "The block ran, but it showed no table. Print it, with a line of headings.".into()
            }
            (TIMED_OUT, _) => {
                format!("The block did not end in time ({note}). Make it do less, or do it faster.")
            }
            (NOTHING, _) => "You proposed no code. Propose one block of code that does it.".into(),
            _ => format!("The block failed ({note}). Read the error and propose a corrected one."),
        }
    }
}

fn is_code(item: &BlockItem) -> bool {
    matches!(item.block.kind, BlockKind::Code { .. } | BlockKind::Call { .. })
}

/// The approved code blocks among these whose last run ended, with that run.
pub(super) fn code_runs<'a>(items: &[&'a BlockItem]) -> Vec<(&'a BlockItem, &'a RunItem, &'a RunReport)> {
    let ran = items.iter().filter(|item| is_code(item) && item.status == BlockStatus::Approved);
    ran.filter_map(|item| ended_run(item).map(|(run, report)| (*item, run, report))).collect()
}

/// How a run ended, in a line.
pub(super) fn detail(report: &RunReport) -> String {
    let error = report.error.as_ref().map(|error| format!("{}: {}", error.kind, error.message));
    let code = report.receipt.exit_code.filter(|code| *code != 0).map(|code| format!("exit {code}"));
    let detail = report.outcome.detail().map(str::to_owned);
    let said = error.or(detail).or(code).unwrap_or_else(|| report.outcome.as_str().replace('_', " "));
    said.lines().next().unwrap_or_default().chars().take(160).collect()
}

/// Whether these runs showed what the step needs.
fn judge_output(needs: &str, ran: &[&RunReport]) -> (&'static str, String) {
    match needs {
        IMAGE => match ran.iter().find_map(|report| image(report)) {
            Some(name) => (OK, name),
            None => (NOTHING_SHOWN, "no image".into()),
        },
        TABLE if ran.iter().any(|report| has_table(report)) => (OK, "a table".into()),
        TABLE => (NOTHING_SHOWN, "no table".into()),
        _ => (OK, "it ran".into()),
    }
}

/// The name of an image that a run showed, or wrote to a file.
fn image(report: &RunReport) -> Option<String> {
    let written = |path: &str| IMAGE_EXTENSIONS.iter().any(|end| path.to_ascii_lowercase().ends_with(end));
    let shown = report.images.first().map(|image| image.name.clone());
    let mut files = report.receipt.files.iter();
    shown.or_else(|| {
        files.find(|file| file.change != "deleted" && written(&file.path)).map(|file| file.path.clone())
    })
}

/// Whether a run printed a table, or its value is one.
fn has_table(report: &RunReport) -> bool {
    let printed = report.output.bytes(Stream::Stdout);
    is_table(&String::from_utf8_lossy(&printed)) || report.value.as_deref().is_some_and(is_table)
}

/// Whether two neighbouring lines have about the same number of columns (at most one more or less), at least two each.
fn is_table(text: &str) -> bool {
    let text = text.replace('\t', "  ");
    let columns = |line: &str| {
        let by = |cells: Vec<&str>| cells.iter().filter(|cell| !cell.trim().is_empty()).count();
        let blanks = by(line.trim().split("  ").collect());
        [
            by(line.split('|').collect()),
            by(line.split(',').collect()),
            by(line.split(['│', '┆']).collect()),
            blanks,
        ]
    };
    let lines: Vec<[usize; 4]> = text.lines().map(columns).collect();
    let alike = |a: &[usize; 4], b: &[usize; 4]| {
        a.iter().zip(b).any(|(a, b)| *a >= 2 && *b >= 2 && a.abs_diff(*b) <= 1)
    };
    lines.windows(2).any(|pair| matches!(pair, [a, b] if alike(a, b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_told_from_prose() {
        for table in [
            "   a   b\n0  1   2\n1  3   4\n",
            "| a | b |\n|---|---|\n| 1 | 2 |\n",
            "name,total\nx,1\n",
            "a\tb\n1\t2\n",
            "month  total\nMay    12.0\n",
            "│ a ┆ b │\n│ 1 ┆ 2 │\n",
        ] {
            assert!(is_table(table), "{table}");
        }
        for other in ["", "42\n", "Hello, you.\nAll is well.\n", "one\ntwo\nthree\n"] {
            assert!(!is_table(other), "{other}");
        }
    }
}
