//! Selects text with the mouse: a drag selects text of one pane, a double press a word, a triple press a line;
//! releasing the button copies the selection. A press released at the same position is a click; a drag that
//! selects nothing does nothing.

use super::{Ctx, Screen, UiCommand};
use crate::tui::panes::selection::Selection;
use ratatui::layout::Rect;
use std::time::{Duration, Instant};

/// The time between two rows while the mouse is held beyond the edge of the pane.
const SCROLL_INTERVAL: Duration = Duration::from_millis(60);

/// A selection in progress.
#[derive(Clone, Copy, Debug)]
pub(super) struct SelectionDrag {
    selection: Selection,
    /// The position of the mouse.
    at: (u16, u16),
    /// Whether the mouse moved since the press.
    moved: bool,
    /// While the mouse is beyond the edge: the direction, and when to scroll by the next row.
    scrolls: Option<(isize, Instant)>,
}

impl Screen {
    /// Handles the first, second or third press on a selectable text; returns whether there was one.
    pub(super) fn start_selection(&mut self, column: u16, row: u16, count: u8, ctx: Ctx<'_>) -> bool {
        self.drag = None;
        let Some(pane) = self.arrangement.pane_at(column, row) else { return false };
        let (text, area) = self.panes.screen_text(pane, ctx.state, ctx.draw);
        let Some(place) = text.place_at(area, column, row).filter(|_| area.contains((column, row).into()))
        else {
            return false;
        };
        let began = match count {
            1 => (place, place),
            2 => text.word(place).unwrap_or((place, place)),
            _ => text.whole_line(place).unwrap_or((place, place)),
        };
        let selection = Selection::new(pane, began);
        self.panes.selection = (count > 1).then_some(selection);
        self.drag = Some(SelectionDrag { selection, at: (column, row), moved: false, scrolls: None });
        true
    }

    /// Handles a mouse move with the button held.
    pub(super) fn drag_to(&mut self, column: u16, row: u16, ctx: Ctx<'_>) {
        let Some(drag) = self.drag.as_mut().filter(|_| self.overlays.is_empty()) else { return };
        if drag.at == (column, row) && self.panes.selection.is_none() {
            return;
        }
        drag.moved |= drag.at != (column, row);
        drag.at = (column, row);
        self.drag_selection(ctx);
        self.scroll_beyond(ctx);
    }

    /// Extends the selection to the mouse.
    fn drag_selection(&mut self, ctx: Ctx<'_>) {
        let Some(drag) = self.drag else { return };
        let pane = drag.selection.pane;
        let (text, area) = self.panes.screen_text(pane, ctx.state, ctx.draw);
        let Some((column, row)) = within(area, drag.at) else { return };
        if let Some(place) = text.place_at(area, column, row) {
            let selection = self.panes.selection.get_or_insert(drag.selection);
            selection.reach(place);
        }
    }

    /// Scrolls the pane while the mouse is beyond its edge: at once, then row by row.
    fn scroll_beyond(&mut self, ctx: Ctx<'_>) {
        let Some(pane) = self.drag.map(|drag| drag.selection.pane) else { return };
        let area = self.arrangement.slot(pane).map(|slot| slot.inner).unwrap_or_default();
        let Some(drag) = &mut self.drag else { return };
        let direction = match drag.at.1 {
            row if row < area.y => -1,
            row if row >= area.bottom() => 1,
            _ => {
                drag.scrolls = None;
                return;
            }
        };
        let due = drag.scrolls.map_or(ctx.at, |(_, due)| due);
        drag.scrolls = Some((direction, due));
    }

    /// When the next row is due.
    pub(super) fn next_dragged_row(&self) -> Option<Instant> {
        self.drag.and_then(|drag| drag.scrolls).map(|(_, due)| due)
    }

    /// Scrolls by the next row if it is due; returns whether it did.
    pub(super) fn drag_on(&mut self, ctx: Ctx<'_>) -> bool {
        let Some(drag) = &mut self.drag else { return false };
        let Some((direction, _)) = drag.scrolls.filter(|(_, due)| *due <= ctx.at) else { return false };
        drag.scrolls = Some((direction, ctx.at + SCROLL_INTERVAL));
        let pane = drag.selection.pane;
        self.scroll(pane, direction, ctx);
        self.drag_selection(ctx);
        true
    }

    /// Handles the release of the button: copies the selection; returns whether there is one.
    pub(super) fn end_selection(&mut self, ctx: Ctx<'_>) -> bool {
        let Some(drag) = self.drag.take() else { return false };
        let text = self.panes.selected_text(ctx.state, ctx.draw);
        if text.is_none() {
            self.panes.selection = None;
            if !drag.moved {
                self.click(drag.at.0, drag.at.1);
            }
        }
        let is_selected = text.is_some();
        self.commands.extend(text.map(UiCommand::Copy));
        is_selected
    }

    pub(super) fn clear_selection(&mut self) {
        self.panes.selection = None;
        self.drag = None;
    }
}

/// The position in an area nearest to this one; `None` for an empty area.
fn within(area: Rect, (column, row): (u16, u16)) -> Option<(u16, u16)> {
    if area.is_empty() {
        return None;
    }
    // Above the area, the start of the first row counts; below it, the end of the last.
    let column = match row {
        row if row < area.y => area.x,
        row if row >= area.bottom() => area.right(),
        _ => column.clamp(area.x, area.right()),
    };
    Some((column, row.clamp(area.y, area.bottom() - 1)))
}
