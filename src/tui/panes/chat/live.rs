//! The live end of the conversation: the streaming reply, and what waits to be sent.
//!
//! Segments that can't change any more are laid out once; only the prose at the end is laid out as it grows. So a token
//! costs the same however long the reply is.

use super::head::{gap, speaker};
use super::item;
use crate::domain::sentences::sending;
use crate::engine::reply::{Proposal, Segment};
use crate::engine::state::LiveReply;
use crate::engine::{BlockState, Phase, State};
use crate::text::number::size;
use crate::tui::paint::markdown;
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::{safe, words};
use ratatui::text::{Line, Span};

/// What the settled part was laid out from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SettledStamp {
    step: u32,
    /// How many segments are settled.
    segments: usize,
    width: u16,
    /// How many items come before.
    items: usize,
    has_reasoning: bool,
}

/// The rows after the last item.
#[derive(Debug, Default)]
pub(super) struct Live {
    stamp: Option<SettledStamp>,
    settled: Vec<Line<'static>>,
    /// The prose that still grows: its step and its start in the reply. `stream` has its rows.
    growing: Option<(u32, usize)>,
    stream: markdown::MarkdownStream,
    after: Vec<Line<'static>>,
}

impl Live {
    /// Forgets everything, for another width or theme.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(super) fn len(&self) -> usize {
        self.settled.len() + self.grown().len() + self.after.len()
    }

    fn grown(&self) -> &[Line<'static>] {
        if self.growing.is_some() { self.stream.rows() } else { &[] }
    }

    pub(super) fn line(&self, row: usize) -> Option<&Line<'static>> {
        self.settled.iter().chain(self.grown()).chain(&self.after).nth(row)
    }

    /// Lays out what changed.
    pub(super) fn update(&mut self, state: &State, width: u16, draw: DrawContext<'_>) {
        self.after.clear();
        let at = state.transcript.items.len();
        match &state.live.reply {
            Some(reply) => self.reply(state, reply, at, width, draw),
            None => {
                self.stamp = None;
                self.settled.clear();
                self.growing = None;
            }
        }
        if let Phase::Stuck(failure) = &state.phase {
            let text = format!(
                "!! {}: {}",
                sending::unanswered(failure.departure),
                safe::one_line(&failure.message)
            );
            self.after.extend(safe::wrap_words(&text, width.into(), draw.style(Slot::StatusError)));
        }
        for command in &state.live.commands {
            gap(&mut self.after, at);
            self.after.push(queued_by_you(sending::queued_command_mark(state.live.leaves), draw));
            self.after.extend(safe::wrap_words(&format!("!{command}"), width.into(), draw.dim()));
        }
        if let Some(queued) = &state.live.queued {
            gap(&mut self.after, at);
            self.after.push(queued_by_you(sending::queued_mark(state.live.leaves), draw));
            self.after.extend(safe::wrap_words(queued.text.trim_end(), width.into(), draw.dim()));
            if !queued.files.is_empty() {
                let files = sending::with_files(&queued.files, size);
                self.after.extend(safe::wrap_words(&files, width.into(), draw.dim()));
            }
        }
    }

    fn reply(&mut self, state: &State, reply: &LiveReply, at: usize, width: u16, draw: DrawContext<'_>) {
        let known = state.transcript.blocks.keys().next_back().map_or(0, |id| id.0);
        let segments = reply.segments.len().saturating_sub(1);
        let has_reasoning = !reply.reasoning.is_empty();
        let stamp = SettledStamp { step: reply.step.0, segments, width, items: at, has_reasoning };
        if self.stamp != Some(stamp) {
            self.stamp = Some(stamp);
            self.settle(reply, stamp, known, draw);
        }
        if has_reasoning && let Some(row) = self.settled.get_mut(usize::from(at > 0) + 1) {
            *row = item::reasoning(&reply.reasoning, draw);
        }
        self.growing = None;
        match reply.segments.last() {
            Some(Segment::Prose(range)) => {
                let prose = reply.text.get(range.clone()).unwrap_or_default();
                self.growing = Some((reply.step.0, range.start));
                self.stream.update((reply.step.0, range.start), prose, width, draw.markdown());
            }
            Some(Segment::Block(block)) => {
                let blocks = reply.segments.iter().filter(|s| matches!(s, Segment::Block(_))).count();
                let number = known.saturating_add(u32::try_from(blocks).unwrap_or(0));
                self.after.push(block_row(number, block, draw));
            }
            None => {
                let text = match reply.retry {
                    None => format!("{} waiting for the first word", draw.spinner()),
                    Some(_) => "waiting to try again".into(),
                };
                self.after.push(Line::styled(text, draw.dim()));
            }
        }
    }

    /// Lays out the segments that can't change any more.
    fn settle(&mut self, reply: &LiveReply, stamp: SettledStamp, known: u32, draw: DrawContext<'_>) {
        self.settled.clear();
        gap(&mut self.settled, stamp.items);
        let since = reply.first_at.unwrap_or(reply.since);
        self.settled.push(speaker("model", since, Slot::ChatModel, draw));
        if stamp.has_reasoning {
            self.settled.push(Line::default());
        }
        let mut number = known;
        for segment in reply.segments.iter().take(stamp.segments) {
            match segment {
                Segment::Prose(range) => {
                    let prose = reply.text.get(range.clone()).unwrap_or_default();
                    item::prose_rows(prose, stamp.width, draw, &mut self.settled);
                }
                Segment::Block(block) => {
                    number += 1;
                    self.settled.push(block_row(number, block, draw));
                }
            }
        }
    }
}

/// The first row of what the person typed during a turn.
fn queued_by_you(mark: &str, draw: DrawContext<'_>) -> Line<'static> {
    Line::from(vec![
        Span::styled("you", draw.style(Slot::ChatUser)),
        Span::styled(format!("  {mark}"), draw.dim()),
    ])
}

/// The row of a block that is being written, or has just been written.
fn block_row(number: u32, block: &Proposal, draw: DrawContext<'_>) -> Line<'static> {
    let language = safe::one_line(block.language.as_ref().map_or("text", |l| l.as_str()));
    let lines = words::count(words::line_count(&block.source), "line");
    let style = draw.block(BlockState::Writing);
    if !block.closed {
        let text = format!("{} writing block {number} ({language}, {lines} so far)", draw.spinner());
        return Line::styled(text, style);
    }
    let language = safe::cut(&language, item::MAX_LANGUAGE_COLUMNS);
    let (head, word) = item::block_head(number, &language, BlockState::Writing);
    Line::from(vec![
        Span::styled(head, draw.text()),
        Span::styled(word, style),
        Span::styled(lines, draw.dim()),
    ])
}
