//! Runs a recipe's definition through its turn. The machine keeps no state: each time, `path` works out the current
//! round from the session, the step's check judges it, and `messages` builds the texts.

mod messages;
mod path;
mod protect;

use super::check::CheckResponse;
use super::definition::Definition;
use super::view::View;
use crate::domain::{Block, Finding, RecipeEnd, Review, RoundOutcome};
use crate::engine::{Workflow, WorkflowContext, WorkflowStep};
use path::{Ending, Path};
use std::sync::Arc;

/// Runs one recipe.
#[derive(Debug)]
pub(super) struct Machine {
    definition: Definition,
}

impl Machine {
    pub(super) fn new(definition: Definition) -> Self {
        Self { definition }
    }

    /// What comes next in the current round.
    fn look(&self, path: &Path<'_>, view: &View<'_>) -> Result<CheckResponse, Ending> {
        if let Some(look) = protect::look(path, view)? {
            return Ok(look);
        }
        if view.all_skipped() {
            return Err(Ending::with_words(
                RecipeEnd::Stopped,
                "You skipped what was proposed, so the recipe ends here.",
            ));
        }
        let check = path.step().check;
        match check.look(view) {
            CheckResponse::Ask
                if view.replies().count()
                    >= usize::try_from(self.definition.replies).unwrap_or(usize::MAX) =>
            {
                let verdict = check.facts().verdicts.last().copied().unwrap_or_default();
                Ok(CheckResponse::Judge {
                    verdict,
                    note: format!("{} replies, and nothing to judge", self.definition.replies),
                })
            }
            CheckResponse::Propose(own) if own.is_empty() => Err(Ending::with_words(
                RecipeEnd::GaveUp,
                "There is nothing that could be run to judge this step.",
            )),
            look => Ok(look),
        }
    }
}

fn end(path: &Path<'_>, ending: &Ending) -> WorkflowStep {
    WorkflowStep::End { end: ending.end, summary: messages::summary(path, ending) }
}

impl Workflow for Machine {
    fn next(&self, context: &WorkflowContext<'_>) -> Vec<WorkflowStep> {
        let mut path = Path::of(&self.definition, *context);
        let mut moves = Vec::new();
        // Each pass of this loop judges a round, and rounds are limited, so it ends.
        loop {
            if let Some(ending) = &path.over {
                moves.push(end(&path, ending));
                return moves;
            }
            let (view, step) = (path.view(), path.step());
            if !view.is_told {
                let text = messages::round_message(&path);
                if !text.is_empty() {
                    let (step, title) = (step.name.clone(), step.title.clone());
                    moves.push(WorkflowStep::Say { step, title, round: view.round, text });
                    moves.push(WorkflowStep::Ask);
                    return moves;
                }
            }
            match self.look(&path, &view) {
                Ok(CheckResponse::Ask) => moves.push(WorkflowStep::Ask),
                Ok(CheckResponse::Form(form)) => moves.push(WorkflowStep::Form(form)),
                Ok(CheckResponse::Propose(own)) => {
                    moves.extend(own.into_iter().map(super::check::OwnBlock::propose));
                }
                Ok(CheckResponse::Judge { verdict, note }) => {
                    let (step, round) = (step.name.clone(), view.round);
                    let outcome = RoundOutcome { step, round, verdict: verdict.into(), note };
                    moves.push(WorkflowStep::Judge(outcome.clone()));
                    path.judge(&outcome, None);
                    continue;
                }
                Ok(CheckResponse::Unable(why)) => {
                    moves.push(end(&path, &Ending::with_words(RecipeEnd::GaveUp, &why)));
                }
                Err(ending) => moves.push(end(&path, &ending)),
            }
            return moves;
        }
    }

    fn declines(&self, context: &WorkflowContext<'_>, block: &Block) -> Option<String> {
        let path = Path::of(&self.definition, *context);
        let step = path.step();
        let fits =
            super::definition::StepKind::of(&block.kind).is_some_and(|kind| step.blocks.contains(&kind));
        if fits { step.check.declines(&path.view(), block) } else { Some(messages::not_wanted(step, block)) }
    }

    fn remarks(&self, context: &WorkflowContext<'_>, block: &Block, review: &Review) -> Vec<Finding> {
        let path = Path::of(&self.definition, *context);
        let view = path.view();
        let mut remarks = protect::remarks(&path, &view, block, review);
        remarks.extend(path.step().check.remarks(&view, block, review));
        remarks
    }

    fn outdated(&self, context: &WorkflowContext<'_>, block: &Block, on_disk: &str) -> Option<Finding> {
        let path = Path::of(&self.definition, *context);
        path.step().check.outdated(&path.view(), block, on_disk)
    }

    fn before(&self, context: &WorkflowContext<'_>, block: &Block) -> Option<Arc<str>> {
        let path = Path::of(&self.definition, *context);
        path.step().check.before(&path.view(), block)
    }

    fn protects(&self, context: &WorkflowContext<'_>) -> Vec<String> {
        let path = Path::of(&self.definition, *context);
        protect::all_files(&path)
    }

    fn strict(&self, context: &WorkflowContext<'_>, block: &Block) -> bool {
        !block.is_own() && Path::of(&self.definition, *context).step().strict
    }
}

#[cfg(test)]
mod tests;
