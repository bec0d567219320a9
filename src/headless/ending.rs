//! How a turn without a terminal ended: derived from the state, reported as the last line, and converted to an exit
//! code by the command.

use super::shapes;
use super::{form, steps};
use crate::domain::sentences::{saving, sending};
use crate::domain::{
    AnswerError, BlockId, Finish, Outcome, RecipeEnd, RecipeFact, ReplyFailure, TurnEnd, Usage,
};
use crate::driver::AttachedFileError;
use crate::engine::State;
use crate::engine::state::Question;
use crate::engine::transcript::{Item, ReplyItem, RunItem};
use crate::text::number::{counted, dollars};
use serde_json::{Value, json};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The model answered, and the last run succeeded.
    Done,
    /// The last run failed; the text says how, and is empty if nothing more is known.
    BlockFailed(String),
    /// The last run reached its time limit.
    TimedOut,
    /// The last reply was incomplete; how it ended, and whether anything of it came.
    IncompleteReply(Finish, bool),
    /// No run failed, but the last reply had neither text nor calls.
    EmptyReply,
    /// The engine asked whether to continue.
    Asked(Question),
    Provider(ReplyFailure),
    /// The session file can't be written; the text says why.
    Unsaved(String),
    /// A block waits for a decision; the reason if it can't run.
    Waiting(BlockId, Option<String>),
    /// The turn's recipe did not complete; how it ended, with its summary.
    Recipe(RecipeEnd, String),
    /// The recipe was not started because these answers do not fit.
    Refused(Vec<AnswerError>),
    /// Nothing was sent because these files can't be attached to the message.
    NotAttached(Vec<AttachedFileError>),
    /// The person interrupted it.
    Interrupted,
}

impl Ending {
    /// How a completed turn ended.
    pub(super) fn of_turn(state: &State, end: &TurnEnd) -> Self {
        if let TurnEnd::Failed(failure) = end {
            return Ending::Provider(failure.as_ref().clone());
        }
        match recipe(state).end {
            Some((RecipeEnd::Done, _)) => return Ending::Done,
            Some((end, summary)) => return Ending::Recipe(end, summary.to_owned()),
            None => {}
        }
        if let Some(reply) = last_reply(state)
            && !reply.finish.reason.complete()
        {
            let came = reply.body.as_ref().is_none_or(|body| {
                !body.text.is_empty() || !body.reasoning.is_empty() || !body.tool_calls.is_empty()
            });
            return Ending::IncompleteReply(reply.finish.clone(), came);
        }
        let answered =
            if last_reply(state).is_some_and(is_empty) { Ending::EmptyReply } else { Ending::Done };
        let Some(run) = last_run(state) else { return answered };
        let report = run.ended.as_ref().map(|(_, report)| report);
        match report.map(|report| (&report.outcome, report.receipt.exit_code)) {
            Some((Outcome::Ok, _)) => answered,
            Some((Outcome::TimedOut, _)) => Ending::TimedOut,
            Some((Outcome::Interrupted, _)) => Ending::Interrupted,
            Some((Outcome::Failed, code)) => {
                Ending::BlockFailed(code.map_or(String::new(), |code| format!("exit {code}")))
            }
            Some((outcome, _)) => Ending::BlockFailed(outcome_text(outcome)),
            None => Ending::BlockFailed("its end was never told".into()),
        }
    }

    /// Whether it tells of a work whose session has to be on disk, so that a failure to save it comes first. The
    /// other endings are failures that the person has to know of whether they are saved or not.
    pub(super) fn needs_saving(&self) -> bool {
        match self {
            Ending::Done
            | Ending::BlockFailed(_)
            | Ending::TimedOut
            | Ending::IncompleteReply(..)
            | Ending::EmptyReply
            | Ending::Asked(_)
            | Ending::Waiting(..)
            | Ending::Recipe(..) => true,
            Ending::Provider(_)
            | Ending::Unsaved(_)
            | Ending::Refused(_)
            | Ending::NotAttached(_)
            | Ending::Interrupted => false,
        }
    }

