//! The message box, and the search line that takes its place.

use crate::engine::{Phase, State};
use crate::tui::action::Action;
use crate::tui::paint::canvas::Canvas;
use crate::tui::screen::{Ctx, Screen};
use crate::tui::theme::Slot;
use crate::tui::widgets::frame::Title;
use crate::tui::widgets::hits::FieldPlace;
use crate::tui::widgets::layout::{Edge, Pane};
use crate::tui::widgets::safe;
use crate::tui::widgets::typed_text::TypedText;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr as _;

pub(crate) fn title(screen: &Screen) -> Title {
    let left = match screen.panes.composer.field.mode() {
        Some(mode) => format!("Message {}", mode.word()),
        None => "Message".to_owned(),
    };
    Title { left, focused: screen.panes.focus == Pane::Message, ..Title::default() }
}

/// Draws the box's content; returns where to put the cursor, if the box has the focus.
pub(crate) fn draw(
    screen: &Screen,
    Ctx { state, draw, .. }: Ctx<'_>,
    fields: &mut Vec<FieldPlace>,
    buf: &mut Canvas,
) -> Option<Position> {
    let slot = screen.arrangement.message?;
    let area = slot.inner;
    if let Some((head, field)) = screen.overlays.last().and_then(|top| top.in_message()) {
        let room = usize::from(area.width).saturating_sub(head.len());
        let typed = TypedText::of(field).rows(room, 1, draw.text(), draw.style(Slot::UiSelection));
        let mut line = typed.rows.into_iter().next().unwrap_or_default();
        line.spans.insert(0, Span::styled(head, draw.dim()));
        buf.set_line(area.x, area.y, &line, area.width);
        let indent = u16::try_from(head.len()).unwrap_or(0);
        let own = Rect { x: area.x + indent, width: area.width.saturating_sub(indent), height: 1, ..area };
        fields.push(FieldPlace { number: 0, area: own, above: 0, rows: 1, here: true });
        return place(area, head.len() + typed.cursor.1, 0);
    }
    let empty = screen.panes.composer.is_empty();
    let focused = screen.panes.focus == Pane::Message && screen.overlays.is_empty();
    buf.set_stringn(area.x, area.y, ">", 1, draw.dim());
    let text_area = Rect { x: area.x + 2, width: area.width.saturating_sub(2), ..area };
    if empty {
        let room = usize::from(text_area.width);
        let hint = safe::cut(&placeholder(screen, state, focused, room), room);
        buf.set_stringn(text_area.x, text_area.y, hint, room, draw.dim());
        return (focused && slot.edge != Edge::Bare).then(|| place(text_area, 0, 0)).flatten();
    }
    let typed = TypedText::of(&screen.panes.composer.field).rows(
        text_area.width.into(),
        text_area.height.into(),
        draw.text(),
        draw.style(Slot::UiSelection),
    );
    buf.set_lines(text_area, &typed.rows);
    if typed.above {
        buf.set_line(area.x, area.y, &Line::styled("^", draw.dim()), 1);
    }
    let (row, column) = typed.cursor;
    focused.then(|| place(text_area, column, row)).flatten()
}

/// The hint in the empty message box, in fewer words where it does not fit.
fn placeholder(screen: &Screen, state: &State, focused: bool, room: usize) -> String {
    if screen.setup.welcome {
        return "choose a provider first".into();
    }
    let waits = screen.panes.focus == Pane::Code && matches!(state.phase, Phase::Deciding(_));
    // The key that moves the focus to the message box from here, if any; an overlay above the panes has none.
    let is_free = screen.overlays.is_empty();
    let to_type = is_free.then(|| screen.keymap.hint(screen.keymap_context(state), Action::MessageFocus));
    let to_type = to_type.unwrap_or_default();
    match (waits, to_type.as_str()) {
        (true, "") => "(letters here never reach the block)".into(),
        (true, key) => {
            let whole = format!("({key} to type; letters here never reach the block)");
            if whole.width() <= room { whole } else { format!("({key} to type)") }
        }
        (false, _) if focused && screen.suggestion(state).is_some() => {
            format!("try: {}", screen.suggestion(state).map(safe::one_line).unwrap_or_default())
        }
        (false, _) if focused && state.phase == Phase::Idle => "Ask for something, or / for commands".into(),
        (false, _) => String::new(),
    }
}

/// The cell at a column and row of an area, or the last one of its row; none below the area.
pub(super) fn place(area: Rect, column: usize, row: usize) -> Option<Position> {
    let x = area.x.checked_add(u16::try_from(column).ok()?)?;
    let y = area.y.checked_add(u16::try_from(row).ok()?)?;
    let at = Position { x: x.min(area.right().saturating_sub(1)), y };
    area.contains(at).then_some(at)
}
