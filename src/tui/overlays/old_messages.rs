//! The list of messages sent before, newest first.

use super::{Overlay, OverlayContext, OverlayProperties, OverlayResponse};
use crate::tui::panes::Panes;
use crate::tui::widgets::filtered_list::{FilteredList, ListRoom, Matches};
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::layout::Pane;
use crate::tui::widgets::sheet::Sheet;
use crate::tui::widgets::{safe, words};
use ratatui::layout::Rect;

/// Messages sent before, newest first.
#[derive(Debug)]
pub(crate) struct OldMessages(FilteredList<()>);

impl OldMessages {
    pub(crate) fn of(all: Vec<String>) -> Self {
        Self(FilteredList::new(all.into_iter().map(|text| ((), text)), |()| false))
    }
}

impl Overlay for OldMessages {
    fn properties(&self) -> OverlayProperties {
        OverlayProperties { width: 70, ..OverlayProperties::default() }
    }

    fn matches(&mut self) -> Option<&mut Matches> {
        Some(&mut self.0.matches)
    }

    fn accept(&mut self, _: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        if let Some(((), text)) = self.0.chosen() {
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
        Some(format!("{}.", words::count(self.0.counts().0, "older message")))
    }

    fn sheet(&self, ctx: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        let draw = ctx.draw;
        let room = ListRoom { area: room, others: 4, most: 12 };
        let mut sheet = self.0.sheet("Old messages", room, draw, |(), text| {
            let lines = words::line_count(text);
            let more = if lines > 1 { format!("  ({lines} lines)") } else { String::new() };
            format!("{}{more}", safe::one_line(words::first_line(text)))
        });
        if self.0.counts().1 == 0 {
            sheet.dim("  No message matches.", draw);
        }
        Some(sheet)
    }
}
