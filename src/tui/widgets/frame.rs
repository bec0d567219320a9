//! Borders and titles of panes and overlays. The title of the focused pane stands in brackets, so that the focus can
//! be seen without colour.

use crate::tui::theme::Slot as Colour;
use crate::tui::widgets::layout::{Edge, Slot};
use crate::tui::widgets::look::Look;
use crate::tui::widgets::safe;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr as _;

/// What stands in the frame of a pane.
#[derive(Clone, Debug, Default)]
pub struct Title {
    /// On the left: what the pane shows.
    pub left: String,
    /// On the right: how it stands (`follow`, `seen 11/24  a locked`).
    pub right: String,
    /// Whether the pane has the focus.
    pub focused: bool,
    /// The style of the left part, where it says more than a name.
    pub style: Option<Style>,
}

/// Draws the frame of a pane.
pub(crate) fn draw(buf: &mut Buffer, slot: Slot, title: &Title, look: Look<'_>) {
    let border = look.style(if title.focused { Colour::UiFocus } else { Colour::UiBorder });
    match slot.edge {
        Edge::Bare => {}
        Edge::Rule => {
            rule(buf, slot.outer, title, look, border, false);
        }
        Edge::Box => {
            sides(buf, slot.outer, look, border);
            rule(buf, slot.outer, title, look, border, true);
        }
    }
}

/// The left and right sides and the bottom.
fn sides(buf: &mut Buffer, area: Rect, look: Look<'_>, style: Style) {
    if area.width < 2 || area.height < 2 {
        return;
    }
    let (right, bottom) = (area.right() - 1, area.bottom() - 1);
    for y in area.y + 1..bottom {
        put(buf, area.x, y, look.glyphs.vertical, style);
        put(buf, right, y, look.glyphs.vertical, style);
    }
    for x in area.x + 1..right {
        put(buf, x, bottom, look.glyphs.horizontal, style);
    }
    put(buf, area.x, bottom, look.glyphs.corners[2], style);
    put(buf, right, bottom, look.glyphs.corners[3], style);
}

/// The top row with its title.
fn rule(buf: &mut Buffer, area: Rect, title: &Title, look: Look<'_>, border: Style, corners: bool) {
    if area.width < 4 || area.height == 0 {
        return;
    }
    let y = area.y;
    for x in area.x..area.right() {
        put(buf, x, y, look.glyphs.horizontal, border);
    }
    if corners {
        put(buf, area.x, y, look.glyphs.corners[0], border);
        put(buf, area.right() - 1, y, look.glyphs.corners[1], border);
    }
    let inset = u16::from(corners);
    let room = usize::from(area.width.saturating_sub(4 + 2 * inset));
    let right = safe::one_line(&title.right);
    let right_room = if right.is_empty() { 0 } else { right.width() + 3 };
    let fits = right_room < room;
    let left = safe::cut(&safe::one_line(&title.left), if fits { room - right_room } else { room });
    // Where panes have no borders the tabs tell which one has the focus.
    let bracketed = if title.focused && corners { format!("[{left}]") } else { format!(" {left} ") };
    let style =
        title.style.unwrap_or(look.style(if title.focused { Colour::UiFocus } else { Colour::UiTitle }));
    if !left.is_empty() {
        buf.set_stringn(area.x + 1 + inset, y, &bracketed, room + 2, style);
    }
    if !right.is_empty() && fits {
        let text = format!(" {right} ");
        let x = area.right().saturating_sub(u16::try_from(text.width()).unwrap_or(0) + 1 + inset);
        buf.set_stringn(x, y, &text, text.width(), look.style(Colour::UiTitle));
    }
}

fn put(buf: &mut Buffer, x: u16, y: u16, symbol: &str, style: Style) {
    if let Some(cell) = buf.cell_mut((x, y)) {
        cell.set_symbol(symbol).set_style(style);
    }
}

/// Empties an area: what lay below an overlay doesn't shine through.
pub(crate) fn clear(buf: &mut Buffer, area: Rect, style: Style) {
    let area = area.intersection(buf.area);
    for y in area.rows().map(|row| row.y) {
        let start = buf.index_of(area.x, y);
        for cell in buf.content.iter_mut().skip(start).take(usize::from(area.width)) {
            cell.reset();
            cell.set_style(style);
        }
    }
}
