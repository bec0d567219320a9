//! Leads a turn without a person to its end, and tells how it ended: declines blocks without a language, answers forms,
//! and ends the turn where nobody here can answer.

use super::Ending;
use super::form::{GivenAnswers, recipe_inputs};
use super::interrupts::Interrupts;
use crate::domain::{BlockId, Decision, Readiness, TurnEnd};
use crate::driver::Driver;
use crate::engine::state::Question;
use crate::engine::{Command, Phase, State};

/// Whether the turn has ended, and how. Questions of the engine and failures of the provider are answered by ending the
/// turn; their cause is kept until the turn has ended.
pub(super) fn ending_of(
    driver: &mut Driver,
    interrupts: &Interrupts,
    given: &mut GivenAnswers,
    cause: &mut Option<Ending>,
    over: Option<&TurnEnd>,
) -> Option<Ending> {
    let state = driver.state();
    match &state.phase {
        Phase::Idle => {
            let over = over?;
            if interrupts.count > 0 {
                return Some(Ending::Interrupted);
            }
            return Some(cause.take().unwrap_or_else(|| Ending::of_turn(state, over)));
        }
        Phase::Deciding(_) if interrupts.count > 0 => return Some(Ending::Interrupted),
        // A pending second opinion belongs in the session; it arrives in bounded time.
        Phase::Deciding(block) if state.awaited_opinion(*block).is_some() => return None,
        Phase::Deciding(block) if lacks_language(state, *block) => {
            // Nobody can choose a language here, and mostly such a block is no program at all.
            let (block, revision) = (*block, state.transcript.blocks.get(block)?.block.current().revision);
            let decision = Decision::Reject(NO_LANGUAGE.into());
            driver.send(Command::Decide { block, revision, decision });
            return None;
        }
        Phase::Deciding(block) => {
            // Before the inspection, the policy has no say.
            let inspected = state.inspected(*block)?;
            let why = inspected.terms.as_ref().err().cloned();
            return Some(match &state.live.store_failure {
                Some(why) => Ending::Unsaved(why.clone()),
                None => Ending::Waiting(*block, why),
            });
        }
        Phase::Asking(Question::Form(_)) if interrupts.count > 0 => return Some(Ending::Interrupted),
        Phase::Asking(Question::Form(form)) => match given.for_form(form, recipe_inputs(state)) {
            Some(answers) => {
                driver.send(Command::Answer(answers));
                return None;
            }
            None => return Some(Ending::Asked(Question::Form(form.clone()))),
        },
        Phase::Asking(question) => *cause = Some(Ending::Asked(question.clone())),
        Phase::Stuck(failure) => *cause = Some(Ending::Provider(failure.clone())),
        Phase::Replying(_) | Phase::Running(_) | Phase::Compacting(_) => {
            return state.live.store_failure.clone().map(Ending::Unsaved);
        }
    }
    driver.send(Command::EndTurn);
    None
}

/// Tells the model about a block that names no language.
const NO_LANGUAGE: &str = "This block was skipped: it names no language, and nobody is here to choose one. \
    If it is to run, write it again with a language behind the fence. If it is an example or output, go on.";

/// Whether a fence names no language, also one that the reply did not close: it is no clearer what that would be.
fn lacks_language(state: &State, block: BlockId) -> bool {
    state.transcript.blocks.get(&block).map(|item| &item.block).is_some_and(|block| match block.readiness() {
        Readiness::NeedsLanguage => true,
        Readiness::Incomplete => block.kind.is_code() && block.current().language.is_none(),
        _ => false,
    })
}
