//! The decoder of every wire: pieces come from [`Framing`], what one wire makes of a piece is its [`PieceDecoder`], and what
//! came so far is [`Accumulator`].
//!
//! What was read is never taken for more than it is: a stream that breaks has `Failed(Cut)`, one that ends without saying
//! why has `Finished(Incomplete)`, a piece that can't be read has `Failed(Malformed)`.

use super::accumulator::Accumulator;
use super::failure::{ErrorBody, ServerIdentity};
use super::framing::{FramePiece, Framing, FramingError, MAX_BODY_BYTES};
use super::server::Access;
use super::wire::{End, WireDecoder};
use crate::domain::ReplyEvent;
use serde_json::Value;

/// What one wire makes of the pieces of a reply.
pub(super) trait PieceDecoder: Send {
    /// Whether nothing of the reply but counts comes behind the reason of its end. Where it does, the reason alone tells
    /// nothing: the reply is whole when the server ends it in good order.
    const REASON_IS_LAST: bool = true;

    fn piece(&mut self, value: Value, so_far: &mut Accumulator);
    /// The reply is about to end in good order: what was held back is handed over.
    fn ending(&mut self, so_far: &mut Accumulator) {
        let _ = so_far;
    }
}

pub(super) struct ReplyDecoder<R> {
    framing: Framing,
    reading: R,
    so_far: Accumulator,
}

impl<R: PieceDecoder> ReplyDecoder<R> {
    /// A decoder for one reply. `lines`: the wire has a piece a line.
    pub(super) fn new(access: &Access, lines: bool, reading: R) -> Self {
        let so_far = Accumulator::new(access.next_reply(), access.asked.clone(), access.secrets.clone());
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
            // A list inside of a stream of events, or of a list: errors come like this.
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

    /// The body was no stream: a reply in one piece, an error, or something else.
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

    /// Whether the model has said that it is done, and that settles it.
    fn is_settled(&self) -> bool {
        R::REASON_IS_LAST && self.so_far.is_finished()
    }

    fn take_events(&mut self, out: &mut Vec<ReplyEvent>) {
        out.append(&mut self.so_far.out);
    }

    fn on_closed(&mut self, end: End) {
        if let Some(piece) = self.framing.end(end, self.is_settled()) {
            if piece.whole { self.read_whole(&piece, end) } else { self.piece(&piece) }
        }
        if self.so_far.is_over() {
        } else if self.is_settled() || (self.so_far.is_finished() && end == End::Closed) {
            // The model had said that it is done; only counts can be missing.
            self.finish(true);
        } else if end == End::Cut {
            let failure = self.so_far.server().cut(self.so_far.has_begun());
            self.so_far.fail(failure);
        } else if self.so_far.is_known() {
            self.finish(false);
        } else {
            let failure = self.so_far.server().not_a_model(None, "nothing that is a reply");
            self.so_far.fail(failure);
        }
    }
}

impl<R: PieceDecoder> WireDecoder for ReplyDecoder<R> {
    fn feed(&mut self, bytes: &[u8], out: &mut Vec<ReplyEvent>) {
        if self.so_far.is_over() {
            return;
        }
        let mut framing = std::mem::replace(&mut self.framing, Framing::new(false));
        let read = framing.feed(bytes, &mut |piece| self.piece(&piece));
        self.framing = framing;
        match read {
            Ok(()) => {}
            Err(FramingError::Body) => self.so_far.fail(ServerIdentity::too_long(MAX_BODY_BYTES)),
            Err(FramingError::Piece(why)) => self.so_far.fail_malformed(&why),
        }
        self.take_events(out);
    }

    fn end(&mut self, end: End, out: &mut Vec<ReplyEvent>) {
        if !self.so_far.is_over() {
            self.on_closed(end);
        }
        self.take_events(out);
    }

    fn settled(&self) -> bool {
        self.is_settled()
    }
}
