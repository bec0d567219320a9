//! Scrolls through the output: by rows, by pages, by the columns of tables, and to the result of a run.

use super::{OutputPane, OutputPlace, receipt};
use crate::domain::Outcome;
use crate::engine::State;
use crate::tui::widgets::draw_context::DrawContext;

impl OutputPane {
    /// Scrolls tables sideways by this many columns.
    pub(crate) fn scroll_columns(&mut self, columns: isize) {
        let Some(table) = self.table() else { return };
        let most = table.most_skipped(self.area.width.into());
        self.skipped = self.skipped.min(most).saturating_add_signed(columns).min(most);
    }

    /// Scrolls once to the top of an ended run that has a result or failed, if not everything fits: how it ended, its
    /// value or error is at the top. Repeated until it does not fit, because pictures may still be drawn and the pane
    /// may shrink. A person who has scrolled up is left where they are.
    pub(super) fn show_result(&mut self, state: &State, draw: DrawContext<'_>) {
        if !self.output_loaded {
            return;
        }
        let ended = self.run(state).and_then(|(_, run)| Some(&run.ended.as_ref()?.1));
        let Some(report) = ended.filter(|_| !self.result_shown) else { return };
        let ends_well = matches!(report.outcome, Outcome::Ok | Outcome::Interrupted);
        let has_head = receipt::has_result(report) || !ends_well;
        let height = self.area.height.into();
        self.result_shown = !has_head
            || !self.list.follows()
            || self.with(draw, |list, printed| {
                let exceeds = printed.exceed(height);
                if exceeds {
                    list.to_top(printed);
                }
                exceeds
            });
    }

    /// Scrolls by rows; scrolling up stops following the end. If an image is shown alone, goes to the next or the
    /// previous one.
    pub(crate) fn scroll(&mut self, rows: isize, draw: DrawContext<'_>) {
        if self.step_image(rows) {
            return;
        }
        self.with(draw, |list, printed| list.scroll(printed, rows));
    }

    pub(crate) fn page(&mut self, pages: isize, draw: DrawContext<'_>) {
        let rows = pages * self.list.page();
        self.scroll(rows, draw);
    }

    /// Scrolls to the first row, or to the first image if one is shown alone.
    pub(crate) fn to_top(&mut self, draw: DrawContext<'_>) {
        if let Some(alone) = &mut self.single_image {
            alone.number = 0;
            return;
        }
        self.with(draw, |list, printed| list.to_top(printed));
    }

    /// Scrolls to the end and follows it, or goes to the last image if one is shown alone.
    pub(crate) fn follow(&mut self) {
        if let Some(alone) = &mut self.single_image {
            alone.number = usize::MAX;
            return;
        }
        self.list.follow();
    }

    /// The scroll position, for [`OutputPane::restore`].
    pub(crate) fn place(&self) -> OutputPlace {
        OutputPlace { at: self.list.anchor, skipped: self.skipped }
    }

    /// Scrolls back to a position.
    pub(crate) fn restore(&mut self, place: &OutputPlace) {
        self.list.anchor = place.at;
        self.skipped = place.skipped;
    }
}
