//! Collects what has arrived of a reply and decides how the reply ends: the part of reading that all formats share.
//!
//! Text and reasoning become events as they arrive. Calls, kept items and token counts become events only before the
//! end, so that a call cut off by the connection never counts as one. No event follows `Finished` or `Failed`.

use super::failure::{ErrorBody, ServerIdentity};
use super::opaque_items;
use super::retry::RetryAdvice;
use crate::config::FormatKind;
use crate::domain::{Finish, FinishReason, Masker, OpaqueItem, ReplyEvent, ReplyFailure, ToolCall, Usage};
use crate::text::line::short_line;
use serde_json::Value;

/// The most bytes of text, reasoning, calls and kept items that a reply may have.
pub(super) const MAX_REPLY_BYTES: usize = 8 << 20;
/// The most tokens that a count of a server may state; no context is near to it.
const MAX_TOKENS: u64 = 1 << 32;

/// Bytes counted for each stored item besides its text, because many small items need memory too.
pub(super) const ENTRY_BYTES: usize = 128;

/// The start of ids made here for calls that came without one.
const OWN_ID_PREFIX: &str = "sayso-";

/// Whether the id of a call was made here; providers without ids don't know it.
pub(super) fn is_own_id(id: &str) -> bool {
    id.starts_with(OWN_ID_PREFIX)
}

/// About how much memory a value needs: its text, and a fixed amount for each part.
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

/// What has arrived of a reply so far.
#[derive(Debug, Default)]
pub(super) struct Accumulator {
    /// Part of the ids made here, so that the ids of two replies differ.
    number: u64,
    asked: ServerIdentity,
    secrets: Masker,
    /// Events that wait to be sent.
    pub(super) out: Vec<ReplyEvent>,
    text: usize,
    counted_bytes: usize,
    /// Bytes of text, reasoning and pieces of calls that came. Some of them are counted only when their call is whole.
    content_bytes: usize,
    /// Whether an event with text or reasoning was added.
    shown: bool,
    calls: Vec<ToolCall>,
    kept: Vec<OpaqueItem>,
    usage: Option<Usage>,
    /// The model's reason for ending.
    finish: Option<Finish>,
    /// Whether a piece of a reply was recognised.
    recognised: bool,
    ended: bool,
    /// Whether to ask again, if the server refused within the reply.
    retry: RetryAdvice,
}

impl Accumulator {
    /// `number` has to differ from reply to reply.
    pub(super) fn new(number: u64, asked: ServerIdentity, secrets: Masker) -> Self {
        Self { number, asked, secrets, ..Self::default() }
    }

    pub(super) fn server(&self) -> &ServerIdentity {
        &self.asked
    }

    /// Notes that a piece of a reply was recognised, even if it shows nothing.
    pub(super) fn mark_known(&mut self) {
        self.recognised = true;
    }

    /// Whether some piece of a reply was recognised.
    pub(super) fn is_known(&self) -> bool {
        self.recognised
    }

    /// Whether `Finished` or `Failed` was added.
    pub(super) fn is_over(&self) -> bool {
        self.ended
    }

    /// Whether to ask again, if the server refused within the reply.
    pub(super) fn retry_advice(&self) -> RetryAdvice {
        self.retry
    }

    /// Whether the model gave a reason for its end.
    pub(super) fn is_finished(&self) -> bool {
        self.finish.is_some()
    }

    /// Whether some text or reasoning came: it is kept, however the reply ends. Calls are kept of a whole reply only.
    pub(super) fn has_shown(&self) -> bool {
        self.shown
    }

