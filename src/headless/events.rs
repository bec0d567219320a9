//! Converts what happens in a turn to JSON events, one a line: durable facts with their ids and fields, and streamed
//! text.

use super::shapes::{self, with};
use crate::domain::{
    Answers, Block, BlockId, BlockKind, Entry, Grantor, Language, NotedInstructions, RecipeFact, Revision,
    RunId, Sha256, StepId, Terms,
};
use crate::engine::Inspection;
use serde_json::{Value, json};

/// The event of a durable fact; `None` for facts that scripts don't need.
pub(crate) fn entry(entry: &Entry) -> Option<Value> {
    Some(match entry {
        Entry::Prompt(prompt) => {
            let fields = json!(prompt).as_object().cloned().unwrap_or_default();
            with(json!({ "event": "prompt" }), fields)
        }
        Entry::Reply { .. } => reply(entry)?,
        Entry::CallRefused { step, call, why } => {
            json!({ "event": "call_refused", "step": step.0, "call": call, "why": why })
        }
        Entry::NoTools(model) => json!({ "event": "no_tools", "model": model.to_string() }),
        Entry::Block(block) => proposed(block),
        Entry::Review { block, revision, review } => json!({
            "event": "review",
            "block": block.0,
            "revision": revision.0,
            "findings": shapes::findings(review),
            "effects": review.effects,
            "provenance": review.traces.iter().map(shapes::trace).collect::<Value>(),
            "unchecked": review.unchecked,
        }),
        Entry::Approved { run, block, revision, sha256, terms, by } => {
            approved(*run, (*block, *revision), *sha256, terms, *by)
        }
        Entry::Edited { block, revision, source, .. } => {
            with(decided(*block, *revision, "edit"), [("source", json!(**source))])
        }
        Entry::LanguageChosen { block, revision, language } => {
            with(decided(*block, *revision, "language"), [("language", json!(language.as_str()))])
        }
        Entry::Rejected { block, revision, reason } => {
            with(decided(*block, *revision, "reject"), [("reason", json!(reason))])
        }
        Entry::Declined { block, revision, why } => {
            with(decided(*block, *revision, "decline"), [("why", json!(why))])
        }
        Entry::Placed { block, revision, source, note, .. } => json!({
            "event": "placed", "block": block.0, "revision": revision.0, "source": **source, "note": note,
        }),
        Entry::Skipped { block, revision } => decided(*block, *revision, "skip"),
        Entry::Ran { run, block, report } => {
            let ids = json!({ "event": "run", "run": run.0, "block": block.0 });
            with(ids, shapes::report(report))
        }
        Entry::TurnEnd(end) => json!({ "event": "turn_end", "reason": end.as_str() }),
        Entry::Recipe(fact) => recipe(fact),
        Entry::Summary { .. } | Entry::Opinion { .. } | Entry::Instructions(_) => return side_event(entry),
        Entry::Header(_)
        | Entry::RuleAdded(_)
        | Entry::RuleRevoked(_)
        | Entry::Resumed
        | Entry::Accepted { .. }
        | Entry::Renamed(_)
        | Entry::Model(_)
        | Entry::Reopened(_)
        | Entry::Undone { .. }
        | Entry::KernelRestarted => return None,
    })
}

/// The event of a fact about the recipe.
fn recipe(fact: &RecipeFact) -> Value {
    let pairs = |pairs: &Answers| -> Value {
        pairs.iter().map(|(name, text)| (name.clone(), json!(text))).collect::<serde_json::Map<_, _>>().into()
    };
    match fact {
        RecipeFact::Began(start) => json!({
            "event": "recipe", "what": "began", "name": start.name,
            "inputs": pairs(&start.inputs), "facts": pairs(&start.facts),
        }),
        RecipeFact::Answered { form, answers } => json!({
            "event": "recipe", "what": "answered", "form": form, "answers": pairs(answers),
        }),
        RecipeFact::Said { .. } | RecipeFact::Judged(_) | RecipeFact::Ended { .. } => match json!(fact) {
            Value::Object(fields) => with(json!({ "event": "recipe" }), fields),
            _ => Value::Null,
        },
    }
}

