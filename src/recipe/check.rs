//! Checks: each judges what came of a round of a step. A check is named code; everything else of a recipe is data.

mod call;
mod changed;
mod function;
mod handlers;
mod look;
mod mended;
mod net;
mod reply;
mod reproduce;
mod run;
mod same;
mod save;
mod speed;
mod subject;
mod suite;
mod swallowed;
mod written;

pub(crate) use suite::describe_runners as runner;

use super::view::{OwnRun, View};
use super::{FactRequest, value_of};
use crate::domain::{Answers, Block, BlockKind, Field, FieldKind, Finding, Form, Language, Review};
use crate::engine::WorkflowStep;
use std::fmt::Debug;
use std::sync::Arc;

// Verdicts that several checks give.
const OK: &str = "ok";
const FAILED: &str = "failed";
const TIMED_OUT: &str = "timed_out";
const NOTHING: &str = "nothing";

/// Judges a round. It sees everything that happened in the round and keeps no state of its own.
pub(crate) trait Check: Debug + Send + Sync {
    /// The properties of the check that hold in every round.
    fn spec(&self) -> CheckSpec;

    /// What the step needs from the machine, with these answers.
    fn wants(&self, _options: &[(String, String)], _inputs: &Answers) -> Vec<FactRequest> {
        Vec::new()
    }

    /// Decides what comes next in this round.
    fn judge(&self, view: &View<'_>) -> CheckResponse;

    /// The message to the model after a verdict for which the definition has no text.
    fn hint(&self, _view: &View<'_>, _verdict: &str, _note: &str) -> String {
        String::new()
    }

    /// Why a block of the model is refused in this step; `None` if it fits.
    fn declines(&self, _view: &View<'_>, _block: &Block) -> Option<String> {
        None
    }

    /// Findings about a block, shown in addition to its review.
    fn remarks(&self, _view: &View<'_>, _block: &Block, _review: &Review) -> Vec<Finding> {
        Vec::new()
    }

    /// A finding about a block of the recipe's own when its file no longer holds what the recipe expects.
    fn outdated(&self, _view: &View<'_>, _block: &Block, _on_disk: &str) -> Option<Finding> {
        None
    }

    /// The text to show a block of code against, as a diff.
    fn diff_base(&self, _view: &View<'_>, _block: &Block) -> Option<Arc<str>> {
        None
    }

    /// Whether a file written in a step with this check can be protected.
    fn can_protect(&self, _path: &str) -> bool {
        true
    }
}

/// The answer to an input, or the value of an option; empty if there is none.
fn answer<'a>(inputs: &'a [(String, String)], name: &str) -> &'a str {
    value_of(inputs, name).unwrap_or_default().trim()
}

/// All checks, found by their names in definitions.
const ALL: &[&dyn Check] = &[
    &run::RunCheck,
    &reply::Reply,
    &written::WrittenCheck,
    &suite::Tests,
    &function::FunctionCheck,
    &call::CallCheck,
    &save::Save,
    &reproduce::Reproduce,
    &mended::MendedCheck,
    &net::Net,
    &net::Record,
    &changed::ChangedCheck,
    &speed::MeasuredCheck,
    &speed::Faster,
    &look::ShownFacts,
    &same::SameOutput,
];

/// The check of the empty step (`RecipeStep::none`).
pub(crate) const NO_CHECK: &dyn Check = &reply::Reply;

pub(crate) fn find(name: &str) -> Option<&'static dyn Check> {
    ALL.iter().copied().find(|check| check.spec().name == name)
}

pub(crate) fn names() -> Vec<&'static str> {
    ALL.iter().map(|check| check.spec().name).collect()
}

/// The properties of a check that hold in every round.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CheckSpec {
    /// The name of the check in definitions.
    pub(crate) name: &'static str,
    /// All verdicts it can reach. The first is the one hoped for; the last means that there was nothing to judge.
    pub(crate) verdicts: &'static [&'static str],
    /// The keys that a step with this check may have in addition.
    pub(crate) options: &'static [CheckOption],
    /// Whether it can judge a step in which the model is told nothing. Any other check judges only once there is a reply.
    pub(crate) needs_no_reply: bool,
    /// Whether it may show the person a form.
    pub(crate) asks: bool,
    /// Whether it needs the facts about the machine's test runners.
    pub(crate) wants_tests: bool,
    /// Whether it needs the facts about the person's file of functions.
    pub(crate) wants_functions: bool,
}

impl CheckSpec {
    /// A check with these verdicts, without options, forms or facts.
    fn of(name: &'static str, verdicts: &'static [&'static str]) -> Self {
        Self { name, verdicts, ..Self::default() }
    }
}

/// A key of a step that belongs to one check.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckOption {
    pub(crate) name: &'static str,
    pub(crate) kind: OptionKind,
}

impl CheckOption {
    /// The input that names the file in question.
    const FILE: Self = Self { name: "file", kind: OptionKind::Input };
}

/// What the value of an option refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OptionKind {
    /// It is one of these words.
    Word(&'static [&'static str]),
    /// The name of an input. If that input names a file, the check gets its text.
    Input,
    /// The name of an input that names files which need not exist.
    Place,
    Step,
}

/// What a check decides.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CheckResponse {
    /// The round is over with this verdict.
    Judge {
        verdict: &'static str,
        /// A line about it for the person.
        note: String,
    },
    /// Proposes blocks of sayso's own, which have to be decided first.
    Propose(Vec<OwnBlock>),
    /// Shows the person a form, which has to be answered first.
    Form(Form),
    /// Asks the model again in the same round: it only looked something up, or its block was refused.
    Ask,
    /// Nothing can be judged, so the recipe ends; the reason, for the person.
    Unable(String),
}

impl CheckResponse {
    fn judge(verdict: &'static str, note: impl Into<String>) -> Self {
        Self::Judge { verdict, note: note.into() }
    }

    fn unable(why: impl Into<String>) -> Self {
        Self::Unable(why.into())
    }

    /// For a round in which nothing was made that the check looks for. A model that did something else, such as looking
    /// something up, or whose block was refused and that was told why, is asked again.
    fn nothing(view: &View<'_>, note: &str) -> Self {
        if view.newest().is_empty() { Self::judge(NOTHING, note) } else { Self::Ask }
    }
}

/// A form that asks what to do now, with these choices.
pub(super) fn choice_form(name: &str, title: &str, note: String, help: String, choices: &[&str]) -> Form {
    let field = Field {
        name: "what".into(),
        label: "What now?".into(),
        help,
        kind: FieldKind::Choice(choices.iter().map(|choice| (*choice).to_owned()).collect()),
        required: true,
        default: None,
    };
    Form { name: name.into(), title: title.into(), note, fields: vec![field] }
}

/// A block that the recipe proposes itself.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OwnBlock {
    pub(crate) kind: BlockKind,
    pub(crate) language: Language,
    pub(crate) source: String,
    /// What the block is for: `run the tests`.
    pub(crate) note: String,
}

impl OwnBlock {
    pub(crate) fn code(language: Language, source: String, note: String) -> Self {
        Self { kind: BlockKind::Code { language: Some(language.clone()) }, language, source, note }
    }

    /// A line for the shell.
    fn bash(line: &str, note: &str) -> Self {
        Self::code(Language::bash(), format!("{line}\n"), note.to_owned())
    }

    pub(crate) fn propose(self) -> WorkflowStep {
        WorkflowStep::Propose {
            kind: self.kind,
            language: self.language,
            source: self.source.into(),
            note: self.note,
        }
    }
}

#[cfg(test)]
pub(super) mod dialogues;
