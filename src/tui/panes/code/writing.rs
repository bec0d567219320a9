//! Draws the end of a block while the model writes it, with line numbers. Only the visible lines are read, so that a
//! token costs the same however long the block is.

use super::doc::{Gutter, gutter_width};
use super::highlight::Colours;
use crate::engine::reply::Proposal;
use crate::tui::paint::canvas::Canvas;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::{safe, words};
use ratatui::layout::Rect;
use ratatui::text::Line;

/// Draws the end of a growing text.
pub(super) fn draw(buf: &mut Canvas, area: Rect, block: &Proposal, colours: &Colours, draw: DrawContext<'_>) {
    let height = usize::from(area.height);
    let of = words::line_count(&block.source);
    let room = usize::from(area.width).saturating_sub(gutter_width(of)).max(1);
    let mut rows: Vec<Line<'static>> = Vec::new();
    if !block.closed {
        let head = " ".repeat(gutter_width(of) - 2);
        rows.push(Line::styled(format!("{head}{} ...", draw.glyphs.border.vertical), draw.dim()));
    }
    // Goes from the last line upwards until the pane is full; the rows are reversed at the end.
    let body = block.source.strip_suffix('\n').unwrap_or(&block.source);
    let lines = if block.source.is_empty() { None } else { Some(body.rsplit('\n')) };
    for (back, text) in lines.into_iter().flatten().enumerate() {
        if rows.len() >= height {
            break;
        }
        let number = of.saturating_sub(back + 1);
        let text = text.strip_suffix('\r').unwrap_or(text);
        let styles = colours.for_line(number, text).unwrap_or_default();
        let painted = safe::code(text, &styles, draw.text(), room, draw.theme.mark());
        for (part, row) in painted.into_iter().enumerate().rev() {
            let gutter = Gutter { goes_on: part > 0, ..Gutter::new(number, of) };
            let mut spans = gutter.spans(draw);
            spans.extend(row.line.spans);
            rows.push(Line::from(spans));
        }
    }
    rows.truncate(height);
    buf.set_lines(area, rows.iter().rev());
}
