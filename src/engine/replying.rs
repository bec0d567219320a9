//! Handles a streaming reply: its pieces as they arrive, and its end.
//!
//! Handling a piece takes the same time however long the reply already is: the parser keeps its position, and only the
//! last segments of the live copy are updated. The whole text is interpreted once, at the end.

mod closing;

use super::reply::think::{ThinkPiece, ThinkSplitter};
use super::reply::{Parser, Proposal, Segment, call};
use super::state::{LiveReply, Retry};
use super::{Effect, Engine, Phase, notices};
use crate::domain::{
    Dialect, FailureKind, Finish, FinishReason, Language, Notice, OpaqueItem, ReplyEvent, ReplyFailure,
    StepId, Timestamp, TurnEnd,
};
use closing::ReplyContent;

/// The `word` in the finish of a reply that the person stopped.
pub(super) const STOPPED: &str = "stopped";
/// The `word` in the finish of a reply that broke off because the provider failed.
pub(super) const FAILED: &str = "failed";

/// How many bytes at the end of an open block are compared before its new text is appended.
const OVERLAP_BYTES: usize = 256;

/// What is known of the streaming reply, besides the state.
#[derive(Debug)]
pub(super) struct ReplyStream {
    parser: Parser,
    splitter: ThinkSplitter,
    /// The dialect of the request.
    dialect: Dialect,
    kept: Vec<OpaqueItem>,
    /// Whether an executor was ordered to start ahead of time: only the first language of a reply counts.
    prewarmed: bool,
}

impl ReplyStream {
    /// Orders an executor to start ahead of time if this is the first language of code in the reply.
    fn prewarm(&mut self, language: Option<&Language>) -> Option<Effect> {
        let language = language.filter(|_| !self.prewarmed)?;
        self.prewarmed = true;
        Some(Effect::Prewarm(language.clone()))
    }
}

/// What becomes of the blocks when a reply ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockFate {
    /// They wait for decisions.
    Offered,
    /// They are skipped, because the reply broke off. The person may put them back.
    Skipped,
    /// As `Skipped`, but the reply is recorded even if it is empty.
    EndedEarly,
}

impl Engine {
    /// Begins an empty reply for a request.
    pub(super) fn open_reply(&mut self, reply: LiveReply) {
        self.stream = Some(ReplyStream {
            parser: Parser::new(self.dialect(), &self.settings.languages),
            dialect: self.dialect(),
            splitter: ThinkSplitter::default(),
            kept: Vec::new(),
            prewarmed: false,
        });
        self.state.live.reply = Some(reply);
    }

    /// Forgets the current reply.
    pub(super) fn drop_reply(&mut self) {
        self.stream = None;
        self.state.live.reply = None;
    }

    /// Handles an event of a reply. Events of another step are stale and dropped.
    pub(super) fn reply(&mut self, step: StepId, event: ReplyEvent) {
        if self.state.phase != Phase::Replying(step) {
            return;
        }
        match event {
            ReplyEvent::Finished(finish) => return self.reply_finished(finish),
            ReplyEvent::Failed(failure) => return self.reply_failed(failure),
            ReplyEvent::Remark(text) => return self.notify(Notice::warn(text)),
            _ => {}
        }
        let (Some(reply), Some(stream)) = (&mut self.state.live.reply, &mut self.stream) else { return };
        match event {
            ReplyEvent::Delta(text) => {
                note_arrival(reply, self.now);
                let pieces = stream.splitter.push(&text);
                let changed = take_pieces(reply, &mut stream.parser, pieces);
                let changed = reply.segments.get(changed..).unwrap_or_default();
                self.effects.extend(stream.prewarm(changed.iter().find_map(language_of_code)));
            }
            ReplyEvent::Reasoning(text) => {
                note_arrival(reply, self.now);
                reply.reasoning.push_str(&text);
            }
            ReplyEvent::ToolCall(call) => {
                note_arrival(reply, self.now);
                let proposed = call::read(&call.name, &call.arguments, &self.settings.languages, false).ok();
                let code = proposed.filter(|proposed| proposed.special_kind.is_none());
                let language = code.and_then(|code| code.language);
                self.effects.extend(stream.prewarm(language.as_ref()));
                reply.calls.push(call);
            }
            ReplyEvent::Usage(usage) => reply.usage = Some(usage),
            ReplyEvent::Retrying { attempt, of, wait_ms, failure } => {
                reply.retry = Some(Retry { attempt, of, due: self.now.plus(wait_ms), failure });
            }
            ReplyEvent::Sent => reply.retry = None,
            ReplyEvent::Kept(kept) => stream.kept.push(kept),
            ReplyEvent::Remark(_) | ReplyEvent::Finished(_) | ReplyEvent::Failed(_) => {}
        }
    }

