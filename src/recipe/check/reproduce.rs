//! The check `reproduce`: a run shows the failure before anything is changed.

use super::subject::{self, OPTIONS, Subject};
use super::{Check, CheckResponse, CheckSpec, OwnRun, TIMED_OUT, choice_form};
use crate::domain::{Answers, Outcome, RunReport, Stream};
use crate::recipe::view::View;
use crate::recipe::{FactRequest, command};

const REPRODUCED: &str = "reproduced";
const WORKS: &str = "works";

/// The form that asks whether to go on when the run fails in another way than the person described.
const FORM: &str = "other_failure";
const GO_ON: &str = "go on with this failure";
const STOP: &str = "it is not mine";

#[derive(Debug)]
pub(super) struct Reproduce;

impl Check for Reproduce {
    fn spec(&self) -> CheckSpec {
        // `wants_tests` also brings the fact how Python is called here.
        CheckSpec {
            options: OPTIONS,
            needs_no_reply: true,
            asks: true,
            wants_tests: true,
            ..CheckSpec::of("reproduce", &[REPRODUCED, TIMED_OUT, WORKS])
        }
    }

    fn wants(&self, options: &[(String, String)], inputs: &Answers) -> Vec<FactRequest> {
        let input = |option: &str| super::answer(options, option);
        let said = |option: &str| super::answer(inputs, input(option));
        let (file, command) = (input("file"), input("command"));
        let by_name = said("block").is_empty() && said("command").is_empty();
        let tool = by_name.then(|| command::tool(said("file"), Some(command))).flatten();
        tool.map(|tool| FactRequest::Tool { input: file.to_owned(), tool }).into_iter().collect()
    }

    fn judge(&self, view: &View<'_>) -> CheckResponse {
        let subject = match Subject::of(view) {
            Ok(subject) => subject,
            Err(why) => return CheckResponse::unable(why.to_string()),
        };
        match view.own_run() {
            OwnRun::None => CheckResponse::Propose(vec![subject.run("see the failure")]),
            OwnRun::Refused(_) => {
                CheckResponse::unable("It was not run, so the failure was not seen. Nothing was changed.")
            }
            OwnRun::Ran(_, report) if matches!(subject, Subject::File { .. }) && is_missing(report) => {
                CheckResponse::unable(format!(
                    "It could not be run: {}. Nothing was changed.",
                    subject::describe_failure(report)
                ))
            }
            OwnRun::Ran(_, report) => judge(view, report),
        }
    }
}

/// Whether bash did not even reach the program or the file that the line names.
fn is_missing(report: &RunReport) -> bool {
    let errors = String::from_utf8_lossy(&report.output.bytes(Stream::Stderr)).into_owned();
    let first = errors.lines().next().unwrap_or_default();
    match report.receipt.exit_code {
        Some(126 | 127) => true,
        Some(2) => first.contains(": can't open file "),
        _ => false,
    }
}

fn judge(view: &View<'_>, report: &RunReport) -> CheckResponse {
    let note = subject::describe_failure(report);
    match &report.outcome {
        Outcome::Ok => CheckResponse::judge(WORKS, "it ran without an error"),
        Outcome::TimedOut => CheckResponse::judge(TIMED_OUT, note),
        Outcome::Refused(_) | Outcome::NotStarted(_) => {
            CheckResponse::unable(format!("It could not be run: {note}."))
        }
        _ => {
            let told = view.context.input(view.option("error"));
            let other = subject::exception(told).filter(|name| !shows(report, name));
            match (other, view.choice(FORM)) {
                (Some(name), None) => {
                    let note = format!("You told of {name}. What was seen is: {note}.");
                    let title = "It failed in another way";
                    CheckResponse::Form(choice_form(FORM, title, note, String::new(), &[GO_ON, STOP]))
                }
                (Some(name), Some(choice)) if choice != GO_ON => {
                    CheckResponse::judge(WORKS, format!("{name} was not seen, but {note}"))
                }
                _ => CheckResponse::judge(REPRODUCED, note),
            }
        }
    }
}

/// Whether the output or the error of a run names this exception.
fn shows(report: &RunReport, name: &str) -> bool {
    let kind =
        report.error.as_ref().is_some_and(|error| error.kind == name || error.traceback.contains(name));
    let printed = |stream| String::from_utf8_lossy(&report.output.bytes(stream)).contains(name);
    kind || printed(Stream::Stderr) || printed(Stream::Stdout)
}

#[cfg(test)]
mod tests {
    use crate::recipe::check::subject::exception;

    #[test]
    fn the_exception_of_a_traceback_is_found() {
        for (error, name) in [
            (
                "Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'x'\n",
                Some("KeyError"),
            ),
            ("json.decoder.JSONDecodeError: Expecting value\n", Some("JSONDecodeError")),
            ("Uncaught TypeError: x is not a function\n    at a.js:1:1", Some("TypeError")),
            ("ZeroDivisionError", Some("ZeroDivisionError")),
            ("it says: Error", None),
            ("", None),
        ] {
            assert_eq!(exception(error), name, "{error}");
        }
    }
}
