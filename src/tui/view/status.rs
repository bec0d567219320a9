//! The status row. By precedence: a waiting block, a problem, a run, a reply, a result, idle. Anything else follows
//! the wait; only a note that has no room behind it takes its place, until the next key.

mod activity;
mod row;
mod wait;

use super::header::sandbox_is_off;
use crate::domain::Level;
use crate::domain::sentences::sandbox;
use crate::engine::State;
use crate::engine::approval::check;
use crate::engine::transcript::BlockItem;
use crate::tui::guard::RefusalReason;
use crate::tui::note::{NO_BLOCK_WAITS, Note};
use crate::tui::paint::canvas::Canvas;
use crate::tui::screen::{Ctx, Screen};
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::layout::{Pane, SizeClass};
use crate::tui::widgets::safe;
use activity::going_on;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use row::RowText;
use std::time::Instant;
use unicode_width::UnicodeWidthStr;
use wait::{shortest_wait, unseen, unseen_match, wait_row};

/// What the window shows when it is too small for anything else.
pub(crate) const TOO_SMALL: &str =
    "Window too small: 50x12 needed. Decisions are locked. sayso --plain works in a smaller one.";

pub(crate) fn draw(screen: &Screen, ctx: Ctx<'_>, buf: &mut Canvas) {
    let area = screen.arrangement.status;
    let row = row(screen, ctx);
    let is_off = sandbox_is_off(ctx.state) && screen.overlays.is_empty();
    let mark = if is_off { sandbox::OFF_MARK.width() + 3 } else { 0 };
    let room = usize::from(area.width.saturating_sub(1)).saturating_sub(mark);
    let mut spans = vec![Span::raw(" "), Span::styled(row.fitted(room), row.style)];
    if is_off {
        spans.push(Span::styled(format!("   {}", sandbox::OFF_MARK), ctx.draw.style(Slot::SandboxOff)));
    }
    buf.set_line(area.x, area.y, &Line::from(spans), area.width);
}

/// The text of the row, and its style.
fn row(screen: &Screen, ctx: Ctx<'_>) -> RowText {
    let Ctx { state, draw, at } = ctx;
    if screen.arrangement.class == SizeClass::TooSmall {
        return (TOO_SMALL.to_owned(), draw.style(Slot::StatusWarn)).into();
    }
    if let Some(words) = screen.forwarding_words(state).filter(|_| screen.forwards_keys()) {
        return (words, draw.style(Slot::StatusWarn)).into();
    }
    if let Some(action) = screen.guard.held_action() {
        let of = match state.waiting() {
            Some(item) if screen.overlays.is_empty() && screen.panes.focus == Pane::Code => {
                format!("Block {}: ", item.block.id)
            }
            _ => String::new(),
        };
        let text = format!("{of}{}, any letter takes it back", action.words());
        return (text, draw.style(Slot::BlockPending)).into();
    }
    if let Some(text) = screen.overlays.last().and_then(|top| top.status(screen.overlay_context(ctx))) {
        let note = screen.note.as_ref();
        let note = note.filter(|note| note.explains_only().is_none() && !tells_ended_lock(note, screen, at));
        return match note {
            Some(note) => RowText::from((note_words(note, screen, state), level(note.level, draw))).marked(),
            None => (text, draw.style(Slot::StatusInfo)).into(),
        };
    }
    match screen.note.as_ref().filter(|note| !is_outranked(note, screen, ctx)) {
        Some(note) => note_row(note, screen, ctx),
        None => wait_row(screen, ctx).unwrap_or_else(|| going_on(screen, ctx).into()),
    }
}

/// Whether something more urgent has to replace this note.
fn is_outranked(note: &Note, screen: &Screen, Ctx { state, at, .. }: Ctx<'_>) -> bool {
    let goes_on = state.live.run.is_some() || state.live.reply.is_some();
    let asks = state.terminal().is_some() && state.live.run.as_ref().is_some_and(|run| run.asks);
    let waiting = state.waiting().map(|item| item.block.id);
    goes_on && note.is_stale(at)
        || asks && note.level == Level::Info
        || note.text == NO_BLOCK_WAITS && waiting.is_some()
        || note.explains_only().is_some() && (note.explains_only() != waiting || !screen.overlays.is_empty())
        || tells_ended_lock(note, screen, at)
}

/// Whether a note says that decisions are locked for a time which is over.
fn tells_ended_lock(note: &Note, screen: &Screen, now: Instant) -> bool {
    let why = screen.guard.approval_refusal(now);
    note.about_lock && !matches!(why, Some(RefusalReason::Appeared { .. } | RefusalReason::Quiet { .. }))
}

/// The words of a note. What it says about a key that approves is what the key does now.
fn note_words(note: &Note, screen: &Screen, state: &State) -> String {
    // Over an open overlay that key does nothing.
    let waiting = state.waiting().filter(|_| screen.overlays.is_empty());
    // The row itself says what is hidden if the note says nothing else.
    let is_hidden = note.explains_only().is_none() && screen.guard.rows().has_hidden();
    let hint = note.approving.as_ref().zip(waiting);
    let hint = hint.filter(|(hint, item)| !is_hidden && hint.block == item.block.id);
    let sentence = hint.map(|(hint, item)| {
        obstacle(screen, state, item).unwrap_or_else(|| hint.sentence(state.needs_typed(hint.block)))
    });
    match sentence {
        Some(sentence) => safe::one_line(format!("{} {sentence}", note.text).trim_start()),
        None => safe::one_line(&note.text),
    }
}

/// Why the waiting block can't be approved now, and the keys that change that.
fn obstacle(screen: &Screen, state: &State, item: &BlockItem) -> Option<String> {
    let refusal = check(state, item.block.id, item.block.current().revision, true).err()?;
    Some(screen.approval_obstacle(state, &refusal))
}

/// The row for a note; where a block waits, that comes first.
fn note_row(note: &Note, screen: &Screen, ctx: Ctx<'_>) -> RowText {
    let Ctx { state, draw, .. } = ctx;
    let text = note_words(note, screen, state);
    let pending = draw.style(Slot::BlockPending);
    match state.waiting() {
        // What is about to start by itself precedes everything else.
        Some(_) if screen.announced(state).or_else(|| unseen_match(screen, state)).is_some() => {
            (wait::wait(screen, ctx).unwrap_or(text), pending).into()
        }
        Some(item)
            if note.explains_only().is_some()
                && screen.guard.rows().has_hidden()
                && obstacle(screen, state, item).is_none() =>
        {
            (unseen(screen, item.block.id, screen.guard.rows().unseen_count()), pending).into()
        }
        Some(_) if note.about_waiting_block => (text, level(note.level, draw)).into(),
        // Everything else follows the wait in its shortest words.
        Some(item) => {
            let lead = shortest_wait(screen, state, item.block.id);
            // Don't name the block twice.
            let own = text.strip_prefix(&format!("Block {} would ", item.block.id));
            let text = own.map_or(text.clone(), |rest| format!("It would {rest}"));
            RowText { lead, text, style: pending, is_marked: true }
        }
        None if crate::tui::screen::has_problem(state) && note.level == Level::Error => {
            going_on(screen, ctx).into()
        }
        None => RowText::from((text, level(note.level, draw))).marked(),
    }
}

fn level(level: Level, draw: DrawContext<'_>) -> Style {
    draw.style(match level {
        Level::Info => Slot::StatusInfo,
        Level::Warn => Slot::StatusWarn,
        Level::Error => Slot::StatusError,
    })
}
