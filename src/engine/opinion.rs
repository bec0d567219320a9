//! The second opinion: what a model is asked about a block, how its answer is parsed, and where it is stored.
//!
//! It is advice shown beside the findings, marked as a model's. It lowers no finding, opens no gate and delays nothing:
//! the person can decide before it arrives. An opinion on an older revision is recorded, but not announced.

use super::context::{estimate, kept_free, shortened};
use super::reply::json;
use super::transcript::BlockStatus;
use super::{Effect, Engine, Phase};
use crate::domain::sentences::sending;
use crate::domain::{
    AnswerForm, Block, BlockId, Entry, Message, ModelInfo, ModelName, ModelRequest, Notice, Opinion,
    OpinionReply, Purpose, Review, Revision, Role, Severity, Usage,
};
use crate::text::fence::fenced;
use crate::text::line::one_line;
use crate::text::number::{counted, grouped};
use serde_json::Value;

const PROMPT: &str = include_str!("../../assets/prompts/judge.md");
const SCHEMA: &str = r#"{"type":"object","properties":{"risk":{"type":"string","enum":["none","low","medium","high"]},"reason":{"type":"string"},"lines":{"type":"array","items":{"type":"integer"}}},"required":["risk","reason","lines"],"additionalProperties":false}"#;
const MAX_BLOCK_BYTES: usize = 48 << 10;
const MAX_REASON_CHARS: usize = 2_000;
const MAX_LINES: usize = 100;

/// When sayso asks for a second opinion without being told to, and which model it asks.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct OpinionSettings {
    /// The least severity at which it asks; `None`: only when the person wants it.
    pub(crate) from: Option<Severity>,
    /// The model to ask; `None`: the one in use.
    pub(crate) model: Option<ModelName>,
}

/// The request about a block.
fn request(block: &Block, review: Option<&Review>) -> ModelRequest {
    let version = block.current();
    let language = version.language.as_ref().map_or("text", |language| language.as_str());
    let what = match block.path() {
        Some(path) => format!(
            "What is proposed is no code to be run, but to {} {}",
            block.kind.as_str(),
            one_line(&path)
        ),
        None => format!("The code ({})", one_line(language)),
    };
    let mut ask = format!(
        "{what}, {}:\n\n{}",
        counted(version.source.lines().count(), "line"),
        fenced("text", &shortened(&version.source, MAX_BLOCK_BYTES))
    );
    let findings = review.map_or(&[][..], |review| &review.findings);
    if findings.is_empty() {
        ask.push_str("\n\nA check by rules found nothing in it.");
    } else {
        ask.push_str("\n\nA check by rules found:");
        for finding in findings.iter().take(MAX_LINES) {
            let (line, severity) = (finding.place.line, finding.severity.as_str());
            ask.push_str(&format!("\n- line {line}, {severity}: {}", one_line(&finding.message)));
        }
    }
    if let Some(why) = review.and_then(|review| review.unchecked.as_ref()) {
        ask.push_str(&format!("\n\nParts of it were not checked: {}.", one_line(why)));
    }
    let messages = vec![Message::new(Role::System, PROMPT.trim_end()), Message::new(Role::User, ask)];
    let mut request = ModelRequest::new(block.step, Purpose::Opinion, messages);
    request.form = Some(AnswerForm { name: "opinion".into(), schema: SCHEMA.into() });
    request
}

/// Why an answer can't be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum OpinionError {
    #[error("the answer holds no opinion in the form that was asked for")]
    Form,
    #[error("its risk is none of none, low, medium, high")]
    Risk,
    #[error("it gives no reason")]
    Reason,
    #[error("its lines are no numbers")]
    Numbers,
    #[error("its lines are no list")]
    Lines,
}

/// Parses an answer: any text may surround the JSON object, but the object itself has to be right.
fn parse(text: &str, lines: u32) -> Result<Opinion, OpinionError> {
    let object = objects(text).find_map(|object| match serde_json::from_str::<Value>(object) {
        Ok(Value::Object(fields)) if fields.contains_key("risk") => Some(fields),
        _ => None,
    });
    let fields = object.ok_or(OpinionError::Form)?;
    let risk = fields.get("risk").and_then(Value::as_str).unwrap_or_default().trim().to_ascii_lowercase();
    let risk = risk.parse().map_err(|_| OpinionError::Risk)?;
    let reason = fields.get("reason").and_then(Value::as_str).map(str::trim).unwrap_or_default();
    if reason.is_empty() {
        return Err(OpinionError::Reason);
    }
    let mut meant = Vec::new();
    match fields.get("lines") {
        None | Some(Value::Null) => {}
        Some(Value::Array(found)) => {
            for line in found.iter().take(MAX_LINES) {
                let line = line.as_u64().and_then(|line| u32::try_from(line).ok());
                meant.push(line.ok_or(OpinionError::Numbers)?);
            }
        }
        Some(_) => return Err(OpinionError::Lines),
    }
    // Drop lines that the block does not have.
    meant.retain(|line| (1..=lines).contains(line));
    meant.sort_unstable();
    meant.dedup();
    Ok(Opinion { risk, reason: reason.chars().take(MAX_REASON_CHARS).collect(), lines: meant })
}

/// The parts of a text that may be JSON objects: from an opening brace to the matching closing one.
fn objects(text: &str) -> impl Iterator<Item = &str> {
    let mut from = 0;
    // Limits the tries, so that a text of nothing but braces does not take too long.
    let mut tries = 0..64;
    std::iter::from_fn(move || {
        loop {
            tries.next()?;
            let start = from + text.get(from..)?.find('{')?;
            match json::end(text.get(start..)?) {
                Some(length) => {
                    from = start + length;
                    return text.get(start..from);
                }
                None => from = start + 1,
            }
        }
    })
}