    fn reply_finished(&mut self, finish: Finish) {
        let reason = finish.reason;
        // A connection closed without an error before the model said that it is done cut the reply all the same.
        let early = reason == FinishReason::Incomplete && finish.word.is_none();
        let fate = if early { BlockFate::EndedEarly } else { BlockFate::Offered };
        let ReplyContent { mut blocks, refused, empty } = self.close_reply(finish, fate);
        if early && !blocks.is_empty() {
            self.notify(notices::ended_early(&blocks));
            blocks.clear();
        } else if let Some(notice) = notices::finish(reason) {
            self.notify(notice);
        } else if empty {
            self.notify(notices::empty_reply());
        }
        for why in &refused {
            self.notify(notices::call_refused(why, true));
            // The model learns of it with the next request; if the reply was cut, there is no use in that.
            self.turn.unreported_results |= reason.complete();
        }
        let blocks = self.filter_blocks(blocks);
        if blocks.is_empty() && self.turn.workflow.is_some() {
            return self.follow_workflow();
        }
        if blocks.is_empty() && !self.turn.unreported_results {
            return self.finish(TurnEnd::Answered);
        }
        self.inspect_ahead(&blocks);
        self.detect_repeats(&blocks);
    }

    fn reply_failed(&mut self, failure: ReplyFailure) {
        let asked = self.stream.as_ref().map(|stream| stream.dialect);
        let is_tried_again =
            failure.kind == FailureKind::NoTools && asked.is_some_and(|asked| self.give_up_tools(asked));
        self.close_early(FAILED);
        if is_tried_again { self.send_request() } else { self.fail_turn(failure) }
    }

    /// The person stops the reply: its text so far is kept, and the turn ends. During the wait for a retry, only that
    /// wait ends.
    pub(super) fn stop_reply(&mut self, step: StepId) {
        self.effects.push(Effect::CancelAsk(step));
        let waiting = self.state.live.reply.as_mut().and_then(|reply| reply.retry.take());
        let before = self.state.transcript.version;
        self.close_early(STOPPED);
        if let Some(retry) = waiting {
            self.fail_turn(retry.failure);
        } else {
            self.notify(notices::stopped(self.state.transcript.version > before));
            self.finish(TurnEnd::Stopped);
        }
    }

    /// Ends a reply that broke off: what came of it is kept, and its blocks are skipped.
    fn close_early(&mut self, word: &str) {
        let finish = Finish { reason: FinishReason::Incomplete, word: Some(word.into()) };
        for why in self.close_reply(finish, BlockFate::Skipped).refused {
            // A reply that failed is left out of later requests.
            self.notify(notices::call_refused(&why, word != FAILED));
        }
    }
}

/// Adds pieces to the live reply and its parser; returns the index of the first segment that may have changed.
fn take_pieces(
    reply: &mut LiveReply,
    parser: &mut Parser,
    pieces: impl IntoIterator<Item = ThinkPiece>,
) -> usize {
    let mut changed = reply.segments.len();
    for piece in pieces {
        match piece {
            ThinkPiece::Text(text) => {
                reply.text.push_str(&text);
                parser.push(&text);
                changed = changed.min(follow(&mut reply.segments, parser.segments()));
            }
            ThinkPiece::Reasoning(text) => reply.reasoning.push_str(&text),
        }
    }
    changed
}

fn note_arrival(reply: &mut LiveReply, now: Timestamp) {
    reply.first_at.get_or_insert(now);
    reply.retry = None;
}

fn language_of_code(segment: &Segment) -> Option<&Language> {
    match segment {
        Segment::Block(proposed) if proposed.special_kind.is_none() => proposed.language.as_ref(),
        _ => None,
    }
}

/// Updates the live copy from the parser. Segments before the last ones no longer change, so only the last are
/// compared. Returns the index of the first segment that may have changed.
fn follow(live: &mut Vec<Segment>, parsed: &[Segment]) -> usize {
    // A new segment may shorten the one before it, which was the last until now.
    let start = live.len().min(parsed.len()).saturating_sub(2);
    live.truncate(parsed.len());
    for (at, segment) in parsed.iter().enumerate().skip(start) {
        match (live.get_mut(at), segment) {
            (Some(Segment::Block(old)), Segment::Block(new)) => follow_block(old, new),
            (Some(old), new) => old.clone_from(new),
            (None, new) => live.push(new.clone()),
        }
    }
    start
}

/// Updates a block. An open block mostly grows at its end: then only the new text is copied.
fn follow_block(old: &mut Proposal, new: &Proposal) {
    let known = old.source.len();
    let tail = known.saturating_sub(OVERLAP_BYTES);
    let grown = old.range.start == new.range.start
        && new.source.as_bytes().get(tail..known) == old.source.as_bytes().get(tail..);
    if let (true, Some(more)) = (grown, new.source.get(known..)) {
        old.source.push_str(more);
        old.language.clone_from(&new.language);
        old.info.clone_from(&new.info);
        old.dialect = new.dialect;
        old.range = new.range.clone();
        old.lines = new.lines;
        old.closed = new.closed;
        old.special_kind.clone_from(&new.special_kind);
        old.note.clone_from(&new.note);
    } else {
        old.clone_from(new);
    }
}

/// Feeds pieces to a parser and a live copy, and checks after each that both are equal.
#[cfg(test)]
pub(super) fn follow_all(settings: &super::Settings, pieces: &[String]) {
    let mut parser = Parser::new(settings.dialect.unwrap_or_default(), &settings.languages);
    let mut live = Vec::new();
    for piece in pieces {
        parser.push(piece);
        follow(&mut live, parser.segments());
        assert_eq!(live, parser.segments());
    }
}
