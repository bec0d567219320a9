//! What has come of a reply so far, and how it ends: the part of reading that is the same for every wire.
//!
//! Text and reasoning are told as they come. Calls, kept items and counts are told once, before the end, so that a call
//! which the connection tore is never taken for one. Nothing is told behind `Finished` or `Failed`.

use super::failure::{ErrorBody, ServerIdentity};
use crate::domain::{Finish, FinishReason, Masker, OpaqueItem, ReplyEvent, ReplyFailure, ToolCall, Usage};
use crate::text::line::short_line;
use serde_json::Value;

/// Bytes of text, reasoning, calls and kept items that a reply may have.
pub(super) const MAX_REPLY_BYTES: usize = 8 << 20;

/// What is counted for a thing that is remembered, beside the text that it holds: many small things need memory too.
pub(super) const ENTRY_BYTES: usize = 128;

/// What the ids begin with that are made here, for calls to which the provider gave none.
const OWN_ID_PREFIX: &str = "sayso-";

/// Whether the id of a call was made here: it means nothing to a provider that has no ids.
pub(super) fn is_own_id(id: &str) -> bool {
    id.starts_with(OWN_ID_PREFIX)
}

/// About how much memory a value needs: its text, and its parts one by one.
pub(super) fn weight(value: &Value) -> usize {
    match value {
        Value::String(text) => ENTRY_BYTES + text.len(),
        Value::Array(values) => ENTRY_BYTES + values.iter().map(weight).sum::<usize>(),
        Value::Object(fields) => {
            ENTRY_BYTES + fields.iter().map(|(name, value)| name.len() + weight(value)).sum::<usize>()
        }
        _ => ENTRY_BYTES,
    }
}

/// What has come of a reply so far.
#[derive(Debug)]
pub(super) struct Accumulator {
    /// What makes ids of this reply other than those of another.
    number: u64,
    asked: ServerIdentity,
    secrets: Masker,
    /// What is to be told.
    pub(super) out: Vec<ReplyEvent>,
    text: usize,
    length: usize,
    calls: Vec<ToolCall>,
    kept: Vec<OpaqueItem>,
    usage: Option<Usage>,
    /// What the model said about its end.
    finish: Option<Finish>,
    /// Some piece of a reply was read.
    known: bool,
    over: bool,
}

impl Accumulator {
    /// `number`: any, another for each reply.
    pub(super) fn new(number: u64, asked: ServerIdentity, secrets: Masker) -> Self {
        Self {
            number,
            asked,
            secrets,
            out: Vec::new(),
            text: 0,
            length: 0,
            calls: Vec::new(),
            kept: Vec::new(),
            usage: None,
            finish: None,
            known: false,
            over: false,
        }
    }

    pub(super) fn server(&self) -> &ServerIdentity {
        &self.asked
    }

    /// A piece of a reply was recognised, even if nothing can be shown of it.
    pub(super) fn mark_known(&mut self) {
        self.known = true;
    }

    /// Whether some piece of a reply was recognised.
    pub(super) fn is_known(&self) -> bool {
        self.known
    }

    /// Whether the end was told.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// Whether the model said that it is done.
    pub(super) fn is_finished(&self) -> bool {
        self.finish.is_some()
    }

    /// Whether some of the reply has come.
    pub(super) fn has_begun(&self) -> bool {
        self.length > 0
    }

    /// Bytes of text so far.
    pub(super) fn text_len(&self) -> usize {
        self.text
    }

    pub(super) fn calls(&self) -> usize {
        self.calls.len()
    }

    pub(super) fn add_text(&mut self, piece: impl Into<String>) {
        let piece = piece.into();
        self.text += piece.len();
        self.add_piece(piece, ReplyEvent::Delta);
    }

    pub(super) fn add_reasoning(&mut self, piece: impl Into<String>) {
        self.add_piece(piece.into(), ReplyEvent::Reasoning);
    }

    /// Tells a piece, joined to the piece before where that is of the same kind.
    fn add_piece(&mut self, piece: String, kind: fn(String) -> ReplyEvent) {
        if piece.is_empty() || self.over {
            return;
        }
        self.known = true;
        self.count_bytes(piece.len());
        let event = kind(piece);
        match (self.out.last_mut(), &event) {
            (Some(ReplyEvent::Delta(before)), ReplyEvent::Delta(more))
            | (Some(ReplyEvent::Reasoning(before)), ReplyEvent::Reasoning(more)) => before.push_str(more),
            _ => self.out.push(event),
        }
    }

