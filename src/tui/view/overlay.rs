//! Draws the box of the topmost overlay, over the panes or, where there is only one pane, over the whole screen.

use super::message::place;
use crate::tui::overlays::Overlay;
use crate::tui::paint::canvas::Canvas;
use crate::tui::screen::{Ctx, Screen};
use crate::tui::theme::Slot;
use crate::tui::widgets::frame::{self, Title};
use crate::tui::widgets::hits::FieldPlace;
use crate::tui::widgets::sheet::hidden;
use ratatui::layout::{Offset, Position};

/// Draws the overlay; returns where to put the cursor, and adds its text fields to `fields`.
pub(crate) fn draw(
    overlay: &dyn Overlay,
    screen: &Screen,
    ctx: Ctx<'_>,
    fields: &mut Vec<FieldPlace>,
    buf: &mut Canvas,
) -> Option<Position> {
    let (ctx, draw) = (screen.overlay_context(ctx), ctx.draw);
    let width = overlay.properties().width;
    let sheet = overlay.sheet(ctx, &screen.panes, ctx.room(width))?;
    let height = u16::try_from(sheet.rows.len()).unwrap_or(u16::MAX).saturating_add(2);
    let slot = screen.arrangement.overlay(width + 4, height);
    let height = usize::from(slot.inner.height);
    let shown = sheet.visible(height);
    // So that nothing of the panes shows through.
    buf.set_blank(slot.outer, draw.style(Slot::UiOverlay));
    frame::all(buf, &[(slot, Title { left: sheet.title, focused: true, ..Title::default() })], draw);
    let area = slot.inner;
    let offset = Offset { x: area.x.into(), y: area.y.into() };
    let [above, below] = hidden(&shown, sheet.rows.len(), height, draw);
    // The row at the top of the box, counted as those of the sheet.
    let first = shown.start - usize::from(above.is_some());
    let rows = above.iter().chain(sheet.rows.get(shown).unwrap_or_default()).chain(&below);
    buf.set_lines(area, rows);
    let shown = sheet.fields.iter().filter_map(|field| field.scrolled(first, area.height.into()));
    fields.extend(shown.map(|field| FieldPlace { area: field.area.offset(offset), ..field }));
    let (row, column) = sheet.cursor?;
    place(area, column, row.checked_sub(first)?)
}
