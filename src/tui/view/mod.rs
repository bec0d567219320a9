//! Views: functions of the state, of where the person stands, and of the theme → cells. They decide nothing.

pub mod chat;
pub mod code;
pub mod frame;
pub mod header;
pub mod keybar;
pub mod layout;
pub mod look;
pub mod message;
pub mod output;
pub mod overlay;
pub mod pictures;
pub mod problems;
pub mod recipe;
pub mod roll;
pub mod safe;
pub mod status;
pub mod vars;
pub mod words;

use super::screen::layer::Layer;
use super::screen::{Lower, Screen};
use crate::engine::State;
use crate::tui::theme::Slot;
use layout::{Class, Edge, Pane};
use look::Look;
use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use std::time::Instant;

/// The first entry to draw so that a chosen one is among `height` rows.
fn filter_window(chosen: usize, height: usize) -> usize {
    (chosen + 1).saturating_sub(height.max(1))
}

/// Draws the whole screen as it was arranged; returns where the cursor stands.
pub fn draw(
    screen: &mut Screen,
    state: &State,
    now: Instant,
    buf: &mut Buffer,
    look: Look<'_>,
) -> Option<Position> {
    frame::clear(buf, screen.arrangement.area, look.text());
    if screen.arrangement.class == Class::TooSmall {
        let area = screen.arrangement.area;
        let rows = safe::words(status::TOO_SMALL, area.width.into(), look.style(Slot::StatusWarn));
        for (y, row) in (area.y..area.bottom()).zip(&rows) {
            buf.set_line(area.x, y, row, area.width);
        }
        return None;
    }
    let mut cursor = None;
    if screen.alone.is_none() {
        header::draw(screen, state, buf, look);
    }
    draw_chat(screen, state, buf, look);
    cursor = draw_code(screen, state, now, buf, look).or(cursor);
    draw_lower(screen, state, buf, look);
    if let Some(slot) = screen.arrangement.message {
        frame::draw(buf, slot, &message::title(screen), look);
        cursor = message::draw(screen, state, buf, look).or(cursor);
    }
    status::draw(screen, state, now, buf, look);
    screen.buttons = keybar::draw(screen, state, buf, look);
    if screen.layers.is_empty() {
        return cursor;
    }
    if matches!(screen.layers.last(), Some(Layer::Find(_))) {
        return cursor;
    }
    overlay::draw(screen, state, buf, look)
}

fn draw_chat(screen: &mut Screen, state: &State, buf: &mut Buffer, look: Look<'_>) {
    let Some(slot) = screen.arrangement.chat else { return };
    let right = screen.chat.standing(state, look);
    let title = frame::Title { left: "Chat".into(), right, focused: screen.focus == Pane::Chat, style: None };
    if slot.edge != Edge::Bare {
        frame::draw(buf, slot, &title, look);
    }
    screen.chat.draw(state, buf, look);
}

fn draw_code(
    screen: &mut Screen,
    state: &State,
    now: Instant,
    buf: &mut Buffer,
    look: Look<'_>,
) -> Option<Position> {
    let slot = screen.arrangement.code?;
    let focused = screen.focus == Pane::Code;
    let title = code::title(&screen.code, state, &screen.guard, now, focused, look);
    frame::draw(buf, slot, &title, look);
    let cursor = code::draw(&mut screen.code, state, slot.inner, buf, look);
    cursor.filter(|_| focused && screen.layers.is_empty())
}

fn draw_lower(screen: &mut Screen, state: &State, buf: &mut Buffer, look: Look<'_>) {
    let Some(slot) = screen.arrangement.output else { return };
    let focused = matches!(screen.focus, Pane::Output | Pane::Vars);
    match screen.lower {
        Lower::Output => {
            let title = screen.output.title(state, focused, look);
            frame::draw(buf, slot, &title, look);
            screen.output.draw(buf, look);
        }
        Lower::Vars => {
            frame::draw(buf, slot, &screen.vars.title(state, focused, look), look);
            screen.vars.draw(state, focused, buf, look);
        }
        Lower::Problems => {
            frame::draw(buf, slot, &problems::title(focused), look);
            problems::draw(screen, state, slot.inner, buf, look);
        }
    }
}
