//! The steps of a turn as JSON, with their blocks, decisions, outcomes, times and tokens.

use super::shapes;
use crate::domain::Language;
use crate::engine::State;
use crate::engine::steps::{self, LastDecision, ModelStep, StepBlock};
use serde_json::{Value, json};

/// The steps of the latest turn.
pub(super) fn log(state: &State) -> Value {
    let turns = steps::turns(&state.transcript, &state.live.cost.of_steps);
    turns.last().map_or_else(|| json!([]), |turn| turn.steps.iter().map(step).collect())
}

fn step(step: &ModelStep<'_>) -> Value {
    json!({
        "number": step.number,
        "step": step.reply.map(|reply| reply.step.0),
        "recipe": step.round.map(|round| json!({ "step": round.step, "title": round.title, "round": round.round })),
        "judged": step.judged.map(|judged| json!({
            "step": judged.step, "round": judged.round, "verdict": judged.verdict, "note": judged.note,
        })),
        "began": jiff::Timestamp::from_millisecond(step.began.0).ok().map(|began| format!("{began:.3}")),
        "reply_ms": step.reply_ms(),
        "run_ms": step.run_ms(),
        "usage": step.reply.map(|reply| shapes::usage(&reply.usage)),
        "cost": step.cost.map(|nanos| nanos as f64 / 1e9),
        "blocks": step.blocks.iter().copied().map(block).collect::<Value>(),
    })
}

fn block(block: StepBlock<'_>) -> Value {
    let decided = block.decided();
    let (by, why) = match decided {
        LastDecision::Approved(by) => (Some(by.as_str()), None),
        LastDecision::Rejected(why) | LastDecision::Declined(why) => (None, Some(why)),
        LastDecision::Open | LastDecision::Skipped => (None, None),
    };
    let item = &block.item.block;
    let runs: Value = block
        .runs()
        .map(|(run, state, took)| {
            let report = run.ended.as_ref().map(|(_, report)| report);
            json!({
                "run": run.run.0,
                "outcome": report.map_or("lost", |report| report.outcome.as_str()),
                "state": state.to_string(),
                "exit_code": report.and_then(|report| report.receipt.exit_code),
                "wall_ms": took,
            })
        })
        .collect();
    json!({
        "block": block.id().0,
        "kind": item.kind.as_str(),
        "path": item.path(),
        "language": item.current().language.as_ref().map(Language::as_str),
        "own": item.is_own(),
        "note": block.note(),
        "decision": decided.as_str(),
        "by": by,
        "why": why,
        "runs": runs,
    })
}