    /// How much of the reply came, also of calls, which become events only at its end.
    pub(super) fn content_bytes(&self) -> usize {
        self.content_bytes
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

    /// Adds an event for a piece, joined to the last event if that is of the same kind.
    fn add_piece(&mut self, piece: String, kind: fn(String) -> ReplyEvent) {
        if piece.is_empty() || self.ended {
            return;
        }
        (self.recognised, self.shown) = (true, true);
        self.count_bytes(piece.len());
        let event = kind(piece);
        match (self.out.last_mut(), &event) {
            (Some(ReplyEvent::Delta(before)), ReplyEvent::Delta(more))
            | (Some(ReplyEvent::Reasoning(before)), ReplyEvent::Reasoning(more)) => before.push_str(more),
            _ => self.out.push(event),
        }
    }

    /// Counts one more stored item with this many bytes of text.
    pub(super) fn count_entry(&mut self, bytes: usize) {
        self.counted_bytes = self.counted_bytes.saturating_add(ENTRY_BYTES + bytes);
    }

    /// Counts this many bytes of content more; `check_length` ends a reply that is too long.
    pub(super) fn count_bytes(&mut self, bytes: usize) {
        self.counted_bytes = self.counted_bytes.saturating_add(bytes);
        self.note_content(bytes);
    }

    /// Notes content whose bytes are counted when it is whole.
    pub(super) fn note_content(&mut self, bytes: usize) {
        self.content_bytes = self.content_bytes.saturating_add(bytes);
    }

    /// Ends a reply that is too long. Called between pieces, so that no piece is cut.
    pub(super) fn check_length(&mut self) {
        if self.counted_bytes > MAX_REPLY_BYTES {
            self.fail_too_long(MAX_REPLY_BYTES);
        }
    }

    /// Ends a reply that is longer than this.
    pub(super) fn fail_too_long(&mut self, limit: usize) {
        // So much came, whatever it was.
        self.note_content(limit);
        self.fail(ServerIdentity::too_long(limit, self.has_shown()));
    }

    /// Adds a complete call. The caller has already counted its bytes.
    pub(super) fn add_call(&mut self, mut call: ToolCall) {
        self.recognised = true;
        self.note_content(call.name.len().max(1));
        if call.id.is_empty() {
            call.id = format!("{OWN_ID_PREFIX}{:x}-{}", self.number, self.calls.len() + 1);
        }
        self.calls.push(call);
    }

    /// Keeps an item of this format that later requests have to send back at this place.
    pub(super) fn keep_here(&mut self, format: FormatKind, item: Value) {
        self.keep_item(format, (self.text, self.calls.len()), item);
    }

    /// Like `keep_here`, for the beginning of the message.
    pub(super) fn keep_first(&mut self, format: FormatKind, item: Value) {
        self.keep_item(format, (0, 0), item);
    }

    fn keep_item(&mut self, format: FormatKind, (text, calls): (usize, usize), item: Value) {
        let kept = opaque_items::new_item(format.as_str(), text, calls, item);
        self.count_entry(kept.json.len());
        self.kept.push(kept);
    }

    /// Adds a remark for the person, one line long.
    pub(super) fn add_remark(&mut self, text: &str) {
        if !self.ended {
            let text = self.secrets.mask_message(&short_line(text));
            self.count_entry(text.len());
            self.out.push(ReplyEvent::Remark(text));
        }
    }

    /// Sets the tokens used; a count that `usage` lacks keeps its earlier value. A count that no reply can have is not
    /// known: it would make up the cost of a session.
    pub(super) fn set_usage(&mut self, usage: Usage) {
        let before = self.usage.unwrap_or_default();
        let known = |count: Option<u64>, before| count.filter(|tokens| *tokens <= MAX_TOKENS).or(before);
        let usage = Usage {
            input: known(usage.input, before.input),
            output: known(usage.output, before.output),
            cached: known(usage.cached, before.cached),
            cache_written: known(usage.cache_written, before.cache_written),
            reasoning: known(usage.reasoning, before.reasoning),
        };
        self.usage = Some(usage).filter(|usage| *usage != Usage::default());
    }

    /// Stores the model's reason for ending; more pieces may follow.
    pub(super) fn finish(&mut self, reason: FinishReason, word: impl Into<String>) {
        self.recognised = true;
        self.finish = Some(Finish { reason, word: Some(word.into()).filter(|w| !w.is_empty()) });
    }

    /// Ends the reply normally. `done`: the server said that the reply is complete, even if the model gave no reason.
    pub(super) fn end(&mut self, done: bool) {
        if std::mem::replace(&mut self.ended, true) {
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

    /// Ends the reply with a failure.
    pub(super) fn fail(&mut self, mut failure: ReplyFailure) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        failure.message = self.secrets.mask_message(&failure.message);
        failure.hint = self.secrets.mask_message(&failure.hint);
        self.out.extend(self.usage.take().map(ReplyEvent::Usage));
        self.out.push(ReplyEvent::Failed(failure));
    }

    /// Ends the reply because a piece can't be read.
    pub(super) fn fail_malformed(&mut self, why: &str) {
        let failure = self.asked.malformed(why, self.has_shown());
        self.fail(failure);
    }

    /// Ends the reply because the server sent an error within it.
    pub(super) fn fail_refused(&mut self, body: &ErrorBody) {
        let refusal = self.asked.refused_inside(body, self.has_shown());
        self.retry = refusal.retry;
        self.fail(refusal.failure);
    }
}
