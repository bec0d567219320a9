//! Reads the reply of a chat completion: a stream of chunks, or a whole completion from servers that don't stream.
//!
//! What was read is never taken for more than it is: a stream that breaks has `Failed(Cut)`, one that ends without saying
//! why has `Finished(Incomplete)`, a chunk that can't be read has `Failed(Malformed)`. Counts come once, before the end.

use super::calls::Calls;
use super::chunk::{Choice, Chunk, Said, reason, usage};
use crate::domain::{Finish, FinishReason, ReplyEvent, ReplyFailure, Usage};
use crate::provider::failure::{Asked, ErrorBody};
use crate::provider::redact::Secrets;
use crate::provider::sse;
use crate::provider::wire::{Decoder, End};
use serde_json::Value;

/// Bytes of text, reasoning and calls that a reply may have.
const LONGEST: usize = 8 << 20;
/// Bytes of a body that is no stream.
const LONGEST_BODY: usize = 16 << 20;

/// What kind of body it turned out to be.
#[derive(Debug)]
enum Form {
    /// Only white space so far.
    Unknown(Vec<u8>),
    /// Server-sent events.
    Stream(sse::Parser),
    /// JSON or a web page: read when it is whole.
    Whole(Vec<u8>),
}

/// Reads one reply.
#[derive(Debug)]
pub(in crate::provider) struct OpenAiDecoder {
    asked: Asked,
    secrets: Secrets,
    form: Form,
    calls: Calls,
    /// Bytes of text and reasoning.
    length: usize,
    /// The provider's word for the end.
    finish: Option<String>,
    usage: Option<Usage>,
    /// Some chunk of a completion was read.
    known: bool,
    over: bool,
}

impl OpenAiDecoder {
    /// A decoder for one reply.
    pub(in crate::provider) fn new(asked: Asked, secrets: Secrets) -> Self {
        Self {
            asked,
            secrets,
            form: Form::Unknown(Vec::new()),
            calls: Calls::default(),
            length: 0,
            finish: None,
            usage: None,
            known: false,
            over: false,
        }
    }

    /// Whether some of the reply has come.
    fn begun(&self) -> bool {
        self.length > 0 || !self.calls.is_empty()
    }

    fn fail(&mut self, mut failure: ReplyFailure, out: &mut Vec<ReplyEvent>) {
        if !std::mem::replace(&mut self.over, true) {
            failure.message = self.secrets.redact(&failure.message);
            failure.hint = self.secrets.redact(&failure.hint);
            out.extend(self.usage.take().map(ReplyEvent::Usage));
            out.push(ReplyEvent::Failed(failure));
        }
    }

    /// The model said that it is done, or the stream ended in good order.
    fn finish(&mut self, done: bool, out: &mut Vec<ReplyEvent>) {
        if std::mem::replace(&mut self.over, true) {
            return;
        }
        let called = !self.calls.is_empty();
        out.extend(self.calls.take().map(ReplyEvent::ToolCall));
        out.extend(self.usage.take().map(ReplyEvent::Usage));
        let word = self.finish.take();
        let reason = match word.as_deref() {
            Some(word) => reason(word),
            None if done => FinishReason::Stop,
            None => FinishReason::Incomplete,
        };
        let reason = if called && reason == FinishReason::Stop { FinishReason::ToolCalls } else { reason };
        out.push(ReplyEvent::Finished(Finish { reason, word }));
    }

    fn event(&mut self, event: &sse::Event, out: &mut Vec<ReplyEvent>) {
        if self.over {
            return;
        }
        let data = event.data.trim();
        if data == "[DONE]" {
            self.known = true;
            return self.finish(true, out);
        }
        if data.is_empty() {
            return;
        }
        if event.name == "error" {
            let failure = self.asked.refused_inside(&ErrorBody::read(data), self.begun());
            return self.fail(failure, out);
        }
        self.chunk(data, out);
    }

    fn chunk(&mut self, data: &str, out: &mut Vec<ReplyEvent>) {
        let chunk: Chunk = match serde_json::from_str(data) {
            Ok(chunk) => chunk,
            Err(why) => {
                let failure = self.asked.malformed(&format!("{why} in: {data}"), self.begun());
                return self.fail(failure, out);
            }
        };
        let told = |value: &Option<Value>, word| value.as_ref().and_then(Value::as_str) == Some(word);
        let is_error = chunk.error.as_ref().is_some_and(|e| !e.is_null())
            || told(&chunk.object, "error")
            || told(&chunk.kind, "error")
            || (chunk.choices.is_none() && chunk.detail.is_some());
        let choices = chunk.choices.unwrap_or_default();
        self.known |= !choices.is_empty();
        for choice in choices {
            self.choice(choice, out);
        }
        let groq = chunk.x_groq.as_ref().and_then(|x| x.get("usage"));
        if let Some(usage) = chunk.usage.as_ref().or(groq).and_then(usage) {
            self.usage = Some(usage);
        }
        if is_error {
            let body = serde_json::from_str(data).map(|v| ErrorBody::of(&v)).unwrap_or_default();
            let failure = self.asked.refused_inside(&body, self.begun());
            self.fail(failure, out);
        }
    }