    /// One thing more is remembered, with so many bytes of text.
    pub(super) fn count_entry(&mut self, bytes: usize) {
        self.count_bytes(ENTRY_BYTES + bytes);
    }

    /// So many bytes more are kept. A reply that is too long ends here.
    pub(super) fn count_bytes(&mut self, bytes: usize) {
        self.length = self.length.saturating_add(bytes);
    }

    /// Ends a reply that is too long. Called between pieces, so that a piece is told whole.
    pub(super) fn check_length(&mut self) {
        if self.length > MAX_REPLY_BYTES {
            self.fail(ServerIdentity::too_long(MAX_REPLY_BYTES));
        }
    }

    /// A whole call. Who hands it over has counted its bytes.
    pub(super) fn add_call(&mut self, mut call: ToolCall) {
        self.known = true;
        if call.id.is_empty() {
            call.id = format!("{OWN_ID_PREFIX}{:x}-{}", self.number, self.calls.len() + 1);
        }
        self.calls.push(call);
    }

    /// Something to be given back.
    pub(super) fn keep_item(&mut self, kept: OpaqueItem) {
        self.count_entry(kept.json.len());
        self.kept.push(kept);
    }

    /// One line for the person.
    pub(super) fn add_remark(&mut self, text: &str) {
        if !self.over {
            let text = self.secrets.mask_message(&short_line(text));
            self.count_entry(text.len());
            self.out.push(ReplyEvent::Remark(text));
        }
    }

    /// Tokens used; what is not told keeps its value from before.
    pub(super) fn set_usage(&mut self, usage: Usage) {
        if usage == Usage::default() {
            return;
        }
        let before = self.usage.unwrap_or_default();
        self.usage = Some(Usage {
            input: usage.input.or(before.input),
            output: usage.output.or(before.output),
            cached: usage.cached.or(before.cached),
            cache_written: usage.cache_written.or(before.cache_written),
            reasoning: usage.reasoning.or(before.reasoning),
        });
    }

    /// The model said why it ends; more may follow.
    pub(super) fn finish(&mut self, reason: FinishReason, word: impl Into<String>) {
        self.known = true;
        self.finish = Some(Finish { reason, word: Some(word.into()).filter(|w| !w.is_empty()) });
    }

    /// The reply is over in good order. `done`: the server said that it is whole, even if the model gave no reason.
    pub(super) fn end(&mut self, done: bool) {
        if std::mem::replace(&mut self.over, true) {
            return;
        }
        let called = !self.calls.is_empty();
        self.out.extend(std::mem::take(&mut self.calls).into_iter().map(ReplyEvent::ToolCall));
        self.out.extend(std::mem::take(&mut self.kept).into_iter().map(ReplyEvent::Kept));
        self.out.extend(self.usage.take().map(ReplyEvent::Usage));
        let unsaid = if done { FinishReason::Stop } else { FinishReason::Incomplete };
        let mut finish = self.finish.take().unwrap_or(Finish { reason: unsaid, word: None });
        if called && finish.reason == FinishReason::Stop {
            finish.reason = FinishReason::ToolCalls;
        }
        self.out.push(ReplyEvent::Finished(finish));
    }

    /// The reply can't go on.
    pub(super) fn fail(&mut self, mut failure: ReplyFailure) {
        if std::mem::replace(&mut self.over, true) {
            return;
        }
        failure.message = self.secrets.mask_message(&failure.message);
        failure.hint = self.secrets.mask_message(&failure.hint);
        self.out.extend(self.usage.take().map(ReplyEvent::Usage));
        self.out.push(ReplyEvent::Failed(failure));
    }

    /// A piece can't be read.
    pub(super) fn fail_malformed(&mut self, why: &str) {
        let failure = self.asked.malformed(why, self.has_begun());
        self.fail(failure);
    }

    /// The server tells an error inside of the reply.
    pub(super) fn fail_refused(&mut self, body: &ErrorBody) {
        let failure = self.asked.refused_inside(body, self.has_begun());
        self.fail(failure);
    }
}
