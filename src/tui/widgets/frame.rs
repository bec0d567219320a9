//! Draws the borders and titles of panes and overlays. The focused pane has its title in brackets and heavy
//! lines, so that the focus is visible without colour. Borders that meet are joined.

use crate::tui::theme::Slot as Colour;
use crate::tui::widgets::draw_style::DrawStyle;
use crate::tui::widgets::layout::{Edge, Slot};
use crate::tui::widgets::safe;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::symbols::merge::MergeStrategy;
use unicode_width::UnicodeWidthStr as _;

/// The title in the frame of a pane.
#[derive(Clone, Debug, Default)]
pub struct Title {
    /// On the left: what the pane shows.
    pub(crate) left: String,
    /// On the right: the state of the pane (`follow`, `seen 11/24  a locked`).
    pub(crate) right: String,
    pub(crate) focused: bool,
    /// The style of the left part, where it differs from that of other titles.
    pub(crate) style: Option<Style>,
}

/// Draws the frames of panes that share borders: the focused pane's lines are drawn over those of its
/// neighbours, and the titles over all lines.
pub(crate) fn all(buf: &mut Buffer, panes: &[(Slot, Title)], look: DrawStyle<'_>) {
    for has_focus in [false, true] {
        for (slot, title) in panes.iter().filter(|(_, title)| title.focused == has_focus) {
            lines(buf, *slot, title.focused, look);
        }
    }
    for (slot, title) in panes {
        words(buf, *slot, title, look);
    }
}

/// Draws the frame of a pane or overlay that shares no border.
pub(crate) fn draw(buf: &mut Buffer, slot: Slot, title: &Title, look: DrawStyle<'_>) {
    lines(buf, slot, title.focused, look);
    words(buf, slot, title, look);
}

/// Draws the border of a pane, or the rule above it.
fn lines(buf: &mut Buffer, slot: Slot, focused: bool, look: DrawStyle<'_>) {
    let style = look.style(if focused { Colour::UiFocus } else { Colour::UiBorder });
    let strokes = if focused { look.glyphs.focus } else { look.glyphs.border };
    let area = slot.outer;
    if slot.edge == Edge::Bare || area.width < 4 || area.height == 0 {
        return;
    }
    let boxed = slot.edge == Edge::Box && area.height > 1;
    let (right, bottom) = (area.right() - 1, area.bottom() - 1);
    let inset = u16::from(boxed);
    for x in area.x + inset..area.right() - inset {
        set_border_cell(buf, x, area.y, strokes.horizontal, style);
        if boxed {
            set_border_cell(buf, x, bottom, strokes.horizontal, style);
        }
    }
    if boxed {
        for y in area.y + 1..bottom {
            set_border_cell(buf, area.x, y, strokes.vertical, style);
            set_border_cell(buf, right, y, strokes.vertical, style);
        }
        let corners = [(area.x, area.y), (right, area.y), (area.x, bottom), (right, bottom)];
        for ((x, y), sign) in corners.into_iter().zip(strokes.corners) {
            set_border_cell(buf, x, y, sign, style);
        }
    }
}

/// Draws the title in the top row.
fn words(buf: &mut Buffer, slot: Slot, title: &Title, look: DrawStyle<'_>) {
    let area = slot.outer;
    if slot.edge == Edge::Bare || area.width < 4 || area.height == 0 {
        return;
    }
    let corners = slot.edge == Edge::Box;
    let inset = u16::from(corners);
    let room = usize::from(area.width.saturating_sub(4 + 2 * inset));
    let right = safe::one_line(&title.right);
    let right_room = if right.is_empty() { 0 } else { right.width() + 3 };
    let fits = right_room < room;
    let left = safe::cut(&safe::one_line(&title.left), if fits { room - right_room } else { room });
    // Where panes have no borders, the tabs show which one has the focus.
    let bracketed = if title.focused && corners { format!("[{left}]") } else { format!(" {left} ") };
    let style =
        title.style.unwrap_or(look.style(if title.focused { Colour::UiFocus } else { Colour::UiTitle }));
    if !left.is_empty() {
        write(buf, (area.x + 1 + inset, area.y), &bracketed, room + 2, style, look);
    }
    if !right.is_empty() && fits {
        let text = format!(" {right} ");
        let x = area.right().saturating_sub(u16::try_from(text.width()).unwrap_or(0) + 1 + inset);
        let slot = if title.focused { Colour::UiTitle } else { Colour::UiDim };
        write(buf, (x, area.y), &text, text.width(), look.style(slot), look);
    }
}

/// Writes text over a line without taking on the line's style.
fn write(buf: &mut Buffer, (x, y): (u16, u16), text: &str, room: usize, style: Style, look: DrawStyle<'_>) {
    let own = Style::reset().patch(look.text()).patch(style);
    buf.set_stringn(x, y, text, room, own);
}

/// Draws a piece of a border, and joins it with a border that is already in the cell.
fn set_border_cell(buf: &mut Buffer, x: u16, y: u16, symbol: &str, style: Style) {
    let Some(cell) = buf.cell_mut((x, y)) else { return };
    // ASCII borders can't be joined: a corner stays a corner.
    if cell.symbol() != "+" {
        cell.merge_symbol(symbol, MergeStrategy::Exact);
    }
    cell.set_style(style);
}

/// Clears an area, so that nothing of the panes shows through an overlay.
pub(crate) fn clear(buf: &mut Buffer, area: Rect, style: Style) {
    let area = area.intersection(buf.area);
    let mut blank = Cell::EMPTY;
    blank.set_style(style);
    for y in area.rows().map(|row| row.y) {
        let start = buf.index_of(area.x, y);
        for cell in buf.content.get_mut(start..start + usize::from(area.width)).into_iter().flatten() {
            // Cell by cell instead of `set_style`: this is most of the cost of a typed letter.
            cell.reset();
            (cell.fg, cell.bg) = (blank.fg, blank.bg);
            (cell.underline_color, cell.modifier) = (blank.underline_color, blank.modifier);
        }
    }
}
