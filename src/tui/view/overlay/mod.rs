//! Layers over the panes. Each makes a sheet of rows; here it is put into a box over the panes, or, where there is one
//! pane only, over the whole screen.

mod boxes;
mod form;
mod help;
mod limits;
mod lists;
mod models;
mod rules;
mod sessions;
mod status;
mod steps;
mod welcome;

pub(in crate::tui) use status::cost;
pub(in crate::tui) use steps::rows as step_rows;

use super::frame::{self, Title};
use super::look::Look;
use super::safe;
use crate::engine::State;
use crate::tui::screen::Screen;
use crate::tui::screen::field::Field;
use crate::tui::screen::layer::Layer;
use crate::tui::theme::Slot;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

/// What a layer shows.
pub(super) struct Sheet {
    title: String,
    rows: Vec<Line<'static>>,
    /// The row and column of the cursor.
    cursor: Option<(usize, usize)>,
}

impl Sheet {
    fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), rows: Vec::new(), cursor: None }
    }

    /// A row as it is.
    fn row(&mut self, line: Line<'static>) -> &mut Self {
        self.rows.push(line);
        self
    }

    /// An empty row.
    fn gap(&mut self) -> &mut Self {
        self.row(Line::default())
    }

    /// A text in words.
    fn words(&mut self, text: &str, width: u16, style: ratatui::style::Style) -> &mut Self {
        self.rows.extend(safe::words(text, width.into(), style));
        self
    }

    /// A rule across.
    fn rule(&mut self, width: u16, look: Look<'_>) -> &mut Self {
        self.row(Line::styled(look.glyphs.horizontal.repeat(width.into()), look.style(Slot::UiBorder)))
    }

    /// A field behind a head, with the cursor in it.
    fn field(&mut self, head: &str, field: &Field, width: u16, look: Look<'_>) -> &mut Self {
        let indent = head.chars().count();
        let room = usize::from(width).saturating_sub(indent).max(4);
        let hidden: Vec<String>;
        let rows = if field.is_secret() {
            hidden = field.rows().iter().map(|r| "*".repeat(r.chars().count().min(40))).collect();
            &hidden
        } else {
            field.rows()
        };
        let mut cursor = field.cursor();
        if field.is_secret() {
            cursor.1 = cursor.1.min(40);
        }
        let (lines, (row, column)) = safe::field(rows, cursor, room, look.text());
        let first = self.rows.len();
        for (at, mut line) in lines.into_iter().enumerate() {
            let head = if at == 0 { head.to_owned() } else { " ".repeat(indent) };
            line.spans.insert(0, Span::styled(head, look.dim()));
            self.rows.push(line);
        }
        self.cursor = Some((first + row, indent + column));
        self
    }
}

/// Columns that a layer would like to have for its content.
fn wish(layer: &Layer) -> u16 {
    match layer {
        Layer::Help(_) | Layer::Status(_) | Layer::Form(_) => 82,
        Layer::Recipes(_) => 90,
        Layer::Steps(_) => 110,
        Layer::Sessions(_) => 74,
        Layer::Confirm(_) | Layer::Reject(_) | Layer::Always(_) | Layer::Rules(_) => 72,
        Layer::Models(_) => 76,
        Layer::Commands(_) | Layer::OldMessages(_) => 70,
        Layer::Welcome(_) => 72,
        Layer::Ask(_) => 62,
        Layer::Limits(_) => 66,
        _ => 56,
    }
}

/// The room that a layer has for its content.
pub(in crate::tui) fn overlay_room(screen: &Screen, layer: &Layer) -> Rect {
    let made = &screen.arrangement;
    made.overlay(wish(layer) + 4, made.body.height).inner
}

/// Draws the topmost layer; returns where the cursor stands.
pub fn draw(screen: &Screen, state: &State, buf: &mut Buffer, look: Look<'_>) -> Option<Position> {
    let layer = screen.layers.last()?;
    if matches!(layer, Layer::Find(_)) {
        // The search stands in the message box.
        return None;
    }
    let room = overlay_room(screen, layer);
    let sheet = match layer {
        Layer::Welcome(welcome) => welcome::sheet(screen, welcome, room.width, look),
        Layer::Sessions(list) => sessions::sheet(list, room.width, room.height, look),
        Layer::Models(list) => models::sheet(list, state, room.width, room.height, look),
        Layer::Commands(list) => lists::commands(screen, list, room.width, room.height, look),
        Layer::Recipes(list) => lists::recipes(list, room.width, room.height, look),
        Layer::Form(form) => form::sheet(form, room.width, room.height, look),
        Layer::Steps(up) => steps::sheet(state, *up, room.width, room.height, look),
        Layer::OldMessages(list) => lists::old_messages(list, room.width, room.height, look),
        Layer::Language(block, list, cursor) => lists::languages(*block, list, *cursor, look),
        Layer::Help(help) => help::sheet(screen, help, room.width, room.height, look),
        Layer::Status(top) => status::sheet(screen, state, *top, room.width, room.height, look),
        Layer::Always(always) => rules::always(always, room.width, look),
        Layer::Rules(cursor) => rules::list(state, *cursor, room.width, room.height, look),
        Layer::Confirm(confirm) => boxes::confirm(state, confirm, room.width, look),
        Layer::Reject(reject) => boxes::reject(reject, room.width, look),
        Layer::Ask(ask) => boxes::ask(ask, room.width, look),
        Layer::Limits(form) => limits::sheet(form, room.width, look),
        Layer::Rename(field) => {
            boxes::one_field("Rename", "Another name for this session:", field, room.width, look)
        }
        Layer::Key(provider, field) => {
            let provider = safe::one_line(provider);
            let text =
                format!("Paste a key for {provider}. It stays in memory and is never written to a file.");
            boxes::one_field("Key", &text, field, room.width, look)
        }
        Layer::FindInEditor(field) => {
            boxes::one_field("Find", "Text to look for in this block:", field, room.width, look)
        }
        Layer::Find(_) => return None,
    };
    put(sheet, layer, screen, buf, look)
}

fn put(sheet: Sheet, layer: &Layer, screen: &Screen, buf: &mut Buffer, look: Look<'_>) -> Option<Position> {
    let height = u16::try_from(sheet.rows.len()).unwrap_or(u16::MAX).saturating_add(2);
    let slot = screen.arrangement.overlay(wish(layer) + 4, height);
    frame::clear(buf, slot.outer, look.style(Slot::UiOverlay));
    frame::draw(buf, slot, &Title { left: sheet.title, focused: true, ..Title::default() }, look);
    let area = slot.inner;
    // Where not all rows fit, the row with the cursor does.
    let cursor_row = sheet.cursor.map_or(0, |c| c.0);
    let first = (cursor_row + 1).saturating_sub(usize::from(area.height));
    for (y, row) in (area.y..area.bottom()).zip(sheet.rows.iter().skip(first)) {
        buf.set_line(area.x, y, row, area.width);
    }
    let (row, column) = sheet.cursor?;
    let x = area.x.checked_add(u16::try_from(column).ok()?)?.min(area.right().saturating_sub(1));
    let y = area.y.checked_add(u16::try_from(row - first).ok()?)?;
    let at = Position { x, y };
    area.contains(at).then_some(at)
}