/// What the inspection of a block adds to the event of its review: what the sandbox will refuse, in words; and the files
/// with further names where the block may write, if there are any.
pub(super) fn of_inspection(inspected: Option<&Inspection>) -> Vec<(&'static str, Value)> {
    let refused = inspected.map_or(&[][..], |inspected| &inspected.refused);
    let links = inspected.map(|inspected| inspected.links).filter(|links| links.files > 0);
    let links = links.map(|links| json!({ "files": links.files, "all_seen": links.all_seen }));
    std::iter::once(("refused", json!(refused))).chain(links.map(|links| ("hard_links", links))).collect()
}

/// The events beside the steps of a turn: summaries, second opinions, instructions.
fn side_event(entry: &Entry) -> Option<Value> {
    Some(match entry {
        Entry::Summary { upto, text, model, usage } => json!({
            "event": "summary",
            "upto": upto,
            "text": text,
            "model": model.as_ref().map(ToString::to_string),
            "usage": shapes::usage(usage),
        }),
        Entry::Opinion { block, revision, model, answer, usage } => {
            let ids = json!({
                "event": "opinion",
                "block": block.0,
                "revision": revision.0,
                "model": model.to_string(),
                "usage": shapes::usage(usage),
            });
            with(ids, shapes::opinion(answer))
        }
        Entry::Instructions(noted) => {
            let file = |file: &NotedInstructions| {
                json!({
                    "path": file.path.to_string_lossy(),
                    "sha256": file.sha256.to_string(),
                    "bytes": file.bytes,
                })
            };
            json!({ "event": "instructions", "files": noted.iter().map(file).collect::<Vec<Value>>() })
        }
        _ => return None,
    })
}

fn reply(entry: &Entry) -> Option<Value> {
    let Entry::Reply { step, text, reasoning, tool_calls, finish, usage, .. } = entry else { return None };
    let calls: Value = tool_calls
        .iter()
        .map(|call| json!({ "id": call.id, "name": call.name, "arguments": call.arguments }))
        .collect();
    Some(json!({
        "event": "reply",
        "step": step.0,
        "text": text,
        "reasoning": reasoning,
        "tool_calls": calls,
        "finish": finish.reason.as_str(),
        "word": finish.word,
        "complete": finish.reason.complete(),
        "usage": shapes::usage(usage),
    }))
}

fn proposed(block: &Block) -> Value {
    let version = block.current();
    let paths = match &block.kind {
        BlockKind::Edit { paths } => {
            // An edit that can't be read names no file.
            let named: Vec<&String> = paths.iter().filter(|path| !path.is_empty()).collect();
            Some(("paths", json!(named)))
        }
        _ => None,
    };
    let told = json!({
        "event": "block",
        "block": block.id.0,
        "step": block.step.0,
        "kind": block.kind.as_str(),
        "path": block.path(),
        "language": version.language.as_ref().map(Language::as_str),
        "info": block.origin.info,
        "source": *version.source,
        "closed": block.origin.closed,
        "dialect": block.origin.dialect.as_str(),
        "note": block.origin.note,
    });
    with(told, paths)
}

fn decided(block: BlockId, revision: Revision, decision: &str) -> Value {
    json!({ "event": "decision", "block": block.0, "revision": revision.0, "decision": decision })
}

fn approved(
    run: RunId,
    (block, revision): (BlockId, Revision),
    sha256: Sha256,
    terms: &Terms,
    by: Grantor,
) -> Value {
    let more = [
        ("run", json!(run.0)),
        ("by", json!(by.as_str())),
        ("rule", json!(by.rule().map(|rule| rule.0))),
        ("sha256", json!(sha256.to_string())),
        ("executor", json!(terms.executor.as_str())),
        ("interpreter", json!(terms.interpreter.to_string_lossy())),
        ("cwd", json!(terms.cwd.to_string_lossy())),
        ("sandbox", shapes::sandbox(terms)),
    ];
    with(decided(block, revision, "approve"), more)
}

/// A piece of the reply's text.
pub(crate) fn delta(step: StepId, text: &str) -> Value {
    json!({ "event": "delta", "step": step.0, "text": text })
}

/// A piece of the model's reasoning.
pub(crate) fn reasoning(step: StepId, text: &str) -> Value {
    json!({ "event": "delta", "step": step.0, "reasoning": text })
}

/// A piece of a run's output. `skipped`: how many bytes of the stream before it were left out.
pub(crate) fn output(run: RunId, stream: &str, text: &str, skipped: u64) -> Value {
    let piece = json!({ "event": "output", "run": run.0, "stream": stream, "text": text });
    if skipped == 0 { piece } else { with(piece, [("skipped", json!(skipped))]) }
}

#[cfg(test)]
mod tests;