    fn choice(&mut self, choice: Choice, out: &mut Vec<ReplyEvent>) {
        if choice.index.unwrap_or(0) != 0 || self.over {
            return;
        }
        let mut text = choice.text.unwrap_or_default();
        let mut reasoning = String::new();
        for said in [choice.delta, choice.message].into_iter().flatten() {
            self.said(said, &mut text, &mut reasoning);
        }
        self.length += text.len() + reasoning.len();
        push(out, reasoning, ReplyEvent::Reasoning);
        push(out, text, ReplyEvent::Delta);
        if let Some(Value::String(word)) = choice.finish_reason
            && !word.is_empty()
        {
            self.finish = Some(word);
        }
        if self.length + self.calls.bytes() > LONGEST {
            let failure = Asked::too_long(LONGEST);
            self.fail(failure, out);
        }
    }

    fn said(&mut self, said: Said, text: &mut String, reasoning: &mut String) {
        // Some servers send the same reasoning under both names.
        if let Some(piece) = said.reasoning_content.or(said.reasoning) {
            let mut inner = String::new();
            piece.split_into(reasoning, &mut inner);
            reasoning.push_str(&inner);
        }
        if let Some(piece) = said.content {
            piece.split_into(text, reasoning);
        }
        text.push_str(said.refusal.as_deref().unwrap_or_default());
        for piece in said.tool_calls.unwrap_or_default() {
            self.calls.add(piece);
        }
        if let Some(function) = said.function_call {
            self.calls.add_function(function);
        }
    }

    fn stream(&mut self, bytes: &[u8], out: &mut Vec<ReplyEvent>) {
        let Form::Stream(parser) = &mut self.form else { return };
        let mut parser = std::mem::take(parser);
        let read = parser.feed(bytes, &mut |event| self.event(&event, out));
        self.form = Form::Stream(parser);
        if let Err(why) = read {
            let failure = self.asked.malformed(&why.to_string(), self.begun());
            self.fail(failure, out);
        }
    }

    /// The body was no stream: a whole completion, an error, or something else.
    fn whole(&mut self, body: &[u8], end: End, out: &mut Vec<ReplyEvent>) {
        let text = String::from_utf8_lossy(body);
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.starts_with('<') {
            let failure = self.asked.not_a_model(None, "a web page");
            return self.fail(failure, out);
        }
        if serde_json::from_str::<Value>(text).is_err() {
            let failure = match end {
                End::Cut => self.asked.cut(false),
                End::Closed => self.asked.malformed(&format!("no JSON: {text}"), false),
            };
            return self.fail(failure, out);
        }
        self.chunk(text, out);
        if self.over {
        } else if self.known {
            self.finish(false, out);
        } else {
            let failure = self.asked.not_a_model(None, "something else");
            self.fail(failure, out);
        }
    }
}

impl Decoder for OpenAiDecoder {
    fn feed(&mut self, bytes: &[u8], out: &mut Vec<ReplyEvent>) {
        if self.over {
            return;
        }
        if let Form::Unknown(before) = &mut self.form {
            before.extend_from_slice(bytes);
            let mark = b"\xEF\xBB\xBF";
            let after_mark = before.strip_prefix(mark).unwrap_or(before);
            let first = after_mark.iter().find(|b| !b.is_ascii_whitespace()).copied();
            if mark.starts_with(before) || (first.is_none() && before.len() < 1024) {
                return;
            }
            let before = std::mem::take(before);
            if matches!(first, Some(b'{' | b'[' | b'<')) {
                self.form = Form::Whole(before);
            } else {
                self.form = Form::Stream(sse::Parser::default());
                self.stream(&before, out);
            }
        } else if let Form::Whole(body) = &mut self.form {
            body.extend_from_slice(bytes);
        } else {
            self.stream(bytes, out);
        }
        if matches!(&self.form, Form::Whole(body) if body.len() > LONGEST_BODY) {
            self.form = Form::Unknown(Vec::new());
            let failure = Asked::too_long(LONGEST_BODY);
            self.fail(failure, out);
        }
    }

    fn end(&mut self, end: End, out: &mut Vec<ReplyEvent>) {
        if self.over {
            return;
        }
        match std::mem::replace(&mut self.form, Form::Unknown(Vec::new())) {
            Form::Whole(body) => return self.whole(&body, end, out),
            Form::Stream(parser) => {
                // A last line without its end counts if it can be read; a torn one is what is missing.
                if let Some((event, whole)) = parser.end()
                    && (whole || event.data == "[DONE]" || serde_json::from_str::<Value>(&event.data).is_ok())
                    && (whole || end == End::Closed || self.finish.is_some())
                {
                    self.event(&event, out);
                }
            }
            Form::Unknown(_) => {}
        }
        if self.over {
            return;
        }
        if self.finish.is_some() {
            // The model had said that it is done; only counts can be missing.
            self.finish(true, out);
        } else if end == End::Cut {
            let failure = self.asked.cut(self.begun());
            self.fail(failure, out);
        } else if self.known {
            self.finish(false, out);
        } else {
            let failure = self.asked.not_a_model(None, "nothing that is a reply");
            self.fail(failure, out);
        }
    }

    fn settled(&self) -> bool {
        self.finish.is_some()
    }
}

/// Adds a piece, to the piece before it where that is of the same kind.
fn push(out: &mut Vec<ReplyEvent>, piece: String, kind: fn(String) -> ReplyEvent) {
    if piece.is_empty() {
        return;
    }
    let event = kind(piece);
    match (out.last_mut(), &event) {
        (Some(ReplyEvent::Delta(before)), ReplyEvent::Delta(more))
        | (Some(ReplyEvent::Reasoning(before)), ReplyEvent::Reasoning(more)) => before.push_str(more),
        _ => out.push(event),
    }
}

#[cfg(test)]
mod tests;
