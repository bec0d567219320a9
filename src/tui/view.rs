//! Views: functions from the state, the screen and the theme to cells. They decide nothing.

mod code_title;
pub(crate) mod header;
pub(crate) mod keybar;
pub(crate) mod message;
pub(crate) mod overlay;
pub(crate) mod problems;
pub(crate) mod status;

use super::panes::LowerPane;
use super::screen::{Ctx, Screen};
use crate::engine::State;
use crate::tui::action::Action;
use crate::tui::keymap::Context;
use crate::tui::paint::canvas::Canvas;
use crate::tui::panes::vars::VarsPane;
use crate::tui::theme::Slot as Colour;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::frame::Title;
use crate::tui::widgets::hits::Hits;
use crate::tui::widgets::layout::{Pane, SizeClass, Slot};
use crate::tui::widgets::virtual_list::EndKeys;
use crate::tui::widgets::{frame, safe};
use ratatui::layout::Position;

/// What drawing a frame returns.
#[derive(Debug, Default)]
pub struct FrameResult {
    /// Where to put the cursor.
    pub cursor: Option<Position>,
    /// What can be clicked.
    pub hits: Hits,
}

/// Draws the whole screen as it was arranged.
pub fn draw(screen: &Screen, ctx: Ctx<'_>, buf: &mut Canvas) -> FrameResult {
    let Ctx { state, draw, .. } = ctx;
    let area = screen.arrangement.area;
    buf.set_blank(area, draw.text());
    if screen.arrangement.class == SizeClass::TooSmall {
        let rows = safe::wrap_words(status::TOO_SMALL, area.width.into(), draw.style(Colour::StatusWarn));
        buf.set_lines(area, &rows);
        return FrameResult::default();
    }
    let tabs = if screen.bare_pane.is_none() { header::draw(screen, ctx, buf) } else { Vec::new() };
    frame::all(buf, &frames(screen, ctx), draw);
    if screen.arrangement.chat.is_some() {
        screen.panes.chat.draw(screen.panes.focus == Pane::Chat, buf, draw);
    }
    let mut fields = Vec::new();
    let mut cursor = draw_code(screen, state, buf, draw);
    let of_program = draw_lower(screen, state, buf, draw);
    cursor = of_program.filter(|_| screen.forwards_keys() && screen.overlays.is_empty()).or(cursor);
    screen.panes.draw_marks(buf, draw);
    if screen.arrangement.message.is_some() {
        cursor = message::draw(screen, ctx, &mut fields, buf).or(cursor);
    }
    status::draw(screen, ctx, buf);
    let buttons = keybar::draw(screen, ctx, buf);
    if let Some(top) = screen.overlays.last().filter(|top| top.in_message().is_none()) {
        cursor = overlay::draw(top.as_ref(), screen, ctx, &mut fields, buf);
    }
    let is_covered = !screen.overlays.is_empty() || screen.arrangement.chat.is_none();
    let prompts = if is_covered { Vec::new() } else { screen.panes.chat.prompts().collect() };
    FrameResult { cursor, hits: Hits { buttons, tabs, fields, prompts } }
}

/// The panes that are on screen, with the titles in their borders.
fn frames(screen: &Screen, ctx: Ctx<'_>) -> Vec<(Slot, Title)> {
    let Ctx { state, draw, .. } = ctx;
    let made = &screen.arrangement;
    let titles = [
        made.chat.map(|slot| (slot, chat_title(screen, state))),
        made.code.map(|slot| (slot, code_title::title(screen, ctx))),
        made.output.map(|slot| (slot, lower_title(screen, state, draw))),
        made.message.map(|slot| (slot, message::title(screen))),
    ];
    // An overlay above the panes has the keys.
    let covered = screen.overlays.last().is_some_and(|top| top.in_message().is_none());
    let seen = |(slot, title): (Slot, Title)| {
        let focused = title.focused && !covered;
        (slot, Title { focused, ..title })
    };
    titles.into_iter().flatten().map(seen).collect()
}

fn chat_title(screen: &Screen, state: &State) -> Title {
    let focused = screen.panes.focus == Pane::Chat;
    let keys = match screen.panes.focus {
        Pane::Chat => EndKeys::End(screen.keymap.hint(Context::Chat, Action::ScrollEnd)),
        // In the message box that key scrolls the conversation, but a waiting block comes first.
        Pane::Message if state.waiting().is_none() => {
            EndKeys::Page(screen.keymap.hint(Context::Message, Action::ScrollPageDown))
        }
        _ => EndKeys::None,
    };
    Title { left: "Chat".into(), right: screen.panes.chat.position_text(&keys), focused, style: None }
}

fn lower_title(screen: &Screen, state: &State, draw: DrawContext<'_>) -> Title {
    let focused = screen.panes.focus == Pane::Output;
    match screen.panes.lower {
        LowerPane::Output => {
            let end = screen.keymap.hint(Context::Done, Action::ScrollEnd);
            let keys = if focused { EndKeys::End(end) } else { EndKeys::None };
            screen.panes.output.title(state, focused, &keys, draw)
        }
        LowerPane::Vars => VarsPane::title(state, focused, draw),
        LowerPane::Problems => Title { left: "Problems".into(), focused, ..Title::default() },
    }
}

fn draw_code(screen: &Screen, state: &State, buf: &mut Canvas, draw: DrawContext<'_>) -> Option<Position> {
    screen.arrangement.code?;
    let cursor = screen.panes.code.draw(state, buf, draw);
    cursor.filter(|_| screen.panes.focus == Pane::Code && screen.overlays.is_empty())
}

fn draw_lower(screen: &Screen, state: &State, buf: &mut Canvas, draw: DrawContext<'_>) -> Option<Position> {
    let slot = screen.arrangement.output?;
    let focused = screen.panes.focus == Pane::Output;
    match screen.panes.lower {
        LowerPane::Output => return screen.panes.output.draw(buf, draw),
        LowerPane::Vars => screen.panes.vars.draw(state, focused, buf, draw),
        LowerPane::Problems => problems::draw(screen, state, slot.inner, buf, draw),
    }
    None
}
