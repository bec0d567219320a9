//! Draws the box of the topmost overlay, over the panes or, where there is only one pane, over the whole screen.

use crate::engine::State;
use crate::tui::overlays::Overlay;
use crate::tui::paint::canvas::Canvas;
use crate::tui::screen::Screen;
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::frame::{self, Title};
use crate::tui::widgets::hits::FieldPlace;
use ratatui::layout::{Offset, Position};

/// Draws the overlay; returns where to put the cursor, and adds its text fields to `fields`.
pub(crate) fn draw(
    overlay: &dyn Overlay,
    screen: &Screen,
    state: &State,
    fields: &mut Vec<FieldPlace>,
    buf: &mut Canvas,
    draw: DrawContext<'_>,
) -> Option<Position> {
    let ctx = screen.overlay_context(state, draw);
    let sheet = overlay.sheet(ctx, &screen.panes, ctx.room(overlay.width()))?;
    let height = u16::try_from(sheet.rows.len()).unwrap_or(u16::MAX).saturating_add(2);
    let slot = screen.arrangement.overlay(overlay.width() + 4, height);
    // So that nothing of the panes shows through.
    buf.set_blank(slot.outer, draw.style(Slot::UiOverlay));
    frame::draw(buf, slot, &Title { left: sheet.title, focused: true, ..Title::default() }, draw);
    let area = slot.inner;
    // If not all rows fit, show the one with the cursor.
    let offset = Offset { x: area.x.into(), y: area.y.into() };
    let cursor_row = sheet.cursor.map_or(0, |c| c.0);
    let first = (cursor_row + 1).saturating_sub(usize::from(area.height));
    for (y, row) in (area.y..area.bottom()).zip(sheet.rows.iter().skip(first)) {
        buf.set_line(area.x, y, row, area.width);
    }
    let shown = sheet.fields.iter().filter_map(|field| field.scrolled(first, area.height.into()));
    fields.extend(shown.map(|field| FieldPlace { area: field.area.offset(offset), ..field }));
    let (row, column) = sheet.cursor?;
    let x = area.x.checked_add(u16::try_from(column).ok()?)?.min(area.right().saturating_sub(1));
    let y = area.y.checked_add(u16::try_from(row - first).ok()?)?;
    let at = Position { x, y };
    area.contains(at).then_some(at)
}
