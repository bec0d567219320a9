//! The mouse in a text that is being written: a click puts the cursor there, a drag selects, two clicks select a word, three
//! a line. It decides nothing and copies nothing.

use super::Screen;
use crate::tui::editing::{Edit, Pos, Text};
use crate::tui::widgets::layout::{Edge, Pane};
use crate::tui::widgets::safe::Typed;
use ratatui::layout::{Position, Rect};
use std::time::{Duration, Instant};

/// Clicks on one place within this time belong together.
const TOGETHER: Duration = Duration::from_millis(400);

/// The click that came last, in a text.
#[derive(Debug, Default)]
pub(super) struct Clicks {
    last: Option<(Instant, (u16, u16))>,
    count: usize,
    /// What was selected by the first click, while the button is held.
    held: Option<(Pos, Pos)>,
}

impl Screen {
    /// The button goes down; `false`: not in a text.
    pub(super) fn click_in_text(&mut self, column: u16, row: u16, now: Instant) -> bool {
        self.clicks.held = None;
        let Some((pane, at)) = self.text_at(column, row, false) else { return false };
        let near = self.clicks.last.is_some_and(|(then, place)| {
            now.saturating_duration_since(then) <= TOGETHER && place == (column, row)
        });
        self.clicks.count = if near { self.clicks.count % 3 + 1 } else { 1 };
        self.clicks.last = Some((now, (column, row)));
        let count = self.clicks.count;
        self.panes.focus = pane;
        self.clicks.held = self.in_text(pane, |text| {
            let range = match count {
                1 => (at, at),
                2 => text.word_at(at),
                _ => (Pos::new(at.row, 0), Pos::new(at.row, text.row(at.row).len())),
            };
            text.select(range.0, range.1);
            if count == 1 {
                text.put_cursor(at);
            }
            range
        });
        true
    }

    /// The mouse moves with the button held; `false`: it was not pressed in a text.
    pub(super) fn drag_in_text(&mut self, column: u16, row: u16) -> bool {
        let Some((from, to)) = self.clicks.held else { return false };
        let Some((pane, at)) = self.text_at(column, row, true) else { return true };
        let by_word = self.clicks.count == 2;
        self.in_text(pane, |text| {
            let (first, last) = if by_word { text.word_at(at) } else { (at, at) };
            if at < from { text.select(to, first) } else { text.select(from, last.max(to)) }
        });
        true
    }

    /// The button is let go.
    pub(super) fn release_in_text(&mut self) {
        self.clicks.held = None;
    }

    /// Does something with the text of a pane; the keys of vim take what is selected as theirs.
    fn in_text<T>(&mut self, pane: Pane, act: impl FnOnce(&mut Text) -> T) -> Option<T> {
        if pane == Pane::Message {
            let done = act(self.panes.composer.field_mut().engine());
            self.panes.composer.settle();
            return Some(done);
        }
        let editor = self.panes.code.editor()?;
        let done = act(editor.engine());
        editor.settle();
        Some(done)
    }

    /// The pane whose text is shown in a cell, and the place in it; `held`: the nearest place of the one with the focus.
    fn text_at(&self, column: u16, row: u16, held: bool) -> Option<(Pane, Pos)> {
        let within = |area: Rect| area.contains(Position { x: column, y: row });
        let wanted = |pane: Pane, area: Rect| if held { self.panes.focus == pane } else { within(area) };
        if let Some(slot) = self.arrangement.message.filter(|slot| wanted(Pane::Message, slot.inner)) {
            if self.panes.composer.is_empty() || slot.edge == Edge::Bare && self.panes.focus != Pane::Message
            {
                return None;
            }
            let area = Rect { x: slot.inner.x + 2, width: slot.inner.width.saturating_sub(2), ..slot.inner };
            let (last_row, last_column) = (area.height.saturating_sub(1), area.width.saturating_sub(1));
            let cell =
                (row.saturating_sub(area.y).min(last_row), column.saturating_sub(area.x).min(last_column));
            let typed = Typed::of(self.panes.composer.field());
            let at = typed.at((cell.0.into(), cell.1.into()), area.width.into(), area.height.into());
            return Some((Pane::Message, at));
        }
        let slot = self.arrangement.code.filter(|slot| wanted(Pane::Code, slot.inner))?;
        let bottom = slot.inner.bottom().saturating_sub(1);
        let row = row.clamp(slot.inner.y, bottom.max(slot.inner.y));
        self.panes.code.edited_at(column, row).map(|at| (Pane::Code, at))
    }

    /// What a mouse selects in the text with the focus, and keys too, goes away.
    pub(super) fn keep_or_cut(&mut self, cut: bool) -> Option<String> {
        let pane = self.panes.focus;
        let text = self.in_text(pane, |text| text.selected())??;
        self.in_text(pane, |text| text.apply(if cut { Edit::Cut } else { Edit::Copy }));
        Some(text)
    }
}