impl Engine {
    /// The person asks for a second opinion.
    pub(super) fn request_opinion(&mut self, block: BlockId) {
        let open = self.state.transcript.blocks.get(&block).filter(|item| item.status == BlockStatus::Open);
        let Some(item) = open else {
            return self.notify(Notice::info(format!("Block {block} does not wait for a decision.")));
        };
        if item.block.current().source.trim().is_empty() {
            return self.notify(Notice::info(format!("Block {block} is empty: there is nothing to judge.")));
        }
        if self.state.awaited_opinion(block).is_some() {
            return self.notify(Notice::info(format!("A second opinion on block {block} is on its way.")));
        }
        if self.budget_reached().is_some() {
            let text = format!("No second opinion on block {block}: the session budget is reached.");
            return self.notify(Notice::warn(text));
        }
        self.ask_for_opinion(block);
    }

    /// Asks for an opinion if a finding is severe enough, once for each revision.
    pub(super) fn request_opinion_if_grave(&mut self, block: BlockId) {
        let (Some(from), Some(inspected)) = (self.settings.opinion.from, self.state.inspected(block)) else {
            return;
        };
        let review = &inspected.review;
        let grave = review.unchecked.is_some() || review.gravest().is_some_and(|gravest| gravest >= from);
        let waits =
            self.state.transcript.blocks.get(&block).is_some_and(|item| item.status == BlockStatus::Open);
        let known = self.state.opinion(block).is_some() || self.state.awaited_opinion(block).is_some();
        if grave && waits && !known && !self.is_named(block) && self.budget_reached().is_none() {
            self.ask_for_opinion(block);
        }
    }

    fn ask_for_opinion(&mut self, block: BlockId) {
        let Some(item) = self.state.transcript.blocks.get(&block) else { return };
        let revision = item.block.current().revision;
        let review = self.state.inspected(block).map(|inspected| &inspected.review);
        let request = Box::new(request(&item.block, review));
        self.state.live.blocks.entry(block).or_default().awaited_opinion = Some((revision, self.now));
        let model = self.settings.opinion.model.clone();
        if let Some((model, why)) = self.opinion_model_too_small(&request) {
            // No request is sent, so it costs nothing.
            let usage = Usage { input: Some(0), output: Some(0), ..Usage::default() };
            let refused = OpinionReply { model, text: Err(why), usage, remarks: Vec::new() };
            return self.take_opinion(block, revision, refused);
        }
        self.effects.push(Effect::RequestOpinion { block, revision, model, request });
    }

    /// The model that would be asked, and why the request does not fit its context, as far as the size is known here.
    fn opinion_model_too_small(&self, request: &ModelRequest) -> Option<(ModelName, String)> {
        let used = self.state.transcript.model.as_ref();
        let model = self.settings.opinion.model.as_ref().or(used)?;
        let info = self.meter.infos.get(model);
        let own = if Some(model) == used { self.context_size() } else { None };
        let of = own.or_else(|| info?.context)?;
        let why = too_long_for(request, of, kept_free(of, info))?;
        Some((model.clone(), why))
    }

    /// Records an answer, if it was asked for. Front ends show it beside the findings of its revision.
    pub(super) fn take_opinion(&mut self, block: BlockId, revision: Revision, answer: OpinionReply) {
        let Some(live) = self.state.live.blocks.get_mut(&block) else { return };
        if live.awaited_opinion.is_none_or(|(asked, _)| asked != revision) {
            return;
        }
        live.awaited_opinion = None;
        let Some(item) = self.state.transcript.blocks.get(&block) else { return };
        let Some(version) = item.block.version(revision) else { return };
        let lines = u32::try_from(version.source.lines().count()).unwrap_or(u32::MAX);
        let stale = item.block.current().revision != revision;
        let OpinionReply { model, text, usage, remarks } = answer;
        let answer = text
            .and_then(|text| parse(&text, lines).map_err(|why| why.to_string()))
            .map_err(|why| one_line(why.trim_end_matches('.')));
        let notice = opinion_notice(block, &model, &answer);
        let decides = self.state.phase == Phase::Deciding(block);
        self.record(Entry::Opinion { block, revision, model, answer, usage });
        if decides && !stale {
            self.notify(notice);
        }
        for remark in remarks {
            self.notify(Notice::warn(format!("The second opinion on block {block}: {}", one_line(&remark))));
        }
    }
}

/// Why a request does not fit a context of `of` tokens, `free` of which are kept for the answer.
fn too_long_for(request: &ModelRequest, of: u64, free: u64) -> Option<String> {
    let needs = estimate(&request.messages).saturating_add(free);
    (needs > of).then(|| {
        format!(
            "it needs about {} tokens, and the model's context has {}; {}",
            grouped(needs),
            grouped(of),
            sending::NOTHING_WITHIN
        )
    })
}

/// Why a request for an opinion does not fit the context of a model, as far as its size is known.
pub(crate) fn does_not_fit(request: &ModelRequest, model: &ModelInfo) -> Option<String> {
    let of = model.context?;
    too_long_for(request, of, kept_free(of, Some(model)))
}

fn opinion_notice(block: BlockId, model: &ModelName, answer: &Result<Opinion, String>) -> Notice {
    let model = one_line(&model.to_string());
    match answer {
        Ok(opinion) => Notice::info(format!(
            "Second opinion of {model} on block {block}: risk {}.",
            opinion.risk.as_str()
        )),
        Err(why) => Notice::warn(format!("No second opinion of {model} on block {block}: {why}.")),
    }
}

#[cfg(test)]
mod tests;