    /// What happened, in words; empty if all went well.
    pub(crate) fn message(&self) -> String {
        match self {
            Ending::Done => String::new(),
            Ending::BlockFailed(how) if how.is_empty() => "the last block failed".into(),
            Ending::BlockFailed(how) => format!("the last block failed: {how}"),
            Ending::TimedOut => "the last block was stopped at its time limit".into(),
            Ending::IncompleteReply(finish, _) => {
                match finish.word.as_ref().filter(|word| *word != finish.reason.as_str()) {
                    Some(word) => format!("the reply broke off: {} ({word})", finish.reason.as_str()),
                    None => format!("the reply broke off: {}", finish.reason.as_str()),
                }
            }
            Ending::EmptyReply => "the model answered with nothing".into(),
            Ending::Asked(Question::StepLimit(steps)) => {
                format!("the turn was stopped after {}", counted(*steps as usize, "step"))
            }
            Ending::Asked(Question::Repeated(block, times)) => {
                format!("the turn was stopped: block {block} was proposed {times} times")
            }
            Ending::Asked(Question::Form(form)) => format!("an answer is needed: {}", form.title),
            Ending::Asked(Question::Budget { spent, limit }) => {
                sending::stopped_by_budget(&dollars(*spent), &dollars(*limit))
            }
            Ending::Provider(failure) => failure.message.clone(),
            Ending::Unsaved(why) => saving::failed(why),
            Ending::Waiting(block, None) => format!("block {block} waits for a decision"),
            Ending::Waiting(block, Some(why)) => format!("block {block} can't run: {why}"),
            Ending::Recipe(RecipeEnd::GaveUp, _) => "the recipe could not go on".into(),
            Ending::Recipe(RecipeEnd::Limit, _) => "the recipe ended at its limit".into(),
            Ending::Recipe(..) => "the recipe was stopped".into(),
            Ending::Refused(misfits) => {
                let told: Vec<String> = misfits.iter().map(ToString::to_string).collect();
                format!("the recipe can't begin: {}", told.join("; "))
            }
            Ending::NotAttached(errors) => {
                let told: Vec<String> = errors.iter().map(ToString::to_string).collect();
                sending::not_given(&told.join(" "))
            }
            Ending::Interrupted => "interrupted".into(),
        }
    }

    /// What to do next; empty if there is nothing to say. `session` is what `sayso resume` finds the session by, if all
    /// of it is on disk.
    pub(super) fn hint(&self, session: Option<&str>) -> String {
        match self {
            Ending::Waiting(..) => saving::decide_there(session),
            Ending::Asked(Question::Form(form)) => form::hint(form, &saving::decide_there(session)),
            Ending::Asked(Question::Budget { .. }) => {
                "[budget] session in the configuration allows more.".into()
            }
            Ending::Asked(Question::StepLimit(_)) => "--max-steps N allows more.".into(),
            Ending::Asked(Question::Repeated(..)) => {
                "Ask in other words; repeat_limit in the configuration allows more.".into()
            }
            Ending::Provider(failure) => failure.hint.clone(),
            Ending::NotAttached(_) => sending::AT_WORD.into(),
            Ending::IncompleteReply(_, true) => session.map(sending::cut_in_session).unwrap_or_default(),
            Ending::EmptyReply => "Ask in other words, or name another model with --model.".into(),
            Ending::IncompleteReply(_, false)
            | Ending::Done
            | Ending::BlockFailed(_)
            | Ending::TimedOut
            | Ending::Unsaved(_)
            | Ending::Recipe(..)
            | Ending::Refused(_)
            | Ending::Interrupted => String::new(),
        }
    }

