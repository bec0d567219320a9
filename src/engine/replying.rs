//! A reply: its pieces as they arrive, and its end.
//!
//! A piece costs the same however long the reply already is: the parser keeps its place, and only the last segments
//! of the live copy are brought up to date. What the whole text means is found out once, at the end.

use super::reply::{Parser, Proposed, Segment};
use super::state::{LiveReply, Retry};
use super::{Effect, Engine, Phase, notices};
use crate::domain::{
    Block, BlockId, BlockKind, Dialect, Entry, FailureKind, Finish, FinishReason, Kept, Notice, Origin,
    ReplyEvent, ReplyFailure, Revision, StepId, ToolCall, TurnEnd, Version,
};

/// The provider's word of a reply that the person stopped.
pub(super) const STOPPED: &str = "stopped";
/// The provider's word of a reply that broke off because the provider failed.
pub(super) const FAILED: &str = "failed";

/// How much of the end of an open block is compared before its new text is added behind.
const OVERLAP: usize = 256;

/// What is known of the reply that streams, beside the state.
#[derive(Debug)]
pub(super) struct Stream {
    parser: Parser,
    /// The dialect in which it was asked for.
    dialect: Dialect,
    tool_calls: Vec<ToolCall>,
    kept: Vec<Kept>,
    foreseen: bool,
}

/// What becomes of the blocks of a reply that has ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Blocks {
    /// They wait for decisions.
    Offered,
    /// They are skipped: the reply broke off. The person may put them back.
    Shelved,
}

impl Engine {
    /// A request has gone out: its reply starts empty.
    pub(super) fn open_reply(&mut self, reply: LiveReply) {
        self.stream = Some(Stream {
            parser: Parser::new(self.dialect(), &self.settings.languages),
            dialect: self.dialect(),
            tool_calls: Vec::new(),
            kept: Vec::new(),
            foreseen: false,
        });
        self.state.live.reply = Some(reply);
    }

    /// No reply is waited for any more.
    pub(super) fn drop_reply(&mut self) {
        self.stream = None;
        self.state.live.reply = None;
    }

    /// Something of a reply arrived. What belongs to another step than the one that is waited for is stale.
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
                arrived(reply, self.now);
                reply.text.push_str(&text);
                stream.parser.push(&text);
                let changed = follow(&mut reply.segments, stream.parser.segments());
                if !stream.foreseen {
                    let language =
                        reply.segments.get(changed..).unwrap_or_default().iter().find_map(language);
                    if let Some(language) = language {
                        stream.foreseen = true;
                        self.effects.push(Effect::Foresee(language.clone()));
                    }
                }
            }
            ReplyEvent::Reasoning(text) => {
                arrived(reply, self.now);
                reply.reasoning.push_str(&text);
            }
            ReplyEvent::ToolCall(call) => {
                arrived(reply, self.now);
                stream.tool_calls.push(call);
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
        let blocks = self.close_reply(finish, Blocks::Offered);
        if let Some(notice) = notices::finish(reason) {
            self.notify(notice);
        }
        if blocks.is_empty() {
            return self.finish(TurnEnd::Answered);
        }
        self.look_ahead(&blocks);
        self.weigh(&blocks);
    }

    fn reply_failed(&mut self, failure: ReplyFailure) {
        let asked = self.stream.as_ref().map(|stream| stream.dialect);
        if failure.kind == FailureKind::NoTools && asked.is_some_and(|asked| self.give_up_tools(asked)) {
            let finish = Finish { reason: FinishReason::Incomplete, word: Some(FAILED.into()) };
            self.close_reply(finish, Blocks::Shelved);
            return self.send_request();
        }
        let finish = Finish { reason: FinishReason::Incomplete, word: Some(FAILED.into()) };
        self.close_reply(finish, Blocks::Shelved);
        self.get_stuck(failure);
    }

    /// The person stops the reply: what came is kept, and the turn is over. A wait before a repetition only ends.
    pub(super) fn stop_reply(&mut self, step: StepId) {
        self.effects.push(Effect::CancelAsk(step));
        let waiting = self.state.live.reply.as_mut().and_then(|reply| reply.retry.take());
        let finish = Finish { reason: FinishReason::Incomplete, word: Some(STOPPED.into()) };
        let before = self.state.transcript.version;
        self.close_reply(finish, Blocks::Shelved);
        if let Some(retry) = waiting {
            self.get_stuck(retry.failure);
        } else {
            self.notify(notices::stopped(self.state.transcript.version > before));
            self.finish(TurnEnd::Stopped);
        }
    }

    /// Records the reply and its blocks. A reply that broke off before anything came leaves nothing.
    fn close_reply(&mut self, finish: Finish, fate: Blocks) -> Vec<BlockId> {
        let (Some(reply), Some(stream)) = (self.state.live.reply.take(), self.stream.take()) else {
            return Vec::new();
        };
        let empty = reply.text.is_empty() && reply.reasoning.is_empty() && stream.tool_calls.is_empty();
        if fate == Blocks::Shelved && empty {
            return Vec::new();
        }
        let (text, segments) = stream.parser.finish(finish.reason.complete());
        self.record(Entry::Reply {
            step: reply.step,
            text,
            reasoning: reply.reasoning,
            tool_calls: stream.tool_calls,
            kept: stream.kept,
            finish,
            usage: reply.usage.unwrap_or_default(),
        });
        let mut blocks = Vec::new();
        for segment in segments {
            // An empty block is nothing to run: it stays a part of the prose.
            let Segment::Block(proposed) = segment else { continue };
            if proposed.source.trim().is_empty() {
                continue;
            }
            self.counted.block = self.counted.block.next();
            let block = self.counted.block;
            self.record(Entry::Block(propose(block, reply.step, proposed)));
            if fate == Blocks::Shelved {
                self.record(Entry::Skipped { block, revision: Revision(1) });
            }
            blocks.push(block);
        }
        blocks
    }
}

fn arrived(reply: &mut LiveReply, now: crate::domain::Moment) {
    reply.first_at.get_or_insert(now);
    reply.retry = None;
}

fn propose(id: BlockId, step: StepId, proposed: Proposed) -> Block {
    Block {
        id,
        step,
        kind: BlockKind::Code { language: proposed.language.clone() },
        origin: Origin {
            dialect: proposed.dialect,
            info: proposed.info,
            range: proposed.range,
            closed: proposed.closed,
            call: None,
            note: None,
        },
        versions: vec![Version {
            revision: Revision(1),
            source: proposed.source.into(),
            language: proposed.language,
            whole: proposed.closed,
        }],
    }
}

fn language(segment: &Segment) -> Option<&crate::domain::Language> {
    match segment {
        Segment::Block(proposed) => proposed.language.as_ref(),
        Segment::Prose(_) => None,
    }
}

/// Brings the live copy up to date with the parser. Segments that are followed by others no longer change, so only
/// the last of them are looked at. Returns the first place that may have changed.
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

/// An open block mostly grows at its end: then only what is new is copied.
fn follow_block(old: &mut Proposed, new: &Proposed) {
    let known = old.source.len();
    let tail = known.saturating_sub(OVERLAP);
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
    } else {
        old.clone_from(new);
    }
}

/// Feeds pieces to a parser and a live copy, and compares the two after each.
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
