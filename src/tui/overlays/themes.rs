//! The list of themes: the theme under the cursor is applied at once, and Esc goes back to the one in use before.

use super::{Overlay, OverlayContext, OverlayResponse};
use crate::tui::panes::Panes;
use crate::tui::theme::{self, Slot};
use crate::tui::ui_command::UiCommand;
use crate::tui::widgets::filter::Cursor;
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::safe;
use crate::tui::widgets::sheet::{Sheet, entry};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// Sample words in the most telling colours.
const SAMPLES: [(&str, Slot); 7] = [
    ("you", Slot::ChatUser),
    ("WAITING", Slot::BlockPending),
    ("RUNNING", Slot::BlockRunning),
    ("DONE", Slot::BlockDone),
    ("HIGH", Slot::FindingHigh),
    ("+ added", Slot::DiffAdd),
    ("- taken out", Slot::DiffDel),
];

#[derive(Debug)]
pub(crate) struct ThemeList {
    /// The theme in use when the list was opened.
    before: String,
    names: Vec<String>,
    cursor: Cursor,
}

impl ThemeList {
    /// The shipped themes, then the person's own, and the one in use even if its file is gone.
    pub(crate) fn new(in_use: &str, own: Vec<String>) -> Self {
        let mut names: Vec<String> = theme::SHIPPED.iter().map(|(name, _)| (*name).to_owned()).collect();
        for name in own.into_iter().chain([in_use.to_owned()]) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let at = names.iter().position(|name| name == in_use).unwrap_or_default();
        Self { before: in_use.to_owned(), names, cursor: Cursor(at) }
    }
}

impl Overlay for ThemeList {
    fn list(&mut self) -> Option<(&mut Cursor, usize)> {
        Some((&mut self.cursor, self.names.len()))
    }

    /// Applies the theme under the cursor at once.
    fn step(&mut self, by: isize, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        let before = self.cursor;
        self.cursor.step(by, self.names.len());
        let name = self.names.get(self.cursor.0).filter(|_| self.cursor != before);
        name.map(|name| OverlayResponse::UiCommand(UiCommand::Theme(name.clone()))).into_iter().collect()
    }

    fn close(&mut self, _: &mut Panes) -> Vec<OverlayResponse> {
        vec![OverlayResponse::Close, OverlayResponse::UiCommand(UiCommand::Theme(self.before.clone()))]
    }

    fn hints(&self, _: OverlayContext<'_>, hints: &mut Hints<'_>) {
        hints.plain("Up/Down", "see it", 1).plain("Enter", "take it", 0).plain("Esc", "as before", 0);
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        Some("What the cursor is on is shown. The setting ui.theme holds for every start.".into())
    }

    fn sheet(&self, ctx: OverlayContext<'_>, _: &Panes, _: Rect) -> Option<Sheet> {
        let mut sheet = Sheet::new("Themes");
        sheet.in_view = Some(self.cursor.0..self.cursor.0 + 1);
        for (at, name) in self.names.iter().enumerate() {
            let mark = if *name == self.before { "  in use" } else { "" };
            let text = format!("{}{mark}", safe::one_line(name));
            sheet.row(entry(&text, at == self.cursor.0, 40, ctx.draw));
        }
        // If the list has the whole screen, these samples are all that shows the theme.
        let samples = SAMPLES.map(|(text, slot)| Span::styled(format!("{text}  "), ctx.draw.style(slot)));
        sheet.gap().row(Line::from(samples.to_vec()));
        Some(sheet)
    }
}