    pub(crate) fn json_kind(&self) -> &'static str {
        match self {
            Ending::Done => "done",
            Ending::BlockFailed(_) => "block_failed",
            Ending::TimedOut => "timed_out",
            Ending::IncompleteReply(..) => "cut",
            Ending::EmptyReply => "empty",
            Ending::Asked(Question::StepLimit(_)) => "step_limit",
            Ending::Asked(Question::Repeated(..)) => "repeated",
            Ending::Asked(Question::Form(_)) => "answer_needed",
            Ending::Asked(Question::Budget { .. }) => "budget",
            Ending::Provider(failure) => failure.kind.as_str(),
            Ending::Unsaved(_) => "session",
            Ending::Waiting(..) => "decision_needed",
            Ending::Recipe(end, _) => end.as_str(),
            Ending::Refused(_) => "recipe_refused",
            Ending::NotAttached(_) => "file_refused",
            Ending::Interrupted => "interrupted",
        }
    }

    /// The last line of `run --json`: `turn_end` if the turn ended by itself, else `error`.
    pub(super) fn event(&self, state: &State, hint: &str) -> Value {
        let (steps, usage) = total_usage(state);
        let head = match self {
            Ending::Done
            | Ending::BlockFailed(_)
            | Ending::TimedOut
            | Ending::Recipe(..)
            | Ending::Asked(Question::StepLimit(_) | Question::Repeated(..) | Question::Budget { .. }) => {
                json!({ "event": "turn_end", "reason": self.reason(), "answer": self.answer(state) })
            }
            _ => json!({
                "event": "error",
                "kind": self.json_kind(),
                "status": if let Ending::Provider(failure) = self { failure.status } else { None },
                "message": self.message(),
                "hint": hint,
            }),
        };
        let behind = [
            ("steps", json!(steps)),
            ("log", steps::log(state)),
            ("recipe", recipe(state).to_json()),
            ("usage", shapes::usage(&usage)),
            ("cost", shapes::cost(&state.live.cost)),
            ("context", shapes::context(&state.live.context)),
        ];
        shapes::with(head, behind)
    }

    fn reason(&self) -> &'static str {
        match self {
            Ending::Asked(_) | Ending::Recipe(..) => self.json_kind(),
            _ => "answered",
        }
    }

    fn answer<'a>(&self, state: &'a State) -> Option<&'a str> {
        match self {
            Ending::Asked(_) => None,
            _ => last_reply(state).map(|reply| reply.text()),
        }
    }
}

fn outcome_text(outcome: &Outcome) -> String {
    let word = outcome.as_str().replace('_', " ");
    outcome.detail().map_or(word.clone(), |detail| format!("{word}, {detail}"))
}

/// What to report about the recipe of this turn.
#[derive(Default)]
struct RecipeSeen<'a> {
    name: Option<&'a str>,
    end: Option<(RecipeEnd, &'a str)>,
}

impl RecipeSeen<'_> {
    fn to_json(&self) -> Value {
        self.name.map_or(Value::Null, |name| {
            json!({
                "name": name,
                "end": self.end.map(|(end, _)| end.as_str()),
                "summary": self.end.map(|(_, summary)| summary),
            })
        })
    }
}

fn recipe(state: &State) -> RecipeSeen<'_> {
    let mut seen = RecipeSeen::default();
    for item in state.transcript.items.iter().rev() {
        match item.fact() {
            Some(RecipeFact::Ended { end, summary }) => {
                seen.end.get_or_insert((*end, summary.as_str()));
            }
            Some(RecipeFact::Began(start)) => {
                seen.name.get_or_insert(start.name.as_str());
            }
            _ if matches!(item, Item::Prompt { .. }) => break,
            _ => {}
        }
    }
    seen
}

/// The replies of this turn, newest first.
fn replies(state: &State) -> impl Iterator<Item = &ReplyItem> {
    let turn = state.transcript.items.iter().rev().take_while(|item| !matches!(item, Item::Prompt { .. }));
    turn.filter_map(Item::reply)
}

fn last_reply(state: &State) -> Option<&ReplyItem> {
    replies(state).next()
}

/// Whether a reply has neither text nor calls.
fn is_empty(reply: &ReplyItem) -> bool {
    reply.body.as_ref().is_some_and(|body| body.text.trim().is_empty() && body.tool_calls.is_empty())
}

/// The last run of this turn.
fn last_run(state: &State) -> Option<&RunItem> {
    let blocks = replies(state).flat_map(|reply| reply.blocks.iter().rev());
    blocks.filter_map(|id| state.transcript.blocks.get(id)).find_map(|block| block.runs.last())
}

/// The number of replies in this turn, and the tokens that they used.
fn total_usage(state: &State) -> (usize, Usage) {
    let add = |a: Option<u64>, b: Option<u64>| match (a, b) {
        (None, None) => None,
        (a, b) => Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0))),
    };
    replies(state).fold((0, Usage::default()), |(steps, sum), reply| {
        let one = &reply.usage;
        let sum = Usage {
            input: add(sum.input, one.input),
            output: add(sum.output, one.output),
            cached: add(sum.cached, one.cached),
            cache_written: add(sum.cache_written, one.cache_written),
            reasoning: add(sum.reasoning, one.reasoning),
        };
        (steps + 1, sum)
    })
}
