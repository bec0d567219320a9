//! The check `call`: calls the function that was defined, with arguments that the person gives in a form.

use super::function::{self, KnownFunction};
use super::net::printed;
use super::run::detail;
use super::{Check, CheckOption, CheckResponse, CheckSpec, FAILED, OptionKind, OwnBlock, choice_form};
use crate::domain::{Answers, BlockKind, Language, Outcome, RunReport};
use crate::engine::transcript::BlockStatus;
use crate::recipe::arguments;
use crate::recipe::text::printable;
use crate::recipe::view::{View, ended_run};

const CALLED: &str = "called";
const AGAIN: &str = "again";
const NOT_CALLED: &str = "not_called";

/// The form that asks what to do about a call that failed.
const FORM: &str = "call_failed";
const MEND: &str = "mend the function";
const OTHERS: &str = "call it again";
const LEAVE: &str = "leave it";

#[derive(Debug)]
pub(super) struct CallCheck;

impl Check for CallCheck {
    fn spec(&self) -> CheckSpec {
        CheckSpec {
            options: &[CheckOption { name: "of", kind: OptionKind::Step }],
            needs_no_reply: true,
            asks: true,
            ..CheckSpec::of("call", &[CALLED, FAILED, AGAIN, NOT_CALLED])
        }
    }

    fn judge(&self, view: &View<'_>) -> CheckResponse {
        let Some(known) = function::known(view, view.option("of")) else {
            return CheckResponse::judge(NOT_CALLED, "no function was defined");
        };
        let own = view.own_blocks();
        let call = own.iter().rev().find(|item| matches!(item.block.kind, BlockKind::Call { .. }));
        let Some(call) = call else { return propose(view, &known) };
        match (&call.status, ended_run(call)) {
            (BlockStatus::Approved, Some((_, report))) if report.outcome == Outcome::Ok => {
                CheckResponse::judge(CALLED, describe_call(report))
            }
            (BlockStatus::Approved, Some((_, report))) => failed(view, &known, report),
            _ => CheckResponse::judge(NOT_CALLED, "it was not called"),
        }
    }
}

/// Asks for the arguments, then proposes the call; if the kernel was restarted, proposes the definition before it.
fn propose(view: &View<'_>, known: &KnownFunction<'_>) -> CheckResponse {
    let none = Answers::new();
    let answers = match (arguments::form(&known.defined), view.answers(arguments::ARGUMENTS)) {
        (None, _) => &none,
        (Some(_), Some((_, answers))) => answers,
        (Some(form), None) => return CheckResponse::Form(form),
    };
    let source = match arguments::call(&known.defined, answers) {
        Ok(source) => source,
        Err(why) => return CheckResponse::judge(AGAIN, why.to_string()),
    };
    let name = known.defined.function.name.clone();
    let mut own = Vec::new();
    if view.kernel_is_new_since(known.run) {
        let note = format!("define {name} again: the kernel is new");
        own.push(OwnBlock::code(Language::python(), known.source.clone(), note));
    }
    let note = format!("call {name}");
    own.push(OwnBlock {
        kind: BlockKind::Call { function: name },
        language: Language::python(),
        source,
        note,
    });
    CheckResponse::Propose(own)
}

/// The function may be wrong, or the arguments: asks the person what to do.
fn failed(view: &View<'_>, known: &KnownFunction<'_>, report: &RunReport) -> CheckResponse {
    let note = detail(report);
    match view.choice(FORM) {
        None => {
            let title = format!("The call of {} failed", known.defined.function.name);
            let help = format!("{MEND}: the model is told the error");
            CheckResponse::Form(choice_form(FORM, &title, note, help, &[MEND, OTHERS, LEAVE]))
        }
        Some(MEND) => CheckResponse::judge(FAILED, note),
        Some(OTHERS) => CheckResponse::judge(AGAIN, note),
        Some(_) => CheckResponse::judge(NOT_CALLED, note),
    }
}

/// The result of a call, in a line.
fn describe_call(report: &RunReport) -> String {
    let printed = printed(report);
    let image = report.images.first().map(|image| image.name.as_str());
    let text = report.value.as_deref().or(image).or(Some(&printed)).filter(|text| !text.trim().is_empty());
    printable(text.unwrap_or("None").trim().lines().next().unwrap_or_default(), 160)
}
