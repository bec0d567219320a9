//! Draws the borders and titles of panes and overlays. The focused pane has its title in brackets and heavy
//! lines, so that the focus is visible without colour. Borders that meet are joined.

use crate::tui::paint::canvas::Canvas;
use crate::tui::theme::Slot as Colour;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::layout::{Edge, Slot};
use crate::tui::widgets::safe;
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr as _;

/// The title in the frame of a pane.
#[derive(Clone, Debug, Default)]
pub(crate) struct Title {
    /// On the left: what the pane shows.
    pub(crate) left: String,
    /// On the right: the state of the pane (`follow`, `seen 11/24  a locked`).
    pub(crate) right: String,
    pub(crate) focused: bool,
    /// The style of the left part, where it differs from that of other titles.
    pub(crate) style: Option<Style>,
}

/// Draws the frames of panes that share borders, or that of an overlay: the focused pane's lines are drawn over those of its
/// neighbours, and the titles over all lines.
pub(crate) fn all(buf: &mut Canvas, panes: &[(Slot, Title)], draw: DrawContext<'_>) {
    for has_focus in [false, true] {
        for (slot, title) in panes.iter().filter(|(_, title)| title.focused == has_focus) {
            lines(buf, *slot, title.focused, draw);
        }
    }
    for (slot, title) in panes {
        words(buf, *slot, title, draw);
    }
}

/// Draws the border of a pane, or the rule above it.
fn lines(buf: &mut Canvas, slot: Slot, focused: bool, draw: DrawContext<'_>) {
    let style = draw.style(if focused { Colour::UiFocus } else { Colour::UiBorder });
    let strokes = if focused { draw.glyphs.focus } else { draw.glyphs.border };
    let area = slot.outer;
    if slot.edge == Edge::Bare || area.width < 4 || area.height == 0 {
        return;
    }
    let boxed = slot.edge == Edge::Box && area.height > 1;
    let (right, bottom) = (area.right() - 1, area.bottom() - 1);
    let inset = u16::from(boxed);
    let columns = area.x + inset..area.right() - inset;
    buf.set_border(columns.clone(), area.y, strokes.horizontal, style);
    if boxed {
        buf.set_border(columns, bottom, strokes.horizontal, style);
        for y in area.y + 1..bottom {
            buf.set_border(area.x..area.x + 1, y, strokes.vertical, style);
            buf.set_border(right..right + 1, y, strokes.vertical, style);
        }
        let corners = [(area.x, area.y), (right, area.y), (area.x, bottom), (right, bottom)];
        for ((x, y), sign) in corners.into_iter().zip(strokes.corners) {
            buf.set_border(x..x + 1, y, sign, style);
        }
    }
}

/// Draws the title in the top row.
fn words(buf: &mut Canvas, slot: Slot, title: &Title, draw: DrawContext<'_>) {
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
        title.style.unwrap_or(draw.style(if title.focused { Colour::UiFocus } else { Colour::UiTitle }));
    if !left.is_empty() {
        write(buf, (area.x + 1 + inset, area.y), &bracketed, room + 2, style, draw);
    }
    if !right.is_empty() && fits {
        let text = format!(" {right} ");
        let x = area.right().saturating_sub(u16::try_from(text.width()).unwrap_or(0) + 1 + inset);
        let slot = if title.focused { Colour::UiTitle } else { Colour::UiDim };
        write(buf, (x, area.y), &text, text.width(), draw.style(slot), draw);
    }
}

/// Writes text over a line without taking on the line's style.
fn write(buf: &mut Canvas, (x, y): (u16, u16), text: &str, room: usize, style: Style, draw: DrawContext<'_>) {
    let own = Style::reset().patch(draw.text()).patch(style);
    buf.set_stringn(x, y, text, room, own);
}
