//! The check `save`: if the person wants it, adds the function to their file of functions or to the file they named.
//! Before and after, it reports names that the file has already.

use super::function;
use super::{Check, CheckOption, CheckResponse, CheckSpec, OptionKind, OwnBlock, OwnRun};
use crate::domain::{Block, BlockKind, Field, FieldKind, Finding, Form, Language, Outcome, Severity};
use crate::python::merge::{Clash, clashes, with_function};
use crate::recipe::view::View;

const SAVED: &str = "saved";
const NOT_SAVED: &str = "not_saved";

const FORM: &str = "save";
const YES: &str = "yes";
const NO: &str = "no";

#[derive(Debug)]
pub(super) struct Save;

impl Check for Save {
    fn spec(&self) -> CheckSpec {
        CheckSpec {
            options: &[
                CheckOption { name: "of", kind: OptionKind::Step },
                CheckOption { name: "file", kind: OptionKind::Place },
            ],
            needs_no_reply: true,
            asks: true,
            wants_functions: true,
            ..CheckSpec::of("save", &[SAVED, NOT_SAVED])
        }
    }

    fn judge(&self, view: &View<'_>) -> CheckResponse {
        let not_saved = |note: &str| CheckResponse::judge(NOT_SAVED, note);
        let (file, text) = (view.context.fact("functions_file"), view.context.fact("functions_text"));
        let Some(known) = function::known(view, view.option("of")) else {
            return not_saved("no function was defined");
        };
        let name = &known.defined.function.name;
        if file.is_empty() {
            return not_saved("there is no file of functions");
        }
        match view.own_run() {
            OwnRun::None => {}
            OwnRun::Ran(_, report) if report.outcome == Outcome::Ok => {
                let told = describe_clashes(&clashes(text, &known.source, name));
                return CheckResponse::judge(SAVED, format!("{name} is in {file}{told}"));
            }
            OwnRun::Ran(_, report) => return not_saved(&super::run::detail(report)),
            OwnRun::Refused(_) => return not_saved(crate::domain::sentences::saving::NOT_SAVED),
        }
        match view.choice(FORM) {
            None => {
                let mut note = format!("It is added to {file}, which you see before it is written");
                note += &describe_clashes(&clashes(text, &known.source, name));
                let elsewhere = view.context.fact("functions_elsewhere").lines();
                let elsewhere =
                    elsewhere.filter_map(|line| line.split_once(' ')).filter(|(other, _)| other == name);
                for (_, other) in elsewhere {
                    note +=
                        &format!("; {other} has a {name}, too: of two that are loaded the later one counts");
                }
                note += ". Sessions that load this file know it.";
                return CheckResponse::Form(form(name, note));
            }
            Some(YES) => {}
            Some(_) => return not_saved(crate::domain::sentences::saving::NOT_SAVED),
        }
        match with_function(text, &known.source, name) {
            Err(why) => not_saved(&why.to_string()),
            Ok(new) if new == text => CheckResponse::judge(SAVED, format!("{name} is in {file} already")),
            Ok(source) => CheckResponse::Propose(vec![OwnBlock {
                kind: BlockKind::Write { path: file.to_owned() },
                language: Language::python(),
                source,
                note: format!("save {name}"),
            }]),
        }
    }

    fn outdated(&self, view: &View<'_>, block: &Block, on_disk: &str) -> Option<Finding> {
        let file = view.context.fact("functions_file");
        let BlockKind::Write { path } = &block.kind else { return None };
        let stale = block.is_own() && path == file && on_disk != view.context.fact("functions_text");
        let message = format!("{file} was changed since this recipe began; what came since would be lost");
        stale.then(|| Finding::new("recipe.outdated", Severity::High, message))
    }
}

/// What the note says about names that the file has already; empty if there are none.
fn describe_clashes(clashes: &[Clash]) -> String {
    let told = clashes.iter().map(|Clash { name, line, replaced }| match replaced {
        true => format!("; it takes the place of the {name} in line {line}"),
        false => format!("; line {line} sets {name}, too: the later one counts"),
    });
    told.collect()
}

fn form(name: &str, note: String) -> Form {
    let field = Field {
        name: "save".into(),
        label: format!("Save {name}?"),
        help: String::new(),
        kind: FieldKind::Choice([NO, YES].map(str::to_owned).to_vec()),
        required: true,
        default: Some(NO.into()),
    };
    Form { name: FORM.into(), title: format!("Keep {name}"), note, fields: vec![field] }
}
