//! Checks: how it is found out what came of a round of a step. Named code; everything else of a recipe is data.

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
mod table;
mod written;

pub(crate) use suite::describe_runners as runner;
pub(crate) use table::{NO_CHECK, find, names};

use super::FactRequest;
use super::view::{OwnRun, View};
use crate::domain::{Answers, Block, BlockKind, Finding, Form, Language, Review};
use crate::engine::WorkflowStep;
use std::fmt::Debug;
use std::sync::Arc;

/// One way to judge a round. It sees what came of the round and has no state of its own.
pub(crate) trait Check: Debug + Send + Sync {
    /// What is the same of it in every round.
    fn facts(&self) -> CheckFacts;

    /// What it can't do without in this step, with these answers.
    fn wants(&self, options: &[(String, String)], inputs: &Answers) -> Vec<FactRequest> {
        let _ = (options, inputs);
        Vec::new()
    }

    /// What comes next in this round.
    fn look(&self, view: &View<'_>) -> CheckResponse;

    /// What the model is told after a verdict of which the definition says nothing.
    fn hint(&self, view: &View<'_>, verdict: &str, note: &str) -> String {
        let _ = (view, verdict, note);
        String::new()
    }

    /// Why a block of the model does not fit.
    fn declines(&self, view: &View<'_>, block: &Block) -> Option<String> {
        let _ = (view, block);
        None
    }

    /// What there is to say about a block beside its review.
    fn remarks(&self, view: &View<'_>, block: &Block, review: &Review) -> Vec<Finding> {
        let _ = (view, block, review);
        Vec::new()
    }

    /// What there is to say about a block of its own when its file holds this now.
    fn outdated(&self, view: &View<'_>, block: &Block, on_disk: &str) -> Option<Finding> {
        let _ = (view, block, on_disk);
        None
    }

    /// What the text of a block of code is compared with.
    fn before(&self, view: &View<'_>, block: &Block) -> Option<Arc<str>> {
        let _ = (view, block);
        None
    }

    /// Whether a file that was written in its step is one of those that can be protected.
    fn keeps(&self, path: &str) -> bool {
        let _ = path;
        true
    }
}

/// What an input or option says; nothing where it has no answer.
fn answer<'a>(inputs: &'a [(String, String)], name: &str) -> &'a str {
    inputs.iter().find(|(known, _)| known == name).map_or("", |(_, text)| text.trim())
}

/// What is the same of a check in every round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckFacts {
    /// Its name in definitions.
    pub(crate) name: &'static str,
    /// What it may say of a round. The first is the one that is hoped for, the last that there was nothing to judge.
    pub(crate) verdicts: &'static [&'static str],
    /// What else a step with it may be told.
    pub(crate) options: &'static [CheckOption],
    /// Whether it has something to judge in a step in which the model was told nothing.
    pub(crate) alone: bool,
    /// Whether it asks the person by a form while it goes on.
    pub(crate) asks: bool,
    /// Whether it needs to know the test runners of the machine.
    pub(crate) wants_tests: bool,
    /// Whether it needs to know the person's file of functions.
    pub(crate) wants_functions: bool,
}

impl CheckFacts {
    /// A check with these verdicts that is told nothing, asks nothing and needs to know nothing.
    fn of(name: &'static str, verdicts: &'static [&'static str]) -> Self {
        let (alone, asks, wants_tests, wants_functions) = (false, false, false, false);
        Self { name, verdicts, options: &[], alone, asks, wants_tests, wants_functions }
    }
}

/// A key of a step that only this check knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckOption {
    pub(crate) name: &'static str,
    /// What it may be; none: see `kind`.
    pub(crate) values: &'static [&'static str],
    pub(crate) kind: OptionKind,
}

/// What the value of an option names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OptionKind {
    /// One of its values.
    Word,
    /// An input; where it names a file, the check is told its text.
    Input,
    /// An input that names files which need not be there.
    Place,
    Step,
}

/// What a check wants next.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CheckResponse {
    /// The round is over, and this came of it.
    Judge {
        verdict: &'static str,
        /// The same for the person, in a line.
        note: String,
    },
    /// Blocks of sayso's own have to be decided first.
    Propose(Vec<OwnBlock>),
    /// The person has to answer first.
    Form(Form),
    /// The model goes on in the same round: it looked something up, or its block was not let through.
    Ask,
    /// It can't be found out; why, for the person.
    Unable(String),
}

/// A block of sayso's own.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OwnBlock {
    pub(crate) kind: BlockKind,
    pub(crate) language: Language,
    pub(crate) source: String,
    /// What it is for: `run the tests`.
    pub(crate) note: String,
}

impl OwnBlock {
    pub(crate) fn code(language: Language, source: String, note: String) -> Self {
        Self { kind: BlockKind::Code { language: Some(language.clone()) }, language, source, note }
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
mod dialogues;
