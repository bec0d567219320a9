//! The decoder that all formats share: [`Framing`] splits the bytes into pieces, the [`PieceDecoder`] of a format
//! interprets each piece, and [`Accumulator`] collects the reply.
//!
//! A damaged reply never passes for a complete one: a broken stream ends with `Failed(Cut)`, one that ends without a
//! reason with `Finished(Incomplete)`, an unreadable piece with `Failed(Malformed)`.

use super::accumulator::Accumulator;
use super::failure::ErrorBody;
use super::framing::{End, FramePiece, Framing, FramingError, MAX_BODY_BYTES};
use super::retry::RetryAdvice;
use super::server::CheckedServer;
use crate::domain::ReplyEvent;
use serde_json::Value;

/// Interprets the pieces of a reply for one format.
pub(super) trait PieceDecoder: Send {
    /// Whether only token counts can follow the reason for ending. Where more can follow, the reason alone does not
    /// complete the reply: the server has to end it normally.
    fn reason_is_last(&self) -> bool {
        true
    }

    fn piece(&mut self, value: Value, so_far: &mut Accumulator);
    /// Called before a reply ends normally; adds what was held back.
    fn ending(&mut self, _so_far: &mut Accumulator) {}
}

/// Decodes one reply. After `Finished` or `Failed` it adds no more events.
pub(super) struct ReplyDecoder {
    framing: Framing,
    reading: Box<dyn PieceDecoder>,
    so_far: Accumulator,
}

impl ReplyDecoder {
    /// A decoder for one reply. `lines`: the format sends one piece per line.
    pub(super) fn new(access: &CheckedServer, lines: bool, reading: Box<dyn PieceDecoder>) -> Self {
        let so_far = Accumulator::new(access.next_reply(), access.identity.clone(), access.secrets.clone());
        Self { framing: Framing::new(lines), reading, so_far }
    }

    fn finish(&mut self, done: bool) {
        if !self.so_far.is_over() {
            self.reading.ending(&mut self.so_far);
            self.so_far.end(done);
        }
    }

    fn piece(&mut self, piece: &FramePiece) {
        let so_far = &mut self.so_far;
        let data = piece.data.trim();
        if so_far.is_over() || data.is_empty() {
            return;
        }
        if data == "[DONE]" {
            so_far.mark_known();
            return self.finish(true);
        }
        if piece.name == "error" {
            return so_far.fail_refused(&ErrorBody::read(data));
        }
        match serde_json::from_str::<Value>(data) {
            Ok(value) if value.is_object() => self.reading.piece(value, so_far),
            // A list inside a stream or inside another list: some errors arrive like this.
            Ok(Value::Array(values)) if values.iter().all(Value::is_object) => {
                for value in values {
                    self.reading.piece(value, so_far);
                }
            }
            Ok(_) => so_far.fail_malformed(&format!("no object: {data}")),
            Err(why) => so_far.fail_malformed(&format!("{why} in: {data}")),
        }
        self.so_far.check_length();
    }

    /// Reads a body that is not a stream: a whole reply, an error, or something else.
    fn read_whole(&mut self, piece: &FramePiece, end: End) {
        let data = piece.data.trim();
        if data.starts_with('<') {
            let failure = self.so_far.server().not_a_model(None, "a web page");
            return self.so_far.fail(failure);
        }
        if serde_json::from_str::<Value>(data).is_err() {
            let asked = self.so_far.server();
            let failure = match end {
                End::Cut => asked.cut(false),
                End::Closed => asked.malformed(&format!("no JSON: {data}"), false),
            };
            return self.so_far.fail(failure);
        }
        self.piece(piece);
    }

    fn on_closed(&mut self, end: End) {
        if let Some(piece) = self.framing.end(end, self.only_counts_follow()) {
            if piece.whole { self.read_whole(&piece, end) } else { self.piece(&piece) }
        }
        if self.so_far.is_over() {
        } else if self.only_counts_follow() || (self.so_far.is_finished() && end == End::Closed) {
            // The model had given its reason for ending; only counts can be missing.
            self.finish(true);
        } else if end == End::Cut {
            let failure = self.so_far.server().cut(self.so_far.has_shown());
            self.so_far.fail(failure);
        } else if self.so_far.is_known() {
            self.finish(false);
        } else {
            let failure = self.so_far.server().not_a_model(None, "nothing that is a reply");
            self.so_far.fail(failure);
        }
    }

    /// Reads more bytes of the reply and adds its events.
    pub(super) fn feed(&mut self, bytes: &[u8], out: &mut Vec<ReplyEvent>) {
        if self.so_far.is_over() {
            return;
        }
        let mut framing = std::mem::replace(&mut self.framing, Framing::new(false));
        let read = framing.feed(bytes, &mut |piece| self.piece(&piece));
        self.framing = framing;
        match read {
            Ok(()) => {}
            Err(FramingError::Body) => self.so_far.fail_too_long(MAX_BODY_BYTES),
            Err(FramingError::Piece(why)) => self.so_far.fail_malformed(&why.to_string()),
        }
        out.append(&mut self.so_far.out);
    }

    /// Ends the reply as its bytes ended, and adds its last events.
    pub(super) fn end(&mut self, end: End, out: &mut Vec<ReplyEvent>) {
        if !self.so_far.is_over() {
            self.on_closed(end);
        }
        out.append(&mut self.so_far.out);
    }

    /// Whether the model gave its reason for ending, and only token counts can follow it.
    pub(super) fn only_counts_follow(&self) -> bool {
        self.reading.reason_is_last() && self.so_far.is_finished()
    }

    /// How much of the reply came so far, also of what becomes an event only at its end. Once it is not zero, the
    /// request is not retried.
    pub(super) fn content_bytes(&self) -> usize {
        self.so_far.content_bytes()
    }

    /// Whether to ask again, if the server refused within the reply.
    pub(super) fn retry_advice(&self) -> RetryAdvice {
        self.so_far.retry_advice()
    }
}
