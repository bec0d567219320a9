//! The check `function`: the model defined exactly one function, with docstring and annotations, and the block did
//! nothing else.

use super::run::{code_runs, detail};
use super::{Check, CheckResponse, CheckSpec, FAILED, NOTHING};
use crate::domain::{Block, BlockKind, Language, Outcome};
use crate::engine::transcript::{BlockItem, BlockStatus, RunItem};
use crate::python::function::{self, Definition};
use crate::recipe::view::{View, ended_ok};

const DEFINED: &str = "defined";
const WRONG: &str = "wrong";

#[derive(Debug)]
pub(super) struct FunctionCheck;

impl Check for FunctionCheck {
    fn spec(&self) -> CheckSpec {
        CheckSpec::of("function", &[DEFINED, WRONG, FAILED, NOTHING])
    }

    fn judge(&self, view: &View<'_>) -> CheckResponse {
        let newest = view.newest();
        if let Some((item, run, report)) = code_runs(&newest).last() {
            let read = function::examine(&text_of(item, run));
            let (verdict, note) = match (&report.outcome, read) {
                (Outcome::Ok, Ok(defined)) => (DEFINED, defined.function.signature),
                // `declines` already examined the model's text, but the person may have edited it.
                (Outcome::Ok, Err(flaws)) => (WRONG, function::list_flaws(&flaws)),
                _ => (FAILED, detail(report)),
            };
            return CheckResponse::Judge { verdict, note };
        }
        let declined = newest.iter().find_map(|item| match (&item.status, is_code(&item.block)) {
            (BlockStatus::Declined(why), true) => Some(why.clone()),
            _ => None,
        });
        match declined {
            Some(note) => CheckResponse::judge(WRONG, note),
            None => CheckResponse::nothing(view, "no function was proposed"),
        }
    }

    fn hint(&self, _: &View<'_>, verdict: &str, note: &str) -> String {
        match verdict {
            WRONG => format!(
                "Not offered to the person: {note}. Propose the whole corrected function in one block."
            ),
            FAILED => {
                format!("It could not be defined: {note}. Propose the whole corrected function in one block.")
            }
            _ => "You proposed no function. Propose exactly one, in one fenced block of Python.".into(),
        }
    }

    fn declines(&self, view: &View<'_>, block: &Block) -> Option<String> {
        if !is_code(block) {
            return None;
        }
        let version = block.current();
        if let Some(other) = version.language.as_ref().filter(|language| **language != Language::python()) {
            return Some(format!("a function in Python is wanted, this is {other}"));
        }
        let first = view.newest().into_iter().find(|item| is_code(&item.block));
        if first.is_some_and(|first| first.block.id != block.id) {
            return Some("one block with the whole function is wanted, this is a second one".into());
        }
        function::examine(&version.source).err().map(|flaws| function::list_flaws(&flaws))
    }
}

fn is_code(block: &Block) -> bool {
    matches!(block.kind, BlockKind::Code { .. })
}

fn text_of(item: &BlockItem, run: &RunItem) -> String {
    item.block.version(run.revision).map(|version| version.source.to_string()).unwrap_or_default()
}

/// A function that the recipe defined.
pub(super) struct KnownFunction<'a> {
    pub(super) defined: Definition,
    /// Its source text as it ran.
    pub(super) source: String,
    /// The newest run that defined it.
    pub(super) run: &'a RunItem,
}

/// The function that the step `step` defined last.
pub(super) fn known<'a>(view: &View<'a>, step: &str) -> Option<KnownFunction<'a>> {
    let runs = view.runs_in(step);
    let mut defined = runs.iter().rev().filter(|(item, run)| is_code(&item.block) && ended_ok(run));
    let (source, known, run) = defined.find_map(|(item, run)| {
        let source = text_of(item, run);
        function::examine(&source).ok().map(|defined| (source, defined, *run))
    })?;
    // After a kernel restart the recipe may have run the same text again.
    let blocks =
        view.context.transcript.blocks.values().filter(|item| item.block.is_own() && is_code(&item.block));
    let again = blocks.flat_map(|item| item.runs.iter().map(move |run| (item, run)));
    let again = again.filter(|(item, run)| ended_ok(run) && *text_of(item, run) == *source);
    let run = again
        .map(|(_, run)| run)
        .filter(|again| again.run > run.run)
        .max_by_key(|again| again.run)
        .unwrap_or(run);
    Some(KnownFunction { defined: known, source, run })
}
