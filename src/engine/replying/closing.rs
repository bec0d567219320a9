//! Ends a reply: interprets its whole text and its calls once, and records them.

use super::{BlockFate, take_pieces};
use crate::domain::{BlockId, Dialect, Entry, Finish, Origin, Revision, StepId, ToolCall, Version};
use crate::engine::Engine;
use crate::engine::call_error::CallError;
use crate::engine::reply::{Parser, Proposal, Segment, call, parse, reread, think};
use crate::text::line::one_line;
use std::collections::BTreeSet;

#[derive(Default)]
pub(super) struct ReplyContent {
    pub(super) blocks: Vec<BlockId>,
    /// Why calls became no block.
    pub(super) refused: Vec<String>,
    /// Whether it has neither text nor calls.
    pub(super) empty: bool,
}

impl Engine {
    /// Records the reply and its blocks. A reply that broke off before anything arrived is not recorded.
    pub(super) fn close_reply(&mut self, finish: Finish, fate: BlockFate) -> ReplyContent {
        let (Some(mut reply), Some(mut stream)) = (self.state.live.reply.take(), self.stream.take()) else {
            return ReplyContent::default();
        };
        take_pieces(&mut reply, &mut stream.parser, stream.splitter.finish());
        let empty = reply.is_empty();
        if fate == BlockFate::Skipped && empty {
            return ReplyContent::default();
        }
        let complete = finish.reason.complete();
        let dialect = stream.dialect;
        let (text, segments) = self.read_whole(stream.parser, dialect, &mut reply.reasoning, complete);
        name_calls(&mut reply.calls, reply.step);
        let calls = reply.calls.clone();
        self.record(Entry::Reply {
            step: reply.step,
            text: text.clone(),
            reasoning: reply.reasoning,
            tool_calls: reply.calls,
            kept: stream.kept,
            finish,
            usage: reply.usage.unwrap_or_default(),
        });
        let mut content =
            ReplyContent { empty: text.trim().is_empty() && calls.is_empty(), ..ReplyContent::default() };
        for segment in segments {
            let Segment::Block(proposed) = segment else { continue };
            // An empty code block is nothing to run and stays prose. An empty file can be written.
            if proposed.special_kind.is_some() || !proposed.source.trim().is_empty() {
                content.blocks.push(self.propose(reply.step, proposed, None, fate));
            }
        }
        for call in calls {
            match self.read_call(&call, complete) {
                Ok(mut proposed) => {
                    proposed.range = text.len()..text.len();
                    content.blocks.push(self.propose(reply.step, proposed, Some(call.id), fate));
                }
                Err(why) => {
                    let why = one_line(&why.in_dialect(dialect).to_string());
                    content.refused.push(why.clone());
                    self.record(Entry::CallRefused { step: reply.step, call: call.id, why });
                }
            }
        }
        content
    }

    /// The block that a call proposes: of one of the person's functions, or of a tool of sayso.
    fn read_call(&self, call: &ToolCall, complete: bool) -> Result<Proposal, CallError> {
        let of_function = self.call_of_function(call, complete);
        of_function
            .unwrap_or_else(|| call::read(&call.name, &call.arguments, &self.settings.languages, complete))
    }

    /// Interprets the whole text.
    fn read_whole(
        &self,
        parser: Parser,
        dialect: Dialect,
        reasoning: &mut String,
        complete: bool,
    ) -> (String, Vec<Segment>) {
        let languages = &self.settings.languages;
        let (mut text, mut segments) = parser.finish(complete);
        if let Some(at) = think::behind_stray_close(&text) {
            reasoning.push_str(text.get(..at).unwrap_or("").trim_end());
            text = text.get(at..).unwrap_or("").to_owned();
            segments = parse(&text, dialect, languages, complete);
        }
        let segments = reread(&text, segments, dialect, languages, complete);
        (text, segments)
    }

    fn propose(
        &mut self,
        step: StepId,
        proposed: Proposal,
        call: Option<String>,
        fate: BlockFate,
    ) -> BlockId {
        let kind = proposed.kind();
        let Proposal { dialect, info, range, closed, torn, note, source, language, .. } = proposed;
        let origin = Origin { dialect, info, range, closed, torn, call, note, own: false, typed: false };
        let first = Version { revision: Revision(1), source: source.into(), language, whole: closed };
        let block = self.propose_block(step, kind, origin, first);
        if fate != BlockFate::Offered {
            self.record(Entry::Skipped { block, revision: Revision(1) });
        }
        block
    }
}

/// Gives each call an id of its own: some servers send none, or the same for all.
fn name_calls(calls: &mut [ToolCall], step: StepId) {
    let mut seen = BTreeSet::new();
    for (at, call) in calls.iter_mut().enumerate() {
        if call.id.trim().is_empty() || seen.contains(&call.id) {
            let mut id = format!("call_{step}_{}", at + 1);
            while seen.contains(&id) {
                id.push('_');
            }
            call.id = id;
        }
        seen.insert(call.id.clone());
    }
}
