//! The mouse in editable text (the message box, the editor, a field of an overlay): a click moves the cursor, a
//! drag selects, a double click selects a word, a triple click a line. It decides nothing and copies nothing.

use super::Screen;
use crate::tui::editing::{Edit, Pos, Text};
use crate::tui::widgets::hits::FieldPlace;
use crate::tui::widgets::layout::{Edge, Pane};
use crate::tui::widgets::typed_text::TypedText;
use ratatui::layout::{Position, Rect};

/// An editable text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextTarget {
    Message,
    Editor,
    /// A field of the topmost overlay, as it was drawn.
    Field(FieldPlace),
}

/// The drag in progress while the button is held.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextDrag {
    text: TextTarget,
    /// The range that the press selected.
    from: Pos,
    to: Pos,
    by_word: bool,
}

impl Screen {
    /// Handles the first, second or third press at a position; `false`: not in an editable text.
    pub(super) fn click_in_text(&mut self, column: u16, row: u16, count: u8) -> bool {
        self.held_text = None;
        let Some(text) = self.text_at(column, row) else { return false };
        match text {
            TextTarget::Message => self.panes.focus = Pane::Message,
            TextTarget::Editor => self.panes.focus = Pane::Code,
            TextTarget::Field(place) => {
                let field = self.overlays.last_mut().and_then(|top| top.to_field(place.number));
                // Placing the cursor would reveal the length of a secret.
                if field.is_none_or(|field| field.is_secret) {
                    return true;
                }
            }
        }
        let Some(at) = self.place_in(text, column, row) else { return false };
        let range = self.in_text(text, |text| {
            let range = match count {
                1 => (at, at),
                2 => text.word_at(at),
                _ => (Pos::new(at.line, 0), Pos::new(at.line, text.line(at.line).len())),
            };
            text.select(range.0, range.1);
            if count == 1 {
                text.put_cursor(at);
            }
            range
        });
        self.held_text = range.map(|(from, to)| TextDrag { text, from, to, by_word: count == 2 });
        true
    }

    /// Handles a mouse move with the button held; `false`: the press was not in an editable text.
    pub(super) fn drag_in_text(&mut self, column: u16, row: u16) -> bool {
        let Some(TextDrag { text, from, to, by_word }) = self.held_text else { return false };
        let Some(at) = self.place_in(text, column, row) else { return true };
        self.in_text(text, |text| {
            let (first, last) = if by_word { text.word_at(at) } else { (at, at) };
            if at < from { text.select(to, first) } else { text.select(from, last.max(to)) }
        });
        true
    }

    /// Applies a function to a text; vim then takes over its selection.
    fn in_text<T>(&mut self, text: TextTarget, act: impl FnOnce(&mut Text) -> T) -> Option<T> {
        match text {
            TextTarget::Message => Some(self.panes.composer.field.change(act)),
            TextTarget::Editor => Some(self.panes.code.editor()?.field.change(act)),
            TextTarget::Field(_) => Some(self.overlays.last_mut()?.field()?.change(act)),
        }
    }

    /// The editable text drawn at a cell.
    fn text_at(&self, column: u16, row: u16) -> Option<TextTarget> {
        let cell = Position { x: column, y: row };
        if !self.overlays.is_empty() {
            let field = self.hits.fields.iter().find(|field| field.area.contains(cell))?;
            return Some(TextTarget::Field(*field));
        }
        if let Some(slot) = self.arrangement.message.filter(|slot| slot.inner.contains(cell)) {
            let is_hint = slot.edge == Edge::Bare && self.panes.focus != Pane::Message;
            return (!is_hint && !self.panes.composer.is_empty()).then_some(TextTarget::Message);
        }
        let slot = self.arrangement.code.filter(|slot| slot.inner.contains(cell))?;
        self.panes.code.edited_at(column, row.max(slot.inner.y)).map(|_| TextTarget::Editor)
    }

    /// The text position drawn at a cell, or the nearest one.
    fn place_in(&mut self, text: TextTarget, column: u16, row: u16) -> Option<Pos> {
        match text {
            TextTarget::Message => {
                let inner = self.arrangement.message?.inner;
                let area = Rect { x: inner.x + 2, width: inner.width.saturating_sub(2), ..inner };
                let typed = TypedText::of(&self.panes.composer.field);
                Some(typed.at(cell_in(area, column, row), area.width.into(), area.height.into()))
            }
            TextTarget::Editor => {
                let inner = self.arrangement.code?.inner;
                let bottom = inner.bottom().saturating_sub(1);
                self.panes.code.edited_at(column, row.clamp(inner.y, bottom.max(inner.y)))
            }
            TextTarget::Field(place) => {
                // It may have been drawn elsewhere since the press.
                let drawn = self.hits.fields.iter().find(|field| field.number == place.number);
                let place = drawn.copied().unwrap_or(place);
                let (row, column) = cell_in(place.area, column, row);
                let mut typed = TypedText::of(self.overlays.last_mut()?.field()?);
                if !place.here {
                    typed.cursor = Pos::default();
                }
                Some(typed.at((place.above + row, column), place.area.width.into(), place.rows))
            }
        }
    }

    /// Copies or cuts the selection in the focused text, and returns it for the clipboard.
    pub(super) fn copy_or_cut(&mut self, cut: bool) -> Option<String> {
        let text = if self.panes.focus == Pane::Message { TextTarget::Message } else { TextTarget::Editor };
        let selected = self.in_text(text, |text| text.selected())??;
        self.in_text(text, |text| text.apply(if cut { Edit::Cut } else { Edit::Copy }));
        Some(selected)
    }
}

/// The row and column of a cell within an area; for a cell outside, of the nearest one.
fn cell_in(area: Rect, column: u16, row: u16) -> (usize, usize) {
    let (last_row, last_column) = (area.height.saturating_sub(1), area.width.saturating_sub(1));
    (row.saturating_sub(area.y).min(last_row).into(), column.saturating_sub(area.x).min(last_column).into())
}
