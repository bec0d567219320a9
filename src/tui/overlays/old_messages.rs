//! The list of messages sent before, newest first.

use super::{Overlay, OverlayContext, OverlayResponse};
use crate::tui::panes::Panes;
use crate::tui::widgets::field::Field;
use crate::tui::widgets::filter::{Cursor, rank};
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::layout::Pane;
use crate::tui::widgets::sheet::{Sheet, entry};
use crate::tui::widgets::{safe, words};
use ratatui::layout::Rect;
use ratatui::text::Line;

/// Messages sent before, newest first.
#[derive(Debug, Default)]
pub(crate) struct OldMessages {
    filter: Field,
    /// The messages, newest first.
    all: Vec<String>,
    cursor: Cursor,
}

impl OldMessages {
    pub(crate) fn of(all: Vec<String>) -> Self {
        Self { all, ..Self::default() }
    }

    /// The messages that match the filter.
    fn matching_messages(&self) -> Vec<&str> {
        rank(&self.filter.text(), &self.all)
            .into_iter()
            .filter_map(|i| self.all.get(i).map(String::as_str))
            .collect()
    }
}

impl Overlay for OldMessages {
    fn width(&self) -> u16 {
        70
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.filter)
    }

    fn list(&mut self) -> Option<(&mut Cursor, usize)> {
        let rows = self.matching_messages().len();
        Some((&mut self.cursor, rows))
    }

    fn accept(&mut self, _: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        if let Some(text) = self.matching_messages().get(self.cursor.0) {
            panes.composer.set(text);
        }
        panes.focus = Pane::Message;
        vec![OverlayResponse::Close]
    }

    fn hints(&self, _: OverlayContext<'_>, hints: &mut Hints<'_>) {
        hints.plain("type to filter", "", 2).plain("Up/Down", "", 2);
        hints.plain("Enter", "use", 0).plain("Esc", "back", 0);
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        Some(format!("{}.", words::count(self.all.len(), "older message")))
    }

    fn sheet(&self, around: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        let (width, look) = (room.width, around.look);
        let mut sheet = Sheet::new("Old messages");
        sheet.field("> ", &self.filter, width, look).rule(width, look);
        let shown = self.matching_messages();
        let rows = usize::from(room.height.saturating_sub(4).clamp(1, 12));
        let first = self.cursor.window(rows);
        for (at, text) in shown.iter().enumerate().skip(first).take(rows) {
            let lines = words::line_count(text);
            let more = if lines > 1 { format!("  ({lines} lines)") } else { String::new() };
            let text = format!("{}{more}", safe::one_line(words::first_line(text)));
            sheet.row(entry(&text, at == self.cursor.0, width, look));
        }
        if shown.is_empty() {
            sheet.row(Line::styled("  No message matches.", look.dim()));
        }
        Some(sheet)
    }
}
