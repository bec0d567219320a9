//! Runs a recipe's definition through its turn. The machine keeps no state: each time, `rounds` works out the current
//! round from the session, the step's check judges it, and `messages` builds the texts.

mod messages;
mod protect;
mod rounds;

use super::check::CheckResponse;
use super::definition::Definition;
use super::view::View;
use crate::domain::{Block, Finding, RecipeEnd, Review, RoundOutcome};
use crate::engine::{Workflow, WorkflowContext, WorkflowStep};
use rounds::{Ending, Rounds};
use std::sync::Arc;

/// What comes next in the current round.
fn respond(rounds: &Rounds<'_>, view: &View<'_>) -> Result<CheckResponse, Ending> {
    if let Some(response) = protect::respond(rounds, view)? {
        return Ok(response);
    }
    if view.all_skipped() {
        return Err(Ending::with_words(
            RecipeEnd::Stopped,
            "You skipped what was proposed, so the recipe ends here.",
        ));
    }
    let check = rounds.step().check;
    let replies = rounds.definition.replies;
    let can_judge = check.spec().needs_no_reply || view.reply().is_some();
    let response = if can_judge { check.judge(view) } else { CheckResponse::Ask };
    match response {
        CheckResponse::Ask if view.replies().count() >= usize::try_from(replies).unwrap_or(usize::MAX) => {
            let verdict = check.spec().verdicts.last().copied().unwrap_or_default();
            Ok(CheckResponse::Judge { verdict, note: format!("{replies} replies, and nothing to judge") })
        }
        response => Ok(response),
    }
}

fn end(rounds: &Rounds<'_>, ending: &Ending) -> WorkflowStep {
    WorkflowStep::End { end: ending.end, summary: messages::summary(rounds, ending) }
}

impl Workflow for Definition {
    fn next(&self, context: &WorkflowContext<'_>) -> Vec<WorkflowStep> {
        let mut rounds = Rounds::of(self, *context);
        let mut moves = Vec::new();
        // Each pass of this loop judges a round, and rounds are limited, so it ends.
        loop {
            if let Some(ending) = &rounds.over {
                moves.push(end(&rounds, ending));
                return moves;
            }
            let (view, step) = (rounds.view(), rounds.step());
            if !view.was_prompted {
                let text = messages::round_message(&rounds);
                if !text.is_empty() {
                    let (step, title) = (step.name.clone(), step.title.clone());
                    moves.push(WorkflowStep::Say { step, title, round: view.round, text });
                    moves.push(WorkflowStep::Ask);
                    return moves;
                }
            }
            match respond(&rounds, &view) {
                Ok(CheckResponse::Ask) => moves.push(WorkflowStep::Ask),
                Ok(CheckResponse::Form(form)) => moves.push(WorkflowStep::Form(form)),
                Ok(CheckResponse::Propose(own)) => {
                    moves.extend(own.into_iter().map(super::check::OwnBlock::propose));
                }
                Ok(CheckResponse::Judge { verdict, note }) => {
                    let (step, round) = (step.name.clone(), view.round);
                    let outcome = RoundOutcome { step, round, verdict: verdict.into(), note };
                    moves.push(WorkflowStep::Judge(outcome.clone()));
                    rounds.judge(&outcome, None);
                    continue;
                }
                Ok(CheckResponse::Unable(why)) => {
                    moves.push(end(&rounds, &Ending::with_words(RecipeEnd::GaveUp, &why)));
                }
                Err(ending) => moves.push(end(&rounds, &ending)),
            }
            return moves;
        }
    }

    fn declines(&self, context: &WorkflowContext<'_>, block: &Block) -> Option<String> {
        let rounds = Rounds::of(self, *context);
        let step = rounds.step();
        let fits =
            super::definition::StepKind::of(&block.kind).is_some_and(|kind| step.blocks.contains(&kind));
        if fits {
            step.check.declines(&rounds.view(), block)
        } else {
            Some(messages::not_wanted(step, block))
        }
    }

    fn remarks(&self, context: &WorkflowContext<'_>, block: &Block, review: &Review) -> Vec<Finding> {
        let rounds = Rounds::of(self, *context);
        let view = rounds.view();
        let mut remarks = protect::remarks(&rounds, &view, block, review);
        remarks.extend(rounds.step().check.remarks(&view, block, review));
        remarks
    }

    fn outdated(&self, context: &WorkflowContext<'_>, block: &Block, on_disk: &str) -> Option<Finding> {
        let rounds = Rounds::of(self, *context);
        rounds.step().check.outdated(&rounds.view(), block, on_disk)
    }

    fn before(&self, context: &WorkflowContext<'_>, block: &Block) -> Option<Arc<str>> {
        let rounds = Rounds::of(self, *context);
        rounds.step().check.diff_base(&rounds.view(), block)
    }

    fn protects(&self, context: &WorkflowContext<'_>) -> Vec<String> {
        let rounds = Rounds::of(self, *context);
        protect::all_files(&rounds)
    }

    fn strict(&self, context: &WorkflowContext<'_>, block: &Block) -> bool {
        !block.is_own() && Rounds::of(self, *context).step().strict
    }
}

#[cfg(test)]
mod tests;
