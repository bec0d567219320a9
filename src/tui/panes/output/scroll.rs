//! Moving through the output: by rows, by pages, by the columns of tables, and to where a run ended.

use super::{OutputPane, OutputPlace, receipt};
use crate::domain::Outcome;
use crate::engine::State;
use crate::tui::widgets::look::DrawStyle;

impl OutputPane {
    /// Scrolls tables sideways by so many of their columns.
    pub(crate) fn scroll_columns(&mut self, columns: isize) {
        let Some(table) = self.table() else { return };
        let most = table.most_skipped(self.area.width.into());
        self.skipped = self.skipped.min(most).saturating_add_signed(columns).min(most);
    }

    /// A run that has ended is shown from its top, once, where it came to something or failed and not all of it fits: how
    /// it ended, the value or the error stands there. It may fit until its pictures are drawn, or the pane gets smaller. A
    /// person who reads further up is left there.
    pub(super) fn show_result(&mut self, state: &State, look: DrawStyle<'_>) {
        if !self.is_here {
            return;
        }
        let ended = self.run(state).and_then(|(_, run)| Some(&run.ended.as_ref()?.1));
        let Some(report) = ended.filter(|_| !self.result_shown) else { return };
        let ends_well = matches!(report.outcome, Outcome::Ok | Outcome::Interrupted);
        let has_head = receipt::has_result(report) || !ends_well;
        let height = self.area.height.into();
        self.result_shown = !has_head
            || !self.list.follows()
            || self.with(look, |list, printed| {
                let exceeds = printed.exceed(height);
                if exceeds {
                    list.to_top(printed);
                }
                exceeds
            });
    }

    /// Scrolls by rows; upwards leaves the end. From an image that is alone it goes to the next, or the one before.
    pub(crate) fn scroll(&mut self, rows: isize, look: DrawStyle<'_>) {
        if self.step_image(rows) {
            return;
        }
        self.with(look, |list, printed| list.scroll(printed, rows));
    }

    pub(crate) fn page(&mut self, pages: isize, look: DrawStyle<'_>) {
        let rows = pages * self.list.page();
        self.scroll(rows, look);
    }

    /// To the first row.
    pub(crate) fn to_top(&mut self, look: DrawStyle<'_>) {
        if let Some(alone) = &mut self.alone {
            alone.number = 0;
            return;
        }
        self.with(look, |list, printed| list.to_top(printed));
    }

    /// Goes to the end and follows it.
    pub(crate) fn follow(&mut self) {
        if let Some(alone) = &mut self.alone {
            alone.number = usize::MAX;
            return;
        }
        self.list.follow();
    }

    /// Where the pane stands, to come back to it.
    pub(crate) fn place(&self) -> OutputPlace {
        OutputPlace { at: self.list.place(), skipped: self.skipped }
    }

    /// Goes back to where it stood.
    pub(crate) fn restore(&mut self, place: &OutputPlace) {
        self.list.restore(place.at);
        self.skipped = place.skipped;
    }
}
