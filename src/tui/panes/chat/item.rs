//! Lays out one item of the conversation.

use super::head::{gap, speaker};
use super::recipe;
use crate::domain::sentences::sending;
use crate::domain::{BlockId, BlockKind, FinishReason, RecipeFact, TurnEnd};
use crate::engine::transcript::{BlockItem, BlockStatus, Item, LoadState, MessageAway, ReplyItem};
use crate::engine::{BlockState, State};
use crate::text::number::size;
use crate::tui::paint::markdown;
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::{safe, words};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// The text of an item, as it was written.
pub(super) fn text(state: &State, at: usize) -> Option<&str> {
    if state.transcript.message_away(at).is_some() {
        return None;
    }
    match state.transcript.items.get(at)? {
        Item::Prompt { text, .. } => Some(text),
        Item::Reply(reply) => Some(reply.text()).filter(|text| !text.trim().is_empty()),
        other => match other.fact()? {
            RecipeFact::Ended { summary, .. } if !summary.trim().is_empty() => Some(summary),
            _ => None,
        },
    }
}

/// A hash that changes when an item has to be laid out anew for any reason but the width, which the caller compares.
pub(super) fn stamp(state: &State, at: usize, draw: DrawContext<'_>) -> u64 {
    let Some(shown @ (Item::Reply(_) | Item::Own { .. } | Item::Prompt { .. })) =
        state.transcript.items.get(at)
    else {
        return 0;
    };
    let mut hasher = DefaultHasher::new();
    state.transcript.message_away(at).map(|(_, out)| out.load).hash(&mut hasher);
    for item in shown.blocks().iter().filter_map(|id| state.transcript.blocks.get(id)) {
        let block_state = state.block_state(item);
        (block_state.to_string(), item.runs.len(), item.block.versions.len()).hash(&mut hasher);
        if block_state == BlockState::Running {
            item.runs.last().map(|r| draw.now.since(r.approved_at) / 1000).hash(&mut hasher);
        }
        if item.status == BlockStatus::Open {
            state.inspected(item.block.id).map(|i| i.review.findings.len()).hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// Which rows of an item show blocks: row and block.
pub(super) type BlockPlaces = Vec<(usize, BlockId)>;

/// The rows of an item, and which of them show blocks.
pub(super) fn rows(
    state: &State,
    at: usize,
    width: u16,
    draw: DrawContext<'_>,
) -> (Vec<Line<'static>>, BlockPlaces) {
    let (mut rows, mut places) = (Vec::new(), Vec::new());
    let Some(item) = state.transcript.items.get(at) else { return (rows, places) };
    match item {
        Item::Prompt { at: when, text, files } => {
            gap(&mut rows, at);
            rows.push(speaker("you", *when, Slot::ChatUser, draw));
            if let Some((_, out)) = state.transcript.message_away(at) {
                rows.push(Line::styled(paged_out(out), draw.style(Slot::ChatNote)));
                return (rows, places);
            }
            rows.extend(safe::wrap_words(text.trim_end(), width.into(), draw.text()));
            if !files.is_empty() {
                let files = sending::with_files(files, size);
                rows.extend(safe::wrap_words(&files, width.into(), draw.style(Slot::ChatNote)));
            }
        }
        Item::Reply(reply) => {
            gap(&mut rows, at);
            rows.push(speaker("model", reply.at, Slot::ChatModel, draw));
            reply_rows(state, reply, width, draw, (&mut rows, &mut places));
        }
        Item::Own { at: when, block } => {
            gap(&mut rows, at);
            let item = state.transcript.blocks.get(block);
            let (who, slot) = match item {
                Some(item) if item.block.origin.typed => ("you", Slot::ChatUser),
                _ => ("sayso", Slot::ChatNote),
            };
            rows.push(speaker(who, *when, slot, draw));
            if let Some(item) = item {
                let note = item.block.origin.note.as_deref().unwrap_or_default();
                rows.extend(safe::wrap_words(note, width.into(), draw.style(Slot::ChatNote)));
                places.push((rows.len(), item.block.id));
                rows.extend(block_rows(state, item, width, draw));
            }
        }
        Item::Recipe { at: when, fact } => rows.extend(recipe::rows(state, at, *when, fact, width, draw)),
        other => {
            if let Some((text, style)) = note(other, draw) {
                gap(&mut rows, at);
                rows.extend(safe::wrap_words(&text, width.into(), style));
            }
        }
    }
    (rows, places)
}

/// What the conversation notes between prompt and reply.
fn note(item: &Item, draw: DrawContext<'_>) -> Option<(String, Style)> {
    let style = draw.style(Slot::ChatNote);
    let text = match item {
        Item::Prompt { .. } | Item::Reply(_) | Item::Own { .. } | Item::Recipe { .. } => return None,
        Item::Resumed { at } => {
            format!(
                "Opened again at {}. {}.",
                draw.locale.hour(*at),
                crate::domain::sentences::saving::not_kept(0)
            )
        }
        Item::KernelRestarted { .. } => "New kernel. Variables are gone.".into(),
        Item::Model { model, .. } => {
            format!("Replies come from {} from here on.", safe::one_line(&model.to_string()))
        }
        Item::Summary(summary) => format!(
            "A summary of what is older is told to the model from here on: {}",
            safe::one_line(&summary.text)
        ),
        Item::TurnEnd { end, .. } => match end {
            TurnEnd::Answered => return None,
            // Stopped by the person, or because a run was lost or did not start: the block says which.
            TurnEnd::Stopped => "The turn ended here.".into(),
            TurnEnd::StepLimit => "Ended at the step limit.".into(),
            TurnEnd::Repeated => "Ended: the same block was proposed again and again.".into(),
            TurnEnd::Budget => "Ended at the session budget.".into(),
            TurnEnd::Failed(failure) => {
                return Some((
                    format!("!! {}", safe::one_line(&failure.message)),
                    draw.style(Slot::StatusError),
                ));
            }
        },
    };
    Some((text, style))
}

/// The rows of a reply: prose as markdown, blocks as one row each, in their order.
fn reply_rows(
    state: &State,
    reply: &ReplyItem,
    width: u16,
    draw: DrawContext<'_>,
    (rows, places): (&mut Vec<Line<'static>>, &mut BlockPlaces),
) {
    if let Some(out) = reply.paged_out {
        rows.push(Line::styled(paged_out(out), draw.style(Slot::ChatNote)));
        for item in reply.blocks.iter().filter_map(|id| state.transcript.blocks.get(id)) {
            places.push((rows.len(), item.block.id));
            rows.extend(block_rows(state, item, width, draw));
        }
        return;
    }
    if !reply.reasoning().trim().is_empty() {
        rows.push(reasoning(reply.reasoning(), draw));
    }
    let mut at = 0;
    for item in reply.blocks.iter().filter_map(|id| state.transcript.blocks.get(id)) {
        let range = &item.block.origin.range;
        if let Some(prose) = reply.text().get(at..range.start.max(at)) {
            prose_rows(prose, width, draw, rows);
        }
        places.push((rows.len(), item.block.id));
        rows.extend(block_rows(state, item, width, draw));
        at = range.end.max(at);
    }
    if let Some(prose) = reply.text().get(at..) {
        prose_rows(prose, width, draw, rows);
    }
    for refused in &reply.refused {
        let text = format!("! a tool call came to no block: {}", safe::one_line(&refused.why));
        rows.extend(safe::wrap_words(&text, width.into(), draw.style(Slot::StatusWarn)));
    }
    let warn = match reply.finish.reason {
        FinishReason::Stop | FinishReason::ToolCalls => return,
        // The end of the turn says so.
        FinishReason::Incomplete if reply.finish.word.as_deref() == Some("stopped") => return,
        FinishReason::Length => "cut: the model reached its length limit",
        FinishReason::Filter => "cut: the provider's content filter",
        FinishReason::Incomplete => "cut: the stream ended early",
    };
    rows.push(Line::styled(format!("! {warn}"), draw.style(Slot::StatusWarn)));
}

/// What is shown instead of a message that is not in memory.
fn paged_out(out: MessageAway) -> String {
    let bytes = size(out.bytes.into());
    match out.load {
        LoadState::Lost => format!("{bytes} that can't be read again"),
        LoadState::Away | LoadState::Loading => format!("{bytes} are being read"),
    }
}

pub(super) fn prose_rows(prose: &str, width: u16, draw: DrawContext<'_>, rows: &mut Vec<Line<'static>>) {
    if !prose.trim().is_empty() {
        rows.extend(markdown::lines(prose, width, draw.markdown(), draw.links));
    }
}

/// The row for folded reasoning: how many words it has.
pub(super) fn reasoning(text: &str, draw: DrawContext<'_>) -> Line<'static> {
    let words = words::count(text.split_whitespace().count(), "word");
    Line::styled(format!("  reasoning, {words}"), draw.dim())
}

/// The most columns for a language; shorter names are padded to seven.
pub(super) const MAX_LANGUAGE_COLUMNS: usize = 10;

/// If the details of a block had fewer columns than this, its row is not aligned in columns.
const MIN_DETAIL_COLUMNS: usize = 12;

/// The first two columns of a block's row: its number with its language, and its state.
pub(super) fn block_head(number: u32, language: &str, state: BlockState) -> (String, String) {
    (format!("  block {number:<3}{language:<7} "), format!("{:<11} ", format!("[{state}]")))
}

/// A block as one row (number, language, state, details); below it the reason why it was rejected or declined.
fn block_rows(state: &State, item: &BlockItem, width: u16, draw: DrawContext<'_>) -> Vec<Line<'static>> {
    let block_state = state.block_state(item);
    let language = safe::cut(words::language_of(item), MAX_LANGUAGE_COLUMNS);
    let (mut head, mut word) = block_head(item.block.id.0, &language, block_state);
    let detail = detail(state, item, block_state, draw);
    let mut room = usize::from(width).saturating_sub(head.len() + word.len());
    let shown = if room < MIN_DETAIL_COLUMNS {
        // Without alignment there is room for at least the first detail.
        (head, word) = (format!("  block {} {language} ", item.block.id.0), format!("[{block_state}] "));
        room = usize::from(width).saturating_sub(head.len() + word.len());
        safe::whole_parts(&detail, room).to_owned()
    } else {
        safe::cut(&detail, room)
    };
    let mut rows = vec![Line::from(vec![
        Span::styled(head, draw.text()),
        Span::styled(word, draw.block(block_state)),
        Span::styled(shown, draw.dim()),
    ])];
    let (by, why) = match &item.status {
        BlockStatus::Declined(why) if matches!(item.block.kind, BlockKind::Edit { .. }) => ("  edit: ", why),
        BlockStatus::Declined(why) => ("  recipe: ", why),
        BlockStatus::Rejected(reason) if !reason.trim().is_empty() => ("  you: ", reason),
        _ => return rows,
    };
    let style = draw.style(Slot::ChatNote);
    rows.extend(safe::hanging(Span::styled(by, style), why.trim(), width.into(), style));
    rows
}

fn detail(state: &State, item: &BlockItem, block_state: BlockState, draw: DrawContext<'_>) -> String {
    let source = &item.block.current().source;
    match block_state {
        BlockState::Waiting | BlockState::Edited | BlockState::Queued => {
            let lines = words::count(words::line_count(source), "line");
            let findings = state.inspected(item.block.id).and_then(|i| {
                if i.review.unchecked.is_some() {
                    return Some("  not checked".to_owned());
                }
                let gravest = i.review.gravest()?;
                Some(format!("  {} {}", i.review.count(gravest), gravest.as_str()))
            });
            format!("{lines}{}", findings.unwrap_or_default())
        }
        BlockState::Running => item
            .runs
            .last()
            .map(|r| format!("{} s", draw.now.since(r.approved_at) / 1000))
            .unwrap_or_default(),
        BlockState::Rejected | BlockState::Declined | BlockState::Skipped => "not run".into(),
        BlockState::Lost => "its end is not known".into(),
        _ => {
            let report = item.runs.last().and_then(|r| r.ended.as_ref()).map(|(_, report)| report);
            let time = report.map(|r| words::duration(r.receipt.wall_us / 1000)).unwrap_or_default();
            let rule = item.runs.last().and_then(|r| r.by.rule());
            let time = rule.map_or(time.clone(), |rule| format!("{time}  by rule {rule} "));
            let files = report.map_or(0, |r| {
                // The receipt names only the first ones.
                r.receipt.files.len() + r.receipt.not_looked_at.changes as usize
            });
            if files > 0 {
                format!("{time:<6} {} changed", words::count(files, "file"))
            } else {
                format!("{time:<7} {}", safe::one_line(words::first_line(source)))
            }
        }
    }
}
